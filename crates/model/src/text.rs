//! Names that other people made, fit to be shown.
//!
//! Region and kernel names come from the profiled program and may hold anything: line breaks, terminal escapes, text that runs backwards, ten thousand characters.
//! Everything that is shown goes through [`visible`]; what has to fit a column goes through [`shorten`] or [`shorten_kernel`].
//! Nothing here knows of Markdown or colours.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::ops::RangeInclusive;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

mod kernel;
#[cfg(test)]
mod tests;

pub use kernel::{bare_kernel, shorten_kernel, shorten_kernels};

pub const ELLIPSIS: &str = "…";

/// The text with everything that could act instead of being seen written out: control characters as `\n` or `\u{1b}`, and likewise
/// bidirectional overrides, zero-width characters and line separators.
///
/// Ordinary backslashes stay as they are: the result is for eyes, not for parsing back.
pub fn visible(text: &str) -> Cow<'_, str> {
    // Bytes of printable ASCII cannot be part of anything else, and nearly every name consists of them.
    if text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) || !text.chars().any(acts) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if acts(character) {
            shown.extend(escape(character));
        } else {
            shown.push(character);
        }
    }
    Cow::Owned(shown)
}

/// Like [`visible`], with a stand-in for an empty name, which would otherwise leave a hole in a table.
pub fn visible_name(text: &str) -> Cow<'_, str> {
    if text.is_empty() { Cow::Borrowed("(empty name)") } else { visible(text) }
}

/// Characters that do something to the text around them instead of only being seen; the first are the controls.
pub const ACTING: [RangeInclusive<char>; 14] = [
    '\0'..='\u{1f}',
    '\u{7f}'..='\u{9f}',
    '\u{ad}'..='\u{ad}',
    '\u{61c}'..='\u{61c}',
    '\u{180e}'..='\u{180e}',
    '\u{200b}'..='\u{200f}',
    '\u{2028}'..='\u{202e}',
    '\u{2060}'..='\u{206f}',
    '\u{feff}'..='\u{feff}',
    '\u{fff9}'..='\u{fffb}',
    '\u{13430}'..='\u{1343f}',
    '\u{1bca0}'..='\u{1bca3}',
    '\u{1d173}'..='\u{1d17a}',
    '\u{e0000}'..='\u{e007f}',
];

/// Whether a character does something to the text around it instead of only being seen.
pub fn acts(character: char) -> bool {
    // Nearly all names are plain.
    !(' '..='~').contains(&character) && ACTING.iter().any(|range| range.contains(&character))
}

/// The written form of a character that acts.
fn escape(character: char) -> impl Iterator<Item = char> {
    // `escape_default` gives `\n`, `\r`, `\t` and `\u{…}`, which is what is wanted here.
    character.escape_default()
}

/// Columns that a text takes on a terminal.
pub fn width(text: &str) -> usize {
    text.width()
}

/// At most so many characters of the text, for messages: what is long shows its beginning.
pub fn clip(text: &str, characters: usize) -> Cow<'_, str> {
    match text.char_indices().nth(characters) {
        Some((end, _)) => Cow::Owned(format!("{}{ELLIPSIS}", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// The text cut in the middle to at most `limit` columns; both ends stay because paths and shapes differ there.
pub fn shorten(text: &str, limit: usize) -> Cow<'_, str> {
    if fits(text, limit) {
        return Cow::Borrowed(text);
    }
    if limit == 0 {
        return Cow::Borrowed("");
    }
    let room = limit - 1;
    let tail_room = room / 2;
    let head = head(text, room - tail_room);
    let tail = tail(&text[head.len()..], tail_room);
    Cow::Owned(format!("{head}{ELLIPSIS}{tail}"))
}

/// The text followed by spaces up to `columns`.
pub fn pad_right(text: &str, columns: usize) -> String {
    let mut padded = String::with_capacity(text.len() + columns);
    padded.push_str(text);
    padded.extend(std::iter::repeat_n(' ', columns.saturating_sub(width(text))));
    padded
}

/// The text after spaces up to `columns`.
pub fn pad_left(text: &str, columns: usize) -> String {
    let mut padded = " ".repeat(columns.saturating_sub(width(text)));
    padded.push_str(text);
    padded
}

/// The text in lines of at most `columns`, broken at spaces where it has any.
pub fn wrap(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(8);
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut used = 0;
    for word in text.split_whitespace() {
        let mut rest = word;
        loop {
            let gap = usize::from(used > 0);
            let needed = width(rest);
            if used + gap + needed <= columns {
                let _ = write!(line, "{}{rest}", " ".repeat(gap));
                used += gap + needed;
                break;
            }
            if used > 0 {
                lines.push(std::mem::take(&mut line));
                used = 0;
                continue;
            }
            let part = head(rest, columns);
            lines.push(part.to_owned());
            rest = &rest[part.len()..];
        }
    }
    if used > 0 {
        lines.push(line);
    }
    lines
}

/// Counts what fits into so many columns.
///
/// Marks that combine with the letter before them take no column, so a name could hide thousands of them: characters are limited, too.
struct Meter {
    columns: usize,
    characters: usize,
}

impl Meter {
    fn new(limit: usize) -> Self {
        Self { columns: limit, characters: limit.saturating_mul(4) }
    }

    fn takes(&mut self, character: char) -> bool {
        let columns = character.width().unwrap_or(0);
        if columns > self.columns || self.characters == 0 {
            return false;
        }
        self.columns -= columns;
        self.characters -= 1;
        true
    }
}

/// Whether a text fits, without measuring the whole of a very long one.
fn fits(text: &str, limit: usize) -> bool {
    let mut meter = Meter::new(limit);
    text.chars().all(|character| meter.takes(character))
}

/// The longest beginning that fits.
fn head(text: &str, limit: usize) -> &str {
    let mut meter = Meter::new(limit);
    let end = text.char_indices().find(|&(_, character)| !meter.takes(character));
    end.map_or(text, |(at, _)| &text[..at])
}

/// The longest ending that fits.
fn tail(text: &str, limit: usize) -> &str {
    let mut meter = Meter::new(limit);
    let end = text.char_indices().rev().find(|&(_, character)| !meter.takes(character));
    end.map_or(text, |(at, character)| &text[at + character.len_utf8()..])
}
