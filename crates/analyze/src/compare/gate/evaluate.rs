//! Asking gates about a comparison.
//!
//! A gate asks where the difference lies: beyond its limit as a whole, within it as a whole, or on both sides of it, in which case nobody can say. Nobody can
//! either where runs are too few for a verdict: what their intervals say holds for noise that is normal alone. Where a side has a single run there is no
//! interval, and the measured difference has to do.

use super::settle::Evidence;
use super::{Gate, Limit, Operator, Quantity, missing};
use crate::compare::decimal::{self, Decimal};
use crate::compare::options::CompareOptions;
use rangescope_model::comparison::{
    Change, Comparison, Delta, GateCheck, GateOutcome, GateReport, GateStatus, Interval,
    MetricDelta, NoteSeverity, RegionDelta, SetDelta, Spread,
};
use rangescope_model::number::{plain, signed_percent, time, with_unit};
use std::cmp::Ordering;

/// What the gates say on this evidence, where this much is known to be missing of either side and these metrics were collected.
pub(crate) fn evaluate(
    options: &CompareOptions,
    comparison: &Comparison,
    evidence: &Evidence<'_>,
    incomplete: &[Option<String>; 2],
    collected: &[&str],
) -> GateReport {
    let strict = options.strict_gates;
    let asked = Asked { comparison, evidence, collected };
    let doubts = Doubts {
        incomparable: comparison
            .notes
            .iter()
            .find(|note| note.severity == NoteSeverity::Incomparable)
            .map(|note| note.message.as_str()),
        incomplete: incomplete.each_ref().map(Option::as_deref),
    };
    let gates = options.gates.iter().map(|gate| outcome(gate, asked, doubts)).collect();
    let mut report =
        GateReport { strict, allow_missing: options.allow_missing, failed: false, gates };
    report.failed = report.gates.iter().any(|gate| report.fails(gate))
        || (strict && doubts.incomparable.is_some());
    report
}

/// What gates are asked about.
#[derive(Clone, Copy)]
struct Asked<'c> {
    comparison: &'c Comparison,
    evidence: &'c Evidence<'c>,
    /// The metrics that any run has.
    collected: &'c [&'c str],
}

/// What makes the whole comparison doubtful.
#[derive(Clone, Copy)]
struct Doubts<'c> {
    /// No difference says anything.
    incomparable: Option<&'c str>,
    /// What is missing of the base and of the new side may be what would have decided a gate.
    incomplete: [Option<&'c str>; 2],
}

impl<'c> Doubts<'c> {
    /// Why a gate with this outcome cannot be judged. With results missing nothing passes; what is violated stays so unless sums fell by what is missing.
    fn about(self, gate: &Gate, status: GateStatus) -> Option<&'c str> {
        let [base, new] = self.incomplete;
        let is_sum = !matches!(gate.quantity, Quantity::TimePerCall | Quantity::Metric(_));
        let wants_more = matches!(gate.operator, Operator::Above | Operator::AtLeast);
        let missing = match status {
            GateStatus::Passed => base.or(new),
            GateStatus::Violated if is_sum && wants_more => base,
            GateStatus::Violated if is_sum => new,
            GateStatus::Violated | GateStatus::Missing | GateStatus::NotJudged => None,
        };
        self.incomparable.or(missing)
    }
}

fn outcome(gate: &Gate, asked: Asked<'_>, doubts: Doubts<'_>) -> GateOutcome {
    let Asked { comparison, evidence, collected } = asked;
    let mut checks = Vec::new();
    let mut check = |scope: &str, region: Option<&String>, judged: Judged| {
        let Judged { status, difference, message } = judged.doubted(gate, doubts);
        let (scope, region) = (scope.to_owned(), region.cloned());
        checks.push(GateCheck { scope, region, status, difference, message });
    };
    let is_there =
        |delta: Option<&Delta>| delta.is_some_and(|delta| delta.change != Change::Absent);
    let mut matches = comparison.scopes.is_empty();
    for scope in &comparison.scopes {
        match &gate.region {
            None => {
                let subject = of_set(gate, &scope.totals);
                matches |= is_there(subject.delta);
                check(&scope.scope, None, judge(gate, &subject, evidence));
            }
            Some(selector) => {
                for region in &scope.regions {
                    let path: Vec<&str> = region.path.iter().map(String::as_str).collect();
                    if selector.names(&region.domain, &path) {
                        let subject = of_region(gate, region);
                        matches |= is_there(subject.delta);
                        check(&scope.scope, Some(&region.name), judge(gate, &subject, evidence));
                    }
                }
            }
        }
    }
    if !matches {
        let hint = missing::part(gate, comparison, collected, checks.is_empty());
        let status = GateStatus::Missing;
        return GateOutcome {
            gate: gate.text.clone(),
            status,
            checks: Vec::new(),
            hint: Some(hint),
        };
    }
    for scope in &comparison.unmatched_scopes {
        let why = format!("only the {} has this scope", side_name(&scope.side));
        check(&scope.scope, None, Judged::not(gate, &why));
    }
    // Stable: within a status the costliest region stays first.
    checks.sort_by_key(|check| check.status);
    let status = checks.first().map_or(GateStatus::NotJudged, |first| first.status);
    GateOutcome { gate: gate.text.clone(), status, checks, hint: None }
}

