//! Measured work against what the device could do, on two axes in powers of ten.
//!
//! Points and ceilings are those of `rangescope_analyze::insight`; nothing is computed here but where they go.

mod plane;

use rangescope_analyze::insight::Insight;
use rangescope_analyze::insight::model::{Ceiling, CeilingKind, LevelTraffic, MemoryLevel};
use rangescope_analyze::insight::roofline::{NamedPoint, kernel_points, region_points};
use rangescope_model::number::weight;
use rangescope_model::text::{shorten, shorten_kernel, visible_name};
use std::fmt::Write as _;

use crate::kernel::level_name;
use crate::plot::chosen::{Chosen, full_name};
use crate::plot::error::PlotError;
use crate::plot::font;
use crate::plot::frame::{Frame, LEGEND, SMALL};
use crate::plot::labels::{Places, around};
use crate::plot::request::PlotRequest;
use crate::plot::scene::{Anchor, Area, Scene, Shape};
use plane::{Bubble, Plane, label, radius};
use rangescope_model::number;

const NATURAL: f64 = 500.0;

/// Points that are drawn, heaviest first.
const MOST_POINTS: usize = 200;

/// Points that get a label where there is room.
const MOST_LABELS: usize = 24;

/// Points of which the traffic of the caches is drawn, too; more would hide each other.
const MOST_RINGS: usize = 6;

/// Letters of a label.
const LABEL: usize = 34;

/// Room for the marks of the axes.
const LEFT: f64 = 84.0;
const BELOW: f64 = 44.0;

/// A point that can be drawn.
struct Spot<'a> {
    named: NamedPoint<'a>,
    intensity: f64,
    /// Operations per byte of the traffic of the caches between the level of the axis and the kernel.
    cached: Vec<(MemoryLevel, f64)>,
    /// The precision as its position in the legend.
    precision: usize,
}

/// The points are regions or kernels.
struct Source<'a> {
    points: Vec<NamedPoint<'a>>,
    ceilings: &'a [Ceiling],
    of_kernels: bool,
}

/// Draws the regions of the scope, or the kernels of one region.
pub(crate) fn roofline(chosen: &Chosen<'_>, request: &PlotRequest) -> Result<Scene, PlotError> {
    let insight = Insight::of(chosen.document);
    let lacking = || PlotError::NoRoofline {
        what: chosen.name(),
        missing: insight
            .reports
            .get(chosen.index)
            .map(|report| report.roofline_missing.clone())
            // Points need no ceilings: where only these are missing, no work was done.
            .filter(|missing| missing.iter().any(|missing| !missing.what.contains("ceiling")))
            .unwrap_or_default(),
    };
    let source = source(chosen, &insight).ok_or_else(lacking)?;
    let level = level(&source.points).ok_or_else(lacking)?;
    let (spots, precisions) = spots(&source.points, level);
    let ceilings = drawn_ceilings(source.ceilings, level, &cached_levels(&spots));
    let what = if source.of_kernels { "kernels" } else { "regions" };
    let title = format!("Roofline of the {what} of {}", chosen.name());
    let mut explanation = if ceilings.is_empty() {
        "The area of a bubble is GPU time. The report states no peaks, so there are no ceilings."
    } else {
        "The area of a bubble is GPU time; ceilings are the report's own peaks at the clock of the measurement."
    }
    .to_owned();
    for work in insight
        .reports
        .get(chosen.index)
        .into_iter()
        .flat_map(|report| &report.totals.roofline.not_drawn)
    {
        let _ = write!(explanation, " Not drawn, {}: {}.", work.precision, work.reason);
    }
    let mut frame = Frame::new(chosen, request, &title, &explanation, NATURAL);
    let body = frame.body;
    let area = Area {
        x: body.x + LEFT,
        y: body.y + 6.0,
        width: body.width - LEFT,
        height: (body.height - BELOW - LEGEND - 6.0).max(60.0),
    };
    let plane = Plane::over(area, &spots, &ceilings);
    plane.grid(&mut frame, level, &cached_levels(&spots));
    let mut places = Places::new(area);
    let bubbles = plane.bubbles(&spots);
    for bubble in &bubbles {
        places.take(bubble.core());
    }
    plane.rings(&mut frame, &mut places, &spots, &bubbles);
    plane.ceilings(&mut frame, &mut places, &ceilings, &precisions, level);
    draw_bubbles(&mut frame, &mut places, &spots, &bubbles, level, source.of_kernels);
    let mut x = body.x;
    for (index, precision) in precisions.iter().enumerate() {
        let fill = frame.palette.of_kind(index);
        x = frame.swatch(x, body.bottom() - 14.0, fill, &shown_precision(precision));
    }
    size_legend(&mut frame, x);
    Ok(frame.finish(chosen))
}

/// The points of the regions; of kernels where a region is given or the report has none.
fn source<'a>(chosen: &Chosen<'a>, insight: &'a Insight) -> Option<Source<'a>> {
    let concluded = insight.reports.get(chosen.index)?;
    if let Some((region, _)) = chosen.region {
        return Some(Source {
            points: kernel_points(chosen.document, insight, chosen.index, Some(region)),
            ceilings: &concluded.regions.get(region)?.roofline.ceilings,
            of_kernels: true,
        });
    }
    let ceilings = concluded.totals.roofline.ceilings.as_slice();
    let of_kernels = chosen.report.regions.is_empty();
    let points = if of_kernels {
        kernel_points(chosen.document, insight, chosen.index, None)
    } else {
        region_points(chosen.document, insight, chosen.index)
    };
    Some(Source { points, ceilings, of_kernels })
}

