//! Region selectors: `[domain@]segment/segment/…` with wildcards, regular expressions, or an expression of ncu's.
//!
//! A selector with one segment names a region at any depth, by its own range name or by its display name; several segments are the path from the root,
//! where `**` stands for any number of levels. A selector never sees results: it is asked once per region.

use super::error::{SelectError, SelectorProblem};
use crate::glob::Glob;
use crate::launch::OpenRanges;
use regex::Regex;
use std::fmt;

/// Decides from the open ranges of a result whether it is selected.
pub trait RegionPredicate: Send + Sync {
    fn holds(&self, domains: &[OpenRanges<'_>]) -> bool;
}

impl<F: Fn(&[OpenRanges<'_>]) -> bool + Send + Sync> RegionPredicate for F {
    fn holds(&self, domains: &[OpenRanges<'_>]) -> bool {
        self(domains)
    }
}

/// Compiles an expression of ncu's filter language, or says what is wrong with it.
pub type NcuCompiler<'c> = dyn Fn(&str) -> Result<Box<dyn RegionPredicate>, String> + 'c;

/// A compiled selector with the text that it was made from.
pub struct Selector {
    /// The selector as it was written.
    pub text: String,
    pub kind: SelectorKind,
}

pub enum SelectorKind {
    /// The regions themselves.
    Pattern(Pattern),
    /// All ranges that are open at a launch.
    Predicate(Box<dyn RegionPredicate>),
}

impl fmt::Debug for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Selector").field("text", &self.text).finish_non_exhaustive()
    }
}

/// A pattern over domain and path.
#[derive(Debug)]
pub struct Pattern {
    domain: Option<NameMatcher>,
    segments: Vec<Segment>,
}

#[derive(Debug)]
enum Segment {
    /// `**`: any number of levels, also none.
    AnyDepth,
    Name(NameMatcher),
}

#[derive(Debug)]
enum NameMatcher {
    Glob(Glob),
    Regex(Regex),
}

impl NameMatcher {
    fn matches(&self, name: &str) -> bool {
        match self {
            Self::Glob(glob) => glob.matches(name),
            Self::Regex(regex) => regex.is_match(name),
        }
    }
}

impl Pattern {
    /// Whether the pattern names this region. The display name is only asked for by patterns of one segment.
    pub fn matches(&self, domain: &str, path: &[&str], display_name: &str) -> bool {
        if self.domain.as_ref().is_some_and(|matcher| !matcher.matches(domain)) {
            return false;
        }
        match self.segments.as_slice() {
            [Segment::Name(matcher)] => {
                path.last().is_some_and(|own| matcher.matches(own)) || matcher.matches(display_name)
            }
            segments => matches_path(segments, path),
        }
    }
}

/// Matches segments against a path; like wildcards in a text, only the last `**` needs to be tried again.
fn matches_path(segments: &[Segment], path: &[&str]) -> bool {
    let (mut segment, mut level) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    loop {
        match (segments.get(segment), path.get(level)) {
            (Some(Segment::AnyDepth), _) => {
                segment += 1;
                retry = Some((segment, level));
            }
            (None, None) => return true,
            (Some(Segment::Name(matcher)), Some(name)) if matcher.matches(name) => {
                segment += 1;
                level += 1;
            }
            _ => match retry {
                Some((after, start)) if start < path.len() => {
                    retry = Some((after, start + 1));
                    segment = after;
                    level = start + 1;
                }
                _ => return false,
            },
        }
    }
}

/// Splits lists at every `;` that is not escaped. Blanks around a `;` do not count; a piece without anything is dropped.
pub fn split_list(texts: &[String]) -> Vec<String> {
    let mut pieces = Vec::new();
    for text in texts {
        let parts = split_unescaped(text, ';');
        let last = parts.len().saturating_sub(1);
        for (index, (_, part)) in parts.iter().enumerate() {
            let part = if index > 0 { part.trim_start() } else { part };
            let part = if index < last { part.trim_end() } else { part };
            if !part.is_empty() || last == 0 {
                pieces.push(part.to_owned());
            }
        }
    }
    pieces
}

/// Compiles selectors; the first that matches a region is the one that the report names.
pub fn compile(
    texts: &[String],
    ncu: Option<&NcuCompiler<'_>>,
) -> Result<Vec<Selector>, SelectError> {
    split_list(texts).into_iter().map(|text| compile_one(text, ncu)).collect()
}

fn compile_one(text: String, ncu: Option<&NcuCompiler<'_>>) -> Result<Selector, SelectError> {
    if let Some(expression) = text.strip_prefix("ncu:") {
        // Only the list separator is rangescope's here; every other backslash belongs to ncu.
        let expression = expression.replace("\\;", ";");
        let Some(compiler) = ncu else { return Err(SelectError::NcuUnavailable { expression }) };
        let predicate = compiler(&expression)
            .map_err(|message| SelectError::NcuExpression { expression, message })?;
        return Ok(Selector { text, kind: SelectorKind::Predicate(predicate) });
    }
    let pattern = parse_pattern(&text)?;
    Ok(Selector { text, kind: SelectorKind::Pattern(pattern) })
}

pub(super) fn parse_pattern(text: &str) -> Result<Pattern, SelectError> {
    let wrong = |position: usize, problem| SelectError::Selector {
        selector: text.to_owned(),
        position,
        problem,
    };
    let (body, is_regex) = match text.strip_prefix("regex:") {
        Some(body) => (body, true),
        None => (text, false),
    };
    let start = text.chars().count() - body.chars().count();
    if body.is_empty() {
        return Err(wrong(start, SelectorProblem::Empty));
    }
    let matcher = |name: &str| {
        if is_regex { whole_regex(name) } else { Ok(NameMatcher::Glob(Glob::new(name))) }
    };
    let (domain, (path_start, path)) = match split_unescaped(body, '@').as_slice() {
        [path] => (None, *path),
        [(_, domain), path] if domain.is_empty() || path.1.is_empty() => {
            return Err(wrong(
                start + if domain.is_empty() { 0 } else { path.0 },
                SelectorProblem::EmptyDomain,
            ));
        }
        [(_, domain), path] => (Some(matcher(domain)?), *path),
        [_, _, (third, _), ..] => {
            return Err(wrong(start + third - 1, SelectorProblem::SecondDomain));
        }
        [] => return Err(wrong(start, SelectorProblem::Empty)),
    };
    let mut segments = Vec::new();
    for (position, segment) in split_unescaped(path, '/') {
        segments.push(match segment {
            "" => return Err(wrong(start + path_start + position, SelectorProblem::EmptySegment)),
            "**" => Segment::AnyDepth,
            name => Segment::Name(matcher(name)?),
        });
    }
    Ok(Pattern { domain, segments })
}

/// A regular expression that has to match a whole name.
fn whole_regex(expression: &str) -> Result<NameMatcher, SelectError> {
    let wrong = |error: &regex::Error| SelectError::regex("region selector", expression, error);
    // Compiled alone first, so that a message never speaks of the anchors that are added here.
    Regex::new(expression).map_err(|error| wrong(&error))?;
    Regex::new(&format!("^(?:{expression})$"))
        .map(NameMatcher::Regex)
        .map_err(|error| wrong(&error))
}

/// The parts between separators that no backslash precedes, each with its position in characters.
pub(super) fn split_unescaped(text: &str, separator: char) -> Vec<(usize, &str)> {
    let mut parts = Vec::new();
    let (mut part_byte, mut part_position) = (0, 0);
    let mut escaped = false;
    for (position, (byte, character)) in text.char_indices().enumerate() {
        if escaped {
            escaped = false;
        } else if character == '\\' {
            escaped = true;
        } else if character == separator {
            parts.push((part_position, text.get(part_byte..byte).unwrap_or_default()));
            part_byte = byte + character.len_utf8();
            part_position = position + 1;
        }
    }
    parts.push((part_position, text.get(part_byte..).unwrap_or_default()));
    parts
}

#[cfg(test)]
mod tests;
