//! Attribution of GPU results to NVTX regions, and the arithmetic of rolling them up.
//!
//! Pure: no files, no clock, no environment, no terminal. The way through it is short: [`AnalysisOptions`] and the [`Vocabulary`](launch::Vocabulary) of a
//! run make an [`Analysis`]; every result is [added](Partial::add) to a [`Partial`], one per thread; partials are [merged](Partial::merge) in the order of
//! their results; [`Analysis::finish`] gives the reports and what the reader should know about them.
//!
//! How a metric is combined stands in one [`table`], and [`explain`] says it for a single metric.

mod advice;
mod agreement;
mod analysis;
mod attribute;
mod finish;
mod gathered;
mod glob;
mod kernels;
pub mod launch;
pub mod model;
mod normalise;
mod options;
mod partial;
pub mod rules;
mod safe_names;
mod select;
mod sum;
mod tally;
mod tree;

pub use analysis::Analysis;
pub use finish::Outcome;
pub use normalise::{NormaliseRule, Normaliser, PRESETS, normalisation, preset};
pub use options::{AnalysisOptions, NameBase, fingerprint};
pub use partial::Partial;
pub use rules::{Explanation, RuleRow, explain, table};
pub use safe_names::{RegionIdentity, safe_names};
pub use select::{
    NameForm, NcuCompiler, PatternForm, RegionPredicate, RegionSelector, SegmentForm, SelectError,
    SelectorForm, SelectorProblem, display_name,
};
