//! The rows that are judged together.

use super::shrink::shrink;
use super::special::{t_critical, t_two_sided};
use super::{ERROR, MOST_RUNS};

/// Runs differ by at least this share: below it are the resolution of clocks and rounding.
const LEAST_NOISE: f64 = 1e-4;

/// A normal number exceeds its mean minus this in nine cases of ten.
const NINE_OF_TEN: f64 = 1.2816;

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
    let [base, new] = [0, 1].map(|side| Side::of(rows, side));
    let alone = base.rows.iter().zip(&new.rows);
    // The noise of a row as its two sides tell it together, where the sides differ by one factor for all rows.
    let (pooled, freedom): (Vec<f64>, Vec<f64>) = alone
        .map(|(base_row, new_row)| {
            let freedom = base_row.freedom + new_row.freedom;
            let weighed = base_row.freedom * base_row.variance / base.level
                + new_row.freedom * new_row.variance / new.level;
            (weighed / freedom, freedom)
        })
        .unzip();
    let together = shrink(&pooled, &freedom);
    let tests: Vec<Test> = base
        .rows
        .iter()
        .zip(&new.rows)
        .zip(together.variances.iter().zip(&together.freedom))
        .map(|((base_row, new_row), (&pooled, &freedom))| {
            let shared = [base.shared.over(base_row.runs()), new.shared.over(new_row.runs())];
            let apart =
                [base_row.shrunk.over(base_row.runs()), new_row.shrunk.over(new_row.runs())];
            let scale = base.level / base_row.runs() + new.level / new_row.runs();
            let joint = Part { variance: pooled * scale, freedom };
            let difference = new_row.mean - base_row.mean;
            // Either way of telling the noise has to see the difference: the sides apart, and the sides together.
            let apart = chance(difference, &[shared[0], shared[1], apart[0], apart[1]]);
            let joint = chance(difference, &[shared[0], shared[1], joint]);
            let per_run = base.shared.variance
                + new.shared.variance
                + base_row.shrunk.variance
                + new_row.shrunk.variance;
            Test { difference, chance: apart.max(joint), per_run }
        })
        .collect();
    let shown = shown(&tests);
    let critical = critical(tests.len());
    let evidence = tests.iter().zip(shown).map(|(test, is_shown)| Evidence {
        difference: test.difference,
        is_shown,
        runs_needed: test.runs_needed(&critical),
    });
    evidence.collect()
}

/// A part of the variance of a difference.
#[derive(Clone, Copy, Debug)]
struct Part {
    variance: f64,
    freedom: f64,
}

impl Part {
    /// Of a mean over so many runs.
    fn over(self, runs: f64) -> Self {
        Self { variance: self.variance / runs, ..self }
    }
}

#[derive(Debug)]
struct Row {
    mean: f64,
    /// As measured, without what it shares with the other rows.
    variance: f64,
    freedom: f64,
    shrunk: Part,
}

impl Row {
    fn runs(&self) -> f64 {
        self.freedom + 1.0
    }
}

#[derive(Debug)]
struct Side {
    rows: Vec<Row>,
    /// What all rows of a run have in common.
    shared: Part,
    level: f64,
}

impl Side {
    fn of(rows: &[[Runs; 2]], side: usize) -> Self {
        let runs = rows.first().map_or(0, |row| row[side].len());
        let means: Vec<f64> = rows.iter().map(|row| mean(row[side].iter().flatten())).collect();
        let residual = |(row, mean): (&[Runs; 2], &f64), run: usize| {
            row[side].get(run).copied().flatten().map(|value| value - mean)
        };
        let common: Vec<f64> = (0..runs)
            .map(|run| {
                median(rows.iter().zip(&means).filter_map(|row| residual(row, run)).collect())
            })
            .collect();
        let freedom = (runs as f64 - 1.0).max(1.0);
        let shared = Part {
            variance: common.iter().map(|value| value * value).sum::<f64>() / freedom,
            freedom,
        };
        let (variances, freedoms): (Vec<f64>, Vec<f64>) = rows
            .iter()
            .zip(&means)
            .map(|row| {
                let own = || (0..runs).filter_map(|run| Some(residual(row, run)? - common[run]));
                let freedom = (own().count() as f64 - 1.0).max(1.0);
                let variance = own().map(|value| value * value).sum::<f64>() / freedom;
                (variance.max(LEAST_NOISE * LEAST_NOISE), freedom)
            })
            .unzip();
        let shrunk = shrink(&variances, &freedoms);
        let rows = means
            .iter()
            .zip(variances.iter().zip(&freedoms))
            .zip(shrunk.variances.iter().zip(&shrunk.freedom));
        let rows = rows
            .map(|((&mean, (&variance, &freedom)), (&shrunk, &of_shrunk))| Row {
                mean,
                variance,
                freedom,
                shrunk: Part { variance: shrunk, freedom: of_shrunk },
            })
            .collect();
        Self { rows, shared, level: shrunk.level }
    }
}

#[derive(Clone, Copy, Debug)]
struct Test {
    difference: f64,
    /// How often chance alone makes a difference of this size.
    chance: f64,
    /// Variance of the difference of one run a side.
    per_run: f64,
}

impl Test {
    fn runs_needed(self, critical: &[(u32, f64)]) -> Option<u32> {
        let shows = |(runs, critical): &&(u32, f64)| {
            let error = (self.per_run / f64::from(*runs)).sqrt();
            self.difference.abs() >= (critical + NINE_OF_TEN) * error
        };
        critical.iter().find(shows).map(|(runs, _)| *runs)
    }
}

/// How often chance alone is at least this far from zero, where the variance has several parts (Welch and Satterthwaite).
fn chance(difference: f64, parts: &[Part]) -> f64 {
    let variance: f64 = parts.iter().map(|part| part.variance).sum();
    let uncertainty: f64 = parts.iter().map(|part| part.variance.powi(2) / part.freedom).sum();
    t_two_sided(difference.abs() / variance.sqrt(), variance * variance / uncertainty)
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

/// How far from zero t has to be, by the number of runs a side, where so many rows are judged.
fn critical(rows: usize) -> Vec<(u32, f64)> {
    let probability = ERROR / (rows as f64).max(1.0);
    (2..=MOST_RUNS)
        .map(|runs| (runs, t_critical(probability, 2.0 * (f64::from(runs) - 1.0))))
        .collect()
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
