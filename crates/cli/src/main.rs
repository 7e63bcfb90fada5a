//! rangescope: Nsight Compute by NVTX range.

mod args;
mod commands;
mod failure;
mod flags;
mod ui;

use std::process::ExitCode;

use clap::Parser;

/// The verb that stands in for ncu on a simulated device.
pub(crate) const SIMULATED_NCU: &str = "simulate-ncu";

fn main() -> ExitCode {
    ui::install_bug_notice();
    let mut words = std::env::args_os().skip(1);
    if words.next().is_some_and(|verb| verb == SIMULATED_NCU) {
        // Its words are ncu's and none of ours: not even `--quiet`.
        return rangescope_sim::ncu::run(words.collect());
    }
    let args = args::Cli::parse();
    let ui = ui::Ui::new(&args.global);
    match commands::run(args.command, &ui) {
        Ok(code) => code,
        Err(failure) => ui::Ui::fail(&failure),
    }
}
