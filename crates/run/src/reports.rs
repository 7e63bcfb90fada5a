//! The reports of a run, made from the files in its folder and from nothing else, so that they come out the same wherever the folder is.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::analysis::{Request, analyse};
use ncu_rep::csv::{Layout, RawOptions, Units, write_raw};
use rangescope_analyze::View;
use rangescope_analyze::aggregate::{AnalysisOptions, normalisation};
use rangescope_config::Settings;
use rangescope_model::document::{Note, NoteLevel, RegionDocument};
use rangescope_read::{Input, InputError};
use rangescope_report::plot::{Kind, PlotRequest, draw};
use rangescope_report::{ExportOptions, FolderParts, Format, write_folder};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::outcome::CaptureDiagnosis;
use crate::{Loaded, RunError, RunFolder, TOOL};

#[derive(Clone, Debug)]
pub struct ReportRequest {
    pub options: AnalysisOptions,
    pub files: Files,
}

#[derive(Clone, Debug)]
pub struct Files {
    /// ncu's raw page.
    pub raw_csv: bool,
    /// The formats of the folder.
    pub formats: Vec<&'static Format>,
    /// Kernels shown of each region in Markdown.
    pub max_kernels: usize,
    /// What is shown of the tree; regions that are not shown have no folder.
    pub view: View,
    /// The page holds the whole text of source files, and not only what is near hot lines.
    pub whole_texts: bool,
}

impl Default for Files {
    fn default() -> Self {
        let max_kernels = ExportOptions::default().max_kernels;
        let (formats, view) = (Format::of_folders(), View::default());
        Self { raw_csv: true, formats, max_kernels, view, whole_texts: false }
    }
}

impl ReportRequest {
    pub fn of(settings: &Settings) -> Result<Self, RunError> {
        let ncu = &settings.ncu_options;
        // A set brings sections of its own; which, only ncu knows.
        let plain = |name: &&String| !name.contains(':');
        let options = AnalysisOptions {
            kernel_include: ncu.kernel_name.iter().chain(&ncu.kernel_include).cloned().collect(),
            kernel_exclude: ncu.kernel_exclude.clone(),
            regions: ncu.nvtx_include.clone(),
            exclude_regions: ncu.nvtx_exclude.clone(),
            kernel_name_base: ncu.kernel_name_base,
            expected_metrics: ncu.metrics.iter().filter(plain).cloned().collect(),
            expected_sections: ncu.sections.iter().filter(plain).cloned().collect(),
            normalisation: normalisation(&settings.regions.normalise)?,
            aggregate: settings.report.aggregate,
            scopes: settings.report.scopes.clone(),
            ..AnalysisOptions::default()
        };
        let asked = settings.report.formats.iter();
        let formats = asked
            .map(|name| {
                let format = Format::find(name).filter(|format| format.folder.is_some());
                format.ok_or_else(|| RunError::NoSuchFormat { name: name.clone() })
            })
            .collect::<Result<Vec<_>, _>>()?;
        let files = Files {
            raw_csv: ncu.export_csv && formats.iter().any(|format| format.name == "csv"),
            formats,
            max_kernels: usize::try_from(settings.report.top_kernels).unwrap_or(usize::MAX),
            view: View::default(),
            whole_texts: false,
        };
        Ok(Self { options, files })
    }
}

/// The document of a run folder, with what was found wrong when it was captured, and the files that it was made from.
pub fn document(
    folder: &RunFolder,
    options: &AnalysisOptions,
    progress: &(dyn Fn(u64, u64) + Sync),
) -> Result<(RegionDocument, Vec<Input>), RunError> {
    let inputs = match Input::open_all(&[folder.root().to_owned()]) {
        Ok(inputs) => inputs,
        // A run in which nothing was profiled has a report too: one that says so.
        Err(InputError::EmptyFolder { .. }) if folder.is_run() => Vec::new(),
        Err(error) => return Err(error.into()),
    };
    let mut options = options.clone();
    if inputs.is_empty() {
        options.expected_metrics.clear();
        options.expected_sections.clear();
    }
    let mut document =
        analyse(&inputs, &Request { options: &options, tool: TOOL, one_program: true, progress })?;
    if inputs.is_empty() {
        let message = "Nothing was profiled: there is no report of ncu in this run.".to_owned();
        let code = "nothing-profiled".to_owned();
        document.notes = vec![Note { level: NoteLevel::Warning, code, message }];
    }
    document.notes.extend(stored_notes(folder)?);
    Ok((document, inputs))
}

/// What a run has stored for its reports.
pub(crate) fn stored_notes(folder: &RunFolder) -> Result<Vec<Note>, RunError> {
    let mut notes = capture_notes(folder)?;
    notes.extend(diagnosis_notes(folder)?);
    Ok(notes)
}

pub fn make(folder: &RunFolder, request: &ReportRequest) -> Result<RegionDocument, RunError> {
    let ReportRequest { options, files } = request.clone();
    let (document, inputs) = document(folder, &options, &|_, _| {})?;
    let loaded = Loaded { document, inputs, files, options, one_program: true };
    write(folder.root(), &loaded)?;
    Ok(loaded.document)
}

