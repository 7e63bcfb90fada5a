//! Running a program with the NVTX recorder, and its recording as plain data.

use std::fs::{File, Metadata};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use ncu_rep::{NvtxAttributes, NvtxMessage, NvtxRange, PayloadValue};
use rangescope_capture::recorder::{self, environment};
use rangescope_read::recording::{
    Action as Event, Attributes, Payload, Process, Recording, RecordingError,
};
use rangescope_recorder::format::SIMULATE_VARIABLE;

use super::announcement::DOMAIN;
use super::program::{self, ProgramLaunch, ProgramOutcome, ProgramRunner};
use super::record::{Action, ProcessRecord, RunRecord, Step};

/// Pause between two looks at a watched program.
const LOOK: Duration = Duration::from_millis(50);

/// How folders of recordings begin that are removed when the program has ended.
const PREFIX: &str = "rangescope-sim-";
/// A folder that is younger than this may not be locked yet.
const SETTLED: Duration = Duration::from_secs(60);

/// Runs programs with the recorder.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RecordingRunner;

impl ProgramRunner for RecordingRunner {
    fn run(
        &mut self,
        launch: ProgramLaunch<'_>,
        enough: &mut dyn FnMut(u32, &RunRecord) -> bool,
    ) -> Result<ProgramOutcome, String> {
        let library = recorder::unpack().map_err(|error| error.to_string())?;
        let temporary = std::env::temp_dir();
        sweep(&temporary);
        let folder = tempfile::Builder::new()
            .prefix(PREFIX)
            .tempdir_in(&temporary)
            .map_err(|error| error.to_string())?;
        // Held as long as this process lives, and by no program that it starts.
        let _lock = lock(folder.path());
        let mut child = spawn(launch, folder.path(), &library)?;
        let pid = child.id();
        let (status, ended) = if launch.watched {
            watch(&mut child, folder.path(), enough)?
        } else {
            (child.wait().map_err(|error| error.to_string())?, false)
        };
        let code = status.code().or(status.signal()).unwrap_or(1);
        Ok(ProgramOutcome { record: read(folder.path())?, pid: Some(pid), code, ended })
    }
}

/// Locks a folder for this process, if no other has.
fn lock(folder: &Path) -> Option<File> {
    let (file, _) = fs_err::File::open(folder).ok()?.into_parts();
    file.try_lock().is_ok().then_some(file)
}

/// Removes the folders of runs that were killed. One that lives holds the lock of its folder; what cannot be removed belongs to somebody else.
fn sweep(temporary: &Path) {
    let entries = fs_err::read_dir(temporary).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| entry.file_name().as_bytes().starts_with(PREFIX.as_bytes()))
    {
        let changed =
            entry.metadata().ok().filter(Metadata::is_dir).and_then(|it| it.modified().ok());
        let age = changed.and_then(|changed| changed.elapsed().ok());
        if age.is_some_and(|age| age > SETTLED) && lock(&entry.path()).is_some() {
            let _ = fs_err::remove_dir_all(entry.path());
        }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the stand-in starts the program as ncu does, with nothing between them"
)]
fn spawn(launch: ProgramLaunch<'_>, folder: &Path, library: &Path) -> Result<Child, String> {
    let (name, arguments) = launch.argv.split_first().ok_or("there is no program")?;
    let path = program::find(name).ok_or("there is no such program")?;
    let mut command = Command::new(path);
    command.args(arguments).envs(environment(folder, library)).env(SIMULATE_VARIABLE, "1");
    if launch.null_stdin {
        command.stdin(Stdio::null());
    }
    command.spawn().map_err(|error| error.to_string())
}

/// Waits for the program to end, or ends it when `enough` has happened.
fn watch(
    child: &mut Child,
    folder: &Path,
    enough: &mut dyn FnMut(u32, &RunRecord) -> bool,
) -> Result<(ExitStatus, bool), String> {
    loop {
        if let Some(status) = child.try_wait().map_err(|error| error.to_string())? {
            return Ok((status, false));
        }
        // A recording that is being written may be unreadable for a moment; the next look will see it.
        if read(folder).is_ok_and(|record| enough(child.id(), &record)) {
            child.kill().map_err(|error| error.to_string())?;
            let status = child.wait().map_err(|error| error.to_string())?;
            return Ok((status, true));
        }
        std::thread::sleep(LOOK);
    }
}

