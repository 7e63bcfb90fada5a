//! How far a set is from the roof that bounds it.

use super::{About, evidence, severity};
use crate::aggregate::limit::NEAR_PEAK;
use crate::insight::bound::unit_word;
use crate::insight::measured::{Metrics, number};
use crate::insight::model::{
    Bound, BoundClass, Evidence, Finding, MemoryLevel, Roofline, Severity,
};
use crate::insight::words::capital;
use rangescope_model::number::rounded_percentage;

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
    match bound.class {
        BoundClass::Compute => near_compute(about, bound),
        BoundClass::Memory => memory(about, bound, roofline, metrics),
        _ => None,
    }
}

fn near_compute(about: &About<'_>, bound: &Bound) -> Option<Finding> {
    let pct = bound.compute_pct.filter(|pct| *pct >= NEAR_PEAK.value)?;
    let unit = bound.compute_unit.as_deref().map_or_else(|| "SMs".to_owned(), unit_word);
    let mut numbers = Vec::new();
    numbers.extend(evidence(&format!("{unit} busy"), pct, "%"));
    numbers.extend(bound.memory_pct.and_then(|pct| evidence("memory throughput", pct, "%")));
    Some(Finding {
        code: "compute-near-roof".to_owned(),
        severity: Severity::Low,
        title: "Do less arithmetic: near the peak of what computes".to_owned(),
        text: format!(
            "{} keeps the {unit} busy to {} of their peak: it gets faster only by fewer operations or a faster type.",
            capital(&about.name),
            rounded_percentage(pct)
        ),
        evidence: numbers,
        kernels: Vec::new(),
        section: Some("SpeedOfLight".to_owned()),
        region_share: 1.0,
        run_share: about.run_share,
        gain: None,
    })
}

fn memory(
    about: &About<'_>,
    bound: &Bound,
    roofline: &Roofline,
    metrics: &Metrics,
) -> Option<Finding> {
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
    let (code, title, text) = if dram_pct >= NEAR_PEAK.value {
        (
            "memory-near-roof",
            "Move less data: near the roof of device memory",
            format!(
                "{} moves {} of what DRAM could: it gets faster only by moving less (fusion, smaller types, reuse from cache).",
                capital(&about.name),
                rounded_percentage(dram_pct)
            ),
        )
    } else if memory_pct - dram_pct <= SAME {
        (
            "memory-below-roof",
            "Move less data, or keep more of it in flight: bound by device memory",
            format!(
                "DRAM is what is busiest in {}, at {} of its peak: moving less helps, and so do more bytes in flight.",
                about.name,
                rounded_percentage(dram_pct)
            ),
        )
    } else {
        (
            "memory-far-from-roof",
            "Look at caches and access patterns: memory is busy, device memory is not",
            format!(
                "{} is busy to {} in {}, DRAM only to {}: caches or the way memory is accessed hold it up, not the bandwidth of DRAM.",
                bound.unit.as_deref().map_or_else(|| "Memory".to_owned(), unit_word),
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