/// Writes all reports of a document into a folder; gives how many files there are.
pub fn write(folder: &Path, loaded: &Loaded) -> Result<Vec<PathBuf>, RunError> {
    let Loaded { document, inputs, files, .. } = loaded;
    let raw: rangescope_report::folder::RawWriter<'_> =
        Box::new(|out: &mut dyn Write| raw_csv(inputs, out));
    let shows_drawings =
        |format: &&Format| format.folder.as_ref().is_some_and(|files| files.with_drawings);
    let with_plots = files.formats.iter().any(shows_drawings);
    let options = ExportOptions {
        max_kernels: files.max_kernels,
        view: files.view,
        ..ExportOptions::default()
    };
    let parts = FolderParts {
        raw_csv: Some(raw).filter(|_| files.raw_csv && !inputs.is_empty()),
        formats: &files.formats,
        plots: if with_plots { plots(&files.view.of(document)) } else { Vec::new() },
        options: loaded.export_options(&files.formats, options)?,
    };
    Ok(write_folder(folder, document, parts)?)
}

/// The drawings of the whole run that the document has the data for. Samples over time are of single launches, which are in no document.
fn plots(document: &RegionDocument) -> Vec<(&'static str, String)> {
    let drawn = |kind: Kind| Some((kind.name(), draw(document, &PlotRequest::new(kind)).ok()?));
    Kind::ALL.into_iter().chain(Kind::OF_KERNELS).filter_map(drawn).collect()
}

/// ncu's raw page over all inputs, in base units because machines read it.
fn raw_csv(inputs: &[Input], out: &mut dyn Write) -> io::Result<()> {
    let results: Vec<(&Input, usize)> =
        inputs.iter().flat_map(|input| (0..input.source.len()).map(move |i| (input, i))).collect();
    let result = |number: usize| {
        let (input, index) = *results.get(number)?;
        input.source.decode(index)
    };
    let options = RawOptions { units: Units::Base, layout: Layout::V2024_1, fp: false };
    write_raw(results.len(), result, options, out)
}

/// Keeps what is wrong for later reports; nothing wrong leaves no file.
pub(crate) fn write_diagnoses(
    folder: &RunFolder,
    diagnoses: &[CaptureDiagnosis],
) -> Result<(), RunError> {
    let path = folder.diagnosis();
    if diagnoses.is_empty() {
        // What stands there and cannot be removed is met again by the reports, which say that they cannot read it.
        let _ = RunFolder::remove(&path);
        return Ok(());
    }
    write_json(&path, diagnoses)
}

/// Keeps what was decided about the captures for later reports; nothing to say leaves no file.
pub(crate) fn write_capture_notes(folder: &RunFolder, notes: &[Note]) -> Result<(), RunError> {
    let path = folder.capture_notes();
    if notes.is_empty() { RunFolder::remove(&path) } else { write_json(&path, notes) }
}

fn capture_notes(folder: &RunFolder) -> Result<Vec<Note>, RunError> {
    let mut notes: Vec<Note> = stored(folder.capture_notes())?;
    for note in &mut notes {
        note.message = sentence(&note.message);
    }
    Ok(notes)
}

fn write_json(path: &Path, values: &[impl Serialize]) -> Result<(), RunError> {
    let text = serde_json::to_string_pretty(values)
        .map_err(|error| RunError::Write { path: path.to_owned(), cause: error.into() })?;
    RunFolder::write(path, &(text + "\n"))
}

/// A list that the run has stored; where there is no file it is empty.
fn stored<T: DeserializeOwned>(path: PathBuf) -> Result<Vec<T>, RunError> {
    let text = match ncu_rep::file::read_text(&path, ncu_rep::limits::SMALL_FILE) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(cause) => return Err(RunError::Read { path, cause }),
    };
    serde_json::from_str(&text)
        .map_err(|error| RunError::Earlier { path, message: error.to_string() })
}

fn diagnosis_notes(folder: &RunFolder) -> Result<Vec<Note>, RunError> {
    let stored: Vec<CaptureDiagnosis> = stored(folder.diagnosis())?;
    let mut notes = Vec::new();
    for capture in stored {
        for found in capture.diagnoses {
            let message = format!(
                "Capture {}: {} {} {}",
                capture.capture,
                sentence(&found.title),
                sentence(&found.explanation),
                sentence(&found.fix)
            );
            notes.push(Note::new(NoteLevel::Warning, found.code.as_str(), message));
            notes.extend(found.selectors.into_iter().map(|selector| {
                let corrected = selector
                    .corrected
                    .map(|corrected| format!(" Try `{corrected}`."))
                    .unwrap_or_default();
                let message = format!(
                    "`{}`: {}{corrected}",
                    selector.selector,
                    sentence(&selector.explanation)
                );
                Note::new(NoteLevel::Warning, found.code.as_str(), message)
            }));
        }
    }
    Ok(notes)
}

/// A fragment as a sentence. What begins with a command or an option keeps its case.
fn sentence(fragment: &str) -> String {
    let mut chars = fragment.trim().chars();
    let first: String =
        chars.next().map_or_else(String::new, |first| first.to_uppercase().collect());
    let mut text = first + chars.as_str();
    if !text.ends_with(['.', '!', '?', '`']) {
        text.push('.');
    }
    text
}
