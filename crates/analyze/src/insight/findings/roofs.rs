//! How far a memory-bound set is from the roof of its memory.

use super::{About, evidence, severity};
use crate::insight::measured::{Metrics, number};
use crate::insight::model::{Bound, BoundClass, Evidence, Finding, MemoryLevel, Roofline};
use crate::insight::words::capital;
use rangescope_model::number::rounded_percentage;

/// At this share of the bandwidth a set is near its roof, in per cent.
const NEAR_PCT: f64 = 80.0;

/// Memory as a whole that is busier than DRAM by no more than this is busy because of DRAM, in points.
const SAME: f64 = 5.0;

/// The throughput of DRAM under its names on different chips.
const DRAM: [&str; 2] = [
    "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
    "dram__throughput.avg.pct_of_peak_sustained_elapsed",
];

pub(super) fn of_set(
    about: &About<'_>,
    bound: &Bound,
    roofline: &Roofline,
    metrics: &Metrics,
) -> Option<Finding> {
    if bound.class != BoundClass::Memory {
        return None;
    }
    let memory_pct = bound.memory_pct?;
    let (metric, dram_pct) =
        DRAM.iter().find_map(|name| Some((*name, number(metrics.get(*name)?)?)))?;
    let mut numbers =
        vec![Evidence { label: metric.to_owned(), value: dram_pct, unit: "%".to_owned() }];
    numbers.extend(evidence("memory throughput", memory_pct, "%"));
    let dram = roofline.points.iter().flat_map(|point| &point.traffic);
    if let Some(dram) = dram.into_iter().find(|traffic| traffic.level == MemoryLevel::Dram) {
        numbers.extend(evidence("DRAM traffic", dram.bytes_per_second, "byte/s"));
        numbers.extend(dram.peak.and_then(|peak| evidence("DRAM peak", peak, "byte/s")));
        numbers.extend(evidence("intensity", dram.intensity, "flop/byte"));
    }
    let (code, title, text) = if dram_pct >= NEAR_PCT {
        (
            "memory-near-roof",
            "Near the roof of device memory",
            format!(
                "{} moves {} of what DRAM could: it gets faster only by moving less (fusion, smaller types, reuse from cache).",
                capital(&about.name),
                rounded_percentage(dram_pct)
            ),
        )
    } else if memory_pct - dram_pct <= SAME {
        (
            "memory-below-roof",
            "Bound by device memory, below its roof",
            format!(
                "DRAM is what is busiest in {}, at {} of its peak: moving less helps, and so do more bytes in flight.",
                about.name,
                rounded_percentage(dram_pct)
            ),
        )
    } else {
        (
            "memory-far-from-roof",
            "Memory-bound, but far from the roof of device memory",
            format!(
                "Memory is busy to {} in {}, DRAM only to {}: caches or the way memory is accessed hold it up, not its bandwidth.",
                rounded_percentage(memory_pct),
                about.name,
                rounded_percentage(dram_pct)
            ),
        )
    };
    Some(Finding {
        code: code.to_owned(),
        severity: severity(about.run_share, 0.25, 0.05),
        title: title.to_owned(),
        text,
        evidence: numbers,
        kernels: Vec::new(),
        section: Some("MemoryWorkloadAnalysis".to_owned()),
        region_share: 1.0,
        run_share: about.run_share,
        gain: None,
    })
}
