//! Which region a range belongs to, and what it is called.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub const DEFAULT_DOMAIN: &str = "<default domain>";

/// The kind of range that makes a region.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum RangeKind {
    /// Pushed and popped on one thread; nests.
    PushPop,
    /// Started and ended, possibly on different threads; does not nest.
    StartEnd,
}

impl RangeKind {
    /// The kind as JSON and CSV spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::PushPop => "push_pop",
            Self::StartEnd => "start_end",
        }
    }

    /// The kind in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::PushPop => "push/pop",
            Self::StartEnd => "start/end",
        }
    }
}

/// The identity of a region, the same in every scope, run and document.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RegionKey {
    /// NVTX domain.
    pub domain: String,
    /// The kind of range.
    pub kind: RangeKind,
    /// The names of the open ranges from the bottom of the stack.
    pub path: Vec<String>,
}

/// The same, borrowed from whatever holds a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RegionRef<'a> {
    /// NVTX domain.
    pub domain: &'a str,
    /// The kind of range.
    pub kind: RangeKind,
    /// The names of the open ranges from the bottom of the stack.
    pub path: &'a [String],
}

impl RegionRef<'_> {
    /// A copy to keep.
    pub fn to_key(self) -> RegionKey {
        RegionKey { domain: self.domain.to_owned(), kind: self.kind, path: self.path.to_vec() }
    }
}

impl RegionKey {
    /// Borrows it, to look it up among others.
    pub fn as_ref(&self) -> RegionRef<'_> {
        RegionRef { domain: &self.domain, kind: self.kind, path: &self.path }
    }
}

/// The name for people: each name is put behind its parent's with `::`, unless it already begins with that.
pub fn display_name<S: AsRef<str>>(path: &[S]) -> String {
    let mut display = String::new();
    for (depth, name) in path.iter().map(AsRef::as_ref).enumerate() {
        let repeats_parent =
            name.strip_prefix(display.as_str()).is_some_and(|rest| rest.starts_with("::"));
        if depth == 0 || repeats_parent {
            display.clear();
        } else {
            display.push_str("::");
        }
        display.push_str(name);
    }
    display
}

#[cfg(test)]
mod tests {
    use super::display_name;

    #[test]
    fn a_name_that_repeats_its_parent_is_not_repeated_again() {
        assert_eq!(display_name(&["A", "A1"]), "A::A1");
        assert_eq!(display_name(&["A", "A::A1"]), "A::A1");
        assert_eq!(display_name(&["A", "A::A1", "A::A1::x"]), "A::A1::x");
        assert_eq!(display_name(&["A", "A"]), "A::A");
        assert_eq!(display_name(&["A", "AB"]), "A::AB");
        assert_eq!(display_name(&["", "x"]), "::x");
        assert_eq!(display_name(&[""]), "");
    }
}
