//! Whether runs of two sides differ by more than runs of one side do.
//!
//! The unit is the run: launches of one run share its clocks, temperature and neighbours. A row is one number (the time of a region, of a kernel, a metric)
//! over all runs, on a logarithmic scale, so that its noise is a share. If nothing changed, a run of the base might as well have been one of the new side:
//! the names of the sides are dealt out in other ways, and what the largest difference of all rows then is shows what chance does (`family`, `labels`).
//! That holds whatever the noise is like, also if it has two modes or steps, and however rows depend on each other, as long as runs do not depend on
//! their order; how they do is looked at beside it (`drift`). docs/comparing.md states the method and its measured errors.

mod drift;
mod family;
mod labels;
mod samples;
mod special;
mod step;

#[cfg(test)]
mod tests;

pub(crate) use family::{SURELY, USUAL_LIMIT, are_enough, least_runs, more_runs, runs_worth};
pub(crate) use samples::{Samples, Verdicts};
pub(crate) use step::{LONGEST_NS, step};

/// How often a comparison of unchanged runs may say anything at all, by the theory; what was simulated leaves room for order.
const ERROR: f64 = 0.03;

/// What is said of intervals: measured, and below what the theory says of [`ERROR`].
pub(crate) const CONFIDENCE: f64 = 0.95;

/// More runs than this nobody makes.
const MOST_RUNS: u32 = 100;
