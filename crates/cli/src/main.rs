//! rangescope: Nsight Compute by NVTX range.

mod args;
mod commands;
mod failure;
mod flags;
mod ui;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    ui::install_bug_notice();
    let args = args::Cli::parse();
    let ui = ui::Ui::new(&args.global);
    match commands::run(args.command, &ui) {
        Ok(code) => code,
        Err(failure) => ui::Ui::fail(&failure),
    }
}
