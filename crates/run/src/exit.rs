//! Exit codes: the numbers that scripts rely on, and which error means which.

use crate::{RunEnd, RunError};

/// These numbers are part of the contract with scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum ExitCode {
    Success = 0,
    Regression = 1,
    Usage = 2,
    ProgramFailed = 3,
    ProfilerFailed = 4,
    Unreadable = 5,
    /// Nothing was profiled, and that was asked to be a failure.
    NothingProfiled = 6,
    NotWritten = 7,
    OutOfMemory = 8,
    Bug = 70,
    Interrupted = 130,
}

impl ExitCode {
    /// All codes with what they mean, as the help lists them.
    pub const ALL: [(Self, &'static str); 11] = [
        (Self::Success, "success"),
        (Self::Regression, "a comparison found a regression"),
        (Self::Usage, "wrong command line, configuration or pattern"),
        (Self::ProgramFailed, "the program failed"),
        (Self::ProfilerFailed, "the profiler failed"),
        (Self::Unreadable, "input unreadable"),
        (Self::NothingProfiled, "nothing was profiled (with --strict)"),
        (Self::NotWritten, "output cannot be written"),
        (Self::OutOfMemory, "not enough memory"),
        (Self::Bug, "a bug of rangescope"),
        (Self::Interrupted, "interrupted"),
    ];

    pub fn number(self) -> u8 {
        self as u8
    }
}

impl From<&RunError> for ExitCode {
    fn from(error: &RunError) -> Self {
        match error {
            RunError::Config(_)
            | RunError::Gate(_)
            | RunError::Launch(_)
            | RunError::LaunchOfPartials
            | RunError::MaskedProgram { .. }
            | RunError::MissingVariables { .. }
            | RunError::NoKernelList
            | RunError::NoProgram
            | RunError::NoSuchFormat { .. }
            | RunError::NoSuchKernel { .. }
            | RunError::NoSuchLaunch { .. }
            | RunError::NotTrusted { .. }
            | RunError::NothingSelected { .. }
            | RunError::NothingToDo
            | RunError::OtherProgram { .. }
            | RunError::PartialAmongOthers { .. }
            | RunError::PartialsOverlap { .. }
            | RunError::Plan(_)
            | RunError::Select(_)
            | RunError::StoredAmongOthers { .. }
            | RunError::StoredDocument { .. } => Self::Usage,
            RunError::Program(_) => Self::ProgramFailed,
            RunError::Execute(error) if error.is_about_output() => Self::NotWritten,
            RunError::Execute(_)
            | RunError::Ncu(_)
            | RunError::NsysCommand(_)
            | RunError::NothingFromNsys { .. } => Self::ProfilerFailed,
            RunError::Earlier { .. }
            | RunError::Input(_)
            | RunError::NotADocument { .. }
            | RunError::OtherVersion { .. }
            | RunError::NotAPartial { .. }
            | RunError::NotARunFolder { .. }
            | RunError::Nsys(_)
            | RunError::OfAnotherVerb { .. }
            | RunError::Ranges(_)
            | RunError::Read { .. }
            | RunError::Recording(_) => Self::Unreadable,
            RunError::FolderInUse { .. }
            | RunError::Recorder(_)
            | RunError::Report(_)
            | RunError::Write { .. } => Self::NotWritten,
            RunError::Interrupted => Self::Interrupted,
        }
    }
}

impl From<RunEnd> for ExitCode {
    fn from(end: RunEnd) -> Self {
        match end {
            RunEnd::Well => Self::Success,
            RunEnd::NothingProfiled => Self::NothingProfiled,
            RunEnd::ProgramFailed => Self::ProgramFailed,
            RunEnd::ProfilerFailed => Self::ProfilerFailed,
            RunEnd::Unreadable => Self::Unreadable,
            RunEnd::NotWritten => Self::NotWritten,
            RunEnd::Interrupted => Self::Interrupted,
        }
    }
}
