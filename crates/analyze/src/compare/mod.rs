//! The difference between two sets of runs, region by region, and gates that turn it into a verdict.
//!
//! Everything is made from the JSON contract ([`RegionDocument`](rangescope_model::document::RegionDocument)) alone. Pure: no files, no clock, no terminal.
//! What makes runs not comparable is said first; with several runs on both sides a difference counts if they show it (`statistics`).

mod comparison;
mod copies;
mod decimal;
mod delta;
mod error;
mod families;
pub mod gate;
mod kernels;
mod notes;
mod options;
mod order;
pub mod quantity;
mod ranks;
mod regions;
mod row;
mod runs;
mod sides;
mod statistics;

pub use comparison::compare;
pub use error::GateError;
pub use gate::{Gate, parse_gates};
pub use options::CompareOptions;
pub use ranks::of_ranks;
