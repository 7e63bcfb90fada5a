//! From texts, wildcards and Rust's regular expressions to the dialect of ncu: Boost's Perl syntax, on bytes, where `.` also matches line ends.
//!
//! What is written here can stand anywhere in a filter expression of ncu: no bracket begins or ends it, and the characters that separate parts there are
//! escaped. What that dialect cannot say exactly becomes something that matches more, and says so.

mod class;
mod translate;

use crate::glob::GlobPart;

pub(crate) use translate::regex;

/// A regular expression for ncu.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Boost {
    /// It can be put before or after others as it is.
    pub(crate) text: String,
    /// Otherwise it matches more than it should.
    pub(crate) exact: bool,
}

pub(crate) const ANYTHING: &str = ".*";

/// One character of UTF-8.
const CHARACTER: &str =
    r"(?:[\x01-\x7F]|[\xC2-\xDF][\x80-\xBF]|[\xE0-\xEF][\x80-\xBF]{2}|[\xF0-\xF4][\x80-\xBF]{3})";

/// Matches this text and nothing else.
pub(crate) fn literal(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    text.chars().for_each(|character| push_literal(&mut out, character));
    out
}

pub(crate) fn glob(parts: &[GlobPart]) -> String {
    let mut out = String::new();
    for part in parts {
        match part {
            GlobPart::Literal(character) => push_literal(&mut out, *character),
            GlobPart::AnyCharacter => out.push_str(CHARACTER),
            GlobPart::AnyRun => out.push_str(ANYTHING),
        }
    }
    out
}

fn push_literal(out: &mut String, character: char) {
    // Letters and a few signs after a backslash have meanings of their own, so only what needs one gets one.
    if r".[]{}()\*+?|^$/,@".contains(character) {
        out.push('\\');
    }
    out.push(character);
}
