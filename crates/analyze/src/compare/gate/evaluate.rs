//! Asking gates about a comparison.

use super::{Gate, Limit, Quantity};
use rangescope_model::comparison::{
    Change, Comparison, Delta, GateCheck, GateOutcome, GateReport, GateStatus, MetricDelta,
    RegionDelta, SetDelta,
};
use rangescope_model::number::{plain, signed_percent, time, with_unit};

/// What the gates say.
pub(crate) fn evaluate(gates: &[Gate], comparison: &Comparison, strict: bool) -> GateReport {
    let gates: Vec<GateOutcome> = gates.iter().map(|gate| outcome(gate, comparison)).collect();
    let fails = |outcome: &GateOutcome| match outcome.status {
        GateStatus::Violated => true,
        GateStatus::Passed => false,
        GateStatus::NotApplicable => strict,
    };
    GateReport { strict, failed: gates.iter().any(fails), gates }
}

fn outcome(gate: &Gate, comparison: &Comparison) -> GateOutcome {
    let mut checks = Vec::new();
    for scope in &comparison.scopes {
        match &gate.region {
            None => {
                let (delta, unit) = of_set(gate, &scope.totals);
                checks.push(check(gate, &scope.scope, None, delta, unit));
            }
            Some(selector) => {
                for region in &scope.regions {
                    let path: Vec<&str> = region.path.iter().map(String::as_str).collect();
                    if selector.names(&region.domain, &path) {
                        let (delta, unit) = of_region(gate, region);
                        checks.push(check(gate, &scope.scope, Some(&region.name), delta, unit));
                    }
                }
            }
        }
    }
    // Stable: within a status the costliest region stays first.
    checks.sort_by_key(|check| check.status);
    let status = checks.first().map_or(GateStatus::NotApplicable, |first| first.status);
    GateOutcome { gate: gate.text.clone(), status, checks }
}

fn of_set<'c>(gate: &Gate, set: &'c SetDelta) -> (Option<&'c Delta>, &'c str) {
    match &gate.quantity {
        Quantity::Time | Quantity::ExclusiveTime => (Some(&set.time), "ms"),
        Quantity::Calls | Quantity::ExclusiveCalls => (Some(&set.calls), ""),
        Quantity::Metric(name) => of_metric(name, &set.metrics),
    }
}

fn of_region<'c>(gate: &Gate, region: &'c RegionDelta) -> (Option<&'c Delta>, &'c str) {
    match &gate.quantity {
        Quantity::Time => (Some(&region.time), "ms"),
        Quantity::ExclusiveTime => (Some(&region.exclusive_time), "ms"),
        Quantity::Calls => (Some(&region.calls), ""),
        Quantity::ExclusiveCalls => (Some(&region.exclusive_calls), ""),
        Quantity::Metric(name) => of_metric(name, &region.metrics),
    }
}

fn of_metric<'c>(name: &str, metrics: &'c [MetricDelta]) -> (Option<&'c Delta>, &'c str) {
    let metric = metrics.iter().find(|metric| metric.name == name);
    (metric.map(|metric| &metric.delta), metric.map_or("", |metric| metric.unit.as_str()))
}

fn check(
    gate: &Gate,
    scope: &str,
    region: Option<&String>,
    delta: Option<&Delta>,
    unit: &str,
) -> GateCheck {
    let judged = |status, difference, message| GateCheck {
        scope: scope.to_owned(),
        region: region.cloned(),
        status,
        difference,
        message,
    };
    let name = gate.quantity.name();
    let not_applicable = |why: &str| {
        judged(GateStatus::NotApplicable, None, format!("{name} cannot be judged: {why}"))
    };
    let Some(delta) = delta else { return not_applicable("neither side has it") };
    let (value, limit) = match gate.limit {
        Limit::Relative(limit) => (delta.relative, limit),
        Limit::Absolute { value, .. } => (delta.absolute, value),
    };
    let Some(value) = value else {
        return not_applicable(match delta.change {
            Change::New => "the base does not have it",
            Change::Gone => "the new side does not have it",
            Change::Absent => "neither side has it",
            _ => "the base is zero",
        });
    };
    let exceeded = gate.operator.holds(value, limit);
    let noise = delta.change == Change::Noise;
    let status = if exceeded && !noise { GateStatus::Violated } else { GateStatus::Passed };
    let (shown, of_limit, difference) = match gate.limit {
        Limit::Relative(limit) => {
            (signed_percent(Some(value)), signed_percent(Some(limit)), value * 100.0)
        }
        Limit::Absolute { value: limit, unit: written } => {
            let in_unit = |number: f64| {
                let unit = if written.name.is_empty() { unit } else { written.name };
                let sign = if number > 0.0 { "+" } else { "" };
                format!("{sign}{} {unit}", plain(number / written.factor)).trim_end().to_owned()
            };
            (in_unit(value), in_unit(limit), value / written.factor)
        }
    };
    let ending = if exceeded && noise { ", inside the spread of the runs" } else { "" };
    let sides = [delta.base, delta.new].map(|spread| match spread {
        None => "nothing".to_owned(),
        Some(spread) if unit == "ms" => time(spread.median),
        Some(spread) => with_unit(spread.median, unit),
    });
    judged(
        status,
        Some(difference).filter(|difference| difference.is_finite()),
        format!(
            "{name} {shown} ({} → {}), limit {} {of_limit}{ending}",
            sides[0],
            sides[1],
            gate.operator.symbol(),
        ),
    )
}
