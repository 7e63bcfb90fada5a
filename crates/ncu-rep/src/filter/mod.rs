//! ncu's own NVTX filter language: the expressions that `--nvtx-include` and `--nvtx-exclude` take.
//!
//! The rules are those of the command line tool, oddities included, because the same expression must select the same results at capture and when a finished report is filtered.
//! Regular expressions are Boost's in ncu; `boost` turns them into this crate's engine, which has no look-around and no back-references but never takes exponential time.
//! Nothing here knows rangescope's own region patterns.

mod boost;
mod error;
mod expression;
mod matching;
mod selection;
mod syntax;
#[cfg(test)]
mod tests;

pub use error::{FilterError, FilterProblem};
pub use expression::Expression;
pub use selection::NvtxFilter;
