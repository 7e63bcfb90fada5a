//! Measured work against what the device could do, from the report's own numbers.
//!
//! Work and traffic over several results are ratios of sums: all operations over all bytes. Ceilings are peak counts per cycle, which ncu states in the report,
//! times the clock of the measurement; there is no table of devices. A precision in which nothing was done has no point.

mod points;
mod sources;

pub use points::{NamedPoint, kernel_points, region_points};

use crate::aggregate::limit::{ComputeRoof, compute_roof};
use crate::insight::measured::{Measured, Quantity};
use crate::insight::model::{
    Ceiling, CeilingKind, LevelTraffic, MemoryLevel, MissingMetrics, NotDrawn, Roofline,
    RooflinePoint,
};
use crate::insight::presets;
use rangescope_model::number::rounded_percentage;
use sources::{LEVELS, Level, Precision, precisions};

/// The roofline of a set of results: its points, and the ceilings of the memory levels and of the precisions that have a point.
pub(crate) fn roofline(measured: &Measured<'_>) -> Roofline {
    let traffic = Traffic::of(measured);
    let mut roofline = Roofline::default();
    let mut flat = Vec::new();
    let all = precisions(measured);
    let uncounted = uncounted(measured, &all);
    for precision in all {
        let Some(point) = point(measured, &precision, &traffic) else { continue };
        if let Some(reason) = hidden(&point, uncounted) {
            roofline.not_drawn.push(NotDrawn { precision: point.precision, reason });
            continue;
        }
        if let Some(peak) = precision.peak(measured) {
            flat.push(ceiling(precision.name, CeilingKind::Compute, precision.unit, peak));
        }
        if point.traffic.is_empty() {
            roofline.not_drawn.push(NotDrawn {
                precision: point.precision.clone(),
                reason: "no traffic of any memory level was measured beside it".to_owned(),
            });
        }
        roofline.points.push(point);
    }
    if let Some(uncounted) = uncounted {
        roofline.not_drawn.push(NotDrawn {
            precision: "tensor".to_owned(),
            reason: format!(
                "the tensor cores were busy to {}, and their operations were not counted",
                uncounted.in_words()
            ),
        });
    }
    if !roofline.points.is_empty() {
        let slopes = traffic.levels.into_iter().filter_map(|level| {
            let name = level_name(level.level).to_owned();
            Some(ceiling(name, CeilingKind::Memory, "byte/s", level.peak?))
        });
        roofline.ceilings = slopes.chain(flat).collect();
    }
    roofline
}

/// How busy tensor cores are whose operations were not counted.
#[derive(Clone, Copy)]
struct Uncounted {
    pct: f64,
    of: ComputeRoof,
}

impl Uncounted {
    /// Says of which multiprocessors: a kernel of one block keeps one of them busy.
    fn in_words(self) -> String {
        let of = match self.of {
            ComputeRoof::OfElapsed => "on average over all SMs",
            ComputeRoof::OfActive => "of the time in which SMs had work",
        };
        format!("{} {of}", rounded_percentage(self.pct))
    }
}

fn uncounted(measured: &Measured<'_>, known: &[Precision]) -> Option<Uncounted> {
    if known.iter().any(|precision| precision.name.starts_with("tensor")) {
        return None;
    }
    let names = measured.metrics().keys().map(String::as_str);
    names
        .filter_map(|name| {
            let (of, _) = compute_roof(name).filter(|(_, unit)| *unit == "tensor")?;
            Some(Uncounted { pct: measured.value(name)?, of })
        })
        .filter(|one| one.pct >= IDLE_PCT)
        .reduce(|most, next| if next.pct > most.pct { next } else { most })
}

/// Tensor cores that are less busy than this do nothing worth counting.
const IDLE_PCT: f64 = 1.0;

/// Why a point would mislead: work beside that of tensor cores which were busier and were not counted.
fn hidden(point: &RooflinePoint, uncounted: Option<Uncounted>) -> Option<String> {
    let busy_pct = uncounted?.pct;
    let reached = point.peak.map_or(0.0, |peak| point.work / peak * 100.0);
    (reached < busy_pct).then(|| {
        "beside the tensor cores, which did more and were not counted, it is not the work"
            .to_owned()
    })
}

