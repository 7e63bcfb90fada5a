//! Why a command ends without success.

use std::io;
use std::path::PathBuf;

use rangescope_analyze::compare::GateError;
use rangescope_capture::child::ChildError;
use rangescope_capture::recorder::RecorderError;
use rangescope_config::ConfigError;
use rangescope_model::select::SelectError;
use rangescope_read::InputError;
use rangescope_read::nsys::NsysError;
use rangescope_read::recording::RecordingError;
use rangescope_report::ReportError;
use rangescope_report::plot::PlotError;
use rangescope_run::exit::ExitCode;
use rangescope_run::{RunEnd, RunError};

/// Why a command ended without success. Nothing becomes one by being an `io::Error`: whoever reads or writes says which file it was.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error(transparent)]
    Run(#[from] RunError),
    #[error(transparent)]
    Filter(#[from] ncu_rep::filter::FilterError),
    #[error(transparent)]
    Plot(#[from] PlotError),
    #[error("{}", match .0 { 0 => "the runs are not comparable".to_owned(), gates => format!("{gates} of the gates failed") })]
    Regression(usize),
    #[error("{message}")]
    Usage { message: String, hint: String },
    /// Another failure about which more is known than it knows itself.
    #[error("{cause}")]
    Hinted { cause: Box<Self>, hint: String },
    /// A run was made and did not come out well; what is wrong has been said already.
    #[error("{message}")]
    Ended { end: RunEnd, message: String, hint: Option<String> },
    #[error("cannot write the output: {0}")]
    Output(io::Error),
}

/// What is an error of the library whoever calls it.
macro_rules! errors_of_runs {
    ($($error:ty),+ $(,)?) => {$(
        impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                Self::Run(error.into())
            }
        }
    )+};
}

errors_of_runs!(
    ChildError,
    ConfigError,
    GateError,
    InputError,
    NsysError,
    RecorderError,
    RecordingError,
    ReportError,
    SelectError,
);

impl Failure {
    /// A file that cannot be read.
    pub(crate) fn read(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |cause| Self::Run(RunError::Read { path, cause })
    }

    /// A file or folder that cannot be written.
    pub(crate) fn write(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |cause| Self::Run(RunError::Write { path, cause })
    }

    pub(crate) fn exit_code(&self) -> ExitCode {
        match self {
            Self::Run(error) => error.into(),
            Self::Filter(_) | Self::Plot(_) | Self::Usage { .. } => ExitCode::Usage,
            Self::Regression(_) => ExitCode::Regression,
            Self::Hinted { cause, .. } => cause.exit_code(),
            Self::Ended { end, .. } => (*end).into(),
            Self::Output(_) => ExitCode::NotWritten,
        }
    }

    /// What the user can do about it, if the message does not say it already.
    pub(crate) fn hint(&self) -> Option<String> {
        match self {
            Self::Run(error) => error.hint(),
            Self::Plot(error) => error.hint(),
            Self::Usage { hint, .. } | Self::Hinted { hint, .. } => Some(hint.clone()),
            Self::Ended { hint, .. } => hint.clone(),
            Self::Filter(_) | Self::Output(_) | Self::Regression(_) => None,
        }
    }
}
