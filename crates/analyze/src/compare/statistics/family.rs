//! The rows that are judged together.

use super::drift::{Order, median};
use super::labels::labelings;
use super::special::t_beyond;
use super::{ERROR, MOST_RUNS};
use rustc_hash::FxHashMap;

/// Runs differ by at least this share: below it are the resolution of clocks and rounding.
const LEAST_NOISE: f64 = 1e-4;

/// The noise of a row is that of its own runs and that of the typical row, which counts for so many runs.
const TYPICAL: f64 = 4.0;

/// A normal number exceeds its mean minus this in nine cases of ten.
const NINE_OF_TEN: f64 = 1.2816;

/// How many deviations a difference has to be when nobody could try it: about what it is for a hundred rows.
pub(crate) const USUAL_LIMIT: f64 = 4.5;

/// A row: the logarithm of its value in each run, those of the base first, where the run has it.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) values: Vec<Option<f64>>,
    pub(super) base: usize,
    /// The variance of a value that steps of the timer alone make.
    pub(super) steps: f64,
}

/// What the runs say about one row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Evidence {
    /// Mean of the new side minus mean of the base, of logarithms.
    pub(crate) difference: f64,
    /// Where the change of the program lies, all rows considered.
    pub(crate) interval: [f64; 2],
    /// Whether runs can show anything at all.
    pub(crate) are_enough: bool,
    /// Whether launches are rounded to steps of the timer independently of each other: runs then differ as much as that makes them.
    pub(crate) is_dithered: bool,
    settling: Settling,
}

/// What decides how many runs would show a difference.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Settling {
    /// How far the difference is from zero, however much of the drift is believed; nothing where that decides on which side it is.
    distance: f64,
    /// By how many standard errors a difference has to be away from zero.
    limit: f64,
    /// The standard error of the difference of a single run on either side.
    noise: f64,
    runs: [usize; 2],
}

impl Evidence {
    /// About how many runs a side would show a difference of this size in nine cases of ten, if so much of it (as a share) stays in doubt however many runs
    /// there are; nothing where it is more than [`MOST_RUNS`].
    pub(crate) fn runs_needed(&self, in_doubt: f64) -> Option<u32> {
        let Settling { distance, limit, noise, runs } = self.settling;
        let errors = (limit + NINE_OF_TEN) / (distance - in_doubt).max(0.0);
        more_runs((noise * errors).powi(2), runs)
    }
}

/// So many runs a side in whole numbers: more than there are, because these did not settle it, and enough to show anything at all.
pub(crate) fn more_runs(needed: f64, runs: [usize; 2]) -> Option<u32> {
    let there = u32::try_from(runs[0].min(runs[1])).unwrap_or(MOST_RUNS);
    let least = least_runs().max(there.saturating_add(1));
    (least..=MOST_RUNS).find(|runs| f64::from(*runs) >= needed)
}

/// How many standard errors a difference has to be away from a limit to be beyond it in nine cases of ten, for each that the interval has.
pub(crate) const SURELY: f64 = 1.0 + NINE_OF_TEN / USUAL_LIMIT;

/// What a family says: about each row, and by how much times drift from one run to the next.
#[derive(Debug, Default)]
pub(super) struct Judged {
    pub(super) rows: Vec<Evidence>,
    pub(super) drift: f64,
    /// How many standard errors intervals are wide on either side, where runs are too few to deal out the sides in many ways.
    pub(super) few_limit: Option<f64>,
}

/// Whether so many runs can show anything: chance alone must be able to deal out the sides in enough ways.
pub(crate) fn are_enough(runs: [usize; 2]) -> bool {
    runs.iter().all(|runs| *runs > 1) && ERROR * labelings(runs).len() as f64 >= 1.0
}

