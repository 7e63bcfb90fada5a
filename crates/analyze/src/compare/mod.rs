//! The difference between two sets of runs, region by region, and gates that turn it into a verdict.
//!
//! Everything is made from the JSON contract ([`RegionDocument`](rangescope_model::document::RegionDocument)) alone. Pure: no files, no clock, no terminal.
//! What makes runs not comparable is said first; several runs on a side give a spread, and a difference inside the spread is noise.

mod comparison;
mod delta;
mod error;
pub mod gate;
mod kernels;
mod notes;
mod options;
pub mod quantity;
mod regions;
mod row;
mod runs;

pub use comparison::compare;
pub use error::GateError;
pub use gate::{Gate, parse_gates};
pub use options::CompareOptions;
