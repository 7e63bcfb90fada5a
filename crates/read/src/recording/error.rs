//! Why a recording cannot be read.

use std::io;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordingError {
    #[error("cannot read `{}`: {cause}", path.display())]
    Io { path: PathBuf, cause: io::Error },
    #[error("no recordings in `{}`", folder.display())]
    Empty { folder: PathBuf },
    /// Something was recorded, and somebody took it away.
    #[error("the recording in `{}` was removed while the program ran", folder.display())]
    Removed { folder: PathBuf },
    #[error("`{}` {reason}", path.display())]
    NotARecording { path: PathBuf, reason: String },
}

impl RecordingError {
    pub fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Self::Empty { .. } => {
                "did the program use NVTX? It is only recorded when it is started with the variables of the recorder"
            }
            Self::Removed { .. } => {
                "record into a folder that nothing cleans up: `rangescope regions --keep DIR -- PROGRAM`"
            }
            Self::Io { .. } => "check that the path exists and that you may read it",
            Self::NotARecording { .. } => {
                "record the program again: `rangescope regions -- PROGRAM`"
            }
        })
    }
}
