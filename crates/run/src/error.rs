//! Why a run cannot be made or finished.

use std::io;
use std::path::PathBuf;

use rangescope_capture::execute::ExecuteError;
use rangescope_capture::ncu::ProbeError;
use rangescope_capture::nsys::NsysCommandError;
use rangescope_capture::plan::PlanError;
use rangescope_config::ConfigError;
use rangescope_nsys::NsysError;
use rangescope_read::InputError;
use rangescope_recording::RecordingError;
use rangescope_regions::SelectError;
use rangescope_report::ReportError;

/// Why a run cannot be made or finished.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// Nobody said what to profile.
    #[error("no program to profile")]
    NoProgram,
    /// Both stages are off.
    #[error("nothing to do: both `pipeline.ncu.enable` and `pipeline.nsys.enable` are false")]
    NothingToDo,
    /// The folder is none of a run.
    #[error("`{}` is no run folder: it has no config.yaml and inputs.yaml", path.display())]
    NotARunFolder {
        /// The folder.
        path: PathBuf,
    },
    /// The folder of a run is not empty.
    #[error("the run folder `{}` has files already", path.display())]
    FolderInUse {
        /// The folder.
        path: PathBuf,
    },
    /// What an earlier run left cannot be used.
    #[error("`{}`: {message}", path.display())]
    Earlier {
        /// The file or folder.
        path: PathBuf,
        /// What is wrong.
        message: String,
    },
    /// A file of the run cannot be written or read.
    #[error("`{}`: {cause}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        cause: io::Error,
    },
    /// The configuration is wrong.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// There is no ncu to use.
    #[error(transparent)]
    Ncu(#[from] ProbeError),
    /// nsys cannot be used.
    #[error(transparent)]
    NsysCommand(#[from] NsysCommandError),
    /// What nsys left cannot be used.
    #[error(transparent)]
    Nsys(#[from] NsysError),
    /// nsys left no file.
    #[error("nsys wrote nothing")]
    NothingFromNsys {
        /// Where its logs are.
        folder: PathBuf,
    },
    /// A list of kernels is asked for that nobody makes.
    #[error("`pipeline.ncu.from_top_kernels=nsys` needs the nsys stage")]
    NoKernelList,
    /// The user interrupted it.
    #[error("interrupted")]
    Interrupted,
    /// No plan can be made.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A capture cannot be run.
    #[error(transparent)]
    Execute(#[from] ExecuteError),
    /// A recording cannot be read.
    #[error(transparent)]
    Recording(#[from] RecordingError),
    /// A report cannot be read.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A selection is malformed.
    #[error(transparent)]
    Select(#[from] SelectError),
    /// A report cannot be written.
    #[error(transparent)]
    Report(#[from] ReportError),
}

impl RunError {
    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        let text = |text: &str| Some(text.to_owned());
        match self {
            Self::NoProgram => text(
                "give it after `--`: rangescope profile -- python infer.py; or set pipeline.workload.command",
            ),
            Self::NothingToDo => text("set `pipeline.ncu.enable=true`"),
            Self::NotARunFolder { .. } => text("give a folder that `rangescope profile` made"),
            Self::FolderInUse { .. } => text(
                "go on with it by `--resume`, choose another with `--out`, or set `pipeline.ncu.ncu_cli.force_overwrite=true`",
            ),
            Self::Earlier { .. } => None,
            Self::File { .. } => {
                text("check the permissions of the folder and the space on its disk")
            }
            Self::Config(error) => error.hint(),
            Self::Ncu(error) => text(error.hint()),
            Self::NsysCommand(error) => Some(error.hint()),
            Self::Nsys(error) => error.hint(),
            Self::NothingFromNsys { folder } => Some(format!(
                "its logs are in {}; `rangescope doctor` looks for the usual reasons",
                folder.display()
            )),
            Self::NoKernelList => text(
                "set `pipeline.nsys.enable=true`, or name a file that `rangescope top-kernels` wrote",
            ),
            Self::Interrupted => text("go on with `--resume`"),
            Self::Plan(error) => error.hint(),
            Self::Execute(error) => error.hint().map(str::to_owned),
            Self::Recording(error) => error.hint().map(str::to_owned),
            Self::Input(error) => Some(error.hint()),
            Self::Select(error) => Some(error.hint()),
            Self::Report(error) => error.hint().map(str::to_owned),
        }
    }
}
