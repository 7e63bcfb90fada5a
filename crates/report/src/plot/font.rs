//! The embedded font, and how wide a text is in it.
//!
//! SVG viewers may use another font, so measures are a little generous.

use std::sync::OnceLock;

use rangescope_model::text::ELLIPSIS;
use ttf_parser::Face;

/// Fonts that viewers put in the place of ours are up to this much wider.
const GENEROUS: f64 = 1.05;

/// Roboto with the characters that names and numbers need.
pub(crate) const FILE: &[u8] = include_bytes!("../../assets/plot/roboto-subset.ttf");

fn face() -> Option<&'static Face<'static>> {
    static FACE: OnceLock<Option<Face<'static>>> = OnceLock::new();
    FACE.get_or_init(|| Face::parse(FILE, 0).ok()).as_ref()
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

/// The width of a text in pixels.
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

#[cfg(test)]
mod tests {
    use super::{cut, cut_middle, width};

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
}
