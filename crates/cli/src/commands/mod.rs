//! One file a verb.

mod completions;
mod config;
mod dump;
mod export;
mod metrics;
mod report;
mod sample;
mod schema;

use crate::args::Command;
use crate::failure::Failure;
use crate::ui::Ui;

/// Runs a command.
pub(crate) fn run(command: Command, ui: &Ui) -> Result<(), Failure> {
    match command {
        Command::Report(args) => report::run(&args, ui),
        Command::Dump(args) => dump::run(&args, ui),
        Command::Export(args) => export::run(&args, ui),
        Command::Metrics(command) => metrics::run(&command),
        Command::Config(command) => config::run(&command, ui),
        Command::Schema => schema::run(),
        Command::Sample(args) => sample::run(&args, ui),
        Command::Completions { shell } => completions::run(shell),
    }
}
