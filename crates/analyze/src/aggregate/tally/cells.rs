//! The numbers themselves: arrays of cells that follow a plan.
//!
//! Adding a result and merging two arrays are the hot loops of the whole analysis; they hold no decisions beyond "is there a value".

use super::plan::{ResultValues, Sampling, TallyPlan};
use crate::aggregate::sampling::Intervals;
use crate::aggregate::sum::Sum;
use std::collections::BTreeMap;

/// Counts are whole numbers, but rates and ratios of them were rounded: a pair gives a ratio if it is no further off than this part of it.
const MOST_OFF: f64 = 1e-6;

/// What a set of results adds up to, cell by cell.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tallies {
    pub(crate) sums: Vec<SumCell>,
    pub(crate) extremes: Vec<ExtremeCell>,
    pub(crate) counts: Vec<u64>,
    pub(crate) means: Vec<QuotientCell>,
    pub(crate) pairs: Vec<QuotientCell>,
    pub(crate) intervals: Intervals,
    /// By metric handle: what the cells had to round. Nearly always empty.
    pub(crate) large: BTreeMap<usize, LargeCell>,
}

/// Counters from 2^53 on, which the other cells hold rounded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LargeCell {
    /// What the rounded values lack in sum.
    pub(crate) lost: i64,
    pub(crate) min: u64,
    pub(crate) max: u64,
}

/// A sum over the results that have a value.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SumCell {
    pub(crate) covered: u64,
    pub(crate) sum: Sum,
}

/// The smallest and largest value of the results that have one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ExtremeCell {
    pub(crate) covered: u64,
    pub(crate) min: f64,
    pub(crate) max: f64,
}

/// A sum over another sum.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct QuotientCell {
    pub(crate) covered: u64,
    pub(crate) above: Sum,
    pub(crate) below: Sum,
}

impl Default for ExtremeCell {
    fn default() -> Self {
        Self { covered: 0, min: f64::INFINITY, max: f64::NEG_INFINITY }
    }
}

impl Tallies {
    /// Empty cells for a plan.
    pub(crate) fn new(plan: &TallyPlan) -> Self {
        Self {
            sums: vec![SumCell::default(); plan.sums.len()],
            extremes: vec![ExtremeCell::default(); plan.extremes.len()],
            counts: vec![0; plan.counts.len()],
            means: vec![QuotientCell::default(); plan.means.len()],
            pairs: vec![QuotientCell::default(); plan.pairs.len()],
            intervals: Intervals::default(),
            large: BTreeMap::new(),
        }
    }

    /// Bytes that the cells of a plan take.
    pub(crate) fn bytes(plan: &TallyPlan) -> usize {
        size_of::<Self>()
            + plan.sums.len() * size_of::<SumCell>()
            + plan.extremes.len() * size_of::<ExtremeCell>()
            + plan.counts.len() * size_of::<u64>()
            + (plan.means.len() + plan.pairs.len()) * size_of::<QuotientCell>()
    }

    /// Adds the result in the scratch space, for which the plan has been prepared.
    pub(crate) fn add(&mut self, plan: &TallyPlan, scratch: &ResultValues) {
        for (cell, &metric) in self.sums.iter_mut().zip(&plan.sums) {
            let value = scratch.value(metric);
            if !value.is_nan() {
                cell.covered += 1;
                cell.sum.add(value);
            }
        }
        for (cell, &metric) in self.extremes.iter_mut().zip(&plan.extremes) {
            let value = scratch.value(metric);
            if !value.is_nan() {
                cell.covered += 1;
                cell.min = cell.min.min(value);
                cell.max = cell.max.max(value);
            }
        }
        for (count, &metric) in self.counts.iter_mut().zip(&plan.counts) {
            *count += u64::from(!scratch.value(metric).is_nan());
        }
        for (cell, planned) in self.means.iter_mut().zip(&plan.means) {
            let value = scratch.value(planned.metric);
            let weight = scratch.quantity(planned.weight);
            if weight.is_nan() {
                continue;
            }
            if !value.is_nan() {
                cell.covered += 1;
                cell.above.add_product(value, weight);
                cell.below.add(weight);
            } else if planned.empty_is_covered && weight == 0.0 && scratch.states(planned.metric) {
                cell.covered += 1;
            }
        }
        for (cell, planned) in self.pairs.iter_mut().zip(&plan.pairs) {
            let (above, below) = (scratch.quantity(planned.above), scratch.quantity(planned.below));
            let stored = scratch.value(planned.metric);
            let is_given = stored.is_nan() || below == 0.0 || {
                let given = above / below * planned.scale;
                (given - stored).abs() <= MOST_OFF * stored.abs()
            };
            // What a result does not state it has no part in, so that a file means the same alone and among others.
            let is_stated = || scratch.states(planned.metric);
            if !above.is_nan() && !below.is_nan() && is_given && is_stated() {
                cell.covered += 1;
                cell.above.add(above);
                cell.below.add(below);
            }
        }
        if let Some(Sampling { interval, counts, .. }) = &plan.sampling
            && counts.iter().any(|count| scratch.value(*count) > 0.0)
        {
            self.intervals.add(scratch.value(*interval));
        }
        for &(metric, counter) in &scratch.large {
            #[expect(clippy::cast_possible_truncation, reason = "a rounded counter is whole")]
            let rounded = counter as f64 as i128;
            let lost = i128::from(counter) - rounded;
            self.add_large(
                metric,
                LargeCell {
                    lost: i64::try_from(lost).unwrap_or_default(),
                    min: counter,
                    max: counter,
                },
            );
        }
    }

    pub(crate) fn add_large(&mut self, metric: usize, other: LargeCell) {
        let entry = self.large.entry(metric);
        let cell = entry.or_insert(LargeCell { lost: 0, ..other });
        cell.lost = cell.lost.saturating_add(other.lost);
        cell.min = cell.min.min(other.min);
        cell.max = cell.max.max(other.max);
    }

    /// Adds what another set of results, tallied by the same plan, adds up to.
    pub(crate) fn merge(&mut self, other: &Self) {
        for (cell, other) in self.sums.iter_mut().zip(&other.sums) {
            cell.covered += other.covered;
            cell.sum.merge(other.sum);
        }
        for (cell, other) in self.extremes.iter_mut().zip(&other.extremes) {
            cell.covered += other.covered;
            cell.min = cell.min.min(other.min);
            cell.max = cell.max.max(other.max);
        }
        for (count, other) in self.counts.iter_mut().zip(&other.counts) {
            *count += other;
        }
        let quotients = self
            .means
            .iter_mut()
            .chain(&mut self.pairs)
            .zip(other.means.iter().chain(&other.pairs));
        for (cell, other) in quotients {
            cell.covered += other.covered;
            cell.above.merge(other.above);
            cell.below.merge(other.below);
        }
        self.intervals.merge(other.intervals);
        for (metric, other) in &other.large {
            self.add_large(*metric, *other);
        }
    }
}
