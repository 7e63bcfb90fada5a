//! Why a run cannot be made or finished.

use std::io;
use std::path::PathBuf;

use rangescope_analyze::compare::GateError;
use rangescope_capture::child::ChildError;
use rangescope_capture::execute::ExecuteError;
use rangescope_capture::ncu::ProbeError;
use rangescope_capture::nsys::NsysCommandError;
use rangescope_capture::plan::PlanError;
use rangescope_capture::recorder::RecorderError;
use rangescope_config::ConfigError;
use rangescope_model::nearest::nearest;
use rangescope_model::select::SelectError;
use rangescope_read::InputError;
use rangescope_read::nsys::NsysError;
use rangescope_read::recording::RecordingError;
use rangescope_report::{FORMATS, ReportError};

/// Why a run cannot be made or finished.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// Nobody said what to profile.
    #[error("no program to profile")]
    NoProgram,
    /// A format that runs do not have.
    #[error("`pipeline.report.formats`: there is no format `{name}` for a run folder")]
    NoSuchFormat {
        /// What was asked for.
        name: String,
    },
    /// Both stages are off.
    #[error("nothing to do: both `pipeline.ncu.enable` and `pipeline.nsys.enable` are false")]
    NothingToDo,
    /// The folder does not belong to a run.
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
    /// A file cannot be read.
    #[error("cannot read `{}`: {cause}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        cause: io::Error,
    },
    /// A file or folder cannot be written.
    #[error("cannot write `{}`: {cause}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system says.
        cause: io::Error,
    },
    /// A JSON file that is not one of ours.
    #[error("`{}` is no report.json of rangescope: {reason}", path.display())]
    NotADocument {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
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
    /// The program cannot be started.
    #[error(transparent)]
    Program(#[from] ChildError),
    /// The NVTX recorder cannot be put into place.
    #[error(transparent)]
    Recorder(#[from] RecorderError),
    /// A gate of a comparison is malformed.
    #[error(transparent)]
    Gate(#[from] GateError),
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
            Self::NoSuchFormat { name } => {
                let known = FORMATS.iter().filter(|format| format.folder.is_some());
                let known: Vec<&str> = known.map(|format| format.name).collect();
                let meant = nearest(name, known.iter().copied());
                let meant = meant.map(|meant| format!("did you mean `{meant}`? "));
                Some(format!("{}There are {}", meant.unwrap_or_default(), known.join(", ")))
            }
            Self::NothingToDo => text("set `pipeline.ncu.enable=true`"),
            Self::NotARunFolder { .. } => text("give a folder that `rangescope profile` made"),
            Self::FolderInUse { .. } => text(
                "go on with it by `--resume`, choose another with `--out`, or set `pipeline.ncu.ncu_cli.force_overwrite=true`",
            ),
            Self::Earlier { .. } => None,
            Self::Read { .. } => text("check that the path exists and that you may read it"),
            Self::Write { .. } => {
                text("check the permissions of the folder and the space on its disk")
            }
            Self::NotADocument { .. } => text(
                "give what `rangescope report --format json` writes, a run folder, or a report of ncu",
            ),
            Self::Program(_) => text("check the name of the program and its permissions"),
            Self::Recorder(error) => error.hint().map(str::to_owned),
            Self::Gate(error) => Some(error.hint()),
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
