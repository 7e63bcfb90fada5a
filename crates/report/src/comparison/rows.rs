//! What the formats for people show of a comparison: which rows, in which words.

use rangescope_model::comparison::{
    Change, Comparison, Delta, FamilyDelta, GateOutcome, GateReport, GateStatus, KernelDelta,
    MetricDelta, NoteSeverity, RegionDelta, ScopeComparison, SetDelta, ShapeChange, ShapeDelta,
    Side, Spread, Verdict,
};
use rangescope_model::document::Basis;
use rangescope_model::number::{
    self, ABSENT, Milliseconds, dimensions, plain, signed_percent, signed_with_unit, with_unit,
};
use rangescope_model::region::RangeKind;

/// Launch shapes of a kernel that are shown at most.
const MOST_SHAPES: usize = 5;

/// One line of a table of times.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Row {
    /// The name as the program wrote it.
    pub(super) name: String,
    /// Our own words, so that they need no escaping beyond the domain in them.
    pub(super) remark: String,
    pub(super) base: String,
    pub(super) new: String,
    pub(super) difference: String,
    pub(super) relative: String,
    /// Where the relative difference lies; empty where that is not known.
    pub(super) interval: String,
    /// Empty where the number of calls did not change, as is the next.
    pub(super) calls: String,
    pub(super) per_call: String,
    pub(super) verdict: Verdict,
}

/// What all sets, regions, kernels and launch shapes have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Times<'c> {
    pub(crate) verdict: Verdict,
    pub(crate) time: &'c Delta,
    pub(crate) calls: &'c Delta,
    pub(crate) per_call: &'c Delta,
}

macro_rules! timed {
    ($($timed:ty),*) => {$(
        impl<'c> From<&'c $timed> for Times<'c> {
            fn from(of: &'c $timed) -> Self {
                Self {
                    verdict: of.verdict,
                    time: &of.time,
                    calls: &of.calls,
                    per_call: &of.time_per_call,
                }
            }
        }
    )*};
}

timed!(SetDelta, RegionDelta, KernelDelta, ShapeDelta);

/// The regions of a scope that are shown.
pub(super) struct Regions {
    /// Everything, the regions by cost, and what is outside of them.
    pub(super) rows: Vec<Row>,
    /// Regions that were not shown because there are too many.
    pub(super) left_out: usize,
    /// Regions that were not shown because they are the same.
    pub(super) same: usize,
}

/// The table of a scope. Unless all is wanted, what is the same is only counted, and members of a family that have one verdict are one row.
pub(super) fn regions(scope: &ScopeComparison, limit: usize, all: bool) -> Regions {
    let ms = Milliseconds::for_both(&scope.totals.time);
    let mut rows = vec![row("(all)".to_owned(), "", Times::from(&scope.totals), ms)];
    let mut family_of = vec![None; scope.regions.len()];
    for family in scope.families.iter().filter(|_| !all) {
        for member in &family.members {
            if let Some(known) = family_of.get_mut(*member as usize) {
                *known = Some(family);
            }
        }
    }
    let is_shown = |region: &RegionDelta| all || region.verdict != Verdict::Same;
    let shown = scope.regions.iter().enumerate().filter(|(_, region)| is_shown(region));
    let same = scope.regions.len() - shown.clone().count();
    let mut lines = shown.filter_map(|(at, region)| match family_of.get(at).copied().flatten() {
        None => Some(row(region.name.clone(), &region_remark(region), region.into(), ms)),
        // A family stands where its first member stands.
        Some(family) => {
            let is_first = family.members.iter().min().is_some_and(|first| *first as usize == at);
            is_first.then(|| family_row(family, ms))
        }
    });
    rows.extend(lines.by_ref().take(limit));
    let left_out = lines.count();
    if let Some(set) = &scope.unlabeled {
        rows.push(row("(unlabeled)".to_owned(), "", set.into(), ms));
    }
    Regions { rows, left_out, same }
}

/// What is said of rows that are not shown.
pub(super) fn not_shown(regions: &Regions) -> Vec<String> {
    let mut lines = Vec::new();
    if regions.left_out > 0 {
        lines.push(format!("… and {}", more(regions.left_out, "region", "regions")));
    }
    if regions.same > 0 {
        let same = number::count(regions.same as u64, "region is", "regions are");
        lines.push(format!("… {same} the same; --all shows them"));
    }
    lines
}