/// The memory level of the horizontal axis: the outermost that was measured.
fn level(points: &[NamedPoint<'_>]) -> Option<MemoryLevel> {
    [MemoryLevel::Dram, MemoryLevel::L2, MemoryLevel::L1].into_iter().find(|level| {
        points.iter().any(|named| named.point.traffic.iter().any(|traffic| traffic.level == *level))
    })
}

/// The points that have traffic of the level, heaviest first, and their precisions.
fn spots<'a>(points: &[NamedPoint<'a>], level: MemoryLevel) -> (Vec<Spot<'a>>, Vec<&'a str>) {
    let mut precisions: Vec<&str> = Vec::new();
    let mut spots = Vec::new();
    for named in points {
        let traffic = named.point.traffic.iter().find(|traffic| traffic.level == level);
        let Some(traffic) = traffic else { continue };
        let name = named.point.precision.as_str();
        let precision = precisions.iter().position(|known| *known == name).unwrap_or_else(|| {
            precisions.push(name);
            precisions.len() - 1
        });
        let is_inner = |traffic: &&LevelTraffic| inner_levels(level).contains(&traffic.level);
        let cached = named.point.traffic.iter().filter(is_inner);
        let cached = cached.map(|traffic| (traffic.level, traffic.intensity)).collect();
        spots.push(Spot { named: *named, intensity: traffic.intensity, cached, precision });
    }
    spots.sort_by(|left, right| weight(right.named.time_ms).total_cmp(&weight(left.named.time_ms)));
    spots.truncate(MOST_POINTS);
    for spot in spots.iter_mut().skip(MOST_RINGS) {
        spot.cached.clear();
    }
    (spots, precisions)
}

fn draw_bubbles(
    frame: &mut Frame,
    places: &mut Places,
    spots: &[Spot<'_>],
    bubbles: &[Bubble],
    level: MemoryLevel,
    of_kernels: bool,
) {
    for (spot, &Bubble { centre, radius }) in spots.iter().zip(bubbles) {
        let fill = Some(frame.palette.of_kind(spot.precision));
        let stroke = frame.palette.background;
        let bubble = Shape::Circle { centre, radius, fill, stroke, opacity: 0.7 };
        frame.scene.push_with(tooltip(spot, level), vec![bubble]);
    }
    for (spot, bubble) in spots.iter().zip(bubbles).take(MOST_LABELS) {
        let name = visible_name(spot.named.name);
        let name = if of_kernels { shorten_kernel(&name, LABEL) } else { shorten(&name, LABEL) };
        let wanted = around(&name, SMALL, bubble.centre, bubble.radius);
        if let Some(place) = places.first_free(&wanted) {
            label(frame, place, frame.palette.text, name.into_owned());
        }
    }
}

/// The caches between a level and the kernel.
fn inner_levels(level: MemoryLevel) -> &'static [MemoryLevel] {
    match level {
        MemoryLevel::Dram => &[MemoryLevel::L2, MemoryLevel::L1],
        MemoryLevel::L2 => &[MemoryLevel::L1],
        MemoryLevel::L1 => &[],
    }
}

/// The caches that have points, outermost first.
fn cached_levels(spots: &[Spot<'_>]) -> Vec<MemoryLevel> {
    let has = |level: &MemoryLevel| {
        spots.iter().any(|spot| spot.cached.iter().any(|(cached, _)| cached == level))
    };
    [MemoryLevel::L2, MemoryLevel::L1].into_iter().filter(has).collect()
}

/// The flat ceilings, and the slopes of the levels that have points.
fn drawn_ceilings<'c>(
    ceilings: &'c [Ceiling],
    level: MemoryLevel,
    cached: &[MemoryLevel],
) -> Vec<&'c Ceiling> {
    let is_drawn = |name: &str| {
        name == level_name(level) || cached.iter().any(|level| name == level_name(*level))
    };
    let drawn = ceilings
        .iter()
        .filter(|ceiling| ceiling.kind == CeilingKind::Compute || is_drawn(&ceiling.name));
    drawn.collect()
}

/// The sizes of bubbles, at the right end of the legend.
fn size_legend(frame: &mut Frame, from: f64) {
    let y = frame.body.bottom() - 7.0;
    let mut x = frame.body.right();
    for share in [0.5, 0.1, 0.01] {
        let words = format!("{:.0} %", share * 100.0);
        let (width, radius) = (font::width(&words, SMALL), radius(share));
        if x - width - 2.0 * radius - 10.0 < from {
            return;
        }
        frame.note((x, y + 4.0), Anchor::End, words);
        let centre = (x - width - 5.0 - radius, y);
        let stroke = frame.palette.muted;
        frame.scene.push(Shape::Circle { centre, radius, fill: None, stroke, opacity: 1.0 });
        x = centre.0 - radius - 16.0;
    }
}

fn tooltip(spot: &Spot<'_>, level: MemoryLevel) -> String {
    let point = spot.named.point;
    let mut lines = vec![
        full_name(spot.named.name),
        format!("{} ({})", number::time(spot.named.time_ms), number::percent(spot.named.share)),
        format!("{} {}", shown_precision(&point.precision), number::rate(point.work, "op/s")),
    ];
    for traffic in &point.traffic {
        lines.push(format!(
            "{} {}, {} operations per byte",
            level_name(traffic.level),
            number::rate(traffic.bytes_per_second, "B/s"),
            number::three_digits(traffic.intensity),
        ));
        if let Some(attainable) =
            traffic.attainable.filter(|value| traffic.level == level && *value > 0.0)
        {
            lines.push(format!("{} of the roof", number::percent(point.work / attainable)));
        }
    }
    if !point.exact {
        lines.push("not exact".to_owned());
    }
    lines.join("\n")
}

/// The embedded font has no arrow.
fn shown_precision(name: &str) -> String {
    visible_name(name).replace('→', " to ")
}
