//! Metrics by name: `unit__counter.rollup.submetric`, ratios and throughputs, worked out from an [`Activity`].
//!
//! The names are those of real devices. An unknown name has no value: nothing is made up for it.

mod combined;
mod counters;
mod names;

use crate::activity::Activity;
use crate::machine::{Machine, SCHEDULERS};
use counters::{COUNTERS, SCHEDULED, UNITS, Unit};

pub(crate) use combined::breakdown;
pub(crate) use counters::{STALLS, stalled};
#[cfg(test)]
pub(crate) use names::is_known;
pub(crate) use names::{expand, known_bases, known_names};

const ROLLUPS: [&str; 4] = ["avg", "max", "min", "sum"];
const SUBMETRICS: [&str; 11] = [
    "",
    "peak_sustained",
    "peak_sustained_active",
    "peak_sustained_active.per_second",
    "peak_sustained_elapsed",
    "peak_sustained_elapsed.per_second",
    "pct_of_peak_sustained_active",
    "pct_of_peak_sustained_elapsed",
    "per_cycle_active",
    "per_cycle_elapsed",
    "per_second",
];

/// The value of a metric, if the name is known.
pub(crate) fn number(name: &str, activity: &Activity, machine: &Machine) -> Option<f64> {
    if let Some(value) = combined::number(name, activity, machine) {
        return Some(value);
    }
    let (base, rest) = name.split_once('.')?;
    let (rollup, submetric) = rest.split_once('.').unwrap_or((rest, ""));
    if base == "gpu__time_duration" {
        // One timer serves the whole device, so all its roll-ups are the same.
        return (ROLLUPS.contains(&rollup) && submetric.is_empty()).then_some(activity.duration_ns);
    }
    let amount = amount(base, activity, machine)?;
    // All instances of a unit carry the same load, so average, minimum and maximum are equal.
    let share = match rollup {
        "sum" => 1.0,
        "avg" | "min" | "max" => 1.0 / (amount.unit.instances)(machine),
        _ => return None,
    };
    let value = amount.sum * share;
    let peak = amount.peak * (amount.unit.instances)(machine) * share;
    let elapsed = (amount.unit.elapsed)(activity);
    let active = (amount.unit.active)(activity);
    let seconds = activity.duration_ns * 1e-9;
    Some(match submetric {
        "" => value,
        "peak_sustained" => peak,
        "peak_sustained_active" => peak * active,
        "peak_sustained_active.per_second" => ratio(peak * active, seconds),
        "peak_sustained_elapsed" => peak * elapsed,
        "peak_sustained_elapsed.per_second" => ratio(peak * elapsed, seconds),
        "pct_of_peak_sustained_active" => 100.0 * ratio(value, peak * active),
        "pct_of_peak_sustained_elapsed" => 100.0 * ratio(value, peak * elapsed),
        "per_cycle_active" => ratio(value, active),
        "per_cycle_elapsed" => ratio(value, elapsed),
        "per_second" => ratio(value, seconds),
        _ => return None,
    })
}

struct Amount {
    unit: &'static Unit,
    /// Over all instances of the unit.
    sum: f64,
    /// Of one instance in a cycle.
    peak: f64,
}

fn amount(base: &str, activity: &Activity, machine: &Machine) -> Option<Amount> {
    let (unit_name, counter) = base.split_once("__")?;
    let unit = UNITS.iter().find(|unit| unit.name == unit_name)?;
    if let Some(found) = COUNTERS.iter().find(|entry| entry.name == base) {
        let sum = (found.sum)(activity, machine);
        return Some(Amount { unit, sum, peak: (found.peak)(machine) });
    }
    let instances = (unit.instances)(machine);
    match counter {
        "cycles_elapsed" => {
            return Some(Amount { unit, sum: (unit.elapsed)(activity) * instances, peak: 1.0 });
        }
        "cycles_active" => {
            return Some(Amount { unit, sum: (unit.active)(activity) * instances, peak: 1.0 });
        }
        _ => {}
    }
    let per_sm = match unit_name {
        "sm" => 1.0,
        "smsp" => SCHEDULERS,
        _ => return None,
    };
    if let Some(found) = SCHEDULED.iter().find(|entry| entry.name == counter) {
        let sum = (found.sum)(activity, machine);
        return Some(Amount { unit, sum, peak: (found.peak)(machine) / per_sm });
    }
    let reason = counter.strip_prefix("warps_issue_stalled_").filter(|_| unit_name == "smsp")?;
    let sum = stalled(reason, activity)?;
    Some(Amount { unit, sum, peak: machine.warps_per_sm / SCHEDULERS })
}

/// Zero out of zero is zero, as in real reports.
fn ratio(part: f64, whole: f64) -> f64 {
    if whole == 0.0 { 0.0 } else { part / whole }
}

#[cfg(test)]
mod tests;