fn family_row(family: &FamilyDelta, ms: Milliseconds) -> Row {
    let remark = format!("{} of {}", family.members.len(), family.family_size);
    let time = &family.time;
    let none = Delta { base: None, new: None, absolute: None, ..*time };
    let times = Times { verdict: family.verdict, time, calls: &none, per_call: &none };
    row(family.name.clone(), &remark, times, ms)
}

/// The kernels of a scope that changed, by cost, each with its launch shapes that did; and how many more kernels there are.
pub(super) fn kernels(scope: &ScopeComparison, limit: usize) -> (Vec<Row>, usize) {
    let ms = Milliseconds::for_both(&scope.totals.time);
    let shapes = |kernel: &KernelDelta| -> Vec<Row> {
        let changed = kernel.launch_shapes.iter().filter(|shape| has_changed(shape.verdict));
        let shown = changed
            .take(MOST_SHAPES)
            .map(|shape| row(format!("  {}", shape_name(shape)), "", shape.into(), ms));
        shown.collect()
    };
    let changed: Vec<(&KernelDelta, Vec<Row>)> = scope
        .totals
        .kernels
        .iter()
        .map(|kernel| (kernel, shapes(kernel)))
        .filter(|(kernel, shapes)| has_changed(kernel.verdict) || !shapes.is_empty())
        .collect();
    let left_out = changed.len().saturating_sub(limit);
    let rows = changed.into_iter().take(limit).flat_map(|(kernel, shapes)| {
        let name = kernel.kernel_name.clone();
        std::iter::once(row(name, shape_remark(kernel), kernel.into(), ms)).chain(shapes)
    });
    (rows.collect(), left_out)
}

/// `1 more region`.
pub(super) fn more(left_out: usize, one: &str, many: &str) -> String {
    number::count(left_out as u64, &format!("more {one}"), &format!("more {many}"))
}

fn has_changed(verdict: Verdict) -> bool {
    !matches!(verdict, Verdict::Same | Verdict::Undecided)
}

/// `8x1x1 × 64x1x1`: grid and block.
pub(crate) fn shape_name(shape: &ShapeDelta) -> String {
    let sizes = |sizes: Option<[u64; 3]>| match sizes {
        None => "?".to_owned(),
        sizes => dimensions(sizes),
    };
    format!("{} × {}", sizes(shape.grid), sizes(shape.block))
}

fn row(name: String, remark: &str, times: Times<'_>, ms: Milliseconds) -> Row {
    let Times { verdict, time, calls, per_call } = times;
    let has_other_calls = calls.absolute.is_some_and(|difference| difference != 0.0);
    let settling = settling(time);
    let remarks = [remark, settling.as_str()];
    let remarks: Vec<&str> = remarks.into_iter().filter(|remark| !remark.is_empty()).collect();
    let median = |side: Option<Spread>| side.map_or(f64::NAN, |spread| spread.median);
    Row {
        name,
        remark: remarks.join(", "),
        base: ms.spread(time.base),
        new: ms.spread(time.new),
        difference: ms.signed(time.absolute),
        relative: signed_percent(time.relative),
        interval: interval(time),
        calls: if has_other_calls {
            format!("{} → {}", plain(median(calls.base)), plain(median(calls.new)))
        } else {
            String::new()
        },
        per_call: if has_other_calls { signed_percent(per_call.relative) } else { String::new() },
        verdict,
    }
}

/// `+3.9 % to +6.1 %`.
pub(crate) fn interval(delta: &Delta) -> String {
    let ends = delta.interval.and_then(|ends| Some([ends.relative_low?, ends.relative_high?]));
    ends.map_or_else(String::new, |[low, high]| {
        format!("{} to {}", signed_percent(Some(low)), signed_percent(Some(high)))
    })
}

/// How many runs would settle what is undecided.
fn settling(time: &Delta) -> String {
    match (time.change, time.runs_needed) {
        (Change::Undecided, Some(runs)) => format!("~{runs} runs a side would settle it"),
        (Change::Undecided, None) => "100 runs would not settle it".to_owned(),
        _ => String::new(),
    }
}

