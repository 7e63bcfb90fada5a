//! Results as rows that any engine can merge, and back: see [`rangescope_model::partial`].
//!
//! A row does not depend on what else a run holds. Which weight serves a mean is decided where all rows are together, so that every one that could serve is
//! kept; and so reading reports and merging their rows give the same document.

mod distil;
mod restore;

pub use distil::{Distilled, Distillery};
pub use restore::Restorer;

use crate::aggregate::rules::recipe::Recipe;
use crate::aggregate::sum::Sum;
use crate::aggregate::tally::plan::{MeanCell, Slot, TallyPlan};
use rangescope_model::launch::Vocabulary;
use rangescope_model::partial::{Tally, Total};

/// The key of samples that are weighted by their interval.
const BY_INTERVAL: &str = "interval";
/// The key of the intervals of results that were sampled.
const SAMPLED: &str = "sampled";

/// Adds what is known of the same fact from elsewhere.
pub fn merge(ours: &mut Tally, theirs: &Tally) {
    fn pick<T: Clone>(
        ours: &mut Option<T>,
        theirs: Option<&T>,
        is_better: impl Fn(&T, &T) -> bool,
    ) {
        if let Some(theirs) = theirs
            && ours.as_ref().is_none_or(|ours| is_better(theirs, ours))
        {
            *ours = Some(theirs.clone());
        }
    }
    let add = |ours: &mut Option<Total>, theirs: Option<Total>| {
        let Some(theirs) = theirs else { return };
        let ours = ours.get_or_insert_default();
        ours.whole = ours.whole.saturating_add(theirs.whole);
        let mut sum = Sum::of_total(Total { whole: 0, ..*ours });
        sum.merge(Sum::of_total(Total { whole: 0, ..theirs }));
        let Total { whole, high, low } = sum.total();
        *ours = Total { whole: ours.whole.saturating_add(whole), high, low };
    };
    ours.count = ours.count.saturating_add(theirs.count);
    ours.part = ours.part.saturating_add(theirs.part);
    add(&mut ours.sum, theirs.sum);
    add(&mut ours.weight, theirs.weight);
    pick(&mut ours.min, theirs.min.as_ref(), |theirs, ours| theirs < ours);
    pick(&mut ours.max, theirs.max.as_ref(), |theirs, ours| theirs > ours);
    pick(&mut ours.first, theirs.first.as_ref(), |theirs, ours| theirs < ours);
    pick(&mut ours.last, theirs.last.as_ref(), |theirs, ours| theirs > ours);
}

/// The cells of means in a plan: the metric, by what, and where.
fn mean_cells(plan: &TallyPlan, vocabulary: &Vocabulary) -> Vec<(usize, String, MeanCell)> {
    let mut cells = Vec::new();
    for metric in &plan.metrics {
        let id = metric.id.0 as usize;
        match &metric.slot {
            Slot::Samples { by_interval: Some(cell), .. } => {
                cells.push((id, BY_INTERVAL.to_owned(), MeanCell::Mean(*cell)));
            }
            Slot::Mean { options, .. } => {
                let Some(name) = vocabulary.metrics.get(id) else { continue };
                let candidates = Recipe::of(name).candidates;
                cells.extend(options.iter().filter_map(|option| {
                    Some((id, candidates.get(option.candidate)?.key(), option.cell))
                }));
            }
            _ => {}
        }
    }
    cells
}
