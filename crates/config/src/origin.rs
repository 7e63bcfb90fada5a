//! Where a value came from.
//!
//! Every node of a composed configuration carries its origin, so that `config show --origin` and every error can name the file and line, the override, or the flag that decided.

use std::fmt;
use std::sync::Arc;

/// Where a value came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    File {
        /// A path, or `builtin:` and the path in the embedded tree.
        file: Arc<str>,
        /// From 1.
        line: usize,
    },
    Override {
        /// Among the overrides, from 0.
        index: usize,
        /// As it was written.
        text: Arc<str>,
    },
    /// A flag that stands for an override, which is `text`.
    Flag { name: Arc<str>, text: Arc<str> },
}

pub(crate) const BUILTIN: &str = "builtin:";

impl Origin {
    /// A default of rangescope itself that nobody asked for.
    ///
    /// An option that an old ncu lacks may then be left out silently; otherwise it must be refused.
    pub fn is_builtin(&self) -> bool {
        matches!(self, Self::File { file, .. } if file.starts_with(BUILTIN))
    }

    /// Origins other than files have no lines and stay as they are.
    pub(crate) fn at_line(&self, line: usize) -> Self {
        match self {
            Self::File { file, .. } => Self::File { file: Arc::clone(file), line },
            other => other.clone(),
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { file, line } => write!(f, "{file}:{line}"),
            Self::Override { text, .. } => write!(f, "override `{text}`"),
            Self::Flag { name, .. } => write!(f, "flag `{name}`"),
        }
    }
}
