//! What was measured, gathered before it is judged: the evidence for one row depends on all of them.

use super::family::{Evidence, Runs, judge};
use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxHashMap;

/// A row on both sides, as bits, so that equal rows are found: a region with a single kernel is judged once.
type Row = [Vec<Option<u64>>; 2];

/// Rows by what they are values of: all times together, and each metric.
#[derive(Debug, Default)]
pub(crate) struct Samples {
    families: IndexMap<String, IndexSet<Row>>,
}

/// What the runs say about each row.
#[derive(Debug, Default)]
pub(crate) struct Verdicts {
    families: FxHashMap<String, FxHashMap<Row, Evidence>>,
}

impl Samples {
    /// Takes a row in, if it can be judged at all.
    pub(crate) fn add(&mut self, family: &str, base: &[Option<f64>], new: &[Option<f64>]) {
        let Some(row) = row(base, new) else { return };
        match self.families.get_mut(family) {
            Some(rows) => {
                rows.insert(row);
            }
            None => {
                self.families.insert(family.to_owned(), IndexSet::from([row]));
            }
        }
    }

    pub(crate) fn judge(self) -> Verdicts {
        let families = self.families.into_iter().map(|(name, rows)| {
            let logs = |side: &Vec<Option<u64>>| -> Runs {
                side.iter().map(|bits| bits.map(|bits| f64::from_bits(bits).ln())).collect()
            };
            let measured: Vec<[Runs; 2]> =
                rows.iter().map(|row| row.each_ref().map(logs)).collect();
            (name, rows.into_iter().zip(judge(&measured)).collect())
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
        self.families.get(family)?.get(&row(base, new)?).copied()
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
