//! Where a value came from.
//!
//! Every node of a composed configuration carries its origin, so that `config show --origin` and every error can name the file and line, the override, or the flag that decided.

use std::fmt;
use std::sync::Arc;

/// Where a value came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A line of a configuration file.
    File {
        /// The file: a path, or `builtin:` and the path in the embedded tree.
        file: Arc<str>,
        /// The line, from 1.
        line: usize,
    },
    /// An override on the command line.
    Override {
        /// Its position among the overrides, from 0.
        index: usize,
        /// The override as it was written.
        text: Arc<str>,
    },
    /// A flag that stands for an override.
    Flag {
        /// The flag, for example `--region`.
        name: Arc<str>,
        /// The override it stood for.
        text: Arc<str>,
    },
}

/// What the names of embedded files begin with.
pub(crate) const BUILTIN: &str = "builtin:";

impl Origin {
    /// Whether the value is a default of rangescope itself and nobody asked for it.
    ///
    /// An option that an old ncu lacks may then be left out silently; otherwise it must be refused.
    pub fn is_builtin(&self) -> bool {
        matches!(self, Self::File { file, .. } if file.starts_with(BUILTIN))
    }

    /// The same origin at another line; other origins have no lines and stay as they are.
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
