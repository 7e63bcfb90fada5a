//! Text that means nothing to Markdown or HTML.
//!
//! Names come from the profiled program, so each is written in one of two ways: [`text`] for prose, headings and cells, where everything special is escaped,
//! and [`code`] or [`cell_code`] for code spans, which have rules of their own.

use rangescope_model::text::{shorten, visible, visible_name};

/// Longer names are cut in the middle; the JSON holds them in full.
pub(super) const NAME_COLUMNS: usize = 200;

/// A name for headings and cells: visible, not endless, escaped.
pub(crate) fn name(raw: &str) -> String {
    text(&shorten(&visible_name(raw), NAME_COLUMNS))
}

/// Prose: made visible and escaped, not shortened.
pub fn text(raw: &str) -> String {
    let shown = visible(raw);
    let mut out = String::with_capacity(shown.len() + shown.len() / 8 + 8);
    let mut before = None;
    let mut rest = shown.as_ref();
    while let Some(character) = rest.chars().next() {
        let after = &rest[character.len_utf8()..];
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            // Renderers turn bare addresses into links; an entity in the middle keeps the text and stops that.
            ':' if after.starts_with("//") => out.push_str("&#58;"),
            '.' if out.ends_with("www") => out.push_str("&#46;"),
            // Spaces at the ends and in runs would be dropped.
            ' ' if before.is_none_or(|before| before == ' ') || after.is_empty() => {
                out.push_str("&nbsp;");
            }
            '\\' | '`' | '*' | '[' | ']' | '{' | '}' | '|' | '~' | '#' | '$' => {
                out.push('\\');
                out.push(character);
            }
            '_' if !inside_word(before, after) => out.push_str("\\_"),
            other => out.push(other),
        }
        before = Some(character);
        rest = after;
    }
    out
}

/// An underscore between letters or digits is no emphasis, and escaping it would only make metric names hard to read.
fn inside_word(before: Option<char>, after: &str) -> bool {
    before.is_some_and(|before| before.is_alphanumeric() || before == '_')
        && after.trim_start_matches('_').starts_with(char::is_alphanumeric)
}

/// A name as the whole of a list item, where `1.` or `-` would begin another list.
pub(crate) fn list_item(raw: &str) -> String {
    let shown = name(raw);
    let digits = shown.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = shown.split_at(digits);
    let special: &[char] = if number.is_empty() { &['-', '+', '='] } else { &['.', ')'] };
    if rest.starts_with(special) { format!("{number}\\{rest}") } else { shown }
}

/// A code span outside of tables.
pub(crate) fn code(raw: &str) -> String {
    let shown = visible_name(raw);
    let shown = shorten(&shown, NAME_COLUMNS);
    let longest = shown.split(|character| character != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let blank = if shown.starts_with(['`', ' ']) || shown.ends_with(['`', ' ']) { " " } else { "" };
    format!("{fence}{blank}{shown}{blank}{fence}")
}

/// Sentences of our own, in which names stand between backticks. A name may hold backticks itself: then the spans are others, but nothing in them acts.
pub(crate) fn prose(raw: &str) -> String {
    let parts: Vec<&str> = raw.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return text(raw);
    }
    let show =
        |(at, part): (usize, &&str)| if at.is_multiple_of(2) { words(part) } else { code(part) };
    parts.iter().enumerate().map(show).collect()
}

/// Text between code spans, which keeps the spaces at its ends.
fn words(part: &str) -> String {
    let inner = part.trim_matches(' ');
    if inner.is_empty() {
        return part.to_owned();
    }
    let ends = |trimmed: &str| " ".repeat(part.len() - trimmed.len());
    let (before, after) = (ends(part.trim_start_matches(' ')), ends(part.trim_end_matches(' ')));
    format!("{before}{}{after}", text(inner))
}

/// A code span in a table, where a bar would end the cell even inside of code.
pub(crate) fn cell_code(raw: &str) -> String {
    let span = code(raw);
    if span.contains('|') { span.replace('|', "\\|") } else { span }
}

/// Indentation that tables keep; levels deeper than a reader can tell apart look alike.
pub(crate) fn indent(depth: usize) -> String {
    "&nbsp;&nbsp;".repeat(depth.min(16))
}
