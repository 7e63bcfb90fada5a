//! The embedded font: how wide a text is, and the outlines of its letters.
//!
//! SVG viewers may use another font, so measures are a little generous. Characters that the font does not have get its box.

use std::sync::OnceLock;

use rangescope_model::text::ELLIPSIS;
use ttf_parser::{Face, GlyphId, OutlineBuilder};

/// Fonts that viewers put in the place of ours are up to this much wider.
const GENEROUS: f64 = 1.05;

/// Steps into which a curve of a letter is cut.
const STEPS: u8 = 6;

fn face() -> Option<&'static Face<'static>> {
    static FACE: OnceLock<Option<Face<'static>>> = OnceLock::new();
    FACE.get_or_init(|| Face::parse(include_bytes!("../../assets/plot/roboto-subset.ttf"), 0).ok())
        .as_ref()
}

/// The width of a character in parts of the font size.
fn advance(face: &Face<'_>, character: char) -> f64 {
    match face.glyph_index(character) {
        Some(glyph) => {
            let units = face.glyph_hor_advance(glyph).unwrap_or_default();
            f64::from(units) / f64::from(face.units_per_em())
        }
        // Letters of other scripts are mostly wider than ours.
        None => 1.0,
    }
}

/// How wide a text is.
pub(crate) fn width(text: &str, size: f64) -> f64 {
    let Some(face) = face() else { return text.chars().count() as f64 * size * 0.6 };
    text.chars().map(|character| advance(face, character)).sum::<f64>() * size * GENEROUS
}

/// The text, cut with an ellipsis where it is wider than the room; nothing where not even three letters fit.
pub(crate) fn cut(text: &str, size: f64, room: f64) -> Option<String> {
    let mut used = 0.0;
    let ellipsis = width(ELLIPSIS, size);
    let mut fitting = 0;
    let mut letters = 0;
    let mut buffer = [0; 4];
    for (at, character) in text.char_indices() {
        if used + ellipsis <= room {
            fitting = at;
            letters += 1;
        }
        used += width(character.encode_utf8(&mut buffer), size);
        if used > room {
            return (letters > 3).then(|| format!("{}{ELLIPSIS}", text[..fitting].trim_end()));
        }
    }
    Some(text.to_owned())
}

/// The text, cut in the middle where it is wider than the room; names that begin alike are told apart by their ends.
pub(crate) fn cut_middle(text: &str, size: f64, room: f64) -> Option<String> {
    let whole = cut(text, size, room)?;
    if whole == text {
        return Some(whole);
    }
    let mut left = room - width(ELLIPSIS, size);
    let (mut head, mut tail) = (0, text.len());
    let mut buffer = [0; 4];
    let mut from_head = true;
    let mut letters = 0;
    loop {
        let rest = &text[head..tail];
        let next = if from_head { rest.chars().next() } else { rest.chars().next_back() };
        let Some(character) = next else { break };
        left -= width(character.encode_utf8(&mut buffer), size);
        if left < 0.0 {
            break;
        }
        if from_head {
            head += character.len_utf8();
        } else {
            tail -= character.len_utf8();
        }
        letters += 1;
        from_head = !from_head;
    }
    (letters > 3)
        .then(|| format!("{}{ELLIPSIS}{}", text[..head].trim_end(), text[tail..].trim_start()))
}

/// The outlines of a text whose baseline begins at 0, 0, as closed lines; and how wide it is.
pub(crate) fn outlines(text: &str, size: f64) -> (Vec<Vec<(f64, f64)>>, f64) {
    let Some(face) = face() else { return (Vec::new(), 0.0) };
    let scale = size / f64::from(face.units_per_em());
    let mut pen = Pen { scale, x: 0.0, contours: Vec::new() };
    for character in text.chars() {
        let glyph = face.glyph_index(character);
        let _ = face.outline_glyph(glyph.unwrap_or(GlyphId(0)), &mut pen);
        let box_advance = || face.glyph_hor_advance(GlyphId(0)).map(f64::from).unwrap_or_default();
        pen.x += match glyph {
            Some(_) => advance(face, character) * size,
            None => box_advance() * scale,
        };
    }
    (pen.contours, pen.x)
}

/// Gathers the outlines of letters.
struct Pen {
    scale: f64,
    x: f64,
    contours: Vec<Vec<(f64, f64)>>,
}

impl Pen {
    fn place(&self, x: f32, y: f32) -> (f64, f64) {
        (self.x + f64::from(x) * self.scale, -f64::from(y) * self.scale)
    }

    fn add(&mut self, point: (f64, f64)) {
        if let Some(contour) = self.contours.last_mut() {
            contour.push(point);
        }
    }

    fn here(&self) -> (f64, f64) {
        self.contours.last().and_then(|contour| contour.last()).copied().unwrap_or_default()
    }

    /// Goes along a Bézier curve of any order.
    fn curve(&mut self, controls: &[(f64, f64)]) {
        for step in 1..=STEPS {
            let part = f64::from(step) / f64::from(STEPS);
            let mut points = controls.to_vec();
            while points.len() > 1 {
                points = points
                    .windows(2)
                    .map(|pair| {
                        let ((ax, ay), (bx, by)) = (pair[0], pair[1]);
                        (ax + (bx - ax) * part, ay + (by - ay) * part)
                    })
                    .collect();
            }
            self.add(points[0]);
        }
    }
}

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        let start = self.place(x, y);
        self.contours.push(vec![start]);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let end = self.place(x, y);
        self.add(end);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.curve(&[self.here(), self.place(x1, y1), self.place(x, y)]);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.curve(&[self.here(), self.place(x1, y1), self.place(x2, y2), self.place(x, y)]);
    }

    fn close(&mut self) {}
}

#[cfg(test)]
mod tests {
    use super::{cut, cut_middle, outlines, width};

    #[test]
    fn texts_are_measured_and_cut() {
        assert!(width("mmm", 12.0) > width("iii", 12.0));
        assert_eq!(cut("decode", 12.0, 100.0).unwrap(), "decode");
        let short = cut("decode_attention_forward", 12.0, 60.0).unwrap();
        assert!(short.ends_with('…') && width(&short, 12.0) <= 60.0, "{short}");
        assert_eq!(cut("decode", 12.0, 12.0), None);
        let short = cut_middle("decode_attention_forward.17", 12.0, 60.0).unwrap();
        assert!(
            short.starts_with("de") && short.ends_with("17") && width(&short, 12.0) <= 60.0,
            "{short}"
        );
    }

    #[test]
    fn letters_have_outlines() {
        let (contours, advance) = outlines("o", 20.0);
        assert_eq!(contours.len(), 2, "outside and inside");
        assert!(advance > 5.0 && advance < 20.0);
    }
}