fn region_remark(region: &RegionDelta) -> String {
    let mut remarks = Vec::new();
    if region.domain != rangescope_model::region::DEFAULT_DOMAIN && !region.domain.is_empty() {
        remarks.push(format!("domain {}", region.domain));
    }
    if region.kind == RangeKind::StartEnd {
        remarks.push("start/end".to_owned());
    }
    if !region.renamed_from.is_empty() {
        remarks.push("renamed".to_owned());
    }
    if region.in_some_runs {
        remarks.push("not in all runs".to_owned());
    }
    remarks.join(", ")
}

fn shape_remark(kernel: &KernelDelta) -> &'static str {
    match kernel.shapes {
        ShapeChange::Other => "other launch shapes",
        ShapeChange::OtherCalls => "shapes launched otherwise often",
        ShapeChange::Same | ShapeChange::OneSide => "",
    }
}

/// The verdict in words.
pub(crate) fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Slower => "slower",
        Verdict::Faster => "faster",
        Verdict::MoreCalls => "more calls",
        Verdict::FewerCalls => "fewer calls",
        Verdict::HigherNotJudged => "higher, not judged",
        Verdict::LowerNotJudged => "lower, not judged",
        Verdict::New => "new",
        Verdict::Gone => "gone",
        Verdict::Unknown => "unknown",
        Verdict::Undecided => "undecided",
        Verdict::Same => "same",
    }
}

/// The metrics of what only one side has did not change.
pub(super) fn is_on_both_sides(region: &RegionDelta) -> bool {
    !matches!(region.verdict, Verdict::New | Verdict::Gone)
}

/// The metrics of a set that changed.
pub(super) fn changed(metrics: &[MetricDelta]) -> impl Iterator<Item = &MetricDelta> {
    let has_changed = |metric: &&MetricDelta| {
        !matches!(metric.delta.change, Change::Same | Change::Undecided | Change::Absent)
    };
    metrics.iter().filter(has_changed)
}

/// `dram_bytes +12.0 %`.
pub(super) fn metric_phrase(metric: &MetricDelta) -> String {
    let difference = match metric.delta.change {
        Change::New => "only in the new side".to_owned(),
        Change::Gone => "only in the base".to_owned(),
        // Of a percentage the difference in points says more than a percentage of it.
        _ if metric.unit == "%" => {
            let points = signed_with_unit(metric.delta.absolute, "");
            format!("{points} points")
        }
        _ => signed_percent(metric.delta.relative),
    };
    let mark = if metric.exact { "" } else { "~" };
    format!("{} {mark}{difference}", metric.name)
}

/// The values of a metric: base, new, difference, relative difference.
pub(super) fn metric_cells(metric: &MetricDelta) -> [String; 4] {
    let median = |side: Option<Spread>| {
        side.map_or_else(
            || ABSENT.to_owned(),
            |spread| {
                format!(
                    "{}{}",
                    if metric.exact { "" } else { "~" },
                    with_unit(spread.median, &metric.unit)
                )
            },
        )
    };
    [
        median(metric.delta.base),
        median(metric.delta.new),
        // The difference of two percentages is in points.
        signed_with_unit(
            metric.delta.absolute,
            if metric.unit == "%" { "points" } else { &metric.unit },
        ),
        signed_percent(metric.delta.relative),
    ]
}

/// A metric's difference in words.
pub(crate) fn change(change: Change) -> &'static str {
    match change {
        Change::Higher => "higher",
        Change::Lower => "lower",
        Change::HigherNotJudged => "higher, not judged",
        Change::LowerNotJudged => "lower, not judged",
        Change::Same => "same",
        Change::Undecided => "undecided",
        Change::New => "new",
        Change::Gone => "gone",
        Change::Unknown => "unknown",
        Change::Absent => "absent",
    }
}

/// `runs/monday`, `3 runs (runs/monday, …)`.
pub(super) fn side(side: &Side) -> String {
    match side.runs.as_slice() {
        [] => "nothing".to_owned(),
        [one] => one.name.clone(),
        [first, ..] => format!("{} runs ({}, …)", side.runs.len(), first.name),
    }
}

