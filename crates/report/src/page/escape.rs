//! JSON that may stand inside a script element.
//!
//! The element ends at the first `</script`, and `<!--` changes how it is read; so no `<` is written as such.
//! Characters that act on the text around them (line separators, direction marks, zero-width ones) are written out too, so that the source can be read safely.

use std::io::{self, Write};
use std::ops::RangeInclusive;

use rangescope_model::text::{ACTING, acts};
use serde::Serialize;
use serde_json::ser::{CharEscape, CompactFormatter, Formatter};

/// Writes a value as JSON for a data block.
pub(crate) fn write_json<T: Serialize + ?Sized>(value: &T, out: &mut dyn Write) -> io::Result<()> {
    let mut serializer = serde_json::Serializer::with_formatter(out, ForScript(CompactFormatter));
    value.serialize(&mut serializer).map_err(io::Error::from)
}

/// Compact JSON in which nothing can end the element around it.
struct ForScript(CompactFormatter);

impl Formatter for ForScript {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        out: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        let mut rest = fragment;
        while let Some((at, character)) = rest.char_indices().find(|&(_, one)| is_special(one)) {
            out.write_all(&rest.as_bytes()[..at])?;
            let mut units = [0_u16; 2];
            for unit in character.encode_utf16(&mut units) {
                write!(out, "\\u{unit:04x}")?;
            }
            rest = &rest[at + character.len_utf8()..];
        }
        out.write_all(rest.as_bytes())
    }

    fn write_char_escape<W: ?Sized + Write>(
        &mut self,
        out: &mut W,
        escape: CharEscape,
    ) -> io::Result<()> {
        self.0.write_char_escape(out, escape)
    }
}

/// Whether a character must not stand in the page as it is.
fn is_special(character: char) -> bool {
    // Those below are written as JSON writes them.
    matches!(character, '<' | '>' | '&') || (character > '\u{1f}' && acts(character))
}

/// The characters that act, for the page's script: the same list.
pub(crate) fn javascript() -> String {
    let range = |range: &RangeInclusive<char>| {
        format!("\\u{{{:x}}}-\\u{{{:x}}}", u32::from(*range.start()), u32::from(*range.end()))
    };
    format!("const ACTING = /[{}]/gu;\n", ACTING.iter().map(range).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::write_json;

    fn escaped(text: &str) -> String {
        let mut bytes = Vec::new();
        write_json(text, &mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn nothing_can_end_or_open_an_element() {
        for text in ["</script>", "<!--<script>", "<![CDATA[", "]]>", "&lt;", "a<b", "<"] {
            let json = escaped(text);
            assert!(!json.contains(['<', '>', '&']), "{json}");
            assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
        }
    }

    #[test]
    fn characters_that_act_are_written_out() {
        let text = "a\u{2028}b\u{2029}c\u{202e}d\u{200b}e\u{feff}f\u{e0041}g\u{0}h\"i\\j\nk\u{85}";
        let json = escaped(text);
        assert!(json.is_ascii(), "{json}");
        assert!(json.contains("\\u2028") && json.contains("\\u202e") && json.contains("\\udb40"));
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
    }

    #[test]
    fn ordinary_text_stays_readable() {
        assert_eq!(escaped("größe 日本 🙂"), "\"größe 日本 🙂\"");
    }
}
