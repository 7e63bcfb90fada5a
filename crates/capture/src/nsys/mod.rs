//! Everything about nsys' command line: which nsys this is, what it can trace, and the command lines built for it.
//!
//! Nothing here runs nsys except [`NsysInfo::probe`], which asks it for its version and its help.

mod command;
mod error;
mod extra;
mod probe;
mod ranks;

pub(crate) use command::output_option;
pub use command::{export_argv, profile_argv, report_files};
pub use error::NsysCommandError;
pub use probe::NsysInfo;
pub use ranks::capture_of_ranks;

#[cfg(test)]
mod tests;
