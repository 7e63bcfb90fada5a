//! Variances of many rows, each drawn towards the level of all.
//!
//! The true variances of the rows are taken for draws from a scaled inverse χ² distribution, whose two parameters follow from the mean and the variance of
//! the logarithms of the measured ones (empirical Bayes).

use super::special::{digamma, trigamma, trigamma_inverse};

/// All rows count at most this many times as much as a row itself: one run that is far off then never makes a verdict alone, because a single outlier among the
/// runs of a row gives t = √(1 + this) at most.
const MOST_WEIGHT: f64 = 9.0;

/// The spread of the rows' variances is taken to be this many of its standard errors larger than measured: few rows, or rows that depend on each other, look
/// more alike than they are.
const CAUTION: f64 = 2.0;

/// Measured variances with what all of them say about each.
#[derive(Debug)]
pub(super) struct Shrunk {
    pub(super) variances: Vec<f64>,
    /// Degrees of freedom of each.
    pub(super) freedom: Vec<f64>,
    /// The variance of a typical row.
    pub(super) level: f64,
}

/// Draws variances towards their level.
pub(super) fn shrink(measured: &[f64], freedom: &[f64]) -> Shrunk {
    let rows = measured.len() as f64;
    let mean = |values: &mut dyn Iterator<Item = f64>| values.sum::<f64>() / rows;
    let logs: Vec<f64> = measured
        .iter()
        .zip(freedom)
        .map(|(variance, freedom)| variance.ln() - digamma(freedom / 2.0) + (freedom / 2.0).ln())
        .collect();
    let centre = mean(&mut logs.iter().copied());
    if measured.len() < 2 {
        let level = centre.exp();
        return Shrunk { variances: measured.to_vec(), freedom: freedom.to_vec(), level };
    }
    let spread = logs.iter().map(|log| (log - centre).powi(2)).sum::<f64>() / (rows - 1.0);
    let by_chance = mean(&mut freedom.iter().map(|freedom| trigamma(freedom / 2.0)));
    let caution = CAUTION * by_chance * (2.0 / (rows - 1.0)).sqrt();
    let found = 2.0 * trigamma_inverse((spread - by_chance).max(0.0) + caution);
    let typical = mean(&mut freedom.iter().copied());
    let prior = found.min(MOST_WEIGHT * typical);
    let level = (centre + digamma(prior / 2.0) - (prior / 2.0).ln()).exp();
    Shrunk {
        variances: measured
            .iter()
            .zip(freedom)
            .map(|(variance, own)| (prior * level + own * variance) / (prior + own))
            .collect(),
        freedom: freedom.iter().map(|own| prior + own).collect(),
        level: centre.exp(),
    }
}
