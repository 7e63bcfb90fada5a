//! From files to a region report: opens inputs, feeds their results to the analysis in parallel, and puts the document together.
//!
//! This is the edge between formats and the pure analysis. Results are decoded in chunks and forgotten; nothing here grows with the file but the summaries.

mod input;
pub mod nsys;
pub mod recording;

pub use input::{Content, Input, InputError};
