//! The binary as its users see it.

#![expect(
    clippy::disallowed_methods,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "tests fail by panicking, say what they skip, and start programs"
)]

mod compare;
mod documents;
mod end_to_end;
mod errors;
mod exports;
mod hostile;
mod install;
mod kernel;
mod partials;
mod plan;
mod profile_real;
mod ranks;
mod regions;
mod report;
mod right;
mod run_folder;
mod source;
mod sql;
mod support;
mod values;
mod verbs;
mod workflows;
