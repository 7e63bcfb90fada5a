//! The rows that are judged together.

use super::noise::{Measured, Noises};
use super::special::t_two_sided;
use super::{ERROR, MOST_RUNS};

/// Runs differ by at least this share: below it are the resolution of clocks and rounding.
const LEAST_NOISE: f64 = 1e-4;

/// A normal number exceeds its mean minus this in nine cases of ten.
const NINE_OF_TEN: f64 = 1.2816;

/// From so many degrees of freedom on, Student's t is as good as normal.
const MOST_FREEDOM: f64 = 1e4;

/// A row on one side: the logarithm of its value in each run, where the run has it.
pub(super) type Runs = Vec<Option<f64>>;

/// What the runs say about one row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Evidence {
    /// Mean of the new side minus mean of the base, of logarithms.
    pub(crate) difference: f64,
    /// Whether that is more than chance, all rows considered.
    pub(crate) is_shown: bool,
    /// About how many runs a side would show a difference of this size in nine cases of ten; nothing where it is more than [`MOST_RUNS`].
    pub(crate) runs_needed: Option<u32>,
}

/// Judges rows of which each has at least two runs on either side.
pub(super) fn judge(rows: &[[Runs; 2]]) -> Vec<Evidence> {
    let tests = tests(rows);
    let shown = shown(&tests);
    let probability = ERROR / (tests.len() as f64).max(1.0);
    let evidence = tests.iter().zip(shown).map(|(test, is_shown)| Evidence {
        difference: test.difference,
        is_shown,
        runs_needed: test.runs_needed(probability),
    });
    evidence.collect()
}

/// One test a row, before all of them are considered.
pub(super) fn tests(rows: &[[Runs; 2]]) -> Vec<Test> {
    let [base, new] = [0, 1].map(|side| Side::of(rows, side));
    let both = || base.rows.iter().zip(&new.rows);
    let measured: Vec<[Measured; 2]> =
        both().map(|(base, new)| [base.measured(), new.measured()]).collect();
    let noises = Noises::of(&measured);
    let shared = [base.shared, new.shared];
    let tests = both()
        .enumerate()
        .map(|(at, (base, new))| Test::of([base, new], shared, &noises.of_row(at)));
    tests.collect()
}

#[derive(Debug)]
struct Row {
    mean: f64,
    variance: f64,
    runs: f64,
}

impl Row {
    fn measured(&self) -> Measured {
        // More runs than anybody makes would fit no variance of a coarse grid.
        let freedom = (self.runs - 1.0).min(f64::from(MOST_RUNS));
        Measured { variance: self.variance, freedom }
    }
}

#[derive(Debug)]
struct Side {
    rows: Vec<Row>,
    /// The variance of what all rows of a run have in common. It has as many samples as there are runs.
    shared: Measured,
}

impl Side {
    fn of(rows: &[[Runs; 2]], side: usize) -> Self {
        let runs = rows.first().map_or(0, |row| row[side].len());
        let means: Vec<f64> = rows.iter().map(|row| mean(row[side].iter().flatten())).collect();
        let common = (0..runs).map(|run| {
            let of_run = |(row, mean): (&[Runs; 2], &f64)| {
                row[side].get(run).copied().flatten().map(|value| value - mean)
            };
            median(rows.iter().zip(&means).filter_map(of_run).collect())
        });
        let freedom = (runs as f64 - 1.0).max(1.0);
        let squares: f64 = common.map(|common| common * common).sum();
        // A row has nothing in common with itself.
        let others = 1.0 - 1.0 / (rows.len() as f64).max(1.0);
        let shared = Measured { variance: others * squares / freedom, freedom };
        let rows = rows.iter().zip(means).map(|(row, mean)| {
            let values = || row[side].iter().flatten();
            let runs = values().count().max(2) as f64;
            let squares: f64 = values().map(|value| (value - mean).powi(2)).sum();
            let variance = (squares / (runs - 1.0)).max(LEAST_NOISE * LEAST_NOISE);
            Row { mean, variance, runs }
        });
        Self { rows: rows.collect(), shared }
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Test {
    difference: f64,
    /// How often chance alone makes a difference of this size; no more than a bound from below once it exceeds [`ERROR`], which shows nothing already.
    pub(super) chance: f64,
    /// Variance of the difference of one run a side, as a rule.
    per_run: f64,
    /// Runs a side that would be worth as much as those that there are.
    runs: f64,
}

impl Test {
    fn of(rows: [&Row; 2], shared: [Measured; 2], noises: &[([f64; 2], f64)]) -> Self {
        let [base, new] = rows;
        let difference = new.mean - base.mean;
        let [shared_base, shared_new] =
            [(shared[0], base), (shared[1], new)].map(|(shared, row)| shared.variance / row.runs);
        // Of the variance only the shared part is uncertain once a noise is given (Welch and Satterthwaite).
        let uncertainty =
            shared_base.powi(2) / shared[0].freedom + shared_new.powi(2) / shared[1].freedom;
        let tail = |[of_base, of_new]: [f64; 2]| {
            let variance = of_base / base.runs + of_new / new.runs + shared_base + shared_new;
            let freedom = (variance * variance / uncertainty).min(MOST_FREEDOM);
            t_two_sided(difference.abs() / variance.sqrt(), freedom)
        };
        let mut chance = 0.0;
        for (variances, weight) in noises {
            chance += weight * tail(*variances);
            if chance > ERROR {
                break;
            }
        }
        let typical = |side: usize| {
            noises
                .iter()
                .map(|(variances, weight)| weight * variances[side].ln())
                .sum::<f64>()
                .exp()
        };
        Self {
            difference,
            chance,
            per_run: typical(0) + typical(1) + shared[0].variance + shared[1].variance,
            runs: 2.0 / (1.0 / base.runs + 1.0 / new.runs),
        }
    }

    /// More than there are, because these did not settle it.
    fn runs_needed(self, probability: f64) -> Option<u32> {
        let settle = |runs: u32| {
            let runs = f64::from(runs);
            let t = self.difference.abs() / (self.per_run / runs).sqrt() - NINE_OF_TEN;
            runs > self.runs && t_two_sided(t.max(0.0), 2.0 * (runs - 1.0)) <= probability
        };
        let (mut too_few, mut enough) = (1, MOST_RUNS);
        if !settle(enough) {
            return None;
        }
        while enough - too_few > 1 {
            let middle = u32::midpoint(too_few, enough);
            if settle(middle) { enough = middle } else { too_few = middle }
        }
        Some(enough)
    }
}

/// Which tests hold when all of them are considered (Holm): valid however the rows depend on each other, as a region and its parent do.
fn shown(tests: &[Test]) -> Vec<bool> {
    let mut order: Vec<usize> = (0..tests.len()).collect();
    order.sort_by(|&left, &right| tests[left].chance.total_cmp(&tests[right].chance));
    let mut shown = vec![false; tests.len()];
    for (at, test) in order.into_iter().enumerate() {
        let left = (tests.len() - at) as f64;
        if tests[test].chance * left > ERROR {
            break;
        }
        shown[test] = true;
    }
    shown
}

fn mean<'v>(values: impl Iterator<Item = &'v f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    sum / f64::max(count, 1.0)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let at = |index: usize| values.get(index).copied().unwrap_or_default();
    let half = values.len() / 2;
    if values.len().is_multiple_of(2) && half > 0 {
        f64::midpoint(at(half - 1), at(half))
    } else {
        at(half)
    }
}
