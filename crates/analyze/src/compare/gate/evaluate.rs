//! Asking gates about a comparison.
//!
//! A gate never contradicts the row that it is about: where the row says "same" or "undecided" and the measured difference says otherwise, the gate is not judged.

use super::{Gate, Limit, Operator, Quantity};
use crate::compare::decimal::{self, Decimal};
use crate::compare::options::CompareOptions;
use rangescope_model::comparison::{
    Change, Comparison, Delta, GateCheck, GateOutcome, GateReport, GateStatus, MetricDelta,
    NoteSeverity, RegionDelta, SetDelta, Spread,
};
use rangescope_model::number::{plain, signed_percent, time, with_unit};
use std::cmp::Ordering;

/// What the gates say, where this much is known to be missing of either side.
pub(crate) fn evaluate(
    options: &CompareOptions,
    comparison: &Comparison,
    incomplete: &[Option<String>; 2],
) -> GateReport {
    let strict = options.strict_gates;
    let doubts = Doubts {
        incomparable: comparison
            .notes
            .iter()
            .find(|note| note.severity == NoteSeverity::Incomparable)
            .map(|note| note.message.as_str()),
        incomplete: incomplete.each_ref().map(Option::as_deref),
    };
    let gates: Vec<GateOutcome> =
        options.gates.iter().map(|gate| outcome(gate, comparison, doubts)).collect();
    let fails = |outcome: &GateOutcome| match outcome.status {
        GateStatus::Violated => true,
        GateStatus::NotJudged => strict,
        GateStatus::Passed => false,
    };
    let failed = gates.iter().any(fails) || (strict && doubts.incomparable.is_some());
    GateReport { strict, failed, gates }
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
            GateStatus::Violated | GateStatus::NotJudged => None,
        };
        self.incomparable.or(missing)
    }
}

fn outcome(gate: &Gate, comparison: &Comparison, doubts: Doubts<'_>) -> GateOutcome {
    let mut checks = Vec::new();
    let mut check = |scope: &str, region: Option<&String>, judged: Judged| {
        let Judged { status, difference, message } = judged.doubted(gate, doubts);
        let (scope, region) = (scope.to_owned(), region.cloned());
        checks.push(GateCheck { scope, region, status, difference, message });
    };
    for scope in &comparison.scopes {
        match &gate.region {
            None => {
                let (delta, unit) = of_set(gate, &scope.totals);
                check(&scope.scope, None, judge(gate, delta, unit));
            }
            Some(selector) => {
                for region in &scope.regions {
                    let path: Vec<&str> = region.path.iter().map(String::as_str).collect();
                    if selector.names(&region.domain, &path) {
                        let (delta, unit) = of_region(gate, region);
                        check(&scope.scope, Some(&region.name), judge(gate, delta, unit));
                    }
                }
            }
        }
    }
    for scope in &comparison.unmatched_scopes {
        let why = format!("only the {} has this scope", side_name(&scope.side));
        check(&scope.scope, None, Judged::not(gate, &why));
    }
    // Stable: within a status the costliest region stays first.
    checks.sort_by_key(|check| check.status);
    let status = checks.first().map_or(GateStatus::NotJudged, |first| first.status);
    GateOutcome { gate: gate.text.clone(), status, checks }
}

fn side_name(side: &str) -> &str {
    if side == "new" { "new side" } else { side }
}

fn of_set<'c>(gate: &Gate, set: &'c SetDelta) -> (Option<&'c Delta>, &'c str) {
    match &gate.quantity {
        Quantity::Time | Quantity::ExclusiveTime => (Some(&set.time), "ms"),
        Quantity::Calls | Quantity::ExclusiveCalls => (Some(&set.calls), ""),
        Quantity::TimePerCall => (Some(&set.time_per_call), "ms"),
        Quantity::Metric(name) => of_metric(name, &set.metrics),
    }
}

fn of_region<'c>(gate: &Gate, region: &'c RegionDelta) -> (Option<&'c Delta>, &'c str) {
    match &gate.quantity {
        Quantity::Time => (Some(&region.time), "ms"),
        Quantity::ExclusiveTime => (Some(&region.exclusive_time), "ms"),
        Quantity::Calls => (Some(&region.calls), ""),
        Quantity::ExclusiveCalls => (Some(&region.exclusive_calls), ""),
        Quantity::TimePerCall => (Some(&region.time_per_call), "ms"),
        Quantity::Metric(name) => of_metric(name, &region.metrics),
    }
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

fn judge(gate: &Gate, delta: Option<&Delta>, unit: &str) -> Judged {
    let not = |why| Judged::not(gate, why);
    let Some(delta) = delta else { return not("neither side has it") };
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
    let without_difference = gate.operator.holds(gate.limit.compare_zero());
    let (status, ending) = match delta.change {
        Change::Same if is_exceeded != without_difference => {
            (GateStatus::NotJudged, ", below the tolerance of the comparison".to_owned())
        }
        Change::Undecided if is_exceeded != without_difference => {
            (GateStatus::NotJudged, format!(", which may be noise{}", settling(delta)))
        }
        _ if is_exceeded => (GateStatus::Violated, String::new()),
        _ => (GateStatus::Passed, String::new()),
    };
    let (shown, limit, difference) = match gate.limit {
        Limit::Relative(limit) => {
            let percent = if absolute == 0.0 { 0.0 } else { absolute / base.median.abs() };
            let limit = signed_percent(Some(limit.number() / 100.0));
            (signed_percent(Some(percent)), limit, percent * 100.0)
        }
        Limit::Absolute { value, unit: written } => {
            let factor = written.factor.number();
            let in_unit = |number: f64| {
                let unit = if written.name.is_empty() { unit } else { written.name };
                let sign = if number > 0.0 { "+" } else { "" };
                format!("{sign}{} {unit}", plain(number / factor)).trim_end().to_owned()
            };
            (in_unit(absolute), in_unit(value.number()), absolute / factor)
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
            side(base),
            side(new),
            gate.operator.symbol(),
        ),
    }
}

fn settling(delta: &Delta) -> String {
    delta
        .runs_needed
        .map_or_else(String::new, |runs| format!("; about {runs} runs a side would settle it"))
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

    /// How no difference compares with it.
    fn compare_zero(self) -> Ordering {
        let (Self::Relative(limit) | Self::Absolute { value: limit, .. }) = self;
        Decimal::ZERO.compare(limit)
    }
}
