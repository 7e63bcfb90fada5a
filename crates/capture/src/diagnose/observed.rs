//! The ranges that a program opened, as plain data: from a recording of NVTX, from the SQLite of nsys, or from an earlier report.

use std::collections::BTreeMap;

use rangescope_model::region::{RangeKind, RegionKey};
use serde::{Deserialize, Serialize};

/// A range that the program opened, once or many times on one thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObservedRange {
    /// Its own name.
    pub name: String,
    /// The region that it is an instance of.
    #[serde(flatten)]
    pub key: RegionKey,
    /// The process that opened it, if known.
    pub process: Option<u32>,
    /// The thread that opened it, if known.
    pub thread: Option<u64>,
    /// How often it was opened, if known.
    pub count: Option<u64>,
    /// How many kernels were launched while it was open and counted for the launching thread, if known.
    pub launches: Option<u64>,
}

impl ObservedRange {
    /// A range of which nothing is known but its region.
    pub fn of(key: RegionKey) -> Self {
        let name = key.path.last().cloned().unwrap_or_default();
        Self { name, key, process: None, thread: None, count: None, launches: None }
    }

    /// A push/pop range, of which nothing is known but where it is.
    pub fn push_pop(domain: impl Into<String>, path: Vec<String>) -> Self {
        Self::of(RegionKey { domain: domain.into(), kind: RangeKind::PushPop, path })
    }

    /// A start/end range, of which nothing is known but its name.
    pub fn start_end(domain: impl Into<String>, name: impl Into<String>) -> Self {
        let path = vec![name.into()];
        Self::of(RegionKey { domain: domain.into(), kind: RangeKind::StartEnd, path })
    }

    /// Ranges as they were opened, one by one, put together: equal ones become one with their number. Each counts as one if it does not say.
    pub fn merged(ranges: impl IntoIterator<Item = Self>) -> Vec<Self> {
        let mut all = BTreeMap::new();
        for range in ranges {
            let key = (range.process, range.thread, range.key.clone());
            let added = |left: Option<u64>, right: Option<u64>| match (left, right) {
                (Some(left), Some(right)) => Some(left.saturating_add(right)),
                (known, None) | (None, known) => known,
            };
            let count = range.count.or(Some(1));
            all.entry(key)
                .and_modify(|before: &mut Self| {
                    before.count = added(before.count, count);
                    before.launches = added(before.launches, range.launches);
                })
                .or_insert(Self { count, ..range });
        }
        all.into_values().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::ObservedRange;

    #[test]
    fn equal_ranges_are_counted() {
        let range = |name: &str, thread| ObservedRange {
            thread: Some(thread),
            ..ObservedRange::push_pop("d", vec!["step".to_owned(), name.to_owned()])
        };
        let launched = ObservedRange { launches: Some(2), count: Some(3), ..range("a", 1) };
        let start_end = ObservedRange { thread: Some(1), ..ObservedRange::start_end("d", "a") };
        let merged = ObservedRange::merged([
            range("b", 1),
            range("a", 1),
            launched,
            range("a", 2),
            start_end,
        ]);
        let seen: Vec<_> = merged
            .iter()
            .map(|range| {
                (
                    range.name.as_str(),
                    range.key.kind.words(),
                    range.thread,
                    range.count,
                    range.launches,
                )
            })
            .collect();
        assert_eq!(
            seen,
            [
                ("a", "push/pop", Some(1), Some(4), Some(2)),
                ("b", "push/pop", Some(1), Some(1), None),
                ("a", "start/end", Some(1), Some(1), None),
                ("a", "push/pop", Some(2), Some(1), None),
            ]
        );
    }
}
