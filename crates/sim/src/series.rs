//! Counters over the time of a kernel, as a device samples them: nothing while it is launched and ends, and the kernel's own rate between.

use std::borrow::Cow;

use ncu_rep::samples::PASSES;
use ncu_rep::{Instance, Metric, Value};

use crate::activity::Activity;
use crate::constants::whole;
use crate::machine::{DEFAULT, Machine};
use crate::metric::number;

const PREFIX: &str = "pmsampling:";
/// When the kernel began and ended.
const WORKLOAD: &str = "profiler__timestamp_workload_";
/// The shortest time between two samples, and the most samples of a kernel.
const SHORTEST_NS: f64 = 2000.0;
const MOST: f64 = 16.0;
/// How far a rate moves around its average.
const UNREST: f64 = 0.06;

pub(crate) fn is_known(name: &str) -> bool {
    metric(name, &Activity::default(), &DEFAULT, 0).is_some()
}

/// A sampled counter of a kernel that began at this time.
pub(crate) fn metric(
    name: &str,
    activity: &Activity,
    machine: &Machine,
    start_ns: u64,
) -> Option<Metric<'static>> {
    let counter = name.strip_prefix(PREFIX)?.replace("_realtime.", ".");
    let value = number(&counter, activity, machine)?;
    let count = (activity.duration_ns / SHORTEST_NS).floor().clamp(1.0, MOST);
    let interval = activity.duration_ns / count;
    let idle = machine.floor_ns / 2.0;
    let busy = |number: u64| {
        let from = (number as f64 * interval).max(idle);
        let to = ((number + 1) as f64 * interval).min(activity.duration_ns - idle);
        (to - from).max(0.0) / interval * (1.0 + UNREST * (number as f64 * 1.7).sin())
    };
    let shares: Vec<f64> = (0..whole(count)).map(busy).collect();
    let all: f64 = shares.iter().sum();
    // Counts add up to the kernel's, rates have its rate as their average, and shares of what was done are the same all the time.
    let is_rate = counter.contains(".pct_of_peak") || counter.contains(".per_");
    let at = |share: &f64| match share / all.max(1e-9) {
        _ if counter.strip_suffix(".pct").is_some() => {
            if *share > 0.0 {
                value
            } else {
                0.0
            }
        }
        part if is_rate => value * count * part,
        part => value * part,
    };
    let instance = |(number, share): (u64, &f64)| Instance {
        correlation: Some(Value::U64(start_ns + whole((number + 1) as f64 * interval))),
        value: Some(Value::F64(at(share))),
    };
    Some(Metric {
        name: Cow::Owned(name.to_owned()),
        value: Some(Value::F64(value)),
        instances: (0..).zip(&shares).map(instance).collect(),
    })
}

/// The names of the metrics that the device sampled.
pub(crate) fn sampled(metrics: &[Metric<'static>]) -> Vec<Cow<'static, str>> {
    let is_sampled = |name: &str| name.starts_with(PREFIX) || name.starts_with(WORKLOAD);
    metrics.iter().filter(|one| is_sampled(&one.name)).map(|one| one.name.clone()).collect()
}

/// What says that these counters were sampled together, and when the kernel began and ended; nothing where none was.
pub(crate) fn pass(
    sampled: &[&str],
    activity: &Activity,
    start_ns: u64,
) -> impl Iterator<Item = Metric<'static>> + use<> {
    let one = |name: String, correlation: u64, value| Metric {
        name: Cow::Owned(name),
        value: None,
        instances: vec![Instance {
            correlation: Some(Value::U64(correlation)),
            value: Some(value),
        }],
    };
    let end_ns = start_ns.saturating_add(whole(activity.duration_ns));
    let made = (!sampled.is_empty()).then(|| {
        [
            one(PASSES.to_owned(), 0, Value::Text(Cow::Owned(sampled.join(",")))),
            one(format!("{WORKLOAD}start_0"), start_ns, Value::F64(0.0)),
            one(format!("{WORKLOAD}end_0"), end_ns, Value::F64(0.0)),
        ]
    });
    made.into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::Work;

    #[test]
    fn samples_add_up_to_the_count_and_rates_have_the_average() {
        let work =
            Work { grid: [4600, 1, 1], block: [256, 1, 1], bytes_read: 5e7, ..Work::default() };
        let activity = DEFAULT.price(&work, 1.0).activity;
        let values = |name: &str| -> (f64, Vec<f64>) {
            let metric = metric(name, &activity, &DEFAULT, 5).unwrap();
            let values = metric.instances.iter().filter_map(|one| one.value.as_ref()?.as_f64());
            (metric.value.unwrap().as_f64().unwrap(), values.collect())
        };
        let (whole, parts) = values("pmsampling:sm__ctas_launched.sum");
        assert!(parts.len() == 16 && (parts.iter().sum::<f64>() - whole).abs() < 1e-6 * whole);
        let (rate, rates) = values("pmsampling:dram__throughput.avg.pct_of_peak_sustained_elapsed");
        let mean = rates.iter().sum::<f64>() / rates.len() as f64;
        assert!(
            (mean - rate).abs() < 1e-9 * rate && rates.iter().all(|rate| *rate <= 100.0),
            "{rates:?}"
        );
        assert!(!is_known("pmsampling:bogus__x.sum") && !is_known("sm__ctas_launched.sum"));
    }
}
