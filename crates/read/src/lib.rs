//! Every input: what becomes results or ranges, recognised by content.
//!
//! A format of results is a file and a row in [`results`], a format of ranges a file and a row in [`ranges`]. [`recording`] holds the files of the NVTX recorder, [`nsys`] the SQLite exports of Nsight Systems.
//! Files come from other people: lengths are checked, damage is kept as notes, nothing panics. Nothing here starts a process or writes a file.

mod input;
pub mod nsys;
mod open_ranges;
#[cfg(feature = "partials")]
pub mod parquet_table;
pub mod ranges;
mod rank_beside;
pub mod recording;
pub mod results;
pub mod timeline;

pub use input::{Input, InputError};
pub use open_ranges::open_ranges;

/// Gives the other name of a range; nothing where it keeps its own.
pub type Rename<'r> = &'r dyn Fn(&str) -> Option<String>;
