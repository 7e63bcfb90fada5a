//! What the formats for people show of a comparison: which rows, in which words.

use rangescope_model::comparison::{
    Change, Comparison, Delta, GateOutcome, GateReport, GateStatus, KernelDelta, MetricDelta,
    NoteSeverity, RegionDelta, ScopeComparison, ShapeChange, Side, Verdict,
};
use rangescope_model::document::Basis;
use rangescope_model::number::{ABSENT, Milliseconds, signed_percent, signed_with_unit, with_unit};
use rangescope_model::region::RangeKind;

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
    pub(super) calls: String,
    pub(super) verdict: Verdict,
}

/// The table of a scope: everything, the regions by cost, and what is outside of them.
pub(super) fn regions(scope: &ScopeComparison, limit: usize) -> (Vec<Row>, usize) {
    let ms = Milliseconds::for_both(&scope.totals.time);
    let totals = &scope.totals;
    let mut rows = vec![row("(all)", "", &totals.time, &totals.calls, totals.verdict, ms)];
    rows.extend(scope.regions.iter().take(limit).map(|region| {
        row(&region.name, &region_remark(region), &region.time, &region.calls, region.verdict, ms)
    }));
    if let Some(set) = &scope.unlabeled {
        rows.push(row("(unlabeled)", "", &set.time, &set.calls, set.verdict, ms));
    }
    (rows, scope.regions.len().saturating_sub(limit))
}

/// The kernels of a scope that changed, by cost, with how many more there are.
pub(super) fn kernels(scope: &ScopeComparison, limit: usize) -> (Vec<Row>, usize) {
    let ms = Milliseconds::for_both(&scope.totals.time);
    let changed: Vec<&KernelDelta> = scope
        .totals
        .kernels
        .iter()
        .filter(|kernel| !matches!(kernel.verdict, Verdict::Same | Verdict::Noise))
        .collect();
    let rows = changed.iter().take(limit).map(|kernel| {
        row(
            &kernel.kernel_name,
            &shape_remark(kernel),
            &kernel.time,
            &kernel.calls,
            kernel.verdict,
            ms,
        )
    });
    (rows.collect(), changed.len().saturating_sub(limit))
}

fn row(
    name: &str,
    remark: &str,
    time: &Delta,
    calls: &Delta,
    verdict: Verdict,
    ms: Milliseconds,
) -> Row {
    Row {
        name: name.to_owned(),
        remark: remark.to_owned(),
        base: ms.spread(time.base),
        new: ms.spread(time.new),
        difference: ms.signed(time.absolute),
        relative: signed_percent(time.relative),
        calls: match calls.absolute {
            Some(difference) if difference != 0.0 => signed_with_unit(Some(difference), ""),
            _ => String::new(),
        },
        verdict,
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

fn shape_remark(kernel: &KernelDelta) -> String {
    match kernel.shapes {
        ShapeChange::Other => "other launch shapes".to_owned(),
        ShapeChange::OtherCalls => "shapes launched otherwise often".to_owned(),
        ShapeChange::Same | ShapeChange::OneSide => String::new(),
    }
}

/// The verdict in a word.
pub(crate) fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Slower => "slower",
        Verdict::Faster => "faster",
        Verdict::New => "new",
        Verdict::Gone => "gone",
        Verdict::Noise => "noise",
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
        matches!(metric.delta.change, Change::Higher | Change::Lower | Change::New | Change::Gone)
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
    let median = |side: Option<rangescope_model::comparison::Spread>| {
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

/// One word for a metric's difference.
pub(crate) fn change(change: Change) -> &'static str {
    match change {
        Change::Higher => "higher",
        Change::Lower => "lower",
        Change::Same => "same",
        Change::Noise => "noise",
        Change::New => "new",
        Change::Gone => "gone",
        Change::Absent => "absent",
    }
}

/// `a.ncu-rep`, `3 runs (a.ncu-rep, …)`.
pub(super) fn side(side: &Side) -> String {
    let files = |run: &rangescope_model::comparison::RunInfo| match run.files.as_slice() {
        [] => "a run".to_owned(),
        [one] => one.clone(),
        [first, rest @ ..] => format!("{first} and {} more", rest.len()),
    };
    match side.runs.as_slice() {
        [] => "nothing".to_owned(),
        [one] => files(one),
        [first, ..] => format!("{} runs ({}, …)", side.runs.len(), files(first)),
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

/// The status of a gate in a word; a gate that had to match something and did not fails too.
pub(super) fn gate_status(status: GateStatus, strict: bool) -> &'static str {
    match status {
        GateStatus::Violated => "FAILED",
        GateStatus::Passed => "passed",
        GateStatus::NotApplicable if strict => "FAILED (matched nothing)",
        GateStatus::NotApplicable => "matched nothing",
    }
}

/// Whether a gate fails the comparison: it was violated, or matched nothing although it must.
pub(super) fn gate_fails(gate: &GateOutcome, strict: bool) -> bool {
    match gate.status {
        GateStatus::Violated => true,
        GateStatus::Passed => false,
        GateStatus::NotApplicable => strict,
    }
}

/// `2 of 3 gates failed`.
pub(super) fn gate_verdict(report: &GateReport) -> String {
    let failed = report.gates.iter().filter(|gate| gate_fails(gate, report.strict)).count();
    let all = report.gates.len();
    match failed {
        0 if all == 1 => "The gate passed.".to_owned(),
        0 => format!("All {all} gates passed."),
        failed => format!("{failed} of {all} gates failed."),
    }
}

/// The verdict on the whole: the time of the first scope.
pub(super) fn overall(comparison: &Comparison) -> String {
    let Some(scope) = comparison.scopes.first() else {
        return "Nothing could be compared.".to_owned();
    };
    let time = &scope.totals.time;
    let ms = Milliseconds::for_both(time);
    let numbers = format!(
        "{} → {} ms, {}",
        ms.spread(time.base),
        ms.spread(time.new),
        signed_percent(time.relative)
    );
    match scope.totals.verdict {
        Verdict::Slower => format!("Slower: GPU time {numbers}."),
        Verdict::Faster => format!("Faster: GPU time {numbers}."),
        Verdict::Noise => format!("No difference beyond noise: GPU time {numbers}."),
        Verdict::Same => format!("Same: GPU time {numbers}."),
        Verdict::New | Verdict::Gone => format!("GPU time {numbers}."),
    }
}

/// The name of a scope with its basis where that is not the usual one.
pub(super) fn scope_name(scope: &ScopeComparison) -> String {
    match scope.basis {
        Basis::Kernel => scope.scope.clone(),
        Basis::Range => format!("{} (whole ranges)", scope.scope),
    }
}
