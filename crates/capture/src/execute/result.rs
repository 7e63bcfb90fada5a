//! What is told of a run, and what is known of it afterwards.

use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::child::{ChildError, ChildEvent, Outcome, writing_hint};
use crate::plan::Capture;

/// What is told while a plan is run.
#[derive(Debug)]
pub enum RunEvent<'a> {
    /// A capture begins; the first number is 0.
    Begun(usize, &'a Capture),
    /// Something happened to its child.
    Child(usize, ChildEvent<'a>),
    /// A capture is over, or was complete already.
    Ended(usize, &'a CaptureResult),
}

/// How a capture came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CaptureStatus {
    /// There is a report.
    Complete,
    /// There is one from before.
    Reused,
    /// ncu and the program ended well, and there is no report.
    NothingProfiled,
    /// ncu or the program failed, and there is no report.
    Failed,
    /// ncu wrote something that is no report.
    Unreadable,
    /// The user interrupted it.
    Interrupted,
    /// It was silent for too long, or took too long altogether.
    TimedOut,
    /// It was not begun.
    NotRun,
}

/// A capture that is over.
#[derive(Clone, Debug)]
pub struct CaptureResult {
    /// Its name.
    pub name: String,
    /// How it came out.
    pub status: CaptureStatus,
    /// How the child ended, if one was started.
    pub outcome: Option<Outcome>,
    /// The report, if there is one.
    pub report: Option<PathBuf>,
    /// What was written of a report that is not complete and can be read all the same. The next attempt replaces it.
    pub partial_report: Option<PathBuf>,
    /// What ncu and the program printed; the middle is left out if it is long.
    pub log: String,
    /// What could not be written down beside the report, such as the log on a full disk.
    pub problems: Vec<String>,
}

/// A run that is over.
#[derive(Clone, Debug)]
pub struct RunResult {
    /// Its captures, in order.
    pub captures: Vec<CaptureResult>,
    /// Whether the user interrupted it.
    pub interrupted: bool,
}

/// Why a plan could not be run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExecuteError {
    /// A report is there already.
    #[error("`{}` exists", path.display())]
    Exists {
        /// The report.
        path: PathBuf,
    },
    /// A file or folder cannot be written.
    #[error("cannot write `{}`: {cause}", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        cause: io::Error,
    },
    /// The program runs in a folder of its own, where a relative path would be another file.
    #[error("`{}` is relative, and the program runs in a folder of its own", path.display())]
    Relative {
        /// The report.
        path: PathBuf,
    },
    /// A child cannot be run.
    #[error(transparent)]
    Child(#[from] ChildError),
}

impl ExecuteError {
    /// What to do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Exists { .. } => {
                Some("take another folder, go on with `--resume`, or set `force_overwrite=true`")
            }
            Self::Write { cause, .. } => Some(writing_hint(cause)),
            Self::Relative { .. } => Some("plan with the full path of the folder"),
            Self::Child(error) => error.hint(),
        }
    }
}
