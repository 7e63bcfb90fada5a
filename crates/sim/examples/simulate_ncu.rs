//! The stand-in for ncu as a program of its own, for tests that run it beside real ncu.

use std::process::ExitCode;

fn main() -> ExitCode {
    rangescope_sim::ncu::run(std::env::args_os().skip(1).collect())
}
