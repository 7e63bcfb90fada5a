//! From what a user names to a document: reports, run folders, and documents that were written before.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use rangescope_analyze::aggregate::AnalysisOptions;
use rangescope_config::Settings;
use rangescope_model::document::{RegionDocument, SCHEMA_VERSION, SourceInfo};
use rangescope_model::select::SelectError;
use rangescope_read::nsys::{Database, NsysError};
use rangescope_read::recording::Recording;
use rangescope_read::{Input, InputError};
use rangescope_report::{ExportOptions, Format};

use crate::analysis::{Progress, Request, analyse};
use crate::reports::{self, Files, ReportRequest};
use crate::timed::{self, Timed};
use crate::{RunError, RunFolder, TOOL, context, kernel, partial, source};

/// A document with the files that it was made from and what is to be written of it.
#[derive(Debug)]
pub struct Loaded {
    pub document: RegionDocument,
    /// The files; none for a document that was written before.
    pub inputs: Vec<Input>,
    /// From the run's settings, else the defaults.
    pub files: Files,
    /// What was selected.
    pub options: AnalysisOptions,
    /// The files are captures of one program.
    pub one_program: bool,
}

impl Loaded {
    /// What a format is given beside the document.
    pub fn export_options(
        &self,
        formats: &[&Format],
        options: ExportOptions,
    ) -> Result<ExportOptions, RunError> {
        if !formats.iter().any(|format| format.shows_results) {
            return Ok(options);
        }
        let (source, charts) = (source::for_page(self)?, kernel::for_page(self)?);
        Ok(ExportOptions { source, charts, ..options })
    }
}

/// Changes what is selected, given what holds otherwise.
pub type Adjust<'a> = &'a dyn Fn(AnalysisOptions) -> Result<AnalysisOptions, SelectError>;

/// Makes the document of files or folders. A run knows what it was asked for; `adjust` changes parts of that.
///
/// Traces of kernels by Nsight Systems are results that have a time and no counters.
pub fn load(
    paths: &[PathBuf],
    adjust: Adjust<'_>,
    progress: Progress<'_>,
) -> Result<Loaded, RunError> {
    let refused = match load_results(paths, adjust, progress) {
        Err(error @ RunError::OfAnotherVerb { .. }) => error,
        loaded => return loaded,
    };
    let traces = timed::inputs(paths)?.filter(|traces| traces.iter().all(Timed::is_of_kernels));
    let traces = traces.ok_or(refused)?;
    of_inputs(traces.into_iter().map(|trace| trace.input).collect(), adjust, progress)
}

/// Likewise, of results of ncu alone.
pub(crate) fn load_results(
    paths: &[PathBuf],
    adjust: Adjust<'_>,
    progress: Progress<'_>,
) -> Result<Loaded, RunError> {
    if let Some(stored) = paths.iter().find(|path| is_document(path)) {
        return match paths {
            [path] => of_document(path, adjust),
            _ => Err(RunError::StoredAmongOthers { path: stored.clone() }),
        };
    }
    if let Some(partial) = paths.iter().find(|path| partial::is_partial(path)) {
        if let Some(other) = paths.iter().find(|path| !partial::is_partial(path)) {
            fs_err::metadata(other)
                .map_err(|cause| RunError::Read { path: other.clone(), cause })?;
            return Err(RunError::PartialAmongOthers { path: partial.clone() });
        }
        let options = adjust(AnalysisOptions::default())?;
        let document = partial::load(paths, &options, progress)?;
        let (inputs, files) = (Vec::new(), Files::default());
        return Ok(Loaded { document, inputs, files, options, one_program: false });
    }
    if let [path] = paths
        && let Ok(folder) = RunFolder::open(path)
    {
        let settings = Settings::from_file(&folder.config(), &context()?)?;
        let stored = ReportRequest::of(&settings)?;
        let options = adjust(stored.options)?;
        let (document, inputs) = reports::document(&folder, &options, progress)?;
        return Ok(Loaded { document, inputs, files: stored.files, options, one_program: true });
    }
    of_inputs(Input::open_all(paths).map_err(of_another_verb)?, adjust, progress)
}

