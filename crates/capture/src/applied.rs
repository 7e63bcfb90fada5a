//! Which filters ncu applies while it captures, and which are left for the report.

use serde::Serialize;

/// What a filter is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FilterKind {
    /// Regions to profile.
    Region,
    /// Regions not to profile.
    ExcludedRegion,
    /// Kernels to profile.
    Kernel,
    /// Kernels not to profile.
    ExcludedKernel,
}

impl FilterKind {
    /// The words for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Region => "region",
            Self::ExcludedRegion => "all but region",
            Self::Kernel => "kernel",
            Self::ExcludedKernel => "all but kernel",
        }
    }
}

/// A filter of the user's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AppliedFilter {
    /// What it is about.
    pub kind: FilterKind,
    /// The pattern, as the user wrote it.
    pub pattern: String,
    /// Why it is left for the report, if it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl AppliedFilter {
    /// A filter that ncu applies.
    pub fn at_capture(kind: FilterKind, pattern: &str) -> Self {
        Self { kind, pattern: pattern.to_owned(), reason: None }
    }

    /// A filter that is left for the report.
    pub fn after(kind: FilterKind, pattern: &str, reason: &str) -> Self {
        Self { kind, pattern: pattern.to_owned(), reason: Some(reason.to_owned()) }
    }
}