/// Judges rows of which each has at least two runs on either side, made in this order.
pub(super) fn judge(mut rows: Vec<Row>, runs: [usize; 2], places: &[f64]) -> Judged {
    let raw: Vec<f64> = rows.iter().map(|row| row.own().difference()).collect();
    let order = Order::of(places, runs[0]);
    let drift = order.take_shared(&mut rows);
    let own = Tests::of(&rows, &(0..runs[0]).collect::<Vec<_>>(), runs[0] + runs[1]);
    let are_enough = are_enough(runs);
    let normal = normal_limits(&own.tests, are_enough, runs);
    let shared = drift * order.apart;
    let drifts: Vec<[f64; 2]> =
        rows.iter().zip(&own.tests).map(|(row, test)| order.own(row, test.variance)).collect();
    // Nobody knows how much of it goes on from one side to the other: none, what is shared, or all.
    let centres = |at: usize| {
        let [of_row, variance] = drifts[at];
        let error = own.tests[at].error;
        [
            (raw[at], error),
            (raw[at] - shared, error),
            (raw[at] - shared - of_row, (error * error + variance).sqrt()),
        ]
    };
    let reach = |limit: f64, at: usize| {
        let limit = limit.max(normal[at]);
        let centres = centres(at);
        let low = centres.map(|(centre, error)| centre - limit * error);
        let high = centres.map(|(centre, error)| centre + limit * error);
        [
            low.into_iter().fold(f64::INFINITY, f64::min),
            high.into_iter().fold(f64::NEG_INFINITY, f64::max),
        ]
    };
    let limit = if are_enough {
        limit(rows.clone(), runs, |limit, at| {
            let [low, high] = reach(limit, at);
            low > 0.0 || high < 0.0
        })
    } else {
        0.0
    };
    let evidence = (0..rows.len()).map(|at| {
        let test = &own.tests[at];
        let settling = Settling {
            distance: distance(centres(at).map(|(centre, _)| centre)),
            limit: if are_enough { limit.max(normal[at]) } else { USUAL_LIMIT },
            noise: test.error * runs_worth(runs).sqrt(),
            runs,
        };
        Evidence {
            difference: raw[at],
            interval: reach(limit, at),
            are_enough,
            is_dithered: test.raw_variance >= rows[at].steps / 4.0,
            settling,
        }
    });
    let few_limit = normal.first().copied().filter(|_| !are_enough);
    Judged { rows: evidence.collect(), drift, few_limit }
}

/// How far the nearest of them is from zero; nothing where they are on both sides of it.
fn distance(centres: [f64; 3]) -> f64 {
    let is_one_sided =
        centres.iter().all(|centre| *centre > 0.0) || centres.iter().all(|centre| *centre < 0.0);
    let nearest = centres.into_iter().map(f64::abs).fold(f64::INFINITY, f64::min);
    if is_one_sided { nearest } else { 0.0 }
}

/// How many standard errors each difference has to be at least, as if noise were normal and the sides unequally noisy (Student's t, Bonferroni). Where runs are too
/// few to deal out the sides in many ways it is all that there is, and the typical row is not relied on.
fn normal_limits(tests: &[Test], are_enough: bool, runs: [usize; 2]) -> Vec<f64> {
    let probability = ERROR / (tests.len() as f64).max(1.0);
    let few = runs.iter().sum::<usize>() as f64 - 2.0;
    let mut known: FxHashMap<u64, f64> = FxHashMap::default();
    let limit = |test: &Test| {
        let freedom = if are_enough { test.freedom.floor() } else { few };
        *known.entry(freedom.to_bits()).or_insert_with(|| t_beyond(probability, freedom.max(1.0)))
    };
    tests.iter().map(limit).collect()
}

/// Runs on both sides alike that would be worth as much as those that there are.
pub(crate) fn runs_worth([base, new]: [usize; 2]) -> f64 {
    2.0 / (1.0 / base as f64 + 1.0 / new as f64)
}

/// The fewest runs a side that can show anything.
pub(crate) fn least_runs() -> u32 {
    (2..MOST_RUNS).find(|runs| are_enough([*runs as usize; 2])).unwrap_or(MOST_RUNS)
}

/// How many standard errors a difference may have by chance in any of the rows: what the largest of them seldom exceeds when the names of the sides are dealt out otherwise.
/// Rows that are shown are taken for changed, their sides moved onto each other, and it is asked again.
fn limit(mut rows: Vec<Row>, runs: [usize; 2], is_shown: impl Fn(f64, usize) -> bool) -> f64 {
    let labelings = labelings(runs);
    let mut changed = vec![false; rows.len()];
    loop {
        let mut largest: Vec<f64> = labelings
            .iter()
            .map(|base| Tests::of(&rows, base, runs[0] + runs[1]).largest())
            .collect();
        largest.sort_by(|left, right| right.total_cmp(left));
        let share = ERROR * labelings.len() as f64;
        let rank = (1..labelings.len()).take_while(|rank| *rank as f64 <= share).count();
        let limit = largest.get(rank).copied().unwrap_or(f64::INFINITY);
        let mut is_settled = true;
        for (at, row) in rows.iter_mut().enumerate() {
            if !changed[at] && is_shown(limit, at) {
                row.align();
                changed[at] = true;
                is_settled = false;
            }
        }
        if is_settled {
            return limit;
        }
    }
}

