//! The ranges that a program opened, as plain data: from a recording of NVTX, from the SQLite of nsys, or from an earlier report.

use std::collections::BTreeMap;

use rangescope_model::region::RangeKind;
use serde::Serialize;

/// A range that the program opened, once or many times on one thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ObservedRange {
    /// Its own name.
    pub name: String,
    /// The names of the stack up to it, bottom first, its own included; of a start/end range only its own.
    pub path: Vec<String>,
    /// Its kind.
    pub kind: RangeKind,
    /// Its domain.
    pub domain: String,
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
    /// A push/pop range, of which nothing is known but where it is.
    pub fn push_pop(domain: impl Into<String>, path: Vec<String>) -> Self {
        let name = path.last().cloned().unwrap_or_default();
        Self {
            name,
            path,
            kind: RangeKind::PushPop,
            domain: domain.into(),
            process: None,
            thread: None,
            count: None,
            launches: None,
        }
    }

    /// A start/end range, of which nothing is known but its name.
    pub fn start_end(domain: impl Into<String>, name: impl Into<String>) -> Self {
        Self { kind: RangeKind::StartEnd, ..Self::push_pop(domain, vec![name.into()]) }
    }

    /// Ranges as they were opened, one by one, put together: equal ones become one with their number. Each counts as one if it does not say.
    pub fn merged(ranges: impl IntoIterator<Item = Self>) -> Vec<Self> {
        let mut all = BTreeMap::new();
        for range in ranges {
            let is_start_end = range.kind == RangeKind::StartEnd;
            let key = (
                range.process,
                range.thread,
                range.domain.clone(),
                is_start_end,
                range.path.clone(),
            );
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

    /// The word for its kind.
    pub fn kind_text(&self) -> &'static str {
        match self.kind {
            RangeKind::PushPop => "push/pop",
            RangeKind::StartEnd => "start/end",
        }
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
                (range.name.as_str(), range.kind_text(), range.thread, range.count, range.launches)
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
