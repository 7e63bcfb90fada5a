//! Shapes as pixels, twice as fine as the drawing's own, and the pixels as a PNG file.
//!
//! Only what the drawings use: filled areas, straight lines, circles and text. The same shapes always give the same bytes.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "pixels are whole and few, and a mixture of two bytes is a byte"
)]

use ab_glyph_rasterizer::{Rasterizer, point};

use crate::plot::error::PlotError;
use crate::plot::font;
use crate::plot::palette::Colour;
use crate::plot::scene::{Anchor, Area, Scene, Shape, Text};

/// Pixels of the file per pixel of the drawing, for screens that are fine.
const SCALE: f64 = 2.0;

/// Dash and gap of a dashed line.
const DASH: f64 = 4.0;

type Contour = Vec<(f64, f64)>;

/// The PNG file of a drawing.
pub(crate) fn png(scene: &Scene) -> Result<Vec<u8>, PlotError> {
    let mut canvas = Canvas::new(scene);
    for shape in scene.items.iter().flat_map(|item| &item.shapes) {
        canvas.draw(shape);
    }
    canvas.encode().map_err(|error| PlotError::Png { cause: error.to_string() })
}

struct Canvas {
    width: u32,
    height: u32,
    background: Colour,
    pixels: Vec<u8>,
}

impl Canvas {
    fn new(scene: &Scene) -> Self {
        let (width, height) = (whole(scene.width * SCALE), whole(scene.height * SCALE));
        let pixels = scene.background.0.repeat(width as usize * height as usize);
        Self { width, height, background: scene.background, pixels }
    }

    fn encode(&self) -> Result<Vec<u8>, png::EncodingError> {
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, self.width, self.height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::High);
        // Areas of one colour are smallest without a filter; the compression chooses one, so this comes after it.
        encoder.set_filter(png::Filter::NoFilter);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.pixels)?;
        writer.finish()?;
        Ok(file)
    }

    fn draw(&mut self, shape: &Shape) {
        match shape {
            Shape::Rect { area, fill, stroke } => {
                self.fill(&[rectangle(area, 0.0)], *fill, 1.0);
                if let Some(stroke) = stroke {
                    let mut inner = rectangle(area, -0.5);
                    inner.reverse();
                    self.fill(&[rectangle(area, 0.5), inner], *stroke, 1.0);
                }
            }
            Shape::Line { from, to, width, colour, dashed } => {
                let bars = if *dashed { dashes(*from, *to) } else { vec![(*from, *to)] };
                for (from, to) in bars {
                    self.fill(&[bar(from, to, *width)], *colour, 1.0);
                }
            }
            Shape::Circle { centre, radius, fill, stroke, opacity } => {
                if let Some(fill) = fill {
                    self.fill(&[circle(*centre, *radius)], *fill, *opacity);
                }
                let mut inner = circle(*centre, radius - 0.5);
                inner.reverse();
                self.fill(&[circle(*centre, radius + 0.5), inner], *stroke, 1.0);
            }
            Shape::Text(text) => self.text(text),
        }
    }

    fn text(&mut self, text: &Text) {
        let (mut contours, width) = font::outlines(&text.words, text.size);
        let start = match text.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => -width / 2.0,
            Anchor::End => -width,
        };
        let (sin, cos) = text.angle.to_radians().sin_cos();
        for (x, y) in contours.iter_mut().flatten() {
            let (along, across) = (*x + start, *y);
            *x = text.at.0 + along * cos - across * sin;
            *y = text.at.1 + along * sin + across * cos;
        }
        if text.halo {
            for (dx, dy) in [
                (1., 0.),
                (-1., 0.),
                (0., 1.),
                (0., -1.),
                (1., 1.),
                (-1., 1.),
                (1., -1.),
                (-1., -1.),
            ] {
                let moved: Vec<Contour> = contours
                    .iter()
                    .map(|contour| contour.iter().map(|(x, y)| (x + dx, y + dy)).collect())
                    .collect();
                self.fill(&moved, self.background, 1.0);
            }
        }
        self.fill(&contours, text.colour, text.opacity);
    }

    /// Fills what the contours enclose.
    fn fill(&mut self, contours: &[Contour], colour: Colour, opacity: f64) {
        let Some((left, top, right, bottom)) = bounds(contours) else { return };
        let (left, top) = ((left * SCALE).floor() - 1.0, (top * SCALE).floor() - 1.0);
        let (width, height) =
            ((right * SCALE).ceil() + 1.0 - left, (bottom * SCALE).ceil() + 1.0 - top);
        // Whatever a drawing holds lies on it but for the edges of lines and letters; anything else is not drawn.
        let limit = 2.0 * f64::from(self.width.max(self.height)) + 16.0;
        if !(width <= limit && height <= limit && left.abs() <= limit && top.abs() <= limit) {
            return;
        }
        let (left, top) = (left as i64, top as i64);
        let mut rasterizer = Rasterizer::new(whole(width) as usize, whole(height) as usize);
        let place = |(x, y): (f64, f64)| {
            point((x * SCALE - left as f64) as f32, (y * SCALE - top as f64) as f32)
        };
        for contour in contours {
            let ends = contour.iter().skip(1).chain(contour.first());
            for (from, to) in contour.iter().zip(ends) {
                rasterizer.draw_line(place(*from), place(*to));
            }
        }
        rasterizer.for_each_pixel_2d(|x, y, coverage| {
            self.blend(
                left + i64::from(x),
                top + i64::from(y),
                colour,
                f64::from(coverage) * opacity,
            );
        });
    }

    fn blend(&mut self, x: i64, y: i64, colour: Colour, part: f64) {
        let (Ok(x), Ok(y)) = (u32::try_from(x), u32::try_from(y)) else { return };
        if x >= self.width || y >= self.height || part < 0.002 {
            return;
        }
        let at = (y as usize * self.width as usize + x as usize) * 3;
        let Some(pixel) = self.pixels.get_mut(at..at + 3) else { return };
        for (old, new) in pixel.iter_mut().zip(colour.0) {
            let mixed = f64::from(*old) + (f64::from(new) - f64::from(*old)) * part.min(1.0);
            *old = mixed.round() as u8;
        }
    }
}

