//! One file a verb.

mod advice;
mod compare;
mod completions;
mod config;
mod demo;
mod doctor;
mod dump;
mod export;
mod job;
mod kernel;
mod man;
mod merge;
mod metrics;
mod partial;
mod plan;
mod plot;
mod profile;
mod rank;
mod regions;
mod report;
mod sample;
mod schema;
pub(crate) mod source;
mod sql;
mod top_kernels;

use std::process::ExitCode;

pub(crate) use rank::rank_exec;

use crate::args::Command;
use crate::failure::Failure;
use crate::ui::Ui;

/// Runs a command. The programs that are part of rangescope have exit codes of their own.
pub(crate) fn run(command: Command, ui: &Ui) -> Result<ExitCode, Failure> {
    match command {
        Command::Profile(args) => profile::run(&args, ui),
        Command::Plan(args) => plan::run(&args, ui),
        Command::Doctor(args) => return doctor::run(&args),
        Command::Report(args) => report::run(&args, ui),
        Command::Regions(args) => return regions::run(&args, ui),
        Command::Demo(args) => demo::run(&args, ui),
        Command::Kernel(args) => kernel::run(&args, ui),
        Command::Plot(args) => plot::run(&args, ui),
        Command::Advice(args) => advice::run(&args, ui),
        Command::Source(args) => source::run(&args, ui),
        Command::Compare(args) => compare::run(&args, ui),
        Command::TopKernels(args) => top_kernels::run(&args, ui),
        Command::Dump(args) => dump::run(&args, ui),
        Command::Export(args) => export::run(&args, ui),
        Command::Sql(args) => sql::run(&args, ui),
        Command::Partial(args) => partial::run(&args, ui),
        Command::Merge(args) => merge::run(&args, ui),
        Command::Metrics(command) => metrics::run(&command),
        Command::Config(command) => config::run(&command, ui),
        Command::Schema { of } => schema::run(of),
        Command::Sample(args) => sample::run(&args, ui),
        Command::DummyModel(args) => return Ok(rangescope_dummy_model::run_with(&args)),
        Command::Completions { shell } => completions::run(shell),
        Command::Man { out } => man::run(&out, ui),
    }
    .map(|()| ExitCode::SUCCESS)
}
