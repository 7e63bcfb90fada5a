//! Places for labels, so that none covers another: whoever comes first has the choice.

use crate::plot::font;
use crate::plot::scene::Area;

/// The places of a drawing that are taken.
#[derive(Debug)]
pub(crate) struct Places {
    within: Area,
    taken: Vec<Area>,
    /// Lines, which labels cover only where there is no other place.
    avoided: Vec<Area>,
}

impl Places {
    pub(crate) fn new(within: Area) -> Self {
        Self { within, taken: Vec::new(), avoided: Vec::new() }
    }

    /// Keeps labels away from an area.
    pub(crate) fn take(&mut self, area: Area) {
        self.taken.push(area);
    }

    /// Keeps labels away from a line, where they can be elsewhere.
    pub(crate) fn avoid(&mut self, from: (f64, f64), to: (f64, f64)) {
        const STEP: f64 = 6.0;
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let length = dx.hypot(dy);
        let mut at = 0.0;
        while at <= length {
            let (x, y) = (from.0 + dx * at / length.max(1.0), from.1 + dy * at / length.max(1.0));
            self.avoided.push(Area { x: x - 3.0, y: y - 3.0, width: STEP, height: STEP });
            at += STEP;
        }
    }

    /// The first of several places that is free, which is taken then.
    pub(crate) fn first_free(&mut self, wanted: &[Area]) -> Option<Area> {
        let clear = |areas: &[Area], area: &Area| !areas.iter().any(|other| other.overlaps(area));
        let free = |area: &&Area| self.within.holds(area) && clear(&self.taken, area);
        let best = wanted.iter().filter(free).find(|area| clear(&self.avoided, area));
        let free = *best.or_else(|| wanted.iter().find(free))?;
        self.taken.push(free);
        Some(free)
    }
}

/// The area of a line of text whose left end and middle are here.
pub(crate) fn line_area(text: &str, size: f64, left: f64, middle: f64) -> Area {
    let height = size * 1.25;
    Area { x: left, y: middle - height / 2.0, width: font::width(text, size), height }
}

/// The places around a circle in order of preference. All are near: a label that is far away could be that of another.
pub(crate) fn around(text: &str, size: f64, centre: (f64, f64), radius: f64) -> Vec<Area> {
    let width = font::width(text, size);
    let (x, y) = centre;
    let mut places = Vec::new();
    for distance in [4.0, 12.0] {
        let beside = radius + distance;
        let above = radius + distance + size * 0.6;
        places.extend(
            [
                (x + beside, y),
                (x - beside - width, y),
                (x - width / 2.0, y - above),
                (x - width / 2.0, y + above),
                (x + beside * 0.8, y - above * 0.8),
                (x + beside * 0.8, y + above * 0.8),
                (x - beside * 0.8 - width, y - above * 0.8),
                (x - beside * 0.8 - width, y + above * 0.8),
            ]
            .map(|(left, middle)| line_area(text, size, left, middle)),
        );
    }
    places
}
