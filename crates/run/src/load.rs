//! From what a user names to a document: reports, run folders, and documents that were written before.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use rangescope_analyze::aggregate::AnalysisOptions;
use rangescope_config::Settings;
use rangescope_model::document::RegionDocument;
use rangescope_model::select::SelectError;
use rangescope_read::Input;

use crate::analysis::{Progress, Request, analyse};
use crate::reports::{self, Files, ReportRequest};
use crate::{RunError, RunFolder, TOOL, context};

/// A document with the files that it was made from and what is to be written of it.
#[derive(Debug)]
pub struct Loaded {
    pub document: RegionDocument,
    /// The files; none for a document that was written before.
    pub inputs: Vec<Input>,
    /// From the run's settings, else the defaults.
    pub files: Files,
}

/// Changes what is selected, given what holds otherwise.
pub type Adjust<'a> = &'a dyn Fn(AnalysisOptions) -> Result<AnalysisOptions, SelectError>;

/// Makes the document of files or folders. A run knows what it was asked for; `adjust` changes parts of that.
pub fn load(
    paths: &[PathBuf],
    adjust: Adjust<'_>,
    progress: Progress<'_>,
) -> Result<Loaded, RunError> {
    if let [path] = paths
        && let Ok(folder) = RunFolder::open(path)
    {
        let settings = Settings::from_file(&folder.config(), &context()?)?;
        let stored = ReportRequest::of(&settings)?;
        let options = adjust(stored.options)?;
        let (document, inputs) = reports::document(&folder, &options, progress)?;
        return Ok(Loaded { document, inputs, files: stored.files });
    }
    of_inputs(Input::open_all(paths)?, adjust, progress)
}

pub fn of_inputs(
    inputs: Vec<Input>,
    adjust: Adjust<'_>,
    progress: Progress<'_>,
) -> Result<Loaded, RunError> {
    let options = adjust(AnalysisOptions::default())?;
    let request = Request { options: &options, tool: TOOL, one_program: false, progress };
    let document = analyse(&inputs, &request)?;
    Ok(Loaded { document, inputs, files: Files::default() })
}

/// The document of one report, one run folder, or one `report.json`.
pub fn document(path: &Path, progress: Progress<'_>) -> Result<RegionDocument, RunError> {
    if path.extension() == Some(OsStr::new("json")) {
        let text = fs_err::read_to_string(path)
            .map_err(|cause| RunError::Read { path: path.to_owned(), cause })?;
        return serde_json::from_str(&text).map_err(|error| RunError::NotADocument {
            path: path.to_owned(),
            reason: error.to_string(),
        });
    }
    Ok(load(&[path.to_owned()], &Ok, progress)?.document)
}