pub(crate) fn missing(measured: &Measured<'_>) -> Vec<MissingMetrics> {
    let known = precisions(measured);
    let mut missing = Vec::new();
    if known.is_empty() {
        missing.push(lacks(measured, "work of the roofline", &sources::WORK_WANTED));
    } else if known.iter().all(|precision| precision.peak(measured).is_none()) {
        missing.push(lacks(measured, "compute ceilings of the roofline", &sources::PEAK_WANTED));
    }
    if let Some(uncounted) = uncounted(measured, &known) {
        missing.push(MissingMetrics {
            what: format!("operations of the tensor cores (busy to {})", uncounted.in_words()),
            metrics: Vec::new(),
            presets: presets::with_roofline(),
        });
    }
    let traffic = Traffic::of(measured);
    // L1 is good to have; DRAM and L2 are what a roofline is for.
    for level in LEVELS.iter().filter(|level| level.memory != MemoryLevel::L1) {
        let name = level_name(level.memory);
        match traffic.levels.iter().find(|known| known.level == level.memory) {
            None => missing.push(lacks(
                measured,
                &format!("{name} traffic of the roofline"),
                level.wanted,
            )),
            Some(known) if known.peak.is_none() => {
                missing.push(lacks(
                    measured,
                    &format!("{name} ceiling of the roofline"),
                    level.wanted_peak,
                ));
            }
            Some(_) => {}
        }
    }
    missing
}

/// Metrics that are there, but differ between results or have no usable value, would not get better by collecting them again.
fn lacks(measured: &Measured<'_>, what: &str, metrics: &[&str]) -> MissingMetrics {
    let absent: Vec<String> = metrics
        .iter()
        .filter(|name| !measured.metrics().contains_key(**name))
        .map(|&name| name.to_owned())
        .collect();
    if absent.is_empty() {
        return MissingMetrics {
            what: format!("{what} (collected, but without one value for all results)"),
            metrics: metrics.iter().map(|&name| name.to_owned()).collect(),
            presets: Vec::new(),
        };
    }
    MissingMetrics { what: what.to_owned(), metrics: absent, presets: presets::with_roofline() }
}

pub(crate) fn level_name(level: MemoryLevel) -> &'static str {
    match level {
        MemoryLevel::Dram => "DRAM",
        MemoryLevel::L2 => "L2",
        MemoryLevel::L1 => "L1",
    }
}

/// The traffic of every level that was measured.
struct Traffic {
    levels: Vec<MeasuredLevel>,
}

struct MeasuredLevel {
    level: MemoryLevel,
    rate: Quantity,
    peak: Option<Quantity>,
}

impl Traffic {
    fn of(measured: &Measured<'_>) -> Self {
        Self { levels: LEVELS.iter().filter_map(|level| measured_level(measured, level)).collect() }
    }
}

/// The traffic of a level by the first source that has a peak too, else by the first that was measured at all.
fn measured_level(measured: &Measured<'_>, level: &Level) -> Option<MeasuredLevel> {
    let mut without_peak = None;
    for source in level.sources {
        let Some(rate) = source.rate(measured) else { continue };
        let peak = source.peak(measured);
        let found = MeasuredLevel { level: level.memory, rate, peak };
        if found.peak.is_some() {
            return Some(found);
        }
        without_peak.get_or_insert(found);
    }
    without_peak
}

fn point(
    measured: &Measured<'_>,
    precision: &Precision,
    traffic: &Traffic,
) -> Option<RooflinePoint> {
    let work =
        precision.work(measured).filter(|work| work.value > 0.0 && work.value.is_finite())?;
    let peak = precision.peak(measured).map(|peak| peak.value);
    let mut exact = work.exact;
    let levels = traffic.levels.iter().filter_map(|level| {
        let intensity = work.value / level.rate.value;
        let drawable = level.rate.value > 0.0 && intensity.is_finite() && intensity > 0.0;
        drawable.then(|| {
            exact &= level.rate.exact;
            let slope = level.peak.as_ref().map(|peak| peak.value);
            LevelTraffic {
                level: level.level,
                bytes_per_second: level.rate.value,
                intensity,
                peak: slope,
                attainable: peak.zip(slope).map(|(flat, slope)| flat.min(slope * intensity)),
            }
        })
    });
    let traffic = levels.collect();
    Some(RooflinePoint {
        precision: precision.name.clone(),
        work: work.value,
        peak,
        traffic,
        exact,
    })
}

fn ceiling(name: String, kind: CeilingKind, unit: &str, peak: Quantity) -> Ceiling {
    let mut metrics = peak.metrics;
    metrics.dedup();
    Ceiling { name, kind, value: peak.value, unit: unit.to_owned(), metrics }
}
