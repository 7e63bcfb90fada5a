//! What a user writes to choose regions, kernels, metrics, sections and scopes, and what each matches.
//!
//! Parsing happens once, when an analysis is made; every mistake is reported there with the text, the position in it and what to write instead.

mod error;
pub mod kernels;
pub mod names;
mod pattern;
pub mod ranks;
pub mod regions;
pub mod scopes;
pub mod shape;

pub use error::{SelectError, SelectorProblem};
pub use pattern::{NameForm, PatternForm, RegionSelector, SegmentForm, SelectorForm};
pub use regions::{NcuCompiler, RegionPredicate};
