//! Roofline points and ceilings.

use rangescope_analyze::insight::model::{
    Ceiling, CeilingKind, MemoryLevel, Roofline, RooflinePoint,
};
use serde::Serialize;

use super::number::Number;
use super::pool::Texts;

/// Work of one precision.
#[derive(Debug, PartialEq, Eq, Hash, Serialize)]
pub(crate) struct Point {
    precision: u32,
    work: Number,
    peak: Option<Number>,
    exact: bool,
    traffic: Vec<Traffic>,
}

/// Level, bytes per second, operations per byte, peak, attainable work.
type Traffic = (MemoryLevel, Number, Number, Option<Number>, Option<Number>);

/// A roof.
#[derive(Debug, PartialEq, Eq, Hash, Serialize)]
pub(crate) struct Roof {
    name: u32,
    slopes: bool,
    value: Number,
    unit: u32,
    metrics: Vec<u32>,
}

/// The points and roofs of a region.
#[derive(Debug, PartialEq, Eq, Hash, Serialize)]
pub(crate) struct RegionRoofline {
    points: Vec<Point>,
    roofs: Vec<Roof>,
}

impl Point {
    pub(crate) fn of(texts: &mut Texts, point: &RooflinePoint) -> Self {
        Self {
            precision: texts.add(&point.precision),
            work: Number::new(point.work),
            peak: point.peak.map(Number::new),
            exact: point.exact,
            traffic: point
                .traffic
                .iter()
                .map(|traffic| {
                    (
                        traffic.level,
                        Number::new(traffic.bytes_per_second),
                        Number::new(traffic.intensity),
                        traffic.peak.map(Number::new),
                        traffic.attainable.map(Number::new),
                    )
                })
                .collect(),
        }
    }
}

impl RegionRoofline {
    pub(crate) fn of(texts: &mut Texts, roofline: &Roofline) -> Self {
        Self {
            points: roofline.points.iter().map(|point| Point::of(texts, point)).collect(),
            roofs: roofline.ceilings.iter().map(|ceiling| roof(texts, ceiling)).collect(),
        }
    }
}

fn roof(texts: &mut Texts, ceiling: &Ceiling) -> Roof {
    Roof {
        name: texts.add(&ceiling.name),
        slopes: ceiling.kind == CeilingKind::Memory,
        value: Number::new(ceiling.value),
        unit: texts.add(&ceiling.unit),
        metrics: ceiling.metrics.iter().map(|metric| texts.add(metric)).collect(),
    }
}