/// Reads the recordings of a folder; a program that does not use NVTX leaves none.
fn read(folder: &Path) -> Result<RunRecord, String> {
    match Recording::open(folder) {
        Ok(recording) => Ok(RunRecord {
            processes: recording.processes.iter().map(process).collect(),
            notes: recording.notes.into_iter().map(|note| note.message).collect(),
        }),
        Err(RecordingError::Empty { .. }) => Ok(RunRecord::default()),
        Err(error) => Err(error.to_string()),
    }
}

fn process(recorded: &Process) -> ProcessRecord {
    let began = recorded.began;
    let mut steps = Vec::with_capacity(recorded.event_count());
    for event in recorded.events() {
        let domain = recorded.domains.get(event.domain).map_or("", String::as_str);
        let range = || NvtxRange {
            name: event.name.to_owned().into(),
            id: event.id,
            thread: None,
            attributes: event.attributes.map(|attributes| convert(attributes, event.name)),
        };
        let action = match event.action {
            Event::Mark if domain == DOMAIN => Action::Announce { message: event.name.to_owned() },
            // Ranges in the reserved domain have no meaning.
            _ if domain == DOMAIN => continue,
            Event::Mark => continue,
            Event::Push => Action::Push { domain: domain.to_owned(), range: range() },
            Event::Pop => Action::Pop { domain: domain.to_owned() },
            Event::Start => Action::Start { domain: domain.to_owned(), range: range() },
            Event::End => Action::End { id: event.id.unwrap_or_default() },
        };
        let thread = recorded.threads.get(event.thread).map_or(recorded.pid, |thread| thread.tid);
        let since = event.time_ns.saturating_sub(began.monotonic_ns);
        steps.push(Step { thread, time_ns: began.realtime_ns.saturating_add(since), action });
    }
    ProcessRecord {
        pid: recorded.pid,
        parent: recorded.parent,
        executable: recorded.command.first().cloned().unwrap_or_default(),
        host: recorded.host.clone(),
        rank: recorded.rank(),
        steps,
    }
}

fn convert(attributes: &Attributes, name: &str) -> NvtxAttributes<'static> {
    let payload = attributes.payload.map(|payload| match payload {
        Payload::U64(value) => (1, Some(PayloadValue::U64(value))),
        Payload::I64(value) => (2, Some(PayloadValue::I64(value))),
        Payload::F64(value) => (3, Some(PayloadValue::F64(value))),
        Payload::U32(value) => (4, Some(PayloadValue::U32(value))),
        Payload::I32(value) => (5, Some(PayloadValue::I32(value))),
        Payload::F32(value) => (6, Some(PayloadValue::F32(value))),
        // A type without its value would make a payload that no reader expects.
        Payload::Other(_) => (0, None),
    });
    NvtxAttributes {
        version: 3,
        category: attributes.category,
        color: attributes.color,
        payload,
        message: Some(NvtxMessage { kind: 1, text: Some(name.to_owned().into()), handle: None }),
    }
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;

    #[test]
    fn folders_of_runs_that_were_killed_are_swept() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = |name: &str, age: Duration| {
            let path = temporary.path().join(name);
            fs_err::create_dir(&path).unwrap();
            fs_err::write(path.join("7-0.nvtx"), "").unwrap();
            let (file, _) = fs_err::File::open(&path).unwrap().into_parts();
            file.set_modified(SystemTime::now() - age).unwrap();
            path
        };
        let old = SETTLED * 2;
        let killed = folder("rangescope-sim-killed", old);
        let kept = [
            folder("rangescope-sim-lives", old),
            folder("rangescope-sim-young", Duration::ZERO),
            folder("other", old),
        ];
        let _lives = lock(&kept[0]).unwrap();
        sweep(temporary.path());
        assert!(!killed.exists());
        assert!(kept.iter().all(|path| path.join("7-0.nvtx").exists()), "{kept:?}");
    }
}
