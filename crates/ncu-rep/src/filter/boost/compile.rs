//! Compiling one translated regular expression, with bounded memory.

use regex::bytes::{Regex, RegexBuilder};

use super::translate::{bad, translate};
use crate::filter::error::FilterProblem;
use crate::filter::syntax::{Fault, Piece};

/// Memory for all compiled regular expressions of one filter expression, in bytes.
const SIZE_BUDGET: usize = 4 * 1024 * 1024;
/// Memory for the cache of one regular expression, in bytes.
const CACHE_LIMIT: usize = 256 * 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::filter) enum Compare {
    Search,
    Whole,
}

/// Compiles one of `count` regular expressions.
pub(in crate::filter) fn compile(
    piece: &Piece,
    compare: Compare,
    count: usize,
) -> Result<Regex, Fault> {
    let translated = translate(&piece.text)
        .map_err(|fault| Fault { position: piece.position + fault.position, ..fault })?;
    let pattern = match compare {
        Compare::Search => translated,
        Compare::Whole => format!(r"\A(?:{translated})\z"),
    };
    let limit = SIZE_BUDGET / count.max(1);
    RegexBuilder::new(&pattern)
        .unicode(false)
        .multi_line(true)
        .dot_matches_new_line(true)
        .size_limit(limit)
        .dfa_size_limit(CACHE_LIMIT)
        .build()
        .map_err(|error| {
            let problem = match error {
                regex::Error::CompiledTooBig(limit) => FilterProblem::RegexTooBig { limit },
                other => bad(&last_line(&other.to_string())),
            };
            Fault { position: piece.position, problem }
        })
}

/// The `regex` crate explains in several lines, of which the last says what is wrong.
fn last_line(message: &str) -> String {
    message.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned()
}
