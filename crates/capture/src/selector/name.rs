//! One name of a pattern: how it is compared, and what it has in common with others.

use rangescope_model::select::NameForm;
use regex::Regex;
use regex_syntax::hir::HirKind;

use super::to_boost::{self, Boost};
use crate::glob::{self, GlobPart};

#[derive(Clone, Debug)]
pub(super) enum Name {
    Literal(String),
    /// With at least one wildcard.
    Glob(Vec<GlobPart>),
    /// For the whole name.
    Regex(String),
}

impl Name {
    pub(super) fn new(form: &NameForm) -> Self {
        match form {
            NameForm::Wildcard(text) => Self::from_parts(glob::parse(text)),
            NameForm::Regex(text) => match plain_text(text) {
                Some(literal) => Self::Literal(literal),
                None => Self::Regex(text.clone()),
            },
        }
    }

    pub(super) fn from_parts(parts: Vec<GlobPart>) -> Self {
        match glob::literal(&parts) {
            Some(text) => Self::Literal(text),
            None => Self::Glob(parts),
        }
    }

    pub(super) fn anything() -> Self {
        Self::Glob(vec![GlobPart::AnyRun])
    }

    pub(super) fn is_anything(&self) -> bool {
        matches!(self, Self::Glob(parts) if parts.as_slice() == [GlobPart::AnyRun])
    }

    /// `None` for a regular expression.
    pub(super) fn parts(&self) -> Option<Vec<GlobPart>> {
        match self {
            Self::Literal(text) => Some(text.chars().map(GlobPart::Literal).collect()),
            Self::Glob(parts) => Some(parts.clone()),
            Self::Regex(_) => None,
        }
    }

    pub(super) fn to_boost(&self) -> Boost {
        match self {
            Self::Literal(text) => Boost { text: to_boost::literal(text), exact: true },
            Self::Glob(parts) => Boost { text: to_boost::glob(parts), exact: true },
            Self::Regex(text) => to_boost::regex(text)
                .unwrap_or_else(|| Boost { text: to_boost::ANYTHING.to_owned(), exact: false }),
        }
    }

    /// Whether some name may match both; `true` when that is not known.
    pub(super) fn overlaps(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Literal(left), Self::Literal(right)) => left == right,
            (Self::Literal(text), Self::Regex(regex))
            | (Self::Regex(regex), Self::Literal(text)) => whole_match(regex, text).unwrap_or(true),
            _ => match (self.parts(), other.parts()) {
                (Some(left), Some(right)) => glob::overlap(&left, &right),
                _ => true,
            },
        }
    }
}

fn whole_match(regex: &str, text: &str) -> Option<bool> {
    Regex::new(&format!("^(?:{regex})$")).ok().map(|regex| regex.is_match(text))
}

/// The text that a regular expression without any special sign stands for.
fn plain_text(regex: &str) -> Option<String> {
    let hir = regex_syntax::parse(regex).ok()?;
    match hir.kind() {
        HirKind::Literal(literal) => String::from_utf8(literal.0.to_vec()).ok(),
        _ => None,
    }
}
