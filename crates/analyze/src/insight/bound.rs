//! What bounds a kernel or region: compute, memory, latency.
//!
//! The rule is one for all devices and stated in [`RULE`]; the numbers that it was applied to stand beside the outcome.

use crate::insight::measured::{Measured, Metrics, number};
use crate::insight::model::{Bound, BoundClass, BoundShare};
use rangescope_model::document::KernelSummary;
use rangescope_model::number::weight;

/// A unit that is at least this busy decides, in per cent.
pub(crate) const BUSY_PCT: f64 = 60.0;

/// Two units that differ by at most this are equally busy, in points.
const MARGIN: f64 = 5.0;

/// The rule in words.
pub(crate) const RULE: &str = "A kernel is compute-bound or memory-bound when the busier of SM throughput and memory throughput is at least 60 % of its peak, \
balanced when both are and differ by at most 5 points, and latency-bound when both are below 60 %. \
A region is of the class whose kernels have more than half of its time, else mixed.";

/// The throughput of the SMs.
pub(crate) const SM: &str = "sm__throughput.avg.pct_of_peak_sustained_elapsed";

/// The throughput of memory and caches together.
pub(crate) const MEMORY: &str = "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed";

/// The throughput of single levels, of which the busiest stands for all where ncu's own sum was not collected.
const LEVELS: [&str; 4] = [
    "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
    "dram__throughput.avg.pct_of_peak_sustained_elapsed",
    "lts__throughput.avg.pct_of_peak_sustained_elapsed",
    "l1tex__throughput.avg.pct_of_peak_sustained_elapsed",
];

/// What bounds a kernel.
pub(crate) fn of_kernel(measured: &Measured<'_>) -> Bound {
    let sm_pct = measured.value(SM);
    let (memory_pct, memory_metric) = memory(measured).unzip();
    let class = match (sm_pct, memory_pct) {
        (Some(sm), Some(memory)) => class(sm, memory),
        _ => BoundClass::Unknown,
    };
    let memory_metric = memory_metric.filter(|name| *name != MEMORY).map(str::to_owned);
    Bound { class, sm_pct, memory_pct, memory_metric, mix: Vec::new() }
}

/// What bounds a set of kernels: the class of those that have most of its time, beside the averages of the set.
pub(crate) fn of_set(measured: &Measured<'_>, kernels: &[(&KernelSummary, BoundClass)]) -> Bound {
    let mut bound = of_kernel(measured);
    match kernels {
        [] => bound.class = BoundClass::Unknown,
        [(_, class)] => bound.class = *class,
        _ => {
            bound.mix = mix(kernels);
            bound.class = match bound.mix.first() {
                Some(first) if first.share > 0.5 => first.class,
                Some(_) => BoundClass::Mixed,
                None => BoundClass::Unknown,
            };
        }
    }
    bound
}

fn class(sm: f64, memory: f64) -> BoundClass {
    if sm.max(memory) < BUSY_PCT {
        BoundClass::Latency
    } else if (sm - memory).abs() <= MARGIN {
        BoundClass::Balanced
    } else if sm > memory {
        BoundClass::Compute
    } else {
        BoundClass::Memory
    }
}

fn memory(measured: &Measured<'_>) -> Option<(f64, &'static str)> {
    if let Some(value) = measured.value(MEMORY) {
        return Some((value, MEMORY));
    }
    LEVELS
        .iter()
        .filter_map(|name| Some((measured.value(name)?, *name)))
        .reduce(|busiest, level| if level.0 > busiest.0 { level } else { busiest })
}

/// How busy the busiest of SMs and memory is, in per cent.
pub(crate) fn busiest(metrics: &Metrics) -> Option<f64> {
    let values = [SM, MEMORY].into_iter().chain(LEVELS);
    values.filter_map(|name| number(metrics.get(name)?)).reduce(f64::max)
}

/// The share of time of each class, largest first.
fn mix(kernels: &[(&KernelSummary, BoundClass)]) -> Vec<BoundShare> {
    let whole: f64 = kernels.iter().map(|(kernel, _)| weight(kernel.total_ms)).sum();
    if whole <= 0.0 || !whole.is_finite() {
        return Vec::new();
    }
    let mut shares: Vec<BoundShare> = Vec::new();
    for (kernel, class) in kernels {
        let share = weight(kernel.total_ms) / whole;
        if share == 0.0 {
            continue;
        }
        match shares.iter_mut().find(|known| known.class == *class) {
            Some(known) => known.share += share,
            None => shares.push(BoundShare { class: *class, share }),
        }
    }
    shares.sort_by(|left, right| {
        right.share.total_cmp(&left.share).then_with(|| left.class.cmp(&right.class))
    });
    shares
}

/// The class as an adjective.
pub(crate) fn word(class: BoundClass) -> &'static str {
    match class {
        BoundClass::Compute => "compute-bound",
        BoundClass::Memory => "memory-bound",
        BoundClass::Balanced => "bound by compute and memory alike",
        BoundClass::Latency => "latency-bound",
        BoundClass::Mixed => "a mix of kernels with different limits",
        BoundClass::Unknown => "of unknown limit",
    }
}

#[cfg(test)]
mod tests {
    use super::class;
    use crate::insight::model::BoundClass::{Balanced, Compute, Latency, Memory};

    #[test]
    fn the_rule_and_its_margin() {
        for (sm, memory, expected) in [
            (80.0, 20.0, Compute),
            (20.0, 80.0, Memory),
            (59.9, 59.9, Latency),
            (60.0, 10.0, Compute),
            (60.0, 55.0, Balanced),
            (60.0, 54.9, Compute),
            (70.0, 74.0, Balanced),
            (0.0, 0.0, Latency),
        ] {
            assert_eq!(class(sm, memory), expected, "{sm} {memory}");
        }
    }
}
