//! NVTX recordings: the recorder that this program carries, the files that it leaves, and the tree of regions in them.
//!
//! [`Recorder::unpack`] puts the injection library where a child process can load it, [`environment`] gives the variables that make it do so.
//! [`Recording::open`] reads what processes wrote; [`Process::sweep`] walks the events of one in order of time with the ranges that are open at each;
//! [`regions`] makes the tree of regions, and [`view`] shows it.
//!
//! Files are other people's: lengths are checked, damage is kept as notes, nothing panics. Nothing here starts a process or prints.

mod error;
mod process;
mod read;
mod sweep;
mod tree;

pub use error::RecordingError;
pub use process::{Action, Attributes, Clocks, Event, Payload, Process, Thread};
pub use rangescope_recorder::format::SIMULATOR_DOMAIN;
pub use read::Recording;
pub use sweep::{OpenDomain, OpenRange, State};
pub use tree::regions;
