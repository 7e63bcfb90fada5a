//! Compiled selectors, and how several of them stand together on one command line.
//!
//! To ncu several expressions are not simply alternatives. Found by experiment, the same with 2022.3 and 2024.1:
//!
//! - Among the push/pop expressions that are regular expressions with the same text for the domain, one with several names that does not match keeps all later ones from being looked at.
//!   Those with several names therefore come after the others, and each has the domain written in a way of its own.
//! - Start/end expressions are put together by the text for their domain, and after the first of these groups that does not match no other is looked at.
//!   All start/end expressions therefore get the same text; where that takes more than one domain, it is every domain.

use super::expression::ANY_START_END;
use super::to_boost::ANYTHING;

/// Why ncu selects more when start/end ranges of several domains are asked for.
pub(crate) const SEVERAL_DOMAINS: &str =
    "ncu looks at start/end ranges of one domain expression only";

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Compiled {
    pieces: Vec<Piece>,
    /// Why ncu selects more than the selector; empty if it selects the same.
    pub reasons: Vec<&'static str>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// For push/pop ranges: written without regular expressions, or with one for a single name.
    Simple(String),
    /// For push/pop ranges: regular expressions for several names; `ranges` follows the `@`.
    Chain { domain: String, ranges: String },
    /// `plain` is the form without regular expressions, if there is one.
    StartEnd { domain: String, name: String, plain: Option<String> },
    /// Written by the user.
    Foreign(String),
}

impl Compiled {
    /// Otherwise ncu selects more than the selector.
    pub fn is_exact(&self) -> bool {
        self.reasons.is_empty()
    }

    /// At least one has to match; ncu has to be given them in this order.
    pub fn expressions(&self) -> Vec<String> {
        let has_foreign = self.foreign().next().is_some();
        let mut simple = Vec::new();
        let mut chains: Vec<(&str, String)> = Vec::new();
        let mut start_end = Vec::new();
        for piece in &self.pieces {
            match piece {
                Piece::Simple(text) => simple.push(text.clone()),
                Piece::Chain { domain, ranges } => {
                    let before = chains.iter().filter(|(other, _)| other == domain).count();
                    let text = match before + usize::from(has_foreign) {
                        0 => format!("regex:{domain}@{ranges}"),
                        // Repeating nothing changes only the text.
                        number => format!("regex:{domain}(?:){{{number}}}@{ranges}"),
                    };
                    chains.push((domain, text));
                }
                Piece::StartEnd { domain, name, plain } => {
                    let text = plain.clone().unwrap_or_else(|| format!("regex:{domain}@{name}"));
                    start_end.push(text);
                }
                Piece::Foreign(_) => {}
            }
        }
        let chains = chains.into_iter().map(|(_, text)| text);
        let foreign = self.foreign().map(str::to_owned);
        simple.into_iter().chain(chains).chain(start_end).chain(foreign).collect()
    }

    /// Several selectors, any of which may match.
    pub fn join(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut all = Self::default();
        for part in parts {
            for piece in part.pieces {
                all.push(piece);
            }
            for reason in part.reasons {
                all.because(reason);
            }
        }
        all.give_start_end_one_domain();
        all
    }

    pub(super) fn push(&mut self, piece: Piece) {
        if !self.pieces.contains(&piece) {
            self.pieces.push(piece);
        }
    }

    pub(super) fn because(&mut self, reason: &'static str) {
        if !self.reasons.contains(&reason) {
            self.reasons.push(reason);
        }
    }

    fn foreign(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Foreign(text) => Some(text.as_str()),
            _ => None,
        })
    }

    fn give_start_end_one_domain(&mut self) {
        let own: Vec<(&str, bool)> = self
            .pieces
            .iter()
            .filter_map(|piece| match piece {
                Piece::StartEnd { domain, plain, .. } => Some((domain.as_str(), plain.is_some())),
                _ => None,
            })
            .collect();
        let foreign = self.foreign().filter(|text| may_be_start_end(text)).count();
        if foreign > 0 && own.len() + foreign > 1 {
            // The user's expression stays as it is; what it could select is selected with every other start/end range.
            self.pieces.retain(|piece| !matches!(piece, Piece::StartEnd { .. }));
            self.push(any_start_end());
            self.because(SEVERAL_DOMAINS);
        } else if own.first().is_some_and(|first| own.iter().any(|other| other.0 != first.0)) {
            let pieces = std::mem::take(&mut self.pieces);
            for piece in pieces {
                self.push(match piece {
                    Piece::StartEnd { name, .. } => {
                        Piece::StartEnd { domain: ANYTHING.to_owned(), name, plain: None }
                    }
                    other => other,
                });
            }
            self.because(SEVERAL_DOMAINS);
        } else if own.iter().any(|(_, plain)| *plain) && own.iter().any(|(_, plain)| !plain) {
            // The plain and the regular expression for a domain are two texts.
            for piece in &mut self.pieces {
                if let Piece::StartEnd { plain, .. } = piece {
                    *plain = None;
                }
            }
        }
    }
}

pub(super) fn any_start_end() -> Piece {
    let (domain, name) = (ANYTHING.to_owned(), ANYTHING.to_owned());
    Piece::StartEnd { domain, name, plain: Some(ANY_START_END.to_owned()) }
}

/// Whether an expression of ncu's own may be about start/end ranges: it is if no slash separates names.
fn may_be_start_end(expression: &str) -> bool {
    let ranges = expression.strip_prefix("regex:").unwrap_or(expression);
    let mut escaped = false;
    let has_slash = ranges.char_indices().any(|(at, character)| {
        let separates = character == '/' && at > 0 && !escaped;
        escaped = character == '\\' && !escaped;
        separates
    });
    !has_slash
}
