//! Child processes: the only place of the workspace that starts any.
//!
//! A child gets a process group of its own, so that everything it starts can be ended with it. Its output goes to log files and to a callback while it runs;
//! an interrupt is passed on to the whole group, and a second one ends it at once. When a run is over, nothing of the group is left, not even where this process is killed.

mod group;
mod pump;
mod quick;
mod run;
mod signals;
mod supervise;
mod watch;

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use nix::errno::Errno;

pub(crate) use quick::beginning;
pub use quick::{QuickOutput, quick, quick_with_room};
pub use run::run;
pub use signals::{InterruptGuard, Interrupts, exit_without_memory, outlive_file_limit};
pub use supervise::{supervise, supervise_with};

#[derive(Clone, Debug)]
pub struct ChildSpec {
    pub argv: Vec<OsString>,
    /// The folder of this process if not given.
    pub folder: Option<PathBuf>,
    /// Changes to the environment: a value sets a variable, none removes it.
    pub environment: Vec<(OsString, Option<OsString>)>,
    pub stdin: Stdin,
    pub stdout_log: Option<PathBuf>,
    pub stderr_log: Option<PathBuf>,
    /// How long it may print nothing before it is ended.
    pub silence_limit: Option<Duration>,
    /// How long it may take altogether.
    pub time_limit: Option<Duration>,
    /// From the request to end until it is killed.
    pub grace: Duration,
}

/// With this process' standard input, no logs and no limits.
impl Default for ChildSpec {
    fn default() -> Self {
        Self {
            argv: Vec::new(),
            folder: None,
            environment: Vec::new(),
            stdin: Stdin::Own,
            stdout_log: None,
            stderr_log: None,
            silence_limit: None,
            time_limit: None,
            grace: Duration::from_secs(10),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stdin {
    /// That of this process.
    Own,
    Null,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stream {
    Stdout,
    Stderr,
}

#[derive(Clone, Copy, Debug)]
pub enum ChildEvent<'a> {
    Started(u32),
    /// It wrote these bytes, which may end in the middle of a line.
    Output(Stream, &'a [u8]),
    /// Sent several times a second, for clocks and progress bars.
    Tick(Duration),
    Interrupted,
    TimedOut(Limit),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    Silence,
    Time,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// With this exit code.
    Exited(i32),
    Signalled(i32),
}

impl std::fmt::Display for End {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Exited(code) => write!(f, "exit code {code}"),
            Self::Signalled(signal) => write!(f, "signal {signal}"),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    pub end: End,
    pub duration: Duration,
    pub timed_out: Option<Limit>,
    pub interrupted: Option<i32>,
    /// Something that it had started outlived it and had to be ended.
    pub left_over: bool,
    pub log_problem: Option<String>,
}

impl Outcome {
    pub fn success(&self) -> bool {
        self.end == End::Exited(0) && self.timed_out.is_none() && self.interrupted.is_none()
    }
}

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChildError {
    #[error("no program was given")]
    NoProgram,
    #[error("cannot start `{program}`: {cause}")]
    Start { program: String, cause: io::Error },
    #[error("cannot make the log file: {0}")]
    Log(io::Error),
    #[error("cannot catch signals: {0}")]
    Signals(io::Error),
    #[error("cannot wait for `{program}`: {cause}")]
    Wait { program: String, cause: io::Error },
}

impl ChildError {
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NoProgram => Some("name a program"),
            Self::Start { cause, .. } => Some(starting_hint(cause)),
            Self::Log(cause) => Some(writing_hint(cause)),
            Self::Signals(_) | Self::Wait { .. } => None,
        }
    }
}

fn starting_hint(cause: &io::Error) -> &'static str {
    match cause.raw_os_error().map(Errno::from_raw) {
        Some(Errno::ENOENT) => "check the name; if it is a script, its interpreter may be missing",
        Some(Errno::EACCES | Errno::EPERM) => "make it executable (`chmod +x`)",
        Some(Errno::ENOEXEC) => "check that the file is a program and made for this machine",
        Some(Errno::EMFILE | Errno::ENFILE) => TOO_MANY_FILES,
        Some(Errno::EAGAIN) => {
            "there are too many processes and threads, or too little memory: raise the limits (`ulimit -u`, `ulimit -v`)"
        }
        Some(Errno::ENOMEM) => "there is too little memory",
        Some(Errno::E2BIG) => "the arguments or the environment are too long for this system",
        _ => "check that the program can be run without rangescope",
    }
}

const TOO_MANY_FILES: &str = "too many files are open: raise the limit (`ulimit -n`)";

/// What to do about a file that cannot be written.
pub fn writing_hint(cause: &io::Error) -> &'static str {
    match cause.kind() {
        io::ErrorKind::FileTooLarge => {
            "the file would be larger than you may make one: raise the limit (`ulimit -f`)"
        }
        _ if matches!(
            cause.raw_os_error().map(Errno::from_raw),
            Some(Errno::EMFILE | Errno::ENFILE)
        ) =>
        {
            TOO_MANY_FILES
        }
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "make room on the disk, or take a folder on another one with `--out`"
        }
        io::ErrorKind::IsADirectory | io::ErrorKind::NotADirectory => {
            "something else is in its place: move that away, or take another folder"
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "take a folder that you may write to with `--out`"
        }
        _ => "check the permissions of the folder and the space on its disk",
    }
}