pub fn of_inputs(
    inputs: Vec<Input>,
    adjust: Adjust<'_>,
    progress: Progress<'_>,
) -> Result<Loaded, RunError> {
    let options = adjust(AnalysisOptions::default())?;
    let request = Request { options: &options, tool: TOOL, one_program: false, progress };
    let document = analyse(&inputs, &request)?;
    let sum = |count: fn(&SourceInfo) -> u64| document.sources.iter().map(count).sum::<u64>();
    if let (0, lost @ 1.., Some(input)) =
        (sum(|source| source.results), sum(|source| source.lost), inputs.first())
    {
        return Err(InputError::NothingReadable { path: input.path.clone(), lost }.into());
    }
    Ok(Loaded { document, inputs, files: Files::default(), options, one_program: false })
}

/// The results of one file.
pub fn open(path: &Path) -> Result<Input, RunError> {
    Input::open(path).map_err(of_another_verb)
}

pub(crate) fn is_document(path: &Path) -> bool {
    path.extension() == Some(OsStr::new("json"))
}

/// A `report.json`: everything in it is settled, so that it can be shown and not be made anew.
fn of_document(path: &Path, adjust: Adjust<'_>) -> Result<Loaded, RunError> {
    if adjust(AnalysisOptions::default())? != AnalysisOptions::default() {
        return Err(RunError::StoredDocument { path: path.to_owned() });
    }
    let text = ncu_rep::file::read_text(path, ncu_rep::limits::TEXT)
        .map_err(|cause| RunError::Read { path: path.to_owned(), cause })?;
    let document = serde_json::from_str(&text).map_err(|error| {
        let path = path.to_owned();
        match other_version(&text) {
            Some(version) => RunError::OtherVersion { path, version },
            None => RunError::NotADocument { path, reason: error.to_string() },
        }
    })?;
    let (inputs, files, options) = (Vec::new(), Files::default(), AnalysisOptions::default());
    Ok(Loaded { document, inputs, files, options, one_program: false })
}

/// The version of the contract that a document states, if it is not the one that is read.
fn other_version(text: &str) -> Option<String> {
    let stated: serde_json::Map<String, serde_json::Value> = serde_json::from_str(text).ok()?;
    let version = stated.get("schema_version")?.as_str()?;
    // Other files of ours state a version, too.
    stated.get("reports")?;
    let major = |version: &str| version.split('.').next().map(str::to_owned);
    (major(version) != major(SCHEMA_VERSION)).then(|| version.to_owned())
}

/// What holds no results of ncu may be what another verb takes.
pub(crate) fn of_another_verb(error: InputError) -> RunError {
    let path = match &error {
        InputError::Report { path, .. }
        | InputError::Csv { path, .. }
        | InputError::Unrecognised { path }
        | InputError::EmptyFolder { path } => path.clone(),
        _ => return error.into(),
    };
    if partial::is_partial(&path) {
        return RunError::OfAnotherVerb { path, what: "partial results", verb: "report" };
    }
    if path.is_file() {
        match Database::open(&path) {
            Ok(_) => {
                let what = "an SQLite export of Nsight Systems";
                return RunError::OfAnotherVerb { path, what, verb: "top-kernels" };
            }
            Err(
                error @ (NsysError::IsReport { .. }
                | NsysError::NotNsys { .. }
                | NsysError::Unfinished { .. }
                | NsysError::Damaged { .. }),
            ) => return error.into(),
            Err(_) => {}
        }
    }
    if (path.is_file() || path.is_dir()) && Recording::open(&path).is_ok() {
        let what = "a recording of NVTX ranges";
        return RunError::OfAnotherVerb { path, what, verb: "regions" };
    }
    error.into()
}
