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

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AppliedFilter {
    pub kind: FilterKind,
    /// As the user wrote it.
    pub pattern: String,
    /// Why it is left for the report; `None` if ncu applies it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AppliedFilters {
    #[serde(rename = "applied_at_capture")]
    pub at_capture: Vec<AppliedFilter>,
    #[serde(rename = "applied_after")]
    pub after: Vec<AppliedFilter>,
}

impl AppliedFilters {
    /// ncu applies the filter, unless there is a reason to leave it for the report.
    pub(crate) fn add(&mut self, kind: FilterKind, pattern: &str, reason: Option<&str>) {
        let list = if reason.is_some() { &mut self.after } else { &mut self.at_capture };
        let (pattern, reason) = (pattern.to_owned(), reason.map(str::to_owned));
        list.push(AppliedFilter { kind, pattern, reason });
    }

    pub(crate) fn extend(&mut self, other: Self) {
        self.at_capture.extend(other.at_capture);
        self.after.extend(other.after);
    }
}
