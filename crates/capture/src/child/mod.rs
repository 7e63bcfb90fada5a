//! Child processes: the only place of the workspace that starts any.
//!
//! A child gets a process group of its own, so that everything it starts can be ended with it. Its output goes to log files and to a callback while it runs;
//! an interrupt is passed on to the whole group, and a second one ends it at once. When a run is over, nothing of the group is left.

mod group;
mod pump;
mod quick;
mod run;
mod signals;
mod watch;

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

pub use quick::{QuickOutput, quick};
pub use run::run;
pub use signals::{InterruptGuard, Interrupts};

/// What to run and how.
#[derive(Clone, Debug)]
pub struct ChildSpec {
    /// The program and its arguments.
    pub argv: Vec<OsString>,
    /// Working folder; the own one if not given.
    pub folder: Option<PathBuf>,
    /// Changes to the environment: a value sets a variable, none removes it.
    pub environment: Vec<(OsString, Option<OsString>)>,
    /// What the child reads.
    pub stdin: Stdin,
    /// Where its standard output is kept.
    pub stdout_log: Option<PathBuf>,
    /// Where its standard error is kept.
    pub stderr_log: Option<PathBuf>,
    /// How long it may print nothing before it is ended; no limit if not given.
    pub silence_limit: Option<Duration>,
    /// How long it may take altogether; no limit if not given.
    pub time_limit: Option<Duration>,
    /// How long it gets to end after it was asked to, before it is killed.
    pub grace: Duration,
}

impl ChildSpec {
    /// A child with the own standard input, no logs and no limits.
    pub fn new(argv: Vec<OsString>) -> Self {
        Self {
            argv,
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

/// What a child reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stdin {
    /// What this process reads.
    Own,
    /// Nothing.
    Null,
}

/// Which of its outputs a child wrote to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// What is told while a child runs.
#[derive(Clone, Copy, Debug)]
pub enum ChildEvent<'a> {
    /// It has been started with this process id.
    Started(u32),
    /// It wrote these bytes, which may end in the middle of a line.
    Output(Stream, &'a [u8]),
    /// Some time went by; comes several times a second, for clocks and progress bars.
    Tick(Duration),
    /// An interrupt was passed on to it.
    Interrupted,
    /// It was asked to end because of a limit.
    TimedOut(Limit),
}

/// A limit of a child's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// How long it may print nothing.
    Silence,
    /// How long it may take altogether.
    Time,
}

/// How a child ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// By itself, with this exit code.
    Exited(i32),
    /// By this signal.
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

/// What is known of a child that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// How it ended.
    pub end: End,
    /// How long it took.
    pub duration: Duration,
    /// The limit that it was ended for, if it was.
    pub timed_out: Option<Limit>,
    /// The signal by which the user interrupted it, if they did.
    pub interrupted: Option<i32>,
    /// Whether something that it had started outlived it and had to be ended.
    pub left_over: bool,
    /// Why the logs are not complete, if they are not.
    pub log_problem: Option<String>,
}

impl Outcome {
    /// Whether it ended by itself with exit code 0.
    pub fn success(&self) -> bool {
        self.end == End::Exited(0) && self.timed_out.is_none() && self.interrupted.is_none()
    }
}

/// Why a child could not be run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChildError {
    /// No program was given.
    #[error("no program was given")]
    NoProgram,
    /// It could not be started.
    #[error("cannot start `{program}`: {cause}")]
    Start {
        /// The program.
        program: String,
        /// What the system says.
        cause: io::Error,
    },
    /// A log file could not be made.
    #[error("cannot make the log file: {0}")]
    Log(io::Error),
    /// Signals could not be caught.
    #[error("cannot catch signals: {0}")]
    Signals(io::Error),
    /// The system does not say how it ended.
    #[error("cannot wait for `{program}`: {cause}")]
    Wait {
        /// The program.
        program: String,
        /// What the system says.
        cause: io::Error,
    },
}

impl ChildError {
    /// What to do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NoProgram => Some("name a program"),
            Self::Start { cause, .. } => Some(match cause.kind() {
                io::ErrorKind::NotFound => {
                    "check the name; if it is a script, its interpreter may be missing"
                }
                io::ErrorKind::PermissionDenied => "make it executable (`chmod +x`)",
                _ => "check that the file is executable and made for this machine",
            }),
            Self::Log(cause) => Some(writing_hint(cause)),
            Self::Signals(_) | Self::Wait { .. } => None,
        }
    }
}

/// What to do about something that cannot be written.
pub(crate) fn writing_hint(cause: &io::Error) -> &'static str {
    match cause.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "make room on the disk, or take a folder on another one with `--out`"
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "take a folder that you may write to with `--out`"
        }
        _ => "check the permissions of the folder and the space on its disk",
    }
}
