//! Why a report could not be written.
//!
//! Each error names the path and its cause in one line; [`ReportError::hint`] says what the user can do about it.
//! The cause is part of the message and not a `source()`, so that a printer which walks the chain does not say it twice.

use std::io;
use std::path::PathBuf;

/// Why a report could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// A folder was wanted where something else is.
    #[error("`{}` exists and is not a folder", path.display())]
    NotAFolder {
        /// The path that is something else.
        path: PathBuf,
    },
    /// A file was wanted where a folder, device or pipe is.
    #[error("`{}` exists and is not a regular file", path.display())]
    NotAFile {
        /// The path that is something else.
        path: PathBuf,
    },
    /// A folder inside the output folder is a symbolic link, so that writing into it could leave the output folder.
    #[error("`{}` is a symbolic link; reports are only written inside the output folder", path.display())]
    SymbolicLink {
        /// The link.
        path: PathBuf,
    },
    /// A folder could not be made.
    #[error("cannot make the folder `{}`: {cause}", path.display())]
    MakeFolder {
        /// The folder.
        path: PathBuf,
        /// The error of the system.
        cause: io::Error,
    },
    /// A file could not be written.
    #[error("cannot write `{}`: {cause}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        cause: io::Error,
    },
}

impl ReportError {
    /// What the user can do about it, if that is known.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NotAFolder { .. } => Some("choose another folder, or move that file away"),
            Self::NotAFile { .. } => Some("choose another file name"),
            Self::SymbolicLink { .. } => Some("remove the link, or choose another output folder"),
            Self::MakeFolder { cause, .. } | Self::Write { cause, .. } => match cause.kind() {
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Some(
                    "the disk is full: free some space, or choose an output folder on another disk",
                ),
                io::ErrorKind::FileTooLarge => Some(
                    "the file would be larger than you may make one: raise the limit (`ulimit -f`)",
                ),
                io::ErrorKind::PermissionDenied => Some(
                    "you may not write there: choose another output folder, or change its permissions",
                ),
                io::ErrorKind::ReadOnlyFilesystem => {
                    Some("that file system is read-only: choose another output folder")
                }
                io::ErrorKind::NotFound => {
                    Some("the folder around it is gone: make it first, or choose another one")
                }
                _ => None,
            },
        }
    }
}
