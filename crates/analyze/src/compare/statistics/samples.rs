//! What was measured, gathered before it is judged: the evidence for one row depends on all of them.

use super::family::{self, Evidence, Judged};
use indexmap::IndexMap;
use rustc_hash::FxHashMap;

/// A row on both sides, as bits, so that equal rows are found: a region with a single kernel is judged once.
type Row = [Vec<Option<u64>>; 2];

/// Rows by what they are values of: all times together, and each metric; and the variance that steps of the timer make in each.
#[derive(Debug, Default)]
pub(crate) struct Samples {
    families: IndexMap<String, IndexMap<Row, f64>>,
}

/// What the runs say about each row.
#[derive(Debug, Default)]
pub(crate) struct Verdicts {
    families: FxHashMap<String, Family>,
}

#[derive(Debug)]
struct Family {
    rows: FxHashMap<Row, Evidence>,
    drift: f64,
    few_limit: Option<f64>,
}

impl Samples {
    /// Takes a row in, if it can be judged at all. Steps of the timer alone give its logarithm this variance.
    pub(crate) fn add(
        &mut self,
        family: &str,
        base: &[Option<f64>],
        new: &[Option<f64>],
        steps: f64,
    ) {
        let Some(row) = row(base, new) else { return };
        let rows = match self.families.get_mut(family) {
            Some(rows) => rows,
            None => self.families.entry(family.to_owned()).or_default(),
        };
        let known = rows.entry(row).or_default();
        *known = known.max(steps);
    }

    /// Judges what was gathered of runs that were made in this order, those of the base first.
    pub(crate) fn judge(self, places: &[f64]) -> Verdicts {
        let families = self.families.into_iter().map(|(name, rows)| {
            let runs = rows.first().map_or([0; 2], |(row, _)| row.each_ref().map(Vec::len));
            let logarithm = |bits: &Option<u64>| bits.map(|bits| f64::from_bits(bits).ln());
            let measured = rows.iter().map(|([base, new], steps)| family::Row {
                values: base.iter().chain(new).map(logarithm).collect(),
                base: base.len(),
                steps: *steps,
            });
            let Judged { rows: evidence, drift, few_limit } =
                family::judge(measured.collect(), runs, places);
            (name, Family { rows: rows.into_keys().zip(evidence).collect(), drift, few_limit })
        });
        Verdicts { families: families.collect() }
    }
}

impl Verdicts {
    /// Nothing where a side has fewer than two runs with a positive value.
    pub(crate) fn of(
        &self,
        family: &str,
        base: &[Option<f64>],
        new: &[Option<f64>],
    ) -> Option<Evidence> {
        self.families.get(family)?.rows.get(&row(base, new)?).copied()
    }

    /// By how much what all rows of a family share changes from one run to the next.
    pub(crate) fn drift(&self, family: &str) -> f64 {
        self.families.get(family).map_or(0.0, |family| family.drift)
    }

    /// How many standard errors the intervals of a family are wide on either side, where runs are too few for more than noise that is normal.
    pub(crate) fn few_limit(&self, family: &str) -> Option<f64> {
        self.families.get(family)?.few_limit
    }
}

/// The row, where each side has two runs at least and all values have a logarithm.
fn row(base: &[Option<f64>], new: &[Option<f64>]) -> Option<Row> {
    let is_enough = |side: &[Option<f64>]| {
        let values = || side.iter().flatten();
        values().count() > 1 && values().all(|value| *value > 0.0 && value.is_finite())
    };
    let bits = |side: &[Option<f64>]| side.iter().map(|value| value.map(f64::to_bits)).collect();
    (is_enough(base) && is_enough(new)).then(|| [bits(base), bits(new)])
}
