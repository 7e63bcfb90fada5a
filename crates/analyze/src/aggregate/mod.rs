//! Attribution of GPU results to NVTX regions, and the arithmetic of rolling them up.
//!
//! The way through it is short: [`AnalysisOptions`] and the [`Vocabulary`](rangescope_model::launch::Vocabulary) of a run make an [`Analysis`]; every
//! result is [added](Partial::add) to a [`Partial`], one per thread; partials are [merged](Partial::merge) in the order of their results;
//! [`Analysis::finish`] gives the reports and what the reader should know about them.

mod advice;
mod agreement;
pub(crate) mod analysis;
mod attribute;
mod bounds;
pub(crate) mod causes;
mod constituents;
pub(crate) mod families;
mod finish;
mod given_up;
pub(crate) mod kernels;
pub mod limit;
mod normalise;
mod options;
mod partial;
pub(crate) mod place;
mod ranks;
mod rollup;
pub mod rows;
pub mod rules;
mod same_counters;
pub(crate) mod sampling;
pub(crate) mod sum;
pub(crate) mod tally;
mod traffic;
pub(crate) mod tree;

pub use analysis::Analysis;
pub use finish::Outcome;
pub use normalise::{NormaliseRule, Normaliser, PRESETS, normalisation, preset};
pub use options::{AnalysisOptions, fingerprint};
pub use partial::Partial;
pub use rules::{Explanation, NamePart, RuleRow, explain, parts_of, table};
