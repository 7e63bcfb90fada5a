//! Reasons why the model cannot run.

use std::io;

/// A reason why the model cannot run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The sizes that were asked for are larger than the kernels' index arithmetic allows.
    #[error("{what} would be {got}, at most {limit} are possible")]
    TooLarge {
        /// The quantity.
        what: &'static str,
        /// Its size for these arguments.
        got: u64,
        /// The largest possible size.
        limit: u64,
    },
    /// A library could not be loaded, or lacks a function.
    #[error("cannot load {library}: {reason}")]
    Library {
        /// The library or function.
        library: String,
        /// The loader's words.
        reason: String,
    },
    /// There is a driver and no device for it.
    #[error("the CUDA driver finds no device")]
    NoDevice,
    /// A call of the CUDA driver failed.
    #[error("{call} failed: {name} ({code})")]
    Driver {
        /// The function.
        call: &'static str,
        /// CUDA's number.
        code: i32,
        /// CUDA's name for it.
        name: String,
    },
    /// NVRTC failed.
    #[error("{call} failed: {message}")]
    Compiler {
        /// The function.
        call: &'static str,
        /// NVRTC's error and log.
        message: String,
    },
    /// A process that this one started did not succeed.
    #[error("rank {rank} ended with {status}")]
    Rank {
        /// Its number.
        rank: u32,
        /// Exit code or signal.
        status: String,
    },
    /// A thread of the model ended without a result.
    #[error("a thread ended without a result")]
    Thread,
    /// The result could not be written, or a process could not be started.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl ModelError {
    /// Advice for the user.
    pub fn hint(&self) -> Option<&'static str> {
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
