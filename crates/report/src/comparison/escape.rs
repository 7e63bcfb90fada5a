//! Names that other people made, fit for Markdown that GitHub shows.

use crate::formats::markdown::text as escaped;
use rangescope_model::text::{shorten, visible_name};

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

/// A name inside of an HTML element, where Markdown's own escapes would be shown.
pub(super) fn html(raw: &str) -> String {
    let shown = shorten(&visible_name(raw), NAME_COLUMNS).into_owned();
    let escape = |character: char| match character {
        '&' => "&amp;".to_owned(),
        '<' => "&lt;".to_owned(),
        '>' => "&gt;".to_owned(),
        '@' => "&#64;".to_owned(),
        other => other.to_string(),
    };
    shown.chars().map(escape).collect()
}
