//! What bounds a kernel, a region or a run: the mix of the limits of its launches, never the limit of an average.
//!
//! The limits are those of the document; the rule and its thresholds are in [`limit`](crate::aggregate::limit). The averages that stand beside a mix are there
//! to be read, not to decide.

use crate::aggregate::limit::{
    ACTIVE_CYCLES, CLOCK, ComputeRoof, Cycles, DURATION, ELAPSED_CYCLES, LEVELS, MEMORY,
    compute_roof, unit_word,
};
use crate::insight::measured::Measured;
use crate::insight::model::{Bound, BoundClass, BoundShare, RooflinePoint};
use rangescope_model::document::{Limit, LimitShare, MetricSummary, Scalar};
use rangescope_model::number::{ABSENT, weight};

/// What bounds a set of launches that has these points in its roofline.
pub(crate) fn of_set(
    limits: &[LimitShare],
    measured: &Measured<'_>,
    points: &[RooflinePoint],
) -> Bound {
    let mix = mix(limits);
    let class = class(&mix);
    let of_class = |share: &&LimitShare| BoundClass::from(share.limit) == class;
    let (compute_pct, compute_unit) = compute(measured, points).unzip();
    let (memory_pct, memory_metric) = memory(measured).unzip();
    Bound {
        class,
        unit: limits.iter().find(of_class).and_then(|share| share.unit.clone()),
        compute_pct,
        compute_unit: compute_unit.flatten(),
        idle_sms: idle_sms(measured),
        memory_pct,
        memory_metric: memory_metric.filter(|name| *name != MEMORY).map(str::to_owned),
        mix,
    }
}

/// Whether the smallest grid has fewer blocks than the largest device has multiprocessors; no where that is not known.
fn idle_sms(measured: &Measured<'_>) -> bool {
    let metric = |name| measured.metrics().get(name);
    let number = |one: &MetricSummary| one.value.as_ref().and_then(Scalar::number);
    let blocks = metric("launch__grid_size").and_then(|one| number(one).or(one.min));
    let sms = metric("device__attribute_multiprocessor_count");
    let sms = sms.and_then(|one| number(one).or(one.max));
    blocks.zip(sms).is_some_and(|(blocks, sms)| blocks < sms)
}

/// What stands behind how busy multiprocessors are, where some had no block.
pub fn of_which_sms(bound: &Bound) -> &'static str {
    if bound.idle_sms { " (of all SMs, those without a block too)" } else { "" }
}

/// The busiest unit of what computes, in words.
pub fn compute_word(bound: &Bound) -> String {
    bound.compute_unit.as_deref().map_or_else(|| "SMs".to_owned(), unit_word)
}

/// The class of the launches that have more than half of the time.
fn class(mix: &[BoundShare]) -> BoundClass {
    match mix {
        [] => BoundClass::Unknown,
        [first, ..] if first.share > 0.5 => first.class,
        _ => BoundClass::Mixed,
    }
}

impl From<Limit> for BoundClass {
    fn from(limit: Limit) -> Self {
        match limit {
            Limit::Compute => Self::Compute,
            Limit::Memory => Self::Memory,
            Limit::Balanced => Self::Balanced,
            Limit::Latency => Self::Latency,
            Limit::SmallGrid => Self::SmallGrid,
            Limit::Unknown => Self::Unknown,
        }
    }
}

/// The share of each class, largest first: of the time, or of the launches where no time is known.
fn mix(limits: &[LimitShare]) -> Vec<BoundShare> {
    let is_timed = limits.iter().any(|share| weight(share.total_ms) > 0.0);
    let size = |share: &LimitShare| {
        if is_timed { weight(share.total_ms) } else { share.launches as f64 }
    };
    let whole: f64 = limits.iter().map(size).sum();
    if whole <= 0.0 || !whole.is_finite() {
        return Vec::new();
    }
    let mut shares: Vec<BoundShare> = Vec::new();
    for part in limits {
        let (class, share, launches) = (part.limit.into(), size(part) / whole, part.launches);
        match shares.iter_mut().find(|known| known.class == class) {
            Some(known) => {
                known.share += share;
                known.launches += launches;
            }
            None => shares.push(BoundShare { class, share, launches }),
        }
    }
    shares.sort_by(|left, right| {
        right.share.total_cmp(&left.share).then_with(|| left.class.cmp(&right.class))
    });
    shares
}

