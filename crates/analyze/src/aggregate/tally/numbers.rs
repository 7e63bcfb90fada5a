//! The metric values of a set of results, held as whichever is smaller: the results as they came, or cells.
//!
//! Cells are there for every metric of the plan. In a run where every launch has a bucket of its own, or where results have few of very many metrics, they would take many times the memory of what was measured.

use super::cells::Tallies;
use super::plan::{ResultValues, TallyPlan};
use rangescope_model::launch::{Launch, MetricId};
use std::borrow::Cow;

/// Cells are faster: several results are kept as they came only if that takes this many times less.
const WORTH_KEEPING: usize = 4;

#[derive(Clone, Debug, Default)]
pub(crate) enum Numbers {
    /// No result has a number.
    #[default]
    None,
    Few(Vec<KeptResult>),
    Many(Box<Tallies>),
}

/// The numbers of one result, and those of them that are large with every digit.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeptResult {
    numbers: Box<[(MetricId, f64)]>,
    large: Box<[(MetricId, u64)]>,
}

impl KeptResult {
    fn bytes(&self) -> usize {
        size_of::<Self>() + size_of_val(&*self.numbers) + size_of_val(&*self.large)
    }
}

impl Numbers {
    /// Adds the result in the scratch space, for which the plan has been prepared.
    pub(crate) fn add(
        &mut self,
        plan: &TallyPlan,
        scratch: &mut ResultValues,
        launch: &Launch<'_>,
    ) {
        if launch.numbers.is_empty() && launch.large.is_empty() {
            return;
        }
        if let Self::Many(tallies) = self {
            return tallies.add(plan, scratch);
        }
        let kept = self.kept().iter().map(KeptResult::bytes).sum();
        let more =
            size_of::<KeptResult>() + size_of_val(launch.numbers) + size_of_val(launch.large);
        if is_worth_keeping(plan, kept, more) {
            let (numbers, large) = (launch.numbers.into(), launch.large.into());
            self.keep(KeptResult { numbers, large });
            return;
        }
        let mut tallies = Box::new(Tallies::new(plan));
        tallies.add(plan, scratch);
        if !self.kept().is_empty() {
            scratch.clear(launch.numbers);
            add_rows(&mut tallies, plan, scratch, self.kept());
            scratch.load(launch.numbers, launch.large);
        }
        *self = Self::Many(tallies);
    }

    /// Adds another set by way of an empty scratch space.
    pub(crate) fn merge(&mut self, plan: &TallyPlan, scratch: &mut ResultValues, other: &Self) {
        match (&mut *self, other) {
            (_, Self::None) => {}
            (Self::None, other) => *self = other.clone(),
            (Self::Many(tallies), Self::Many(others)) => tallies.merge(others),
            (Self::Many(tallies), Self::Few(rows)) => {
                add_rows(tallies, plan, scratch, rows);
            }
            (Self::Few(ours), Self::Few(theirs)) => {
                let bytes = |rows: &[KeptResult]| rows.iter().map(KeptResult::bytes).sum::<usize>();
                if is_worth_keeping(plan, bytes(ours), bytes(theirs)) {
                    ours.extend_from_slice(theirs);
                    return;
                }
                let mut tallies = other.tallies(plan, scratch).into_owned();
                add_rows(&mut tallies, plan, scratch, ours);
                *self = Self::Many(Box::new(tallies));
            }
            (Self::Few(rows), Self::Many(others)) => {
                let mut tallies = others.clone();
                add_rows(&mut tallies, plan, scratch, rows);
                *self = Self::Many(tallies);
            }
        }
    }

    /// The values as cells.
    pub(crate) fn tallies(&self, plan: &TallyPlan, scratch: &mut ResultValues) -> Cow<'_, Tallies> {
        if let Self::Many(tallies) = self {
            return Cow::Borrowed(tallies);
        }
        let mut tallies = Tallies::new(plan);
        add_rows(&mut tallies, plan, scratch, self.kept());
        Cow::Owned(tallies)
    }

    fn kept(&self) -> &[KeptResult] {
        if let Self::Few(rows) = self { rows } else { &[] }
    }

    fn keep(&mut self, row: KeptResult) {
        match self {
            Self::Few(rows) => rows.push(row),
            _ => *self = Self::Few(vec![row]),
        }
    }
}

/// Whether results of so many bytes are kept as they came when so many bytes more are added.
fn is_worth_keeping(plan: &TallyPlan, kept: usize, more: usize) -> bool {
    let cells = Tallies::bytes(plan);
    if kept == 0 { more <= cells } else { (kept + more).saturating_mul(WORTH_KEEPING) <= cells }
}

/// Adds kept results by way of an empty scratch space.
fn add_rows(
    tallies: &mut Tallies,
    plan: &TallyPlan,
    scratch: &mut ResultValues,
    rows: &[KeptResult],
) {
    for row in rows {
        scratch.load(&row.numbers, &row.large);
        plan.prepare(scratch);
        tallies.add(plan, scratch);
        scratch.clear(&row.numbers);
    }
}
