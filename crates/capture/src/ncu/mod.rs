//! Everything about ncu's command line: which ncu this is, what it can do, the command lines built for it, and what it prints while it works.
//!
//! Nothing here runs ncu except [`probe`], which asks it for its version and its help.

mod check;
mod command;
mod error;
mod extra;
mod features;
mod help;
mod kernels;
mod lenient;
mod options;
mod pinned;
pub mod probe;
pub mod progress;
mod read;
mod values;
mod version;
mod words;

pub use command::{CaptureTarget, NcuCommand, build_ncu_cmd};
pub use error::CommandError;
pub use features::{FEATURES, Feature};
pub use help::{HelpOption, parse_help, parse_listing};
pub use kernels::{KernelFilter, kernel_filter};
pub use options::{ExportOptions, NcuOptions, NvtxOptions};
pub use pinned::Pinned;
pub use probe::{NcuInfo, ProbeError};
pub use read::OptionsError;
pub use values::*;
pub use version::Version;
