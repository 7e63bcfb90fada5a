//! Names of other people's making, fit for Markdown and XML.
//!
//! What acts instead of being seen is written out first; then everything that is special in the format is escaped.

use crate::export::markdown::text as escaped;
use rangescope_model::text::{shorten, visible, visible_name};

/// Longer names are cut in the middle; the JSON holds them in full.
const NAME_COLUMNS: usize = 120;

/// A name for a cell or sentence of Markdown.
pub(super) fn name(raw: &str) -> String {
    markdown(&shorten(&visible_name(raw), NAME_COLUMNS))
}

/// Prose for Markdown, where mentions and references must not become links: GitHub shows these texts.
pub(super) fn markdown(raw: &str) -> String {
    escaped(raw).replace('@', "&#64;").replace("\\#", "&#35;")
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
