//! What a run reports while it goes on, and its outcome.

use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::ranks::RankResult;
use crate::child::{ChildError, ChildEvent, End, Outcome, writing_hint};
use crate::plan::Capture;

#[derive(Debug)]
pub enum RunEvent<'a> {
    /// Counted from 0.
    Begun(usize, &'a Capture),
    Child(usize, ChildEvent<'a>),
    /// Also for a capture that was complete already.
    Ended(usize, &'a CaptureResult),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CaptureStatus {
    Complete,
    /// There is a report from before.
    Reused,
    /// ncu and the program ended well, but there is no report.
    NothingProfiled,
    Failed,
    /// ncu wrote something that is no report.
    Unreadable,
    Interrupted,
    TimedOut,
    NotRun,
}

#[derive(Clone, Debug)]
pub struct CaptureResult {
    pub name: String,
    pub status: CaptureStatus,
    pub outcome: Option<Outcome>,
    pub report: Option<PathBuf>,
    /// An incomplete report that can be read all the same. The next attempt replaces it.
    pub partial_report: Option<PathBuf>,
    /// The middle is left out if it is long.
    pub log: String,
    /// What could not be written beside the report, such as the log on a full disk.
    pub problems: Vec<String>,
    /// In the order of their numbers, where each has a capture of its own.
    pub ranks: Vec<RankResult>,
}

impl CaptureResult {
    pub fn has_report(&self) -> bool {
        self.report.is_some() || self.ranks.iter().any(|rank| rank.report.is_some())
    }

    /// What ncu ran, or what was started in its place, ended with a failure.
    pub fn ended_badly(&self) -> bool {
        let ended_badly = |outcome: &Outcome| outcome.end != End::Exited(0);
        self.outcome.as_ref().is_some_and(ended_badly)
            || self.ranks.iter().any(|rank| rank.end().is_some_and(|end| end != End::Exited(0)))
    }
}

#[derive(Clone, Debug)]
pub struct RunResult {
    pub captures: Vec<CaptureResult>,
    pub interrupted: bool,
}

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExecuteError {
    #[error("`{}` exists", path.display())]
    Exists { path: PathBuf },
    #[error("cannot write `{}`: {cause}", path.display())]
    Write { path: PathBuf, cause: io::Error },
    #[error("`{}` is relative, and the program runs in a folder of its own", path.display())]
    Relative { path: PathBuf },
    #[error(transparent)]
    Child(#[from] ChildError),
}

impl ExecuteError {
    /// Whether a file or folder of the run is the problem, and not the profiler.
    pub fn is_about_output(&self) -> bool {
        !matches!(self, Self::Child(error) if !matches!(error, ChildError::Log(_)))
    }

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
