//! A simulated device, for machines without a GPU.
//!
//! [`machine`] prices a kernel with a small machine model; [`metric`] gives every counter that follows; [`kernel`] makes results of a report.
//! [`ncu`] is a stand-in for ncu: it takes ncu's command line, runs the real program and prices the kernels that it announces. [`sample`] is a made-up program.
//! Everything made here names the simulator in its session record, so that every report of it says that it is simulated.

mod activity;
mod collection;
mod constants;
mod kernel;
mod machine;
mod metric;
pub mod ncu;
mod occupancy;
#[cfg(test)]
mod presets;
mod rules;
pub mod sample;
mod sections;

/// The entry in a report's versions by which the simulator names itself.
pub const PROVIDER: &str = "rangescope simulator";
/// The entry that lists the ranks of processes, as `pid:rank` with blanks between them. The format has no field for them.
pub const RANKS: &str = "rangescope ranks";
