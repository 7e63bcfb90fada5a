//! Counts of a set of instructions, while they are added up.

use super::counters::{EXCESS, stall_reason};
use crate::aggregate::sum::Sum;
use indexmap::IndexSet;
use rangescope_model::source::Counts;
use rustc_hash::FxBuildHasher;
use std::collections::BTreeMap;

const SECTOR_BYTES: u64 = 32;

#[derive(Clone, Debug, Default)]
pub(super) struct Acc {
    /// By number of the counter.
    cells: BTreeMap<u32, u64>,
    samples: u64,
    time: Sum,
    /// What unused sectors cost at most.
    excess: Sum,
}

/// What the numbers of an [`Acc`] mean, and what shares are of.
pub(super) struct Frame<'a> {
    counters: &'a IndexSet<String, FxBuildHasher>,
    is_sampled: bool,
    is_estimated: bool,
}

impl Acc {
    pub(super) fn count(&mut self, counter: u32, value: u64) {
        let cell = self.cells.entry(counter).or_default();
        *cell = cell.saturating_add(value);
    }

    pub(super) fn sample(&mut self, samples: u64) {
        self.samples = self.samples.saturating_add(samples);
    }

    pub(super) fn time(&mut self, time: Sum) {
        self.time.merge(time);
    }

    pub(super) fn excess(&mut self, time: Sum) {
        self.excess.merge(time);
    }

    pub(super) fn merge(&mut self, other: &Self) {
        for (&counter, &value) in &other.cells {
            self.count(counter, value);
        }
        self.sample(other.samples);
        self.time.merge(other.time);
        self.excess.merge(other.excess);
    }

    pub(super) fn samples(&self) -> u64 {
        self.samples
    }

    pub(super) fn nanoseconds(&self) -> f64 {
        self.time.value()
    }

    pub(super) fn of(&self, counter: usize) -> u64 {
        u32::try_from(counter).ok().and_then(|id| self.cells.get(&id)).copied().unwrap_or(0)
    }
}

impl<'a> Frame<'a> {
    pub(super) fn new(
        counters: &'a IndexSet<String, FxBuildHasher>,
        is_sampled: bool,
        is_estimated: bool,
    ) -> Self {
        Self { counters, is_sampled, is_estimated }
    }

    fn name(&self, counter: u32) -> &'a str {
        self.counters.get_index(counter as usize).map_or("", String::as_str)
    }

    /// The counts as a document shows them; `all` are the samples that the share is of.
    pub(super) fn counts(&self, acc: &Acc, all: u64) -> Counts {
        let samples = acc.samples;
        let mut counts = Counts {
            samples: self.is_sampled.then_some(samples),
            time_ms: self.is_estimated.then(|| acc.nanoseconds() / 1e6),
            ..Counts::default()
        };
        if self.is_sampled && all > 0 {
            let share = samples as f64 / all as f64;
            counts.share = Some(share);
            counts.share_error = Some(1.96 * (share * (1.0 - share).max(0.0) / all as f64).sqrt());
        }
        for (&counter, &value) in acc.cells.iter().filter(|(_, value)| **value > 0) {
            let name = self.name(counter);
            match stall_reason(name) {
                Some(reason) => counts.stalls.insert(reason.to_owned(), value),
                None => counts.metrics.insert(name.to_owned(), value),
            };
        }
        let sectors = counts.metric(EXCESS);
        counts.excess_bytes = (sectors > 0).then(|| sectors.saturating_mul(SECTOR_BYTES));
        let excess_ms = acc.excess.value() / 1e6;
        counts.excess_ms = Some(excess_ms).filter(|ms| sectors > 0 && *ms > 0.0);
        counts.stalls.sort_by(|left, this, right, that| that.cmp(this).then(left.cmp(right)));
        counts.metrics.sort_keys();
        counts
    }
}
