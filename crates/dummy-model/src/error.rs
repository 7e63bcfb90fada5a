//! Reasons why the model cannot run.

use std::io;

#[derive(Debug, thiserror::Error)]
pub(crate) enum ModelError {
    /// The kernels' index arithmetic has 32 bits.
    #[error("{what} would be {got}, at most {limit} are possible")]
    TooLarge { what: &'static str, got: u64, limit: u64 },
    #[error("cannot load {library}: {reason}")]
    Library { library: String, reason: String },
    #[error("the CUDA driver finds no device")]
    NoDevice,
    #[error("{call} failed: {name} ({code})")]
    Driver { call: &'static str, code: i32, name: String },
    #[error("{call} failed: {message}")]
    Compiler { call: &'static str, message: String },
    #[error("rank {rank} ended with {status}")]
    Rank { rank: u32, status: String },
    #[error("a thread ended without a result")]
    Thread,
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl ModelError {
    pub(crate) fn hint(&self) -> Option<&'static str> {
        match self {
            Self::TooLarge { .. } => Some("choose a smaller --batch, --size or --channels"),
            Self::Library { library, .. } if library.contains("nvrtc") => Some(
                "name NVRTC's library with --nvrtc PATH; it is part of CUDA and of the Python package nvidia-cuda-nvrtc-cu12",
            ),
            Self::Library { .. } | Self::NoDevice => {
                Some("--device cpu and --device sim need no GPU")
            }
            Self::Driver { .. } | Self::Compiler { .. } => {
                Some("--device cpu computes the same without a GPU")
            }
            Self::Rank { .. } | Self::Thread | Self::Io(_) => None,
        }
    }
}
