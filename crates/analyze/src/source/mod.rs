//! Which line and which instruction the time of a region goes to.
//!
//! Counts are kept by set (innermost regions, kernel, function) and instruction while launches come in; lines, functions and regions are made from them at the end, so that a launch costs as much as it has counts, however deep its stack is.

mod acc;
mod counters;
mod finish;
mod tally;

#[cfg(test)]
mod tests;

pub use counters::is_count;
pub use finish::Rolled;
pub use tally::{LaunchCode, PlacedLaunch, SourceTally};

use std::sync::Arc;

/// A place in the source, with the file by the map's own number.
pub type Place = (u32, u32);

/// Where something was counted: an instruction, by the number of its function, or an address of which that is not known, by the number of the reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Spot {
    Instruction { function: u32, offset: u32 },
    Unknown { reason: u32 },
}

/// From instructions to source, for functions by the numbers under which launches name them.
pub trait CodeMap {
    /// File and line.
    fn line(&self, function: u32, offset: u32) -> Option<Place>;

    /// The place that the instruction was written in and the calls that led there, the innermost first, with the names of the inlined functions that they are in.
    fn frames(&self, function: u32, offset: u32) -> Vec<(Place, Option<Arc<str>>)>;

    fn path(&self, file: u32) -> &str;

    /// The name of a function for people.
    fn name(&self, function: u32) -> Arc<str>;

    /// Why a function has no lines.
    fn no_lines(&self, function: u32) -> Option<String>;

    /// Why the instruction at an address is not known, by the number of the reason.
    fn reason(&self, reason: u32) -> String;

    /// The line of PTX that an instruction was made from.
    fn ptx(&self, function: u32, offset: u32) -> Option<String>;

    /// The instruction in words.
    fn sass(&self, function: u32, offset: u32) -> Option<String>;
}
