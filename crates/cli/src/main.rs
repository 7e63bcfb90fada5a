//! rangescope: Nsight Compute by NVTX range.

mod args;
mod commands;
mod failure;
mod flags;
mod misplaced;
mod out;
mod selection;
mod size;
mod ui;

use std::process::ExitCode;

use clap::Parser;
use rangescope_capture::child;
use rangescope_capture::launch::RANK_VERB;
use rayon::ThreadPoolBuilder;

/// The verb that stands in for ncu on a simulated device.
pub(crate) const SIMULATED_NCU: &str = "simulate-ncu";
/// The verb of the process that ends a child when its parent was killed.
const SUPERVISE: &str = "supervise";

fn main() -> ExitCode {
    ui::install_bug_notice();
    child::outlive_file_limit();
    let mut words = std::env::args_os().skip(1);
    let verb = words.next();
    if verb.as_ref().is_some_and(|verb| verb == SUPERVISE) {
        child::supervise();
        return ExitCode::SUCCESS;
    }
    if let Ok(own) = std::env::current_exe() {
        child::supervise_with(vec![own.into_os_string(), SUPERVISE.into()]);
    }
    if verb.as_ref().is_some_and(|verb| verb == RANK_VERB) {
        // It is on every command line of ours inside a launcher, and ncu's words are in it.
        return commands::rank_exec(&words.collect::<Vec<_>>());
    }
    if verb.is_some_and(|verb| verb == SIMULATED_NCU) {
        // Its words are ncu's and none of ours: not even `--quiet`.
        return rangescope_sim::ncu::run(words.collect());
    }
    child::exit_without_memory(rangescope_run::exit::ExitCode::OutOfMemory.number());
    #[cfg(debug_assertions)]
    fail_on_purpose();
    let args = match args::Cli::try_parse() {
        Ok(args) => args,
        Err(error) => {
            let words: Vec<_> = std::env::args_os().collect();
            match misplaced::in_refused(&error, &words) {
                Some(failure) => return ui::Ui::fail(&failure),
                None => error.exit(),
            }
        }
    };
    let ui = ui::Ui::new(&args.global);
    match on_all_cores(|| commands::run(args.command, &ui)) {
        Ok(code) => code,
        Err(failure) => ui::Ui::fail(&failure),
    }
}

/// Where the system refuses threads, as it does when memory is short, the work is done by this one.
fn on_all_cores<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    if let Ok(pool) = ThreadPoolBuilder::new().build() {
        return pool.install(work);
    }
    let _alone = ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
    work()
}

/// There is no other honest way to see what a bug, or memory that runs out, looks like to users.
#[cfg(debug_assertions)]
#[expect(clippy::panic, reason = "this is the bug")]
fn fail_on_purpose() {
    match std::env::var("RANGESCOPE_TEST_FAULT").as_deref() {
        Ok("bug") => panic!("asked for by RANGESCOPE_TEST_FAULT"),
        Ok("memory") => drop(std::hint::black_box(Vec::<u8>::with_capacity(isize::MAX as usize))),
        _ => {}
    }
}
