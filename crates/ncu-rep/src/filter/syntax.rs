//! The grammar: splits an expression into domain, kind of range, names, anchors and quantifiers.
//!
//! Names are cut at characters that no backslash precedes, where a doubled backslash protects nothing. Plain and regular-expression mode differ in how brackets and empty parts are read; each has its own function, and both end in [`chain`].
//! One oddity of ncu is not copied: a regular expression that is only `]` between slashes, which it turns into `/]`.
//! Positions are byte offsets into the whole expression, for error messages.

use super::error::FilterProblem;
use super::matching::{Chain, Link, Step};

/// Selects regular-expression mode; case matters.
const REGEX_PREFIX: &str = "regex:";

#[derive(Debug)]
pub(super) struct Fault {
    pub(super) position: usize,
    pub(super) problem: FilterProblem,
}

/// One name: literal text, or a regular expression as written.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub(super) text: String,
    pub(super) position: usize,
}

#[derive(Clone, Debug)]
pub(super) enum Ranges<N> {
    /// All of these must be open, in any order.
    StartEnd(Vec<N>),
    PushPop(Chain<N>),
}

/// An expression whose regular expressions are not compiled yet.
#[derive(Debug)]
pub(super) struct Parsed {
    pub(super) regex: bool,
    /// `None` means the default domain.
    pub(super) domain: Option<Piece>,
    pub(super) ranges: Ranges<Piece>,
}

pub(super) fn parse(expression: &str) -> Result<Parsed, Fault> {
    let (regex, body) = match expression.strip_prefix(REGEX_PREFIX) {
        Some(rest) => (true, Source { text: rest, position: REGEX_PREFIX.len() }),
        None => (false, Source { text: expression, position: 0 }),
    };
    let (domain, ranges) = split_domain(body, regex)?;
    let to_piece = if regex { Source::verbatim } else { Source::unescaped };
    let ranges = if regex { regex_ranges(ranges)? } else { plain_ranges(ranges)? };
    Ok(Parsed { regex, domain: domain.map(to_piece), ranges })
}

/// Takes the domain off the front. Empty parts do not count, except that an empty regular expression at the start stands for every domain.
fn split_domain(body: Source<'_>, regex: bool) -> Result<(Option<Source<'_>>, Source<'_>), Fault> {
    if !has_domain(body.text) {
        return Ok((None, body));
    }
    let parts = body.split('@');
    let counted: Vec<Source<'_>> = parts
        .iter()
        .enumerate()
        .filter(|(index, part)| !part.text.is_empty() || (regex && *index == 0))
        .map(|(_, part)| *part)
        .collect();
    let (position, problem) = match counted.as_slice() {
        [domain, ranges] => return Ok((Some(*domain), *ranges)),
        [_, _, third, ..] => (third.position - 1, FilterProblem::SecondAt),
        _ if parts.len() == 1 => (body.position, FilterProblem::EscapedAtFirst),
        [ranges] if ranges.position > body.position => (body.position, FilterProblem::EmptyDomain),
        _ => (body.position + body.text.len(), FilterProblem::EmptyRanges),
    };
    Err(Fault { position, problem })
}

/// An `@` ends a domain. ncu overlooks a backslash that is the very first character, so that `\@` there counts as the end of a domain.
fn has_domain(text: &str) -> bool {
    let mut backslashes = 0_usize;
    text.char_indices().any(|(at, character)| {
        let ends_domain = character == '@' && backslashes.is_multiple_of(2);
        backslashes = if character == '\\' && at > 0 { backslashes + 1 } else { 0 };
        ends_domain
    })
}

/// Plain names. Empty parts between slashes do not count.
fn plain_ranges(source: Source<'_>) -> Result<Ranges<Piece>, Fault> {
    let slashed = source.split('/');
    if slashed.len() == 1 && !source.text.starts_with('[') && !source.ends_with_bracket() {
        return Ok(Ranges::StartEnd(
            source.split(',').into_iter().map(Source::unescaped).collect(),
        ));
    }
    let parts: Vec<Source<'_>> = slashed.into_iter().filter(|part| !part.text.is_empty()).collect();
    let (links, one_above) = chain(&parts, |_| false, source.position)?;
    let links = links.into_iter().map(|(step, name)| anchored(step, name)).collect();
    Ok(Ranges::PushPop(Chain { links, one_above }))
}

/// A plain name with its anchor. It cannot have both: `[A]` is a range `A]` at the bottom. A lone `]` is a name.
fn anchored(step: Step, name: Source<'_>) -> Link<Piece> {
    let (name, bottom, top) = match name.without_first('[') {
        Some(rest) => (rest, true, false),
        None if name.text.len() > 1 && name.ends_with_bracket() => {
            (name.without_last(1), false, true)
        }
        None => (name, false, false),
    };
    Link { step, bottom, top, name: name.unescaped() }
}

