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
use rangescope_read::ranges::RangesError;
use rangescope_read::recording::RecordingError;
use rangescope_report::{FORMATS, ReportError};

/// Why a run cannot be made or finished.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    #[error("no program to profile")]
    NoProgram,
    #[error("`pipeline.report.formats`: there is no format `{name}` for a run folder")]
    NoSuchFormat { name: String },
    #[error("nothing to do: both `pipeline.ncu.enable` and `pipeline.nsys.enable` are false")]
    NothingToDo,
    #[error("`{}` is no run folder: it has no config.yaml and inputs.yaml", path.display())]
    NotARunFolder { path: PathBuf },
    #[error("the run folder `{}` has files already", path.display())]
    FolderInUse { path: PathBuf },
    #[error("`{}`: {message}", path.display())]
    Earlier { path: PathBuf, message: String },
    #[error("cannot read `{}`: {cause}", path.display())]
    Read { path: PathBuf, cause: io::Error },
    #[error("cannot write `{}`: {cause}", path.display())]
    Write { path: PathBuf, cause: io::Error },
    #[error("`{}` is no report.json of rangescope: {reason}", path.display())]
    NotADocument { path: PathBuf, reason: String },
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Ncu(#[from] ProbeError),
    #[error(transparent)]
    NsysCommand(#[from] NsysCommandError),
    #[error(transparent)]
    Nsys(#[from] NsysError),
    #[error("nsys wrote nothing")]
    NothingFromNsys { folder: PathBuf },
    #[error("`pipeline.ncu.from_top_kernels=nsys` needs the nsys stage")]
    NoKernelList,
    #[error("interrupted")]
    Interrupted,
    #[error(transparent)]
    Plan(#[from] PlanError),
    #[error(transparent)]
    Execute(#[from] ExecuteError),
    #[error(transparent)]
    Program(#[from] ChildError),
    #[error(transparent)]
    Recorder(#[from] RecorderError),
    #[error(transparent)]
    Gate(#[from] GateError),
    #[error(transparent)]
    Recording(#[from] RecordingError),
    #[error(transparent)]
    Ranges(#[from] RangesError),
    #[error(transparent)]
    Input(#[from] InputError),
    #[error(transparent)]
    Select(#[from] SelectError),
    #[error(transparent)]
    Report(#[from] ReportError),
}

impl RunError {
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
            Self::Ranges(error) => error.hint(),
            Self::Input(error) => Some(error.hint()),
            Self::Select(error) => Some(error.hint()),
            Self::Report(error) => error.hint().map(str::to_owned),
        }
    }
}
