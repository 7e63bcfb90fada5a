//! Which filters ncu applies while it captures, and which are left for the report.

use serde::Serialize;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FilterKind {
    Region,
    ExcludedRegion,
    Kernel,
    ExcludedKernel,
}

impl FilterKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Region => "region",
            Self::ExcludedRegion => "all but region",
            Self::Kernel => "kernel",
            Self::ExcludedKernel => "all but kernel",
        }
    }
}

/// A filter of the user's, applied by ncu or left for the report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AppliedFilter {
    pub kind: FilterKind,
    /// As the user wrote it.
    pub pattern: String,
    /// Why it is left for the report; `None` if ncu applies it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl AppliedFilter {
    pub fn at_capture(kind: FilterKind, pattern: &str) -> Self {
        Self { kind, pattern: pattern.to_owned(), reason: None }
    }

    pub fn after(kind: FilterKind, pattern: &str, reason: &str) -> Self {
        Self { kind, pattern: pattern.to_owned(), reason: Some(reason.to_owned()) }
    }
}
