//! Why a command ends without success, and the exit code that says so.

use std::io;
use std::path::PathBuf;

use rangescope_config::ConfigError;
use rangescope_read::InputError;
use rangescope_regions::SelectError;
use rangescope_report::ReportError;
use rangescope_run::{RunEnd, RunError};

/// Documented exit codes.
pub(crate) mod exit {
    /// The command line or a pattern in it is wrong.
    pub(crate) const USAGE: u8 = 2;
    /// A comparison found a regression.
    pub(crate) const REGRESSION: u8 = 1;
    /// The profiled program failed.
    pub(crate) const PROGRAM: u8 = 3;
    /// The profiler failed.
    pub(crate) const PROFILER: u8 = 4;
    /// An input cannot be read.
    pub(crate) const UNREADABLE: u8 = 5;
    /// Nothing was profiled, and that was asked to be a failure.
    pub(crate) const NOTHING: u8 = 6;
    /// The output cannot be written.
    pub(crate) const OUTPUT: u8 = 7;
    /// A bug of ours.
    pub(crate) const BUG: u8 = 70;
    /// The user interrupted it.
    pub(crate) const INTERRUPTED: u8 = 130;
}

/// Why a command ended without success.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error(transparent)]
    Input(#[from] InputError),
    #[error(transparent)]
    Select(#[from] SelectError),
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Filter(#[from] ncu_rep::filter::FilterError),
    #[error(transparent)]
    Report(#[from] ReportError),
    #[error(transparent)]
    Recording(#[from] rangescope_recording::RecordingError),
    #[error(transparent)]
    Child(#[from] rangescope_capture::child::ChildError),
    #[error(transparent)]
    Nsys(#[from] rangescope_nsys::NsysError),
    #[error(transparent)]
    Run(#[from] RunError),
    #[error(transparent)]
    Plot(#[from] rangescope_plot::PlotError),
    #[error(transparent)]
    Gate(#[from] rangescope_compare::GateError),
    #[error("`{}` is no report.json of rangescope: {reason}", path.display())]
    NotADocument { path: PathBuf, reason: String },
    #[error("{0} of the gates failed")]
    Regression(usize),
    #[error("{message}")]
    Usage { message: String, hint: String },
    /// A run was made and did not come out well; what is wrong has been said already.
    #[error("{message}")]
    Ended { end: RunEnd, message: String, hint: Option<String> },
    #[error("cannot write the output: {0}")]
    Output(#[from] io::Error),
}

impl Failure {
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Input(_) | Self::Nsys(_) | Self::Recording(_) => exit::UNREADABLE,
            Self::Child(_) => exit::PROGRAM,
            Self::Gate(_) | Self::Plot(_) => exit::USAGE,
            Self::NotADocument { .. } => exit::UNREADABLE,
            Self::Regression(_) => exit::REGRESSION,
            Self::Select(_) | Self::Config(_) | Self::Filter(_) | Self::Usage { .. } => exit::USAGE,
            Self::Report(_) | Self::Output(_) => exit::OUTPUT,
            Self::Run(error) => run_code(error),
            Self::Ended { end, .. } => end_code(*end),
        }
    }

    /// What the user can do about it, if the message does not say it already.
    pub(crate) fn hint(&self) -> Option<String> {
        match self {
            Self::Input(error) => Some(error.hint()),
            Self::Report(error) => error.hint().map(str::to_owned),
            Self::Select(error) => Some(error.hint()),
            Self::Config(error) => error.hint(),
            Self::Nsys(error) => error.hint(),
            Self::Recording(error) => error.hint().map(str::to_owned),
            Self::Child(_) => Some("check the name of the program and its permissions".to_owned()),
            Self::Run(error) => error.hint(),
            Self::Usage { hint, .. } => Some(hint.clone()),
            Self::Ended { hint, .. } => hint.clone(),
            Self::Gate(error) => Some(error.hint()),
            Self::Plot(error) => error.hint(),
            Self::NotADocument { .. } => {
                Some("give what `rangescope report --format json` writes, a run folder, or a report of ncu".to_owned())
            }
            Self::Filter(_) | Self::Output(_) | Self::Regression(_) => None,
        }
    }

    /// Whether this is only a reader that closed its end of a pipe, which is not our failure.
    pub(crate) fn is_broken_pipe(&self) -> bool {
        matches!(self, Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }
}

fn run_code(error: &RunError) -> u8 {
    match error {
        RunError::Ncu(_)
        | RunError::NsysCommand(_)
        | RunError::Nsys(_)
        | RunError::NothingFromNsys { .. }
        | RunError::Execute(_) => exit::PROFILER,
        RunError::Interrupted => exit::INTERRUPTED,
        RunError::Input(_) | RunError::Earlier { .. } | RunError::NotARunFolder { .. } => {
            exit::UNREADABLE
        }
        RunError::File { .. } | RunError::Report(_) | RunError::FolderInUse { .. } => exit::OUTPUT,
        _ => exit::USAGE,
    }
}

fn end_code(end: RunEnd) -> u8 {
    match end {
        RunEnd::Well => 0,
        RunEnd::NothingProfiled => exit::NOTHING,
        RunEnd::ProgramFailed => exit::PROGRAM,
        RunEnd::ProfilerFailed => exit::PROFILER,
        RunEnd::Unreadable => exit::UNREADABLE,
        RunEnd::Interrupted => exit::INTERRUPTED,
    }
}