/// The largest fraction of any compute roof in per cent, with its unit.
fn compute(measured: &Measured<'_>, points: &[RooflinePoint]) -> Option<(f64, Option<String>)> {
    let cycles = Cycles {
        active: measured.value(ACTIVE_CYCLES),
        elapsed: measured.value(ELAPSED_CYCLES),
        clock: measured.value(CLOCK).zip(measured.value(DURATION)),
    };
    let active = cycles.active_part(std::convert::identity).unwrap_or(f64::NAN);
    let stated = measured.metrics().keys().filter_map(|name| {
        let (roof, unit) = compute_roof(name)?;
        let pct = measured.value(name)?;
        let pct = if roof == ComputeRoof::OfActive { pct * active } else { pct };
        Some((pct, unit))
    });
    let worked = points.iter().filter_map(|point| {
        let unit = if point.precision.starts_with("tensor") { "tensor" } else { "" };
        Some((point.work / point.peak? * 100.0, unit))
    });
    let finite = stated.chain(worked).filter(|(pct, _)| pct.is_finite());
    let named = |unit: &str| (!unit.is_empty()).then(|| unit.to_owned());
    finite
        .reduce(|best, next| {
            let names_more = best.1.is_empty() || next.1 == "tensor";
            let is_better = next.0 > best.0 || (next.0 >= best.0 && names_more);
            if is_better { next } else { best }
        })
        .map(|(pct, unit)| (pct, named(unit)))
}

/// ncu's number for memory as a whole, else that of the busiest level.
fn memory(measured: &Measured<'_>) -> Option<(f64, &'static str)> {
    if let Some(value) = measured.value(MEMORY) {
        return Some((value, MEMORY));
    }
    LEVELS
        .iter()
        .filter_map(|(name, _)| Some((measured.value(name)?, *name)))
        .reduce(|busiest, level| if level.0 > busiest.0 { level } else { busiest })
}

/// The class as an adjective, with the unit that is busy.
pub(crate) fn word(class: BoundClass, unit: Option<&str>) -> String {
    let word = match class {
        BoundClass::Compute => "compute-bound",
        BoundClass::Memory => "memory-bound",
        BoundClass::Balanced => "bound by compute and memory alike",
        BoundClass::Latency => "latency-bound",
        BoundClass::SmallGrid => "bound by grids too small to fill the device",
        BoundClass::Mixed => "a mix of launches with different limits",
        BoundClass::Unknown => "of unknown limit",
    };
    match unit {
        Some(unit) => format!("{word} ({})", unit_word(unit)),
        None => word.to_owned(),
    }
}

/// What limits a set, for a column of a table: `memory (DRAM)`.
pub fn limited_by(bound: &Bound) -> String {
    let word = match bound.class {
        BoundClass::Mixed => "mixed",
        BoundClass::Unknown => return ABSENT.to_owned(),
        class => noun(class),
    };
    match &bound.unit {
        Some(unit) => format!("{word} ({})", unit_word(unit)),
        None => word.to_owned(),
    }
}

/// A limit of the document as what limits launches.
pub fn limit_noun(limit: Limit) -> &'static str {
    noun(limit.into())
}

/// The class as what limits launches.
pub(crate) fn noun(class: BoundClass) -> &'static str {
    match class {
        BoundClass::Compute => "compute",
        BoundClass::Memory => "memory",
        BoundClass::Balanced => "compute and memory alike",
        BoundClass::Latency => "latency",
        BoundClass::SmallGrid => "small grids",
        BoundClass::Mixed | BoundClass::Unknown => "something unknown",
    }
}
