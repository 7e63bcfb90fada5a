//! Accumulating metric values of many results into few numbers, and turning those into summaries.
//!
//! A [`plan::TallyPlan`] binds the rule table to the metrics of a run once; [`cells::Tallies`] are plain arrays of numbers that follow the plan, so that
//! adding a result is a handful of tight loops; [`numbers::Numbers`] keep results as they came where that is smaller; [`summary`] reads the outcome.

mod bind;
pub(crate) mod cells;
mod made;
pub(crate) mod numbers;
pub(crate) mod plan;
pub(crate) mod summary;
