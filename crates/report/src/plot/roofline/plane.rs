//! The area between the axes of a roofline: grid, ceilings, and where points go.

use rangescope_analyze::insight::model::{Ceiling, CeilingKind, MemoryLevel};
use rangescope_model::number::weight;

use super::{Spot, level_name, shown_precision, tooltip};
use crate::palette::Colour;
use crate::plot::axis::LogAxis;
use crate::plot::font;
use crate::plot::frame::{Frame, SMALL};
use crate::plot::labels::{Places, line_area};
use crate::plot::scene::{Anchor, Area, Shape, Text, line};
use rangescope_model::number;

/// Radius of a bubble that has all the time, and of the smallest.
const LARGEST: f64 = 26.0;
const SMALLEST: f64 = 3.5;

/// The area between the axes.
pub(super) struct Plane {
    area: Area,
    x: LogAxis,
    y: LogAxis,
}

impl Plane {
    pub(super) fn over(area: Area, spots: &[Spot<'_>], ceilings: &[&Ceiling]) -> Self {
        let of = |kind| {
            ceilings.iter().filter(move |ceiling| ceiling.kind == kind).map(|ceiling| ceiling.value)
        };
        let flats: Vec<f64> = of(CeilingKind::Compute).collect();
        // Where slopes meet flat ceilings.
        let ridges =
            of(CeilingKind::Memory).flat_map(|slope| flats.iter().map(move |flat| flat / slope));
        let intensities = spots.iter().flat_map(|spot| {
            std::iter::once(spot.intensity).chain(spot.cached.iter().map(|(_, cached)| *cached))
        });
        let works = spots.iter().map(|spot| spot.named.point.work);
        let x = LogAxis::over(intensities.chain(ridges), area.x, area.right());
        let y = LogAxis::over(works.chain(flats.iter().copied()), area.bottom(), area.y);
        Self { area, x, y }
    }

    pub(super) fn grid(&self, frame: &mut Frame, level: MemoryLevel, rings: &[MemoryLevel]) {
        let area = self.area;
        let (grid, axis) = (frame.palette.line, frame.palette.axis);
        for tick in self.x.ticks() {
            let x = self.x.position(tick);
            frame.scene.push(line((x, area.y), (x, area.bottom()), grid));
            frame.note((x, area.bottom() + 17.0), Anchor::Middle, number::three_digits(tick));
        }
        for tick in self.y.ticks() {
            let y = self.y.position(tick);
            frame.scene.push(line((area.x, y), (area.right(), y), grid));
            frame.note((area.x - 6.0, y + 4.0), Anchor::End, number::rate(tick, "op/s"));
        }
        frame.scene.push(line((area.x, area.y), (area.x, area.bottom()), axis));
        frame.scene.push(line((area.x, area.bottom()), (area.right(), area.bottom()), axis));
        let name = level_name(level);
        let middle = area.x + area.width / 2.0;
        let rings: Vec<&str> = rings.iter().map(|level| level_name(*level)).collect();
        let rings = match rings.as_slice() {
            [] => String::new(),
            names => format!(" (rings: of {} traffic)", names.join(" and ")),
        };
        let words = format!("operations per byte of {name} traffic{rings}");
        frame.note((middle, area.bottom() + 36.0), Anchor::Middle, words);
    }

    pub(super) fn ceilings(
        &self,
        frame: &mut Frame,
        places: &mut Places,
        ceilings: &[&Ceiling],
        precisions: &[&str],
        level: MemoryLevel,
    ) {
        let of = |kind| ceilings.iter().filter(move |ceiling| ceiling.kind == kind);
        let values = |kind| of(kind).map(|ceiling| ceiling.value);
        let top = values(CeilingKind::Compute).fold(0.0, f64::max);
        let steepest = values(CeilingKind::Memory).fold(0.0, f64::max);
        for ceiling in of(CeilingKind::Memory) {
            self.slope(frame, places, ceiling, top, ceiling.name != level_name(level));
        }
        let mut flats: Vec<&Ceiling> = of(CeilingKind::Compute).copied().collect();
        flats.sort_by(|left, right| right.value.total_cmp(&left.value));
        for ceiling in flats {
            let colour = precisions
                .iter()
                .position(|name| *name == ceiling.name)
                .map_or(frame.palette.muted, |index| frame.palette.of_kind(index));
            let y = self.y.position(ceiling.value);
            let start = if steepest > 0.0 { ceiling.value / steepest } else { self.x.lowest() };
            let from = (self.x.position(start), y);
            let to = (self.area.right(), y);
            frame.scene.push(Shape::Line { from, to, width: 2.0, colour, dashed: false });
            let words = format!(
                "{} {}",
                shown_precision(&ceiling.name),
                number::rate(ceiling.value, &ceiling.unit)
            );
            let width = font::width(&words, SMALL);
            let candidates = [-9.0, 9.0]
                .into_iter()
                .flat_map(|below| (0..4).map(move |step| (below, f64::from(step))));
            let wanted: Vec<Area> = candidates
                .map(|(below, step)| {
                    let left = to.0 - 4.0 - width - step * (width + 10.0);
                    line_area(&words, SMALL, left, y + below)
                })
                .collect();
            if let Some(place) = places.first_free(&wanted) {
                label(frame, place, colour, words);
            }
            places.avoid(from, to);
        }
    }

    /// A memory ceiling, from the left or lower edge up to the highest flat one, with its value along the line.
    fn slope(
        &self,
        frame: &mut Frame,
        places: &mut Places,
        ceiling: &Ceiling,
        top: f64,
        dashed: bool,
    ) {
        let top = if top > 0.0 { top } else { self.y.highest() };
        let (low, high) = (self.y.lowest(), self.x.highest());
        let start = self.x.lowest().max(low / ceiling.value);
        let end = (top / ceiling.value).min(high);
        if start >= end {
            return;
        }
        let place = |intensity: f64| {
            (self.x.position(intensity), self.y.position(intensity * ceiling.value))
        };
        let (from, to) = (place(start), place(end));
        let colour = frame.palette.muted;
        frame.scene.push(Shape::Line { from, to, width: 2.0, colour, dashed });
        places.avoid(from, to);
        let words = format!("{} {}", ceiling.name, number::rate(ceiling.value, "B/s"));
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let length = dx.hypot(dy);
        let width = font::width(&words, SMALL);
        if length < width + 20.0 {
            return;
        }
        // Beginning a little above the lower end, moved off the line to its upper side.
        let (ux, uy) = (dx / length, dy / length);
        let at = (from.0 + ux * 18.0 + uy * 6.0, from.1 + uy * 18.0 - ux * 6.0);
        // The area of a turned text, piece by piece.
        let pieces = 8;
        for piece in 0..pieces {
            let along = width * (f64::from(piece) + 0.5) / f64::from(pieces);
            let (x, y) = (at.0 + ux * along + uy * 5.0, at.1 + uy * along - ux * 5.0);
            places.take(Area { x: x - 8.0, y: y - 8.0, width: 16.0, height: 16.0 });
        }
        frame.scene.push(Shape::Text(Text {
            at,
            anchor: Anchor::Start,
            size: SMALL,
            colour,
            angle: dy.atan2(dx).to_degrees(),
            opacity: 1.0,
            halo: true,
            words,
        }));
    }

    pub(super) fn bubbles(&self, spots: &[Spot<'_>]) -> Vec<Bubble> {
        let bubble = |spot: &Spot<'_>| Bubble {
            centre: (self.x.position(spot.intensity), self.y.position(spot.named.point.work)),
            radius: radius(weight(spot.named.share)),
        };
        spots.iter().map(bubble).collect()
    }

    /// The same work over the traffic of the caches, tied to its bubble; the ring of L1 is the smaller one.
    pub(super) fn rings(
        &self,
        frame: &mut Frame,
        places: &mut Places,
        spots: &[Spot<'_>],
        bubbles: &[Bubble],
    ) {
        let all = spots.iter().zip(bubbles);
        let all = all.flat_map(|(spot, bubble)| {
            spot.cached.iter().map(move |(level, cached)| (spot, bubble, *level, *cached))
        });
        for (spot, bubble, level, cached) in all {
            let colour = frame.palette.of_kind(spot.precision);
            let centre = (self.x.position(cached), bubble.centre.1);
            let (x, y) = bubble.centre;
            // The tie ends at the rim of the bubble.
            let rim = if centre.0 < x {
                (x - bubble.radius).max(centre.0)
            } else {
                (x + bubble.radius).min(centre.0)
            };
            places.avoid(centre, (rim, y));
            let tie = Shape::Line { from: centre, to: (rim, y), width: 1.0, colour, dashed: true };
            let fill = Some(frame.palette.background);
            let radius = if level == MemoryLevel::L1 { 2.5 } else { 4.0 };
            let ring = Shape::Circle { centre, radius, fill, stroke: colour, opacity: 1.0 };
            frame.scene.push_with(tooltip(spot, level), vec![tie, ring]);
        }
    }
}

/// Position and size of a point.
pub(super) struct Bubble {
    pub(super) centre: (f64, f64),
    pub(super) radius: f64,
}

impl Bubble {
    /// Labels keep away from this: they may lie on the rim of a large bubble but not on its middle.
    pub(super) fn core(&self) -> Area {
        let core = (self.radius * 0.8).max(SMALLEST);
        let (x, y) = self.centre;
        Area { x: x - core, y: y - core, width: 2.0 * core, height: 2.0 * core }
    }
}

pub(super) fn radius(share: f64) -> f64 {
    (share.clamp(0.0, 1.0).sqrt() * LARGEST).max(SMALLEST)
}

/// A text in its place, readable on top of lines.
pub(super) fn label(frame: &mut Frame, place: Area, colour: Colour, words: String) {
    frame.scene.push(Shape::Text(Text {
        at: (place.x, place.y + place.height / 2.0 + SMALL * 0.36),
        anchor: Anchor::Start,
        size: SMALL,
        colour,
        angle: 0.0,
        opacity: 1.0,
        halo: true,
        words,
    }));
}