/// One side of a row: how many runs, their mean, and the sum of squares around it.
#[derive(Clone, Copy, Debug, Default)]
struct Side {
    runs: f64,
    mean: f64,
    squares: f64,
}

impl Side {
    fn of(values: impl Iterator<Item = f64> + Clone) -> Self {
        let (sum, runs) =
            values.clone().fold((0.0, 0.0), |(sum, runs), value| (sum + value, runs + 1.0));
        let mean = sum / f64::max(runs, 1.0);
        Self { runs, mean, squares: values.map(|value| (value - mean).powi(2)).sum() }
    }

    /// Nothing of fewer than two runs.
    fn variance(&self) -> Option<f64> {
        (self.runs > 1.0).then(|| (self.squares / (self.runs - 1.0)).max(LEAST_NOISE.powi(2)))
    }
}

#[derive(Clone, Copy, Debug)]
struct Pair([Side; 2]);

impl Pair {
    fn difference(&self) -> f64 {
        self.0[1].mean - self.0[0].mean
    }
}

impl Row {
    fn own(&self) -> Pair {
        let (base, new) = self.values.split_at(self.base);
        Pair([base, new].map(|side| Side::of(side.iter().flatten().copied())))
    }

    fn among(&self, base: &[usize], is_base: &[bool]) -> Pair {
        let of_base = base.iter().filter_map(|run| self.values[*run]);
        let of_new = self
            .values
            .iter()
            .zip(is_base)
            .filter_map(|(value, is_base)| if *is_base { None } else { *value });
        Pair([Side::of(of_base), Side::of(of_new)])
    }

    /// How far each run is from the mean of its side.
    pub(super) fn deviations(&self) -> Vec<Option<f64>> {
        let Pair(sides) = self.own();
        let mean = |run: usize| sides[usize::from(run >= self.base)].mean;
        let values = self.values.iter().enumerate();
        values.map(|(run, value)| value.map(|value| value - mean(run))).collect()
    }

    /// Moves the new side onto the base.
    fn align(&mut self) {
        let difference = self.own().difference();
        for value in self.values.iter_mut().skip(self.base).flatten() {
            *value -= difference;
        }
    }
}

/// All rows with the names of the sides dealt out in one way.
#[derive(Debug)]
struct Tests {
    tests: Vec<Test>,
}

#[derive(Clone, Copy, Debug)]
struct Test {
    difference: f64,
    /// Of the difference.
    error: f64,
    /// Of one run: in the mean of the sides as it is taken, and on the quieter one as it was measured.
    variance: f64,
    raw_variance: f64,
    /// Degrees of freedom of the error (Welch and Satterthwaite).
    freedom: f64,
}

impl Tests {
    fn of(rows: &[Row], base: &[usize], runs: usize) -> Self {
        let mut is_base = vec![false; runs];
        for run in base {
            is_base[*run] = true;
        }
        let pairs: Vec<Pair> = rows.iter().map(|row| row.among(base, &is_base)).collect();
        let typical = [0, 1].map(|side| {
            median(pairs.iter().filter_map(|Pair(sides)| sides[side].variance()).collect())
        });
        let tests = rows.iter().zip(&pairs).map(|(row, pair)| {
            let taken = |side: usize| {
                let Side { runs, squares, .. } = pair.0[side];
                let freedom = (runs - 1.0).max(0.0);
                ((TYPICAL * typical[side] + squares) / (TYPICAL + freedom))
                    .max(row.steps)
                    .max(LEAST_NOISE.powi(2))
            };
            let variances = [taken(0), taken(1)];
            let of_means = [0, 1].map(|side| variances[side] / pair.0[side].runs.max(1.0));
            let of_difference = of_means[0] + of_means[1];
            let uncertainty = [0, 1].map(|side| {
                of_means[side].powi(2) / (TYPICAL + (pair.0[side].runs - 1.0).max(0.0))
            });
            let measured = pair.0.map(|side| side.squares / (side.runs - 1.0).max(1.0));
            let is_there = pair.0.iter().all(|side| side.runs > 0.0);
            Test {
                difference: if is_there { pair.difference() } else { 0.0 },
                error: of_difference.sqrt(),
                variance: f64::midpoint(variances[0], variances[1]),
                raw_variance: measured[0].min(measured[1]),
                freedom: of_difference.powi(2) / (uncertainty[0] + uncertainty[1]),
            }
        });
        Self { tests: tests.collect() }
    }

    fn largest(&self) -> f64 {
        self.tests.iter().map(|test| test.difference.abs() / test.error).fold(0.0, f64::max)
    }
}
