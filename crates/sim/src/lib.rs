//! A simulated device, for machines without a GPU.
//!
//! [`machine`] prices a kernel with a small machine model; [`sample`] is a made-up program run on it.
//! Everything made here names the simulator in its session record, so that every report of it says that it is simulated.

pub mod kernel;
pub mod machine;
pub mod sample;

/// The entry in a report's versions by which the simulator names itself.
pub const PROVIDER: &str = "rangescope simulator";
