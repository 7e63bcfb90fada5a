//! Why a command ends without success, and the exit code that says so.

use std::io;

use rangescope_config::ConfigError;
use rangescope_read::InputError;
use rangescope_regions::SelectError;
use rangescope_report::ReportError;

/// Documented exit codes.
pub(crate) mod exit {
    /// The command line or a pattern in it is wrong.
    pub(crate) const USAGE: u8 = 2;
    /// An input cannot be read.
    pub(crate) const UNREADABLE: u8 = 5;
    /// The output cannot be written.
    pub(crate) const OUTPUT: u8 = 7;
    /// A bug of ours.
    pub(crate) const BUG: u8 = 70;
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
    #[error("cannot write the output: {0}")]
    Output(#[from] io::Error),
}

impl Failure {
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Input(_) => exit::UNREADABLE,
            Self::Select(_) | Self::Config(_) | Self::Filter(_) => exit::USAGE,
            Self::Report(_) | Self::Output(_) => exit::OUTPUT,
        }
    }

    /// What the user can do about it, if the message does not say it already.
    pub(crate) fn hint(&self) -> Option<String> {
        match self {
            Self::Input(error) => Some(error.hint()),
            Self::Report(error) => error.hint().map(str::to_owned),
            Self::Select(error) => Some(error.hint()),
            Self::Config(error) => error.hint(),
            _ => None,
        }
    }

    /// Whether this is only a reader that closed its end of a pipe, which is not our failure.
    pub(crate) fn is_broken_pipe(&self) -> bool {
        matches!(self, Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }
}
