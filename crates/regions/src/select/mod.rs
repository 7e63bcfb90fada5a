//! What a user writes to choose regions, kernels, metrics, sections and scopes, and what each matches.
//!
//! Parsing happens once, when an analysis is made; every mistake is reported there with the text, the position in it and what to write instead.

mod error;
pub(crate) mod kernels;
pub(crate) mod names;
pub(crate) mod nearest;
mod pattern;
pub(crate) mod regions;
pub(crate) mod scopes;

pub use error::{SelectError, SelectorProblem};
pub use pattern::{NameForm, PatternForm, RegionSelector, SegmentForm, SelectorForm, display_name};
pub use regions::{NcuCompiler, RegionPredicate};
