//! What can be wrong with a configuration, as data: the place, the key, what was expected, and the nearest valid name.
//!
//! The message is one line, `place: key: problem`; [`ConfigError::hint`] says what to do about it.

use std::fmt;
use std::io;

use crate::origin::Origin;

/// Something is wrong with a configuration, an override or a value.
pub struct ConfigError(Box<Details>);

struct Details {
    problem: Problem,
    origin: Option<Origin>,
    key: Option<String>,
    nearest: Option<String>,
    options: Vec<String>,
    advice: Option<String>,
}

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    #[error("cannot be read: {0}")]
    Read(#[source] io::Error),
    /// A bound that protects against hostile files.
    #[error("{what} may not exceed {limit}")]
    TooMuch { what: &'static str, limit: usize },
    #[error("{0}")]
    Yaml(String),
    #[error("malformed header `{0}`, expected `# @package NAME`")]
    Header(String),
    #[error("{0}")]
    Defaults(String),
    #[error("there is no configuration `{0}`")]
    NoConfig(String),
    #[error("the group `{group}` has no option `{option}`")]
    NoOption { group: String, option: String },
    /// A group's option is `???` and was not chosen.
    #[error("an option of the group `{0}` has to be chosen")]
    OptionMissing(String),
    /// An override of a group that no defaults list has.
    #[error("`{0}` is in no defaults list")]
    NotInDefaults(String),
    #[error("there is no group `{0}`")]
    NoGroup(String),
    #[error("{message} at column {column}")]
    Syntax { message: String, column: usize },
    /// An override that is well-formed and makes no sense.
    #[error("{0}")]
    Override(String),
    #[error("unknown key")]
    UnknownKey,
    /// A key that was to be added and exists.
    #[error("the key exists already")]
    KeyExists,
    /// A list where a map is, or a map where a list is.
    #[error("cannot merge {from} into {into}")]
    Merge { from: &'static str, into: &'static str },
    #[error("`{text}`: {message}")]
    Interpolation { text: String, message: String },
    #[error("has to be given a value")]
    Missing,
    #[error("expected {expected}, got {got}")]
    Expected { expected: String, got: String },
}

impl ConfigError {
    pub(crate) fn new(problem: Problem) -> Self {
        let (origin, key, nearest, advice) = (None, None, None, None);
        Self(Box::new(Details { problem, origin, key, nearest, options: Vec::new(), advice }))
    }

    pub(crate) fn expected(expected: impl Into<String>, got: impl Into<String>) -> Self {
        Self::new(Problem::Expected { expected: expected.into(), got: got.into() })
    }

    pub(crate) fn too_much(what: &'static str, limit: usize) -> Self {
        Self::new(Problem::TooMuch { what, limit })
    }

    pub(crate) fn interpolation(text: impl Into<String>, message: String) -> Self {
        Self::new(Problem::Interpolation { text: text.into(), message })
    }

    pub(crate) fn defaults(message: impl Into<String>) -> Self {
        Self::new(Problem::Defaults(message.into()))
    }

    /// Names the place, unless a more precise one is known already.
    pub(crate) fn at(mut self, origin: &Origin) -> Self {
        self.0.origin.get_or_insert_with(|| origin.clone());
        self
    }

    /// Names the key, unless it is known already.
    pub(crate) fn with_key(mut self, key: impl Into<String>) -> Self {
        self.0.key.get_or_insert_with(|| key.into());
        self
    }

    pub(crate) fn with_nearest(mut self, nearest: Option<String>) -> Self {
        self.0.nearest = nearest;
        self
    }

    pub(crate) fn with_options(mut self, options: Vec<String>) -> Self {
        self.0.options = options;
        self
    }

    pub(crate) fn with_advice(mut self, advice: impl Into<String>) -> Self {
        self.0.advice = Some(advice.into());
        self
    }

    pub fn problem(&self) -> &Problem {
        &self.0.problem
    }

    /// The valid key or option nearest to what was written.
    pub fn nearest(&self) -> Option<&str> {
        self.0.nearest.as_deref()
    }

    pub fn hint(&self) -> Option<String> {
        let details = &self.0;
        let mut parts = Vec::new();
        if let Some(nearest) = &details.nearest {
            parts.push(format!("did you mean `{nearest}`?"));
        } else if !details.options.is_empty() {
            parts.push(format!("choose from `{}`", details.options.join("`, `")));
        }
        parts.extend(details.advice.clone());
        (!parts.is_empty()).then(|| parts.join("; "))
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(origin) = &self.0.origin {
            write!(f, "{origin}: ")?;
        }
        if let Some(key) = &self.0.key {
            write!(f, "`{key}`: ")?;
        }
        write!(f, "{}", self.0.problem)
    }
}

impl fmt::Debug for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")?;
        self.hint().map_or(Ok(()), |hint| write!(f, " ({hint})"))
    }
}

impl std::error::Error for ConfigError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        std::error::Error::source(&self.0.problem)
    }
}
