//! A stand-in for ncu on machines without a GPU.
//!
//! It takes the command line of ncu 2024.1, refuses what real ncu refuses in the same words and with the same exit code, runs the real program with a real
//! NVTX recording, takes the kernels that the program announces (see `announcement`), applies ncu's filters and replay modes, and writes a real report with the
//! numbers of the machine model. It says what it is in its log, in its version and in every report.
//!
//! Nothing is repeated: the passes in its log are those that a device would need. Only what is asked for is collected, without the further roll-ups that newer
//! versions of ncu add.

mod announcement;
mod export;
mod fault;
mod filters;
mod listing;
mod log;
mod options;
mod parse;
mod pattern;
mod program;
pub mod record;
mod recorded;
mod refusal;
mod request;
mod results;
mod select;
mod session;
mod settings;
#[cfg(test)]
mod testing;
mod timeline;

pub use program::{ProgramLaunch, ProgramOutcome, ProgramRunner};
pub use session::{run, run_with};
