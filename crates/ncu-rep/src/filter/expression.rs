//! One expression: parsed text with its regular expressions compiled, and what it matches.

use std::fmt;

use super::boost::{self, Compare};
use super::error::{FilterError, FilterProblem};
use super::matching::{Chain, Link, Name};
use super::syntax::{self, Fault, Piece, Ranges};
use crate::{DEFAULT_DOMAIN, NvtxRange, NvtxState};

/// The longest expression that is taken, in bytes; far above any real one.
const MAX_LENGTH: usize = 64 * 1024;
/// The most regular expressions in one expression; no stack is that deep.
const MAX_REGEXES: usize = 256;

/// One `--nvtx-include` or `--nvtx-exclude` expression.
#[derive(Clone, Debug)]
pub struct Expression {
    text: String,
    domain: Name,
    ranges: Ranges<Name>,
}

impl Expression {
    pub fn parse(text: &str) -> Result<Self, FilterError> {
        let error = |fault: Fault| FilterError {
            expression: shortened(text),
            position: fault.position,
            problem: fault.problem,
        };
        if text.len() > MAX_LENGTH {
            return Err(error(Fault {
                position: MAX_LENGTH,
                problem: FilterProblem::TooLong { length: text.len(), limit: MAX_LENGTH },
            }));
        }
        let parsed = syntax::parse(text).map_err(error)?;
        Self::compile(text, parsed).map_err(error)
    }

    fn compile(text: &str, parsed: syntax::Parsed) -> Result<Self, Fault> {
        let syntax::Parsed { regex, domain, ranges } = parsed;
        // With two or more push/pop names ncu compares whole names; everywhere else it searches.
        let (count, compare) = match &ranges {
            Ranges::StartEnd(names) => (names.len(), Compare::Search),
            Ranges::PushPop(chain) if chain.links.len() == 1 => (1, Compare::Search),
            Ranges::PushPop(chain) => (chain.links.len(), Compare::Whole),
        };
        if regex && count > MAX_REGEXES {
            return Err(Fault {
                position: 0,
                problem: FilterProblem::TooManyRegexes { count, limit: MAX_REGEXES },
            });
        }
        let name = |piece: Piece, compare| {
            if regex {
                boost::compile(&piece, compare, count + 1).map(Name::Regex)
            } else {
                Ok(Name::Exact(piece.text))
            }
        };

        let domain = match domain {
            Some(piece) => name(piece, Compare::Search)?,
            None => Name::Exact(DEFAULT_DOMAIN.to_owned()),
        };
        let ranges = match ranges {
            Ranges::StartEnd(names) => Ranges::StartEnd(
                names.into_iter().map(|piece| name(piece, compare)).collect::<Result<_, _>>()?,
            ),
            Ranges::PushPop(Chain { links, one_above }) => {
                let compiled = links.into_iter().map(|Link { step, bottom, top, name: piece }| {
                    Ok(Link { step, bottom, top, name: name(piece, compare)? })
                });
                Ranges::PushPop(Chain { links: compiled.collect::<Result<_, _>>()?, one_above })
            }
        };
        Ok(Self { text: text.to_owned(), domain, ranges })
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }

    pub fn matches(&self, state: &NvtxState<'_>) -> bool {
        state.domains.iter().enumerate().any(|(position, domain)| {
            let stack = state.process_stacks.as_ref().and_then(|stacks| stacks.get(position));
            let stack = stack.unwrap_or(&domain.push_pop);
            self.matches_open(&domain.name, names(stack), names(&domain.start_end))
        })
    }

    /// Like [`Expression::matches`] for the open ranges of one domain.
    pub fn matches_open<'n>(
        &self,
        domain: &str,
        mut stack: impl Iterator<Item = &'n str>,
        open: impl IntoIterator<Item = &'n str>,
    ) -> bool {
        self.domain.matches(domain)
            && match &self.ranges {
                Ranges::StartEnd(names) => {
                    let open: Vec<&str> = open.into_iter().collect();
                    names.iter().all(|name| open.iter().any(|range| name.matches(range)))
                }
                Ranges::PushPop(chain) => chain.matches(&mut stack),
            }
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn names<'s>(ranges: &'s [NvtxRange<'_>]) -> impl Iterator<Item = &'s str> {
    ranges.iter().map(|range| &*range.name)
}

/// An error message must stay readable whatever was passed in.
fn shortened(text: &str) -> String {
    const SHOWN: usize = 200;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