fn side_name(side: &str) -> &str {
    if side == "new" { "new side" } else { side }
}

/// What a gate judges in one set of results.
pub(super) struct Subject<'c> {
    /// Nothing where neither side has it.
    pub(super) delta: Option<&'c Delta>,
    unit: &'c str,
    /// Launches that a time adds up.
    pub(super) launches: f64,
}

fn of_set<'c>(gate: &Gate, set: &'c SetDelta) -> Subject<'c> {
    let (delta, unit) = match &gate.quantity {
        Quantity::Time | Quantity::ExclusiveTime => (Some(&set.time), "ms"),
        Quantity::Calls | Quantity::ExclusiveCalls => (Some(&set.calls), ""),
        Quantity::TimePerCall => (Some(&set.time_per_call), "ms"),
        Quantity::Metric(name) => of_metric(name, &set.metrics),
    };
    Subject { delta, unit, launches: most(&set.calls) }
}

fn of_region<'c>(gate: &Gate, region: &'c RegionDelta) -> Subject<'c> {
    let (delta, unit) = match &gate.quantity {
        Quantity::Time => (Some(&region.time), "ms"),
        Quantity::ExclusiveTime => (Some(&region.exclusive_time), "ms"),
        Quantity::Calls => (Some(&region.calls), ""),
        Quantity::ExclusiveCalls => (Some(&region.exclusive_calls), ""),
        Quantity::TimePerCall => (Some(&region.time_per_call), "ms"),
        Quantity::Metric(name) => of_metric(name, &region.metrics),
    };
    Subject { delta, unit, launches: most(&region.calls) }
}

/// The largest value of any run.
fn most(calls: &Delta) -> f64 {
    calls.base.iter().chain(&calls.new).map(|spread| spread.max).fold(0.0, f64::max)
}

fn of_metric<'c>(name: &str, metrics: &'c [MetricDelta]) -> (Option<&'c Delta>, &'c str) {
    let metric = metrics.iter().find(|metric| metric.name == name);
    (metric.map(|metric| &metric.delta), metric.map_or("", |metric| metric.unit.as_str()))
}

/// What a gate says about one set of results.
struct Judged {
    status: GateStatus,
    difference: Option<f64>,
    message: String,
}

impl Judged {
    fn not(gate: &Gate, why: &str) -> Self {
        let message = format!("{} cannot be judged: {why}", gate.quantity.name());
        Self { status: GateStatus::NotJudged, difference: None, message }
    }

    /// What remains of it where the runs are not comparable or incomplete.
    fn doubted(self, gate: &Gate, doubts: Doubts<'_>) -> Self {
        match doubts.about(gate, self.status) {
            Some(why) => Self::not(gate, why),
            None => self,
        }
    }
}

fn judge(gate: &Gate, subject: &Subject<'_>, evidence: &Evidence<'_>) -> Judged {
    let not = |why| Judged::not(gate, why);
    let unit = subject.unit;
    let Some(delta) = subject.delta else { return not("neither side has it") };
    let (Some(base), Some(new), Some(absolute)) = (delta.base, delta.new, delta.absolute) else {
        return not(match delta.change {
            Change::New => "only the new side has it",
            Change::Gone => "only the base has it",
            Change::Absent => "neither side has it",
            _ => "it was not measured on both sides",
        });
    };
    let Some(against) = gate.limit.compare(base.median, new.median) else {
        return not("the base is zero");
    };
    let is_exceeded = gate.operator.holds(against);
    let ends = delta.interval.filter(|interval| interval.low < interval.high);
    let is_count = matches!(gate.quantity, Quantity::Calls | Quantity::ExclusiveCalls);
    if !is_count && let Some(why) = evidence.lacks(gate, subject) {
        let sentence = Sentence { base, new, absolute, ends: None, ending: why };
        return said(gate, unit, GateStatus::NotJudged, &sentence);
    }
    let (status, ending) = match ends.map(|interval| gate.exceeded_at(interval)) {
        Some([true, true]) => (GateStatus::Violated, String::new()),
        Some([false, false]) => (GateStatus::Passed, String::new()),
        Some(_) => {
            let settling = if is_count { String::new() } else { evidence.settling(gate, subject) };
            (GateStatus::NotJudged, format!(", which the interval leaves open{settling}"))
        }
        None if is_exceeded && delta.change == Change::Same && !gate.holds_without_difference() => {
            (GateStatus::NotJudged, ", below the tolerance of the comparison".to_owned())
        }
        None if is_exceeded && delta.interval.is_none() => {
            (GateStatus::Violated, ", by the measured difference alone".to_owned())
        }
        None if is_exceeded => (GateStatus::Violated, String::new()),
        None => (GateStatus::Passed, String::new()),
    };
    said(gate, unit, status, &Sentence { base, new, absolute, ends, ending })
}