/// Regular expressions. Brackets also begin and end character classes there, so that `/[` at the start and `/]` at the end stand for a bracket that is no anchor.
fn regex_ranges(source: Source<'_>) -> Result<Ranges<Piece>, Fault> {
    let (mut body, mut bottom, mut top, mut class_at_end) = (source, false, false, false);
    let class_at_start = source.text.starts_with("/[");
    if class_at_start {
        body = body.without_first('/').unwrap_or(body);
    } else if let Some(rest) = body.without_first('[') {
        (body, bottom) = (rest, true);
    }
    if body.text.len() > 1 && body.ends_with_bracket() {
        (body, top) = (body.without_last(1), true);
        if body.text.len() > 1 && body.split('/').last().is_some_and(|last| last.text.is_empty()) {
            (body, top, class_at_end) = (body.without_last(1), false, true);
        }
    }

    let parts = body.split('/');
    // A slash at the very start separates parts but does not make it push/pop.
    let separated = parts.len() > 2
        || parts.first().is_some_and(|first| parts.len() == 2 && !first.text.is_empty());
    if !separated && !bottom && !top && source.text != "]" {
        let mut names: Vec<Piece> = body.split(',').into_iter().map(Source::verbatim).collect();
        if class_at_end && let Some(last) = names.last_mut() {
            last.text.push(']');
        }
        return Ok(Ranges::StartEnd(names));
    }

    // Runs of slashes count as one and one at the end adds nothing, but one at the start follows an empty name.
    let end = parts.len() - 1;
    let counts = |at: usize, part: &Source<'_>| {
        !part.text.is_empty() || at == 0 || (class_at_end && at == end)
    };
    let parts: Vec<Source<'_>> = parts
        .into_iter()
        .enumerate()
        .filter(|(at, part)| counts(*at, part))
        .map(|(_, part)| part)
        .collect();
    // A bracket makes a name of what would be a quantifier alone.
    let last = parts.len() - 1;
    let named = |index| {
        (index == 0 && (bottom || class_at_start)) || (index == last && (top || class_at_end))
    };
    let (links, one_above) = chain(&parts, named, source.position)?;
    let single = links.len() == 1;
    let mut links: Vec<Link<Piece>> = links
        .into_iter()
        .map(|(step, name)| Link { step, bottom: false, top: false, name: name.verbatim() })
        .collect();
    if let Some(first) = links.first_mut() {
        first.bottom = bottom;
    }
    if let Some(last) = links.last_mut() {
        // As for plain names, one name cannot have both anchors.
        last.top = top && !(single && bottom);
        if class_at_end || (top && !last.top) {
            last.name.text.push(']');
        }
    }
    // A `+` at the end says nothing after two or more regular expressions.
    Ok(Ranges::PushPop(Chain { links, one_above: one_above && single }))
}

/// Names with the step that leads to each, and whether a `+` is left over at the end. Of several quantifiers in a row the last one counts.
fn chain<'t>(
    parts: &[Source<'t>],
    named: impl Fn(usize) -> bool,
    start: usize,
) -> Result<(Vec<(Step, Source<'t>)>, bool), Fault> {
    let mut links = Vec::with_capacity(parts.len());
    let mut step = Step::Anywhere;
    for (index, part) in parts.iter().enumerate() {
        let quantifier = match part.text {
            "*" if !named(index) => Some(('*', Step::AtOrAbove)),
            "+" if !named(index) => Some(('+', Step::Above(2))),
            _ => None,
        };
        match quantifier {
            Some((sign, _)) if links.is_empty() => {
                return Err(Fault {
                    position: part.position,
                    problem: FilterProblem::LeadingQuantifier(sign),
                });
            }
            Some((_, quantified)) => step = quantified,
            None => {
                links.push((step, *part));
                step = Step::Above(1);
            }
        }
    }
    if links.is_empty() {
        return Err(Fault { position: start, problem: FilterProblem::NoName });
    }
    Ok((links, step == Step::Above(2)))
}

/// A part of the expression that knows where it is.
#[derive(Clone, Copy, Debug)]
struct Source<'t> {
    text: &'t str,
    position: usize,
}

impl Source<'_> {
    /// Cuts at every separator that is not escaped. There is always at least one part.
    fn split(self, separator: char) -> Vec<Self> {
        let mut parts = Vec::new();
        let (mut from, mut escaped) = (0, false);
        let mut push = |from: usize, to: usize| {
            parts.push(Self {
                text: self.text.get(from..to).unwrap_or_default(),
                position: self.position + from,
            });
        };
        for (at, character) in self.text.char_indices() {
            if character == separator && !escaped {
                push(from, at);
                from = at + separator.len_utf8();
            }
            escaped = character == '\\' && !escaped;
        }
        push(from, self.text.len());
        parts
    }

    /// The last character is a `]` that is not escaped.
    fn ends_with_bracket(self) -> bool {
        self.text.ends_with(']') && self.split(']').last().is_some_and(|last| last.text.is_empty())
    }

    fn without_first(self, first: char) -> Option<Self> {
        Some(Self {
            text: self.text.strip_prefix(first)?,
            position: self.position + first.len_utf8(),
        })
    }

    fn without_last(self, bytes: usize) -> Self {
        Self {
            text: self.text.get(..self.text.len().saturating_sub(bytes)).unwrap_or_default(),
            ..self
        }
    }

    /// A regular expression keeps its backslashes, save before `@`, which has no meaning in one.
    fn verbatim(self) -> Piece {
        Piece { text: self.text.replace("\\@", "@"), position: self.position }
    }

    /// Takes the backslash off the characters that have a meaning; any other backslash is a character like others.
    fn unescaped(self) -> Piece {
        let mut text = String::with_capacity(self.text.len());
        for character in self.text.chars() {
            if matches!(character, '@' | ',' | '[' | ']' | '/' | '*' | '+') && text.ends_with('\\')
            {
                text.pop();
            }
            text.push(character);
        }
        Piece { text, position: self.position }
    }
}
