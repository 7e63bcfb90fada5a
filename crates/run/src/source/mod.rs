//! From reports to lines and instructions: which launches are selected, what was counted in them, and where their code comes from.

mod code;
mod sass;
mod text;

use std::path::PathBuf;
use std::sync::Arc;

use rangescope_analyze::aggregate::{Analysis, AnalysisOptions};
use rangescope_analyze::source::{LaunchCode, PlacedLaunch, SourceTally, is_count};
use rangescope_config::Settings;
use rangescope_model::document::{Note, NoteLevel, Tool};
use rangescope_model::number::count;
use rangescope_model::source::{SOURCE_SCHEMA_VERSION, SourceDocument};
use rangescope_read::Input;
use rangescope_read::results::{CountedCode, Numbering, ResultSource};
use rayon::prelude::*;

use crate::analysis::{Progress, launch_range, ncu_predicate, stored};
use crate::load::of_another_verb;
use crate::reports::ReportRequest;
use crate::{Adjust, Loaded, RunError, RunFolder, TOOL, context};

pub use sass::Disassembler;
pub use text::SourceDirs;

/// Launches whose counts are decoded before they are added up; bounds what is held.
const WAVE: usize = 64;

#[derive(Clone, Copy)]
pub struct SourceRequest<'a> {
    /// Changes what is selected, given what holds otherwise.
    pub adjust: Adjust<'a>,
    /// Lines that each region gets.
    pub top: usize,
    /// Where source files are now; nothing is read from disk where there is none.
    pub dirs: Option<&'a SourceDirs>,
    /// Keep the whole text of files, and not only what is near lines with code.
    pub whole_texts: bool,
    /// Puts instructions into words; nothing where they are not asked for.
    pub disassembler: Option<&'a Disassembler>,
    pub progress: Progress<'a>,
}

/// Rolls what was counted at instructions up to lines, functions, kernels and regions.
pub fn source(paths: &[PathBuf], request: &SourceRequest<'_>) -> Result<SourceDocument, RunError> {
    let (inputs, options, one_program) = open(paths, request.adjust)?;
    of_inputs(&inputs, &options, one_program, request)
}

/// Lines that a page has of each region.
const LINES_OF_REGION: usize = 200;

/// What the page of a document shows of the code. Texts are those that the reports hold, so that a page comes out the same on every machine
/// and takes no file of this one to whoever it is sent to.
pub(crate) fn for_page(loaded: &Loaded) -> Result<Option<Arc<SourceDocument>>, RunError> {
    let Loaded { inputs, files, options, one_program, .. } = loaded;
    if inputs.is_empty() {
        return Ok(None);
    }
    let request = SourceRequest {
        adjust: &Ok,
        top: LINES_OF_REGION,
        dirs: None,
        whole_texts: files.whole_texts,
        disassembler: None,
        progress: &|_, _| {},
    };
    Ok(Some(Arc::new(of_inputs(inputs, options, *one_program, &request)?)))
}

fn of_inputs(
    inputs: &[Input],
    options: &AnalysisOptions,
    one_program: bool,
    request: &SourceRequest<'_>,
) -> Result<SourceDocument, RunError> {
    let sources = || inputs.iter().map(|input| &*input.source);
    let numbering = Numbering::new(sources(), one_program);
    let analysis = Analysis::with_ncu(options, &numbering.vocabulary, &ncu_predicate)?
        .of_input(stored(inputs));
    let mut tally = SourceTally::new(&analysis);
    let mut code = code::Modules::default();
    let total = sources().map(|source| source.len() as u64).sum();
    let mut done = 0;
    let mut first = 0;
    for (position, input) in inputs.iter().enumerate() {
        let numbers = numbering.of_source(position);
        let mut selected: Vec<(usize, PlacedLaunch)> = Vec::new();
        let range = launch_range(options.launch, first, input.source.len());
        first += input.source.len();
        for index in range {
            input.source.read(index..index + 1, &numbers, &mut |launch| {
                selected.extend(tally.place(launch).map(|placed| (index, placed)));
            });
        }
        done += (input.source.len() - selected.len()) as u64;
        for wave in selected.chunks(WAVE) {
            let counted: Vec<Option<CountedCode>> = wave
                .par_iter()
                .map(|&(index, _)| input.source.counted_code(index, &is_count))
                .collect();
            for (&(_, placed), counted) in wave.iter().zip(counted) {
                if let Some(counted) = counted {
                    let launch: LaunchCode = code.launch(position, input, counted);
                    tally.add(placed, &launch);
                }
            }
            done += wave.len() as u64;
            (request.progress)(done, total);
        }
    }
    let disassembled = request.disassembler.map(|tool| code.disassemble(tool));
    let mut rolled = tally.finish(&code, request.top);
    let around = if request.whole_texts { u32::MAX } else { text::AROUND };
    text::fill(&mut rolled.files, &code, request.dirs, around);
    let mut notes = disassembled.unwrap_or_default();
    if let Some(reason) = rolled.sampling {
        let message = format!("Launches were {reason}.");
        notes.push(Note::new(NoteLevel::Info, "sampling-intervals", message));
    }
    let totals = &rolled.totals;
    if totals.counted < totals.launches {
        let message = format!(
            "{} of {} no counts by instruction. ncu collects them with `--section SourceCounters`, or `--set full`.",
            totals.launches - totals.counted,
            count(totals.launches, "launch has", "launches have"),
        );
        notes.push(Note::new(NoteLevel::Info, "not-counted", message));
    }
    Ok(SourceDocument {
        schema_version: SOURCE_SCHEMA_VERSION.to_owned(),
        tool: Tool { name: TOOL.0.to_owned(), version: TOOL.1.to_owned() },
        simulated: sources().any(ResultSource::is_simulated),
        notes,
        ordered_by: rolled.ordered_by,
        totals: rolled.totals,
        metrics: rolled.metrics,
        files: rolled.files,
        calls: rolled.calls,
        functions: rolled.functions,
        kernels: rolled.kernels,
        regions: rolled.regions,
    })
}

/// The files that paths name, what is selected in them, and whether they are captures of one program.
fn open(
    paths: &[PathBuf],
    adjust: Adjust<'_>,
) -> Result<(Vec<Input>, AnalysisOptions, bool), RunError> {
    if let [path] = paths
        && let Ok(folder) = RunFolder::open(path)
    {
        let settings = Settings::from_file(&folder.config(), &context()?)?;
        let options = adjust(ReportRequest::of(&settings)?.options)?;
        return Ok((Input::open_all(&[folder.root().to_owned()])?, options, true));
    }
    let inputs = Input::open_all(paths).map_err(of_another_verb)?;
    Ok((inputs, adjust(AnalysisOptions::default())?, false))
}
