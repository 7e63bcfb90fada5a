//! Why a run cannot be made or finished.

use std::ffi::OsStr;
use std::io;
use std::path::PathBuf;

use rangescope_analyze::compare::GateError;
use rangescope_capture::child::{ChildError, writing_hint};
use rangescope_capture::execute::ExecuteError;
use rangescope_capture::launch::LaunchError;
use rangescope_capture::ncu::ProbeError;
use rangescope_capture::nsys::NsysCommandError;
use rangescope_capture::plan::{PlanError, command_line};
use rangescope_capture::recorder::RecorderError;
use rangescope_config::ConfigError;
use rangescope_model::document::SCHEMA_VERSION;
use rangescope_model::nearest::nearest;
use rangescope_model::select::SelectError;
use rangescope_model::text::visible;
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
    /// Somebody else made the folder, or it was changed.
    #[error("`{}` was not made by you on this machine, or was changed since; going on with it would run the program that it names", path.display())]
    NotTrusted { path: PathBuf, would_run: Vec<String> },
    #[error("parts of the program are masked in the run folder: {program}")]
    MaskedProgram { program: String },
    #[error("this is not the program of the run: {program}")]
    OtherProgram { program: String },
    #[error("the run folder does not hold the values of variables that the run sets: {}", names.join(", "))]
    MissingVariables { names: Vec<String> },
    #[error("`{}`: {message}", path.display())]
    Earlier { path: PathBuf, message: String },
    #[error("cannot read `{}`: {cause}", path.display())]
    Read { path: PathBuf, cause: io::Error },
    #[error("cannot write `{}`: {cause}", path.display())]
    Write { path: PathBuf, cause: io::Error },
    #[error("`{}` is no report.json of rangescope: {reason}", path.display())]
    NotADocument { path: PathBuf, reason: String },
    #[error("`{}` is a report of version {}, and this program reads version {SCHEMA_VERSION}", path.display(), visible(version))]
    OtherVersion { path: PathBuf, version: String },
    #[error("`{}` is a report that was stored: what was selected and how names were folded cannot be changed any more", path.display())]
    StoredDocument { path: PathBuf },
    #[error("`{}` is a report that was stored, and there are other inputs beside it", path.display())]
    StoredAmongOthers { path: PathBuf },
    #[error("`{}` is no file of partial results: {reason}", path.display())]
    NotAPartial { path: PathBuf, reason: String },
    #[error("`{}` holds merged results of which some are in another file too", path.display())]
    PartialsOverlap { path: PathBuf },
    #[error("`{}` holds partial results, and there are other inputs beside it", path.display())]
    PartialAmongOthers { path: PathBuf },
    #[error("partial results do not tell one launch from another")]
    LaunchOfPartials,
    #[error("`{}` is {what} and holds no results of ncu", path.display())]
    OfAnotherVerb { path: PathBuf, what: &'static str, verb: &'static str },
    #[error("no kernel matches `{pattern}`")]
    NoSuchKernel { pattern: String, hint: String },
    #[error("there is no result {launch}: there are {results}, counted from 0")]
    NoSuchLaunch { launch: u64, results: u64 },
    #[error("nothing is selected")]
    NothingSelected { hint: String },
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
    Launch(#[from] LaunchError),
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
            Self::NoSuchKernel { hint, .. } | Self::NothingSelected { hint } => Some(hint.clone()),
            Self::NoSuchLaunch { .. } => text("`rangescope dump FILE` lists them"),
            Self::NothingToDo => text("set `pipeline.ncu.enable=true`"),
            Self::NotARunFolder { .. } => text("give a folder that `rangescope profile` made"),
            Self::FolderInUse { .. } => text(
                "go on with it by `--resume`, choose another with `--out`, or set `pipeline.ncu.ncu_cli.force_overwrite=true`",
            ),
            Self::NotTrusted { .. } => text(
                "look at its config.yaml and inputs.yaml, and add `--trust` if all of it may run",
            ),
            Self::MaskedProgram { .. } => {
                text("give it again, whole: rangescope profile --resume DIR -- PROGRAM ARGUMENTS…")
            }
            Self::OtherProgram { .. } => text(
                "give the same arguments, with the secrets where they are masked; or begin a new run",
            ),
            Self::MissingVariables { names } => {
                let set: Vec<String> = names.iter().map(|name| format!("{name}=…")).collect();
                Some(format!("set them: {} rangescope profile --resume DIR", set.join(" ")))
            }
            Self::Earlier { .. } => {
                text("remove the file if it is of no use, or make the run again")
            }
            Self::Read { .. } => text("check that the path exists and that you may read it"),
            Self::Write { cause, .. } => text(writing_hint(cause)),
            Self::OtherVersion { .. } => text(
                "make it anew: `rangescope report --format json` on the .ncu-rep or run folder that it was made from",
            ),
            Self::NotADocument { .. } => text(
                "give what `rangescope report --format json` writes, a run folder, or a report of ncu",
            ),
            Self::Program(error) => error.hint().map(str::to_owned),
            Self::StoredDocument { .. } => text(
                "give the .ncu-rep or the run folder that it was made from; what is shown of it can be chosen: --unfold, --depth, --top, --sort",
            ),
            Self::StoredAmongOthers { .. } => {
                text("give it alone, or the .ncu-rep files that it was made from")
            }
            Self::NotAPartial { .. } => text(
                "give what `rangescope partial` or `rangescope merge` wrote, or what an engine made of it with `rangescope partial --sql`",
            ),
            Self::PartialsOverlap { .. } => {
                text("merge the files of `rangescope partial` again, each of them once")
            }
            Self::PartialAmongOthers { .. } => {
                text("make partial results of the others too: rangescope partial PATH… --out DIR")
            }
            Self::LaunchOfPartials => text("give the .ncu-rep"),
            Self::OfAnotherVerb { path, verb, .. } => {
                let words = ["rangescope".as_ref(), verb.as_ref(), path.as_os_str()];
                let line = command_line(&words.map(OsStr::to_owned));
                Some(format!("`{line}` reads it"))
            }
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
            Self::Launch(error) => Some(error.hint()),
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
