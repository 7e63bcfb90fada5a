//! Partial results: what a report adds up to, in rows that any engine can add further.
//!
//! Results that share everything that a document tells apart make a [`Group`]. What is known about a group is a list of [`Fact`]s, each with a [`Tally`]. Two
//! tallies of the same fact are merged field by field, by adding or by taking the smaller or larger one, so that `GROUP BY` with `SUM`, `MIN` and `MAX` is
//! all it takes; nothing else is ever needed to merge.

use crate::document::Limit;
use crate::launch::{DeviceId, LaunchKind, ProcessInfo, SectionInfo};

/// Results that a document never tells apart.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Group {
    /// Nothing where the file does not say.
    pub process: Option<ProcessInfo>,
    pub device: Option<DeviceId>,
    pub kind: LaunchKind,
    pub function: String,
    pub demangled: String,
    pub mangled: String,
    pub grid: Option<[u64; 3]>,
    pub block: Option<[u64; 3]>,
    pub domains: Vec<DomainRanges>,
}

/// The open ranges of a domain, as in [`OpenRanges`](crate::launch::OpenRanges).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DomainRanges {
    pub domain: String,
    pub nth: u32,
    pub push_pop: Vec<String>,
    /// With their places in the order in which all open ranges were started.
    pub start_end: Vec<(u64, String)>,
}

/// What a row of a group is about.
#[derive(Clone, Debug, PartialEq)]
pub enum Fact {
    /// Count: results. Part: those with a duration. Sum and extremes: nanoseconds. First: where the first of them is.
    Launches,
    /// Count: results that ncu gave up.
    GivenUp,
    /// Count: results with a finite number of the metric; none where only results that were given up have it. Sum and extremes: the numbers.
    Value { metric: String },
    /// Counters from 2^53 on. Sum: what rounding took from them. First and last: the smallest and largest, in twenty digits.
    Large { metric: String },
    /// Count: results that have both. Sum: value × weight, or what stands above the line. Weight: what it is divided by.
    Mean { metric: String, by: String },
    /// A counter that is compared over ranks, however the results state it. Count: results that have it. Sum: the counter.
    Counter { name: String },
    /// Count: results with a text. First and last: in order of the alphabet.
    Text { metric: String },
    /// Count: results in which the metric is no finite number.
    Unusable { metric: String },
    /// Count: results with the section.
    Section(SectionInfo),
    /// Count: launches with this limit. Part: those with a duration. Sum: nanoseconds.
    Limit { limit: Limit, unit: Option<String> },
    /// The counters that results list for a throughput. Count: results that have all of them. Part: those of which the largest is the value.
    Counters { throughput: String, listed: String },
    /// Count: results with a message. Sum: speed-up × nanoseconds. Weight: the nanoseconds that their busiest units leave of it.
    Rule(RuleName),
    /// Part: results with a message that have a duration. Sum: nanoseconds.
    Concerned(RuleName),
    /// Maximum: the speed-up in per cent.
    Estimate { rule: RuleName, kind: String },
    /// Maximum: what its speed-up is worth, in per cent × nanoseconds, which decides what is shown.
    Message { rule: RuleName, message: Message },
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RuleName {
    pub rule: String,
    pub kind: String,
    pub title: String,
    /// The identifier of what is said.
    pub outcome: String,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    pub name: String,
    pub section: String,
    pub text: String,
    /// Of the result that it is about, in nanoseconds; zero if it has none.
    pub time: f64,
}

/// What a fact adds up to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    pub count: u64,
    pub part: u64,
    pub sum: Option<Total>,
    pub weight: Option<Total>,
    pub min: Option<f64>,
    pub max: Option<f64>,
    pub first: Option<String>,
    pub last: Option<String>,
}

/// A sum in parts that each can be added on its own: whole numbers with all digits, and the rest with what rounding took from it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Total {
    pub whole: i128,
    pub high: f64,
    pub low: f64,
}
