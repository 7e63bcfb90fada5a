//! The life of one child: started, watched, ended.

use std::ffi::OsStr;
use std::io::{self, IsTerminal};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, SyncSender};
use std::thread::JoinHandle;
use std::time::Instant;

use fs_err::os::unix::fs::OpenOptionsExt;
use nix::sys::signal::Signal;

use super::group::Group;
use super::pump::{self, Message, Shared};
use super::signals::{InterruptGuard, Interrupts};
use super::supervise::Supervisor;
use super::watch::Watch;
use super::{ChildError, ChildEvent, ChildSpec, End, Outcome, Stdin, Stream};
use crate::files::PRIVATE;

/// When so many pieces of output wait for the callback, the child has to wait, as it would for any slow reader.
const WAITING: usize = 64;

/// Runs a child to its end and reports on it meanwhile.
///
/// A signal that interrupted the child is consumed when this returns, and so are those that followed it. One that arrives when the child has ended by itself, or before it
/// has begun, is left for whoever holds a guard.
pub fn run(spec: &ChildSpec, tell: &mut dyn FnMut(ChildEvent<'_>)) -> Result<Outcome, ChildError> {
    let guard = Interrupts::guard().map_err(ChildError::Signals)?;
    let outcome = run_guarded(spec, &guard, Supervisor::start(), tell)?;
    if outcome.interrupted.is_some() {
        // Pressing the keys again was meant for this child, not the next one.
        guard.drain();
    }
    Ok(outcome)
}

/// Like [`run`], under the caller's guard.
pub(super) fn run_guarded(
    spec: &ChildSpec,
    guard: &InterruptGuard,
    supervisor: Option<Supervisor>,
    tell: &mut dyn FnMut(ChildEvent<'_>),
) -> Result<Outcome, ChildError> {
    let [program, arguments @ ..] = spec.argv.as_slice() else { return Err(ChildError::NoProgram) };
    let logs = [open_log(spec.stdout_log.as_deref())?, open_log(spec.stderr_log.as_deref())?];
    let begun = Instant::now();
    let joined = supervisor.as_ref().map(Supervisor::group);
    let mut child = command(spec, program, arguments)
        .process_group(joined.and_then(|group| i32::try_from(group).ok()).unwrap_or(0))
        .spawn()
        .map_err(|cause| ChildError::Start { program: shown(program), cause })?;
    let group = joined.map_or_else(|| Group::of(child.id()), Group::led_by);

    let shared = Shared::default();
    let (sender, receiver) = mpsc::sync_channel(WAITING);
    let threads = read_outputs(&mut child, logs, sender, &shared).and_then(|readers| {
        let typist = child.stdin.take().map(|end| pump::feed_terminal(end, shared.clone()));
        Ok((readers, typist.transpose()?))
    });
    let (readers, typist) = threads.map_err(|cause| {
        // Nobody listens to it, and it has hardly begun.
        group.send(Signal::SIGKILL);
        let _ = child.wait();
        ChildError::Start { program: shown(program), cause }
    })?;

    let mut watch = Watch::new(spec, group, begun, readers.len());
    tell(ChildEvent::Started(child.id()));
    let ended = watch.until_exit(&mut child, &receiver, guard, tell);
    let duration = begun.elapsed();
    let left_over = watch.until_nothing_is_left(&receiver, guard, tell);
    if let Some(supervisor) = supervisor {
        supervisor.dismiss();
    }
    shared.stop();
    watch.take_rest(&receiver, tell);
    for reader in readers {
        // A thread that panicked has nothing left to deliver.
        let _ = reader.join();
    }
    if let Some(typist) = typist {
        pump::leave_to_end(typist);
    }
    let status = ended.map_err(|cause| ChildError::Wait { program: shown(program), cause })?;
    Ok(Outcome {
        end: end_of(status),
        duration,
        timed_out: watch.timed_out,
        interrupted: watch.interrupted.map(|signal| signal as i32),
        left_over,
        log_problem: shared.log_problem(),
    })
}

#[expect(clippy::disallowed_methods, reason = "this is the one place that starts processes")]
fn command(spec: &ChildSpec, program: &OsStr, arguments: &[std::ffi::OsString]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.stdin(match spec.stdin {
        Stdin::Null => Stdio::null(),
        Stdin::Own if io::stdin().is_terminal() => Stdio::piped(),
        Stdin::Own => Stdio::inherit(),
    });
    if let Some(folder) = &spec.folder {
        command.current_dir(folder);
    }
    for (name, value) in &spec.environment {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command
}

/// A thread for each output. The only senders are theirs, so that the channel ends with them.
fn read_outputs(
    child: &mut Child,
    [stdout_log, stderr_log]: [Option<fs_err::File>; 2],
    sender: SyncSender<Message>,
    shared: &Shared,
) -> io::Result<Vec<JoinHandle<()>>> {
    let mut threads = Vec::new();
    if let Some(end) = child.stdout.take() {
        let (sender, shared) = (sender.clone(), shared.clone());
        let end = pump::into_file(end);
        threads.push(pump::read_output(end, Stream::Stdout, stdout_log, sender, shared)?);
    }
    if let Some(end) = child.stderr.take() {
        let end = pump::into_file(end);
        threads.push(pump::read_output(end, Stream::Stderr, stderr_log, sender, shared.clone())?);
    }
    Ok(threads)
}

fn open_log(path: Option<&std::path::Path>) -> Result<Option<fs_err::File>, ChildError> {
    let create = |path| {
        // What a program prints is for whoever ran it.
        let mut options = fs_err::OpenOptions::new();
        options.write(true).create(true).truncate(true).mode(PRIVATE).open(path)
    };
    path.map(create).transpose().map_err(ChildError::Log)
}

fn end_of(status: ExitStatus) -> End {
    match status.code() {
        Some(code) => End::Exited(code),
        None => End::Signalled(status.signal().unwrap_or_default()),
    }
}

fn shown(program: &OsStr) -> String {
    program.to_string_lossy().into_owned()
}