/// What the sentence about a difference is made of.
struct Sentence {
    base: Spread,
    new: Spread,
    absolute: f64,
    ends: Option<Interval>,
    ending: String,
}

/// The difference in the unit of the gate, and the sentence.
fn said(gate: &Gate, unit: &str, status: GateStatus, sentence: &Sentence) -> Judged {
    let Sentence { base, new, absolute, ends, ending } = sentence;
    let absolute = *absolute;
    let (shown, limit, difference) = match gate.limit {
        Limit::Relative(limit) => {
            let percent = if absolute == 0.0 { 0.0 } else { absolute / base.median.abs() };
            let limit = signed_percent(Some(limit.number() / 100.0));
            let within = ends.and_then(|ends| {
                Some([ends.relative_low?, ends.relative_high?].map(|end| signed_percent(Some(end))))
            });
            (with_interval(signed_percent(Some(percent)), within), limit, percent * 100.0)
        }
        Limit::Absolute { value, unit: written } => {
            let factor = written.factor.number();
            let in_unit = |number: f64| {
                let unit = if written.name.is_empty() { unit } else { written.name };
                let sign = if number > 0.0 { "+" } else { "" };
                format!("{sign}{} {unit}", plain(number / factor)).trim_end().to_owned()
            };
            let within = ends.map(|ends| [ends.low, ends.high].map(in_unit));
            (with_interval(in_unit(absolute), within), in_unit(value.number()), absolute / factor)
        }
    };
    let side = |spread: Spread| match unit {
        "ms" => time(spread.median),
        unit => with_unit(spread.median, unit),
    };
    Judged {
        status,
        difference: Some(difference).filter(|difference| difference.is_finite()),
        message: format!(
            "{} {shown} ({} → {}), limit {} {limit}{ending}",
            gate.quantity.name(),
            side(*base),
            side(*new),
            gate.operator.symbol(),
        ),
    }
}

/// `+5 % (+3 % to +7 %)`.
fn with_interval(difference: String, within: Option<[String; 2]>) -> String {
    match within {
        Some([low, high]) => format!("{difference} ({low} to {high})"),
        None => difference,
    }
}

impl Gate {
    /// Whether no difference exceeds the limit, as where something has to become faster.
    fn holds_without_difference(&self) -> bool {
        let (Limit::Relative(limit) | Limit::Absolute { value: limit, .. }) = self.limit;
        self.operator.holds(Decimal::ZERO.compare(limit))
    }

    /// Whether the limit is exceeded at either end of an interval.
    fn exceeded_at(&self, ends: Interval) -> [bool; 2] {
        let exceeds = |relative: Option<f64>, absolute: f64| {
            let (end, limit) = match self.limit {
                Limit::Relative(limit) => (relative.map(|share| share * 100.0), limit),
                Limit::Absolute { value, .. } => (Some(absolute), value),
            };
            let end = end.and_then(Decimal::of);
            end.is_some_and(|end| self.operator.holds(end.compare(limit)))
        };
        [exceeds(ends.relative_low, ends.low), exceeds(ends.relative_high, ends.high)]
    }
}

impl Limit {
    /// How the difference of two values compares with the limit; nothing where there is no such difference.
    fn compare(self, base: f64, new: f64) -> Option<Ordering> {
        match self {
            Self::Relative(percent) => decimal::compare_relative(base, new, percent),
            Self::Absolute { value, .. } => {
                let exact = || Decimal::of(new)?.minus(Decimal::of(base)?);
                exact().or_else(|| Decimal::of(new - base)).map(|by| by.compare(value))
            }
        }
    }
}
