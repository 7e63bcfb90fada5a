//! Everything about ncu's command line: which ncu this is, what it can do, the command lines built for it, and what it prints while it works.
//!
//! Nothing here runs ncu except [`probe`], which asks it for its version and its help.

mod check;
mod command;
mod error;
mod extra;
mod help;
mod kernels;
pub mod probe;
pub mod progress;

pub use command::{CaptureTarget, NcuCommand, build_ncu_cmd};
pub use error::CommandError;
pub use help::{HelpOption, parse_help, parse_listing};
pub use kernels::{KernelFilter, kernel_filter};
pub use probe::{NcuInfo, ProbeError};