/// The severity of a note in a word.
pub(super) fn severity(severity: NoteSeverity) -> &'static str {
    match severity {
        NoteSeverity::Incomparable => "not comparable",
        NoteSeverity::Warning => "warning",
        NoteSeverity::Info => "note",
    }
}

/// The status of a gate in words; a gate that had to be judged and was not fails too.
pub(super) fn gate_status(gate: &GateOutcome, report: &GateReport) -> &'static str {
    match (gate.status, report.fails(gate)) {
        (GateStatus::Violated, _) => "FAILED",
        (GateStatus::Passed, _) => "passed",
        (GateStatus::Missing, true) => "FAILED (matches nothing)",
        (GateStatus::Missing, false) => "matches nothing",
        (GateStatus::NotJudged, true) => "FAILED (cannot say)",
        (GateStatus::NotJudged, false) => "cannot say",
    }
}

/// What there is to say of a gate without checks.
pub(super) fn without_checks(gate: &GateOutcome) -> String {
    match &gate.hint {
        Some(hint) => format!("it matches nothing; {hint}"),
        None if gate.status == GateStatus::Missing => "it matches nothing".to_owned(),
        None => "there is nothing to compare".to_owned(),
    }
}

/// `2 of 3 gates failed`.
pub(super) fn gate_verdict(report: &GateReport) -> String {
    let count = |wanted: &dyn Fn(&GateOutcome) -> bool| {
        report.gates.iter().filter(|gate| wanted(gate)).count()
    };
    let failed = count(&|gate| report.fails(gate));
    let open = count(&|gate| matches!(gate.status, GateStatus::NotJudged | GateStatus::Missing));
    match (failed, open, report.gates.len()) {
        (0, _, _) if report.failed => "Failed: the runs are not comparable.".to_owned(),
        (0, 0, 0) => "The runs are comparable.".to_owned(),
        (0, 0, 1) => "The gate passed.".to_owned(),
        (0, 0, all) => format!("All {all} gates passed."),
        (0, open, all) => {
            format!("No gate failed, of {open} of {all} nobody can say whether they hold.")
        }
        (failed, _, all) => {
            format!("{failed} of {} failed.", number::count(all as u64, "gate", "gates"))
        }
    }
}

/// The verdict on the whole: the time of the first scope.
pub(super) fn overall(comparison: &Comparison) -> String {
    let Some(scope) = comparison.scopes.first() else {
        return "Nothing could be compared.".to_owned();
    };
    let time = &scope.totals.time;
    let ms = Milliseconds::for_both(time);
    let within = match interval(time).as_str() {
        "" => String::new(),
        within => format!(" ({within})"),
    };
    let numbers = format!(
        "{} → {} ms, {}{within}",
        ms.spread(time.base),
        ms.spread(time.new),
        signed_percent(time.relative)
    );
    let calls = &scope.totals.calls;
    let calls = match (calls.base, calls.new) {
        (Some(base), Some(new)) if calls.absolute.is_some_and(|difference| difference != 0.0) => {
            format!(
                "; {} → {} results, {} per result",
                plain(base.median),
                plain(new.median),
                signed_percent(scope.totals.time_per_call.relative)
            )
        }
        _ => String::new(),
    };
    let settling = match settling(time).as_str() {
        "" => String::new(),
        settling => format!(" ({settling})"),
    };
    let word = match scope.totals.verdict {
        Verdict::Slower => "Slower: ",
        Verdict::Faster => "Faster: ",
        Verdict::MoreCalls => "More calls: ",
        Verdict::FewerCalls => "Fewer calls: ",
        Verdict::HigherNotJudged => "Higher, not judged: ",
        Verdict::LowerNotJudged => "Lower, not judged: ",
        Verdict::Undecided => "Undecided: ",
        Verdict::Unknown => "Unknown: ",
        Verdict::Same => "Same: ",
        Verdict::New | Verdict::Gone => "",
    };
    format!("{word}GPU time {numbers}{calls}{settling}.")
}

/// The name of a scope with its basis where that is not the usual one.
pub(super) fn scope_name(scope: &ScopeComparison) -> String {
    match scope.basis {
        Basis::Kernel => scope.scope.clone(),
        Basis::Range => format!("{} (whole ranges)", scope.scope),
    }
}