fn whole(value: f64) -> u32 {
    value.ceil().max(1.0) as u32
}

/// Left, top, right and bottom of everything; nothing if there is nothing, or a number is not finite.
fn bounds(contours: &[Contour]) -> Option<(f64, f64, f64, f64)> {
    let mut all = contours.iter().flatten();
    let &(x, y) = all.next()?;
    let bounds = all.fold((x, y, x, y), |(left, top, right, bottom), &(x, y)| {
        (left.min(x), top.min(y), right.max(x), bottom.max(y))
    });
    let finite = contours.iter().flatten().all(|(x, y)| x.is_finite() && y.is_finite());
    finite.then_some(bounds)
}

fn rectangle(area: &Area, grown: f64) -> Contour {
    let (left, top) = (area.x - grown, area.y - grown);
    let (right, bottom) = ((area.right() + grown).max(left), (area.bottom() + grown).max(top));
    vec![(left, top), (right, top), (right, bottom), (left, bottom)]
}

fn circle(centre: (f64, f64), radius: f64) -> Contour {
    const CORNERS: u32 = 64;
    let radius = radius.max(0.0);
    (0..CORNERS)
        .map(|corner| {
            let (sin, cos) =
                (f64::from(corner) / f64::from(CORNERS) * std::f64::consts::TAU).sin_cos();
            (centre.0 + radius * cos, centre.1 + radius * sin)
        })
        .collect()
}

/// A line as the area that it covers.
fn bar(from: (f64, f64), to: (f64, f64), width: f64) -> Contour {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = dx.hypot(dy);
    if length <= 0.0 {
        return Vec::new();
    }
    let (across, along) = (dy / length * width / 2.0, dx / length * width / 2.0);
    vec![
        (from.0 + across, from.1 - along),
        (to.0 + across, to.1 - along),
        (to.0 - across, to.1 + along),
        (from.0 - across, from.1 + along),
    ]
}

fn dashes(from: (f64, f64), to: (f64, f64)) -> Vec<((f64, f64), (f64, f64))> {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = dx.hypot(dy);
    let mut dashes = Vec::new();
    let mut at = 0.0;
    while at < length && dashes.len() < 4_000 {
        let end = (at + DASH).min(length);
        let place =
            |distance: f64| (from.0 + dx * distance / length, from.1 + dy * distance / length);
        dashes.push((place(at), place(end)));
        at += 2.0 * DASH;
    }
    dashes
}
