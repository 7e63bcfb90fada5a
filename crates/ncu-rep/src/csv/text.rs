//! From bytes to text: CSV files come as UTF-8, with or without a byte order mark, and from some shells as UTF-16.
//!
//! Bytes that are no text are replaced, never refused. A well-formed UTF-8 file is not copied.

use std::borrow::Cow;

pub(super) fn decode(bytes: &[u8]) -> Cow<'_, str> {
    match bytes {
        [0xEF, 0xBB, 0xBF, rest @ ..] => String::from_utf8_lossy(rest),
        [0xFF, 0xFE, rest @ ..] => Cow::Owned(utf16(rest, u16::from_le_bytes)),
        [0xFE, 0xFF, rest @ ..] => Cow::Owned(utf16(rest, u16::from_be_bytes)),
        _ => String::from_utf8_lossy(bytes),
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let (pairs, _) = bytes.as_chunks::<2>();
    char::decode_utf16(pairs.iter().map(|pair| unit(*pair)))
        .map(|char| char.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect()
}

/// The lines of a text with their numbers, counted from 1, and where they begin. Line ends are not part of them.
pub(super) fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let mut start = 0;
    text.split_inclusive('\n').enumerate().map(move |(index, whole)| {
        let line = Line { number: index + 1, start, text: trim_end(whole) };
        start += whole.len();
        line
    })
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'t> {
    pub(super) number: usize,
    /// Offset of its first byte in the text.
    pub(super) start: usize,
    pub(super) text: &'t str,
}

/// Takes the line end off, of whichever system it is.
pub(super) fn trim_end(line: &str) -> &str {
    let line = line.strip_suffix('\n').unwrap_or(line);
    line.strip_suffix('\r').unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_encodings_are_understood() {
        assert_eq!(decode(b"\xEF\xBB\xBFID"), "ID");
        assert_eq!(decode(b"\xFF\xFEI\0D\0"), "ID");
        assert_eq!(decode(b"\xFE\xFF\0I\0D"), "ID");
        assert_eq!(decode(b"\xFF\xFEI\0\xD8"), "I");
        assert_eq!(decode(b"I\xFFD"), "I\u{FFFD}D");
    }

    #[test]
    fn lines_know_where_they_are() {
        let found: Vec<_> =
            lines("a\r\n\nbc").map(|line| (line.number, line.start, line.text)).collect();
        assert_eq!(found, [(1, 0, "a"), (2, 3, ""), (3, 4, "bc")]);
    }
}
