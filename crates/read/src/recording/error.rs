//! Why a recording cannot be read.

use std::io;
use std::path::PathBuf;

/// Why a recording cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordingError {
    /// The system refused something.
    #[error("cannot read `{}`: {cause}", path.display())]
    Io {
        /// What it was about.
        path: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
    /// A folder without a single recording.
    #[error("no recordings in `{}`", folder.display())]
    Empty {
        /// The folder.
        folder: PathBuf,
    },
    /// A file that is not a recording, or one that cannot be read at all.
    #[error("`{}` {reason}", path.display())]
    NotARecording {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}

impl RecordingError {
    /// What the user can do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Empty { .. } => Some(
                "did the program use NVTX? It is only recorded when it is started with the variables of the recorder",
            ),
            Self::Io { .. } | Self::NotARecording { .. } => None,
        }
    }
}
