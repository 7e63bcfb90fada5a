//! Names of other people's making, fit for Markdown and XML.
//!
//! What acts instead of being seen is written out first; then everything that is special in the format is escaped.

use rangescope_report::text::{shorten, visible, visible_name};

/// Longer names are cut in the middle; the JSON holds them in full.
const NAME_COLUMNS: usize = 120;

/// A name for a cell or sentence of Markdown.
pub(super) fn name(raw: &str) -> String {
    markdown(&shorten(&visible_name(raw), NAME_COLUMNS))
}

/// Prose for Markdown.
pub(super) fn markdown(raw: &str) -> String {
    let shown = visible(raw);
    let mut out = String::with_capacity(shown.len() + 16);
    let mut before = None;
    let mut rest = shown.as_ref();
    while let Some(character) = rest.chars().next() {
        let after = &rest[character.len_utf8()..];
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            // Addresses, mentions and references become links by themselves; an entity keeps the text and stops that.
            ':' if after.starts_with("//") => out.push_str("&#58;"),
            '@' => out.push_str("&#64;"),
            '#' => out.push_str("&#35;"),
            '.' if out.ends_with("www") => out.push_str("&#46;"),
            '\\' | '`' | '*' | '[' | ']' | '{' | '}' | '|' | '~' | '$' => {
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

/// Text for XML, inside and outside of quotes.
pub(super) fn xml(raw: &str) -> String {
    let shown = visible(raw);
    let mut out = String::with_capacity(shown.len() + 16);
    for character in shown.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            // The only visible characters that XML forbids.
            '\u{fffe}' | '\u{ffff}' => out.extend(character.escape_default()),
            other => out.push(other),
        }
    }
    out
}
