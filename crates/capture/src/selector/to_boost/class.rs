//! Character classes as byte ranges.

use std::fmt::Write as _;

use regex_syntax::hir::Class;
use regex_syntax::utf8::Utf8Sequences;

use super::Boost;

/// With more ranges than this beyond ASCII, everything beyond ASCII is taken.
const MOST_RANGES: usize = 8;
const BEYOND_ASCII: &str =
    r"[\xC2-\xDF][\x80-\xBF]|[\xE0-\xEF][\x80-\xBF]{2}|[\xF0-\xF4][\x80-\xBF]{3}";
/// Matches nothing: names hold no zero bytes and no other byte is left.
const NOTHING: &str = r"[^\x01-\xFF]";

/// What one byte of a run of such characters looks like, if that says it all: for classes that hold everything beyond ASCII.
///
/// Names are valid UTF-8, so a run of bytes that may hold any byte beyond ASCII is a run of characters, wherever it is cut off.
pub(super) fn byte_of_run(class: &Class) -> Option<String> {
    let ranges = ranges(class);
    let (start, end) = ranges.last()?;
    if *start > '\u{80}' || *end != char::MAX {
        return None;
    }
    let mut left_out = String::new();
    let mut next = 1;
    for (start, end) in &ranges {
        let first = u8::try_from(*start).unwrap_or(0x80).min(0x80);
        if next < first {
            push_range(&mut left_out, next, first - 1, false);
        }
        next = u8::try_from(*end).unwrap_or(0x80).saturating_add(1);
    }
    Some(if left_out.is_empty() { ".".to_owned() } else { format!("[^{left_out}]") })
}

fn ranges(class: &Class) -> Vec<(char, char)> {
    match class {
        Class::Unicode(class) => {
            class.ranges().iter().map(|range| (range.start(), range.end())).collect()
        }
        Class::Bytes(class) => class
            .ranges()
            .iter()
            .map(|range| (char::from(range.start()), char::from(range.end())))
            .collect(),
    }
}

pub(super) fn class(class: &Class) -> Boost {
    let ranges = ranges(class);
    let mut alternatives = Vec::new();
    let ascii = ascii_part(&ranges);
    if !ascii.is_empty() {
        alternatives.push(format!("[{ascii}]"));
    }
    let beyond: Vec<(char, char)> = ranges
        .iter()
        .filter(|(_, end)| !end.is_ascii())
        .map(|(start, end)| ((*start).max('\u{80}'), *end))
        .collect();
    let exact = beyond.len() <= MOST_RANGES;
    if exact {
        alternatives.extend(
            beyond.iter().flat_map(|(start, end)| Utf8Sequences::new(*start, *end)).map(
                |sequence| {
                    let mut out = String::new();
                    for range in sequence.as_slice() {
                        push_range(&mut out, range.start, range.end, true);
                    }
                    out
                },
            ),
        );
    } else {
        alternatives.push(BEYOND_ASCII.to_owned());
    }
    let text = match alternatives.as_slice() {
        [] => format!("(?:{NOTHING})"),
        [only] if beyond.is_empty() => only.clone(),
        several => format!("(?:{})", several.join("|")),
    };
    Boost { text, exact }
}

fn ascii_part(ranges: &[(char, char)]) -> String {
    let mut out = String::new();
    for (start, end) in ranges.iter().filter(|(start, _)| start.is_ascii()) {
        // A zero byte ends the arguments of a program, and no name has one.
        let first = u8::try_from(*start).unwrap_or(1).max(1);
        let last = u8::try_from(*end).unwrap_or(0x7F).min(0x7F);
        if first <= last {
            push_range(&mut out, first, last, false);
        }
    }
    out
}

/// Characters are written by number, because several have a meaning between brackets. Writing to a text cannot fail.
fn push_range(out: &mut String, first: u8, last: u8, bracketed: bool) {
    let _ = match (bracketed, first == last) {
        (_, true) => write!(out, "\\x{first:02X}"),
        (false, false) => write!(out, "\\x{first:02X}-\\x{last:02X}"),
        (true, false) => write!(out, "[\\x{first:02X}-\\x{last:02X}]"),
    };
}
