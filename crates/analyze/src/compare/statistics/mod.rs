//! Whether runs of two sides differ by more than runs of one side do.
//!
//! The unit is the run: launches of one run share its clocks, temperature and neighbours. A row is one number (the time of a region, of a kernel, a metric)
//! over all runs, on a logarithmic scale, so that its noise is a share. Two or three runs say little about the noise of one row, but all rows together say
//! much (`noise`). What all rows of a run have in common is measured beside it, because of that there are only as many samples as there are runs.
//! docs/comparing.md states the method and its measured errors.

mod family;
mod noise;
mod samples;
mod special;

#[cfg(test)]
mod tests;

pub(crate) use samples::{Samples, Verdicts};

/// How often a comparison of unchanged runs may say anything at all, by the theory; what was simulated leaves room for noise that is not as the theory wants it.
const ERROR: f64 = 0.03;

/// More runs than this nobody makes.
const MOST_RUNS: u32 = 100;
