//! The dummy model as a program of its own.

use std::process::ExitCode;

fn main() -> ExitCode {
    rangescope_dummy_model::run(std::env::args_os())
}
