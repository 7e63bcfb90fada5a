//! NVTX recordings: the files that the recorder leaves, and the tree of regions in them.
//!
//! [`Recording::open`] reads what processes wrote; [`Process::sweep`] walks the events of one in order of time with the ranges that are open at each;
//! [`regions`] makes the tree of regions.

mod error;
mod process;
mod read;
mod sweep;
mod tree;

pub use error::RecordingError;
pub use process::{Action, Attributes, Clocks, Event, Payload, Process, Stop, Thread};
pub use rangescope_recorder::format::SIMULATOR_DOMAIN;
pub use read::Recording;
pub use sweep::{OpenDomain, OpenRange, State};
pub use tree::regions;
