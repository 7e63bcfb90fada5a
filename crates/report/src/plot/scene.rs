//! A drawing as a list of shapes, before it becomes SVG.
//!
//! Texts are already visible and cut; escaping is left to the writer. Coordinates are pixels from the top left corner.

use crate::palette::Colour;

/// A whole drawing.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Scene {
    pub(crate) width: f64,
    pub(crate) height: f64,
    /// Name of the drawing for those who cannot see it.
    pub(crate) title: String,
    /// A description for those who cannot see it.
    pub(crate) description: String,
    /// Begins the identifiers in the file, so that several drawings can be put into one page.
    pub(crate) prefix: &'static str,
    pub(crate) background: Colour,
    pub(crate) items: Vec<Item>,
}

/// Shapes that belong together.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Item {
    /// Shown when the pointer rests on it, and read to those who cannot see it.
    pub(crate) tooltip: Option<String>,
    pub(crate) shapes: Vec<Shape>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Shape {
    Rect { area: Area, fill: Colour, stroke: Option<Colour> },
    Line { from: (f64, f64), to: (f64, f64), width: f64, colour: Colour, dashed: bool },
    Circle { centre: (f64, f64), radius: f64, fill: Option<Colour>, stroke: Colour, opacity: f64 },
    Text(Text),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Text {
    /// The point of the baseline that `anchor` names.
    pub(crate) at: (f64, f64),
    pub(crate) anchor: Anchor,
    pub(crate) size: f64,
    pub(crate) colour: Colour,
    /// Degrees, clockwise.
    pub(crate) angle: f64,
    pub(crate) opacity: f64,
    /// Letters get an outline in the colour of the background, so that they can be read on top of others.
    pub(crate) halo: bool,
    pub(crate) words: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Area {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

impl Area {
    pub(crate) fn right(&self) -> f64 {
        self.x + self.width
    }

    pub(crate) fn bottom(&self) -> f64 {
        self.y + self.height
    }

    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        self.x < other.right()
            && other.x < self.right()
            && self.y < other.bottom()
            && other.y < self.bottom()
    }

    pub(crate) fn holds(&self, other: &Self) -> bool {
        other.x >= self.x
            && other.y >= self.y
            && other.right() <= self.right()
            && other.bottom() <= self.bottom()
    }
}

impl Scene {
    pub(crate) fn push(&mut self, shape: Shape) {
        self.items.push(Item { tooltip: None, shapes: vec![shape] });
    }

    pub(crate) fn push_with(&mut self, tooltip: String, shapes: Vec<Shape>) {
        self.items.push(Item { tooltip: Some(tooltip), shapes });
    }
}

/// A text without turns and tricks.
pub(crate) fn text(
    at: (f64, f64),
    anchor: Anchor,
    size: f64,
    colour: Colour,
    words: impl Into<String>,
) -> Shape {
    let words = words.into();
    Shape::Text(Text { at, anchor, size, colour, angle: 0.0, opacity: 1.0, halo: false, words })
}

/// A whole line of one pixel.
pub(crate) fn line(from: (f64, f64), to: (f64, f64), colour: Colour) -> Shape {
    Shape::Line { from, to, width: 1.0, colour, dashed: false }
}
