//! Running captures: one after another, each report under its final name only when it is complete.
//!
//! A run that was cut off can be resumed: captures whose report is there and whose command line is still the same are not run again. Whatever happens, the
//! program's output, ncu's log and how it all ended are kept, for the user alone; what looks secret in command lines is masked.

mod ranks;
mod record;
mod result;

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use crate::child::{ChildError, ChildEvent, ChildSpec, End, Interrupts, Outcome};
use crate::files::{PRIVATE, is_report, make_private, make_private_folder, read_ends, write_whole};
use crate::plan::{Capture, command_line};
use rangescope_config::{MASK, Secrets};
use ranks::reports_of;
pub use ranks::{RankResult, RankState};
use record::Record;
pub use result::{CaptureResult, CaptureStatus, ExecuteError, RunEvent, RunResult};

/// How much of a log is kept in memory.
const MOST_LOG: u64 = 512 * 1024;

#[derive(Clone, Debug, Default)]
pub struct ExecuteOptions {
    /// Leave captures that are complete as they are.
    pub resume: bool,
    /// Replace reports that exist.
    pub force: bool,
    /// What is not written down.
    pub secrets: Secrets,
    /// How each capture is run, which adds its own command line and logs. With a folder here, the plan has to be made with full paths.
    pub child: ChildSpec,
}

