//! Launchers: programs that start the same program many times, each copy with a rank.
//!
//! ncu around a launcher sees only what the launcher starts on its own machine, and makes one report of all ranks; with `srun` it sees nothing, because another
//! process starts the tasks. So the profiler goes to the inside: the launcher starts `rangescope rank-exec`, and that starts ncu. Here is the table of what is known of
//! launchers, and where in their arguments the program begins. Pure.

mod program;
mod table;

use std::ffi::OsString;

use rangescope_recorder::format;

pub use rangescope_model::select::ranks::{RankSelection, RanksError};
pub use table::{LAUNCHERS, Launcher};

/// The verb that a rank begins with.
pub const RANK_VERB: &str = "rank-exec";

/// How many ranks there are where this process is one of them; `variable` gives the value of an environment variable.
pub fn world_size(variable: impl Fn(&str) -> Option<String>) -> Option<u32> {
    format::number_of(|launcher| launcher.size, |name| variable(name)?.trim().parse().ok())
}

/// A command line of a launcher, taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    pub launcher: &'static Launcher,
    /// What starts the ranks, up to the program.
    pub words: Vec<OsString>,
    /// What each rank is.
    pub program: Vec<OsString>,
    /// Where in the program the rank puts `--local_rank=N`, because the launcher would.
    pub local_rank_at: Option<usize>,
}

/// Why it is not known what a launcher starts.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LaunchError {
    #[error(
        "`{option}` is not in the table of `{launcher}`'s options, so it is not known whether a value follows it and where the program begins"
    )]
    UnknownOption { launcher: &'static str, option: String },
    #[error("`{launcher}` is given no program")]
    NoProgram { launcher: &'static str },
    #[error("`{option}` of `{launcher}` {what}")]
    Elsewhere { launcher: &'static str, option: String, what: &'static str },
    #[error(transparent)]
    Ranks(#[from] RanksError),
    #[error("there is no launcher in the program: {program}")]
    NoLauncher { program: String },
    #[error("{what} needs {needs}")]
    Needs { what: &'static str, needs: &'static str },
}

impl LaunchError {
    pub fn hint(&self) -> String {
        match self {
            Self::UnknownOption { .. } => {
                "write `--` before the program: mpirun OPTIONS -- PROGRAM; or put one ncu around the launcher with `--outside`"
            }
            Self::NoProgram { .. } => "give the program after the launcher's options",
            Self::Elsewhere { .. } => {
                "start the programs in runs of their own, or put one ncu around the launcher with `--outside`"
            }
            Self::Ranks(error) => return error.hint().to_owned(),
            Self::NoLauncher { .. } => {
                "begin the program with the launcher (mpirun -n 4 ./app), or leave out what is about ranks"
            }
            Self::Needs { .. } => "add it, or choose something else for `pipeline.ncu.collectives`",
        }
        .to_owned()
    }
}

impl Launch {
    /// Takes apart a command line that begins with this launcher.
    pub fn split(launcher: &'static Launcher, command: &[OsString]) -> Result<Self, LaunchError> {
        program::split(launcher, command)
    }
}