/// Runs one child to its end: [`child::run`](crate::child::run), or something in its place in tests.
pub type Runner<'r> =
    dyn FnMut(&ChildSpec, &mut dyn FnMut(ChildEvent<'_>)) -> Result<Outcome, ChildError> + 'r;

pub fn execute(
    captures: &[Capture],
    options: &ExecuteOptions,
    runner: &mut Runner<'_>,
    tell: &mut dyn FnMut(RunEvent<'_>),
) -> Result<RunResult, ExecuteError> {
    prepare(captures, options)?;
    // Held over all captures, so that an interrupt between two of them is not lost.
    let guard = Interrupts::guard().map_err(ChildError::Signals)?;
    let mut run = RunResult { captures: Vec::new(), interrupted: false };
    for (index, capture) in captures.iter().enumerate() {
        run.interrupted |= guard.take().is_some();
        let result = if run.interrupted {
            without_child(capture, &options.secrets, CaptureStatus::NotRun)
        } else if options.resume && Record::matches(capture, &options.secrets) {
            without_child(capture, &options.secrets, CaptureStatus::Reused)
        } else {
            tell(RunEvent::Begun(index, capture));
            run_capture(capture, options, runner, &mut |event| tell(RunEvent::Child(index, event)))?
        };
        run.interrupted |= result.status == CaptureStatus::Interrupted;
        tell(RunEvent::Ended(index, &result));
        run.captures.push(result);
    }
    // An interrupt after the last capture matters to whatever follows the captures.
    run.interrupted |= guard.take().is_some();
    Ok(run)
}

/// Makes the folders, refuses to overwrite reports, and writes the command lines down.
fn prepare(captures: &[Capture], options: &ExecuteOptions) -> Result<(), ExecuteError> {
    let is_relative =
        |capture: &&Capture| options.child.folder.is_some() && capture.report.is_relative();
    if let Some(capture) = captures.iter().find(is_relative) {
        return Err(ExecuteError::Relative { path: capture.report.clone() });
    }
    let exists = |capture: &&Capture| {
        // What an interrupted run has left of some ranks is made again with the others.
        !reports_of(capture).is_empty()
            && !(options.resume && (capture.inside || Record::matches(capture, &options.secrets)))
    };
    if let Some(capture) = captures.iter().find(exists).filter(|_| !options.force) {
        return Err(ExecuteError::Exists { path: capture.report.clone() });
    }
    for folder in captures.iter().filter_map(|capture| capture.report.parent()) {
        let cannot = |cause| ExecuteError::Write { path: folder.to_owned(), cause };
        make_private_folder(folder).map_err(cannot)?;
    }
    if let Some(folder) = captures.first().and_then(|capture| capture.report.parent()) {
        let commands = captures.iter().map(|capture| (capture.name.as_str(), &*capture.argv));
        let text = commands_text(commands, &options.secrets);
        write(&folder.join("cmd.txt"), text.as_bytes())?;
    }
    Ok(())
}

/// The text of `cmd.txt`: command lines to copy, each with its name, and a word on what was masked.
pub fn commands_text<'c>(
    commands: impl Iterator<Item = (&'c str, &'c [OsString])>,
    secrets: &Secrets,
) -> String {
    let lines = commands
        .map(|(name, argv)| format!("# {name}\n{}\n", command_line(&secrets.mask_arguments(argv))));
    let lines: String = lines.collect();
    let note = if lines.contains(MASK) {
        format!("# {MASK} stands for what looks secret\n")
    } else {
        String::new()
    };
    note + &lines
}

fn run_capture(
    capture: &Capture,
    options: &ExecuteOptions,
    runner: &mut Runner<'_>,
    tell: &mut dyn FnMut(ChildEvent<'_>),
) -> Result<CaptureResult, ExecuteError> {
    // Left by an earlier attempt; ncu would refuse to overwrite it.
    for stale in [&capture.partial_report, &Record::path(capture)] {
        remove(stale)?;
    }
    for stale in ranks::files_of(capture) {
        remove(&stale)?;
    }
    let (stdout_log, stderr_log) = (log_path(capture, "stdout"), log_path(capture, "stderr"));
    let spec = ChildSpec {
        argv: capture.argv.clone(),
        stdout_log: Some(stdout_log.clone()),
        stderr_log: Some(stderr_log.clone()),
        ..options.child.clone()
    };
    let begun = jiff::Timestamp::now();
    let outcome = runner(&spec, tell)?;
    if capture.partial_report.is_file() {
        make_private(&capture.partial_report);
    }
    let ranks = ranks::collect(capture, &options.secrets, &outcome);
    let status =
        if capture.inside { ranks::status(&ranks, &outcome) } else { status_of(capture, &outcome) };
    let report = if status == CaptureStatus::Complete && !capture.inside {
        fs_err::rename(&capture.partial_report, &capture.report)
            .map_err(|cause| ExecuteError::Write { path: capture.report.clone(), cause })?;
        Some(capture.report.clone())
    } else {
        None
    };
    // Without its record a capture is repeated one day, which is no reason to give up the others now.
    let record = Record::new(capture, &options.secrets, status, &outcome, begun)
        .write(&Record::path(capture));
    let log_problem = outcome.log_problem.as_ref().map(|problem| format!("the log: {problem}"));
    let problems = log_problem.into_iter().chain(record.err().map(|error| error.to_string()));
    // A log that cannot be read any more explains nothing, but loses nothing either.
    let log = [&stdout_log, &stderr_log]
        .map(|path| read_ends(path, MOST_LOG).unwrap_or_default())
        .concat();
    Ok(CaptureResult {
        name: capture.name.clone(),
        status,
        report,
        partial_report: Some(&capture.partial_report).filter(|path| is_report(path)).cloned(),
        log,
        problems: problems.collect(),
        outcome: Some(outcome),
        ranks,
    })
}

/// ncu's exit code says how the program ended; only the report says whether anything was profiled.
fn status_of(capture: &Capture, outcome: &Outcome) -> CaptureStatus {
    if outcome.interrupted.is_some() {
        return CaptureStatus::Interrupted;
    }
    if outcome.timed_out.is_some() {
        return CaptureStatus::TimedOut;
    }
    if !capture.partial_report.exists() {
        let ended_well = outcome.end == End::Exited(0);
        return if ended_well { CaptureStatus::NothingProfiled } else { CaptureStatus::Failed };
    }
    if is_report(&capture.partial_report) {
        CaptureStatus::Complete
    } else {
        CaptureStatus::Unreadable
    }
}

fn without_child(capture: &Capture, secrets: &Secrets, status: CaptureStatus) -> CaptureResult {
    let is_reused = status == CaptureStatus::Reused;
    let report = (is_reused && !capture.inside).then(|| capture.report.clone());
    CaptureResult {
        name: capture.name.clone(),
        status,
        outcome: None,
        report,
        partial_report: None,
        log: String::new(),
        problems: Vec::new(),
        ranks: if is_reused { ranks::found(capture, secrets) } else { Vec::new() },
    }
}

fn log_path(capture: &Capture, stream: &str) -> PathBuf {
    capture.report.with_file_name(format!("{}.{stream}.log", capture.name))
}

fn remove(path: &Path) -> Result<(), ExecuteError> {
    match fs_err::remove_file(path) {
        Err(cause) if cause.kind() != io::ErrorKind::NotFound => {
            Err(ExecuteError::Write { path: path.to_owned(), cause })
        }
        _ => Ok(()),
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), ExecuteError> {
    write_whole(path, bytes, PRIVATE)
        .map_err(|cause| ExecuteError::Write { path: path.to_owned(), cause })
}
