//! The story from inputs to the document: number everything, feed all results in parallel, finish, describe.

mod devices;
mod ncu_selector;

use jiff::Timestamp;
use rangescope_analyze::aggregate::{Analysis, AnalysisOptions, Partial, fingerprint};
use rangescope_model::document::{
    Note, NoteLevel, RegionDocument, SCHEMA_VERSION, SourceInfo, Tool,
};
use rangescope_model::select::SelectError;
use rangescope_read::Input;
use rangescope_read::results::{Numbering, ReadFacts, ResultSource};
use rayon::prelude::*;

use crate::analysis::devices::{DeviceMetrics, Devices};
use crate::analysis::ncu_selector::ncu_predicate;

/// Results a thread takes at a time.
const CHUNK: usize = 32;
/// Chunks that are under way before their outcomes are merged; bounds what is held, whatever the number of results.
const WAVE: usize = 32;
/// Damaged results of one file that are listed one by one.
const LISTED_DAMAGE: usize = 20;

/// Is told how many of how many results are done.
pub type Progress<'a> = &'a (dyn Fn(u64, u64) + Sync);

#[derive(Clone, Copy)]
pub struct Request<'a> {
    pub options: &'a AnalysisOptions,
    /// The program that asks; its name and version go into the document.
    pub tool: (&'a str, &'a str),
    /// The inputs are captures of one program, each made by a run of its own, so their processes are the same ones.
    pub one_program: bool,
    pub progress: Progress<'a>,
}

/// Makes the region document of some inputs.
pub fn analyse(inputs: &[Input], request: &Request<'_>) -> Result<RegionDocument, SelectError> {
    let sources = || inputs.iter().map(|input| &*input.source);
    let numbering = Numbering::new(sources(), request.one_program);
    let analysis = Analysis::with_ncu(request.options, &numbering.vocabulary, &ncu_predicate)?;
    let feed = Feed {
        analysis: &analysis,
        numbering: &numbering,
        device_metrics: DeviceMetrics::new(&numbering),
    };
    let total = sources().map(|source| source.len() as u64).sum();
    let mut all = feed.begin();
    let mut done = 0;
    let mut infos = Vec::new();
    let mut notes = Vec::new();
    for (position, input) in inputs.iter().enumerate() {
        let facts = feed.input(position, input, &mut all, |results| {
            done += results;
            (request.progress)(done, total);
        });
        infos.push(source_info(input, &facts));
        notes.extend(input_notes(input, &facts));
    }
    let outcome = analysis.finish(all.partial, &numbering.sections());
    notes.extend(outcome.notes);
    let (tool, version) = request.tool;
    let created = || sources().filter_map(ResultSource::created).max();
    Ok(RegionDocument {
        schema_version: SCHEMA_VERSION.to_owned(),
        generated_at: all.facts.time.or_else(created).and_then(rfc3339),
        config_fingerprint: fingerprint(request.options),
        tool: Tool { name: tool.to_owned(), version: version.to_owned() },
        simulated: sources().any(ResultSource::is_simulated),
        sources: infos,
        devices: all.devices.into_infos(),
        notes,
        reports: outcome.reports,
    })
}

struct Feed<'a> {
    analysis: &'a Analysis<'a>,
    numbering: &'a Numbering,
    device_metrics: DeviceMetrics,
}

struct Fed {
    partial: Partial,
    devices: Devices,
    facts: ReadFacts,
}

impl Feed<'_> {
    fn begin(&self) -> Fed {
        Fed {
            partial: self.analysis.partial(),
            devices: Devices::default(),
            facts: ReadFacts::default(),
        }
    }

    /// Feeds all results of one input; gives what was learnt about that input alone.
    fn input(
        &self,
        position: usize,
        input: &Input,
        all: &mut Fed,
        mut progress: impl FnMut(u64),
    ) -> ReadFacts {
        let mut facts = ReadFacts::default();
        let length = input.source.len();
        let starts: Vec<usize> = (0..length).step_by(CHUNK).collect();
        // Chunks have fixed borders and are merged in file order, so that the result does not depend on the number of threads.
        for wave in starts.chunks(WAVE) {
            let chunks: Vec<Fed> = wave
                .par_iter()
                .map(|&start| self.chunk(position, input, start..length.min(start + CHUNK)))
                .collect();
            for chunk in chunks {
                all.partial.merge(chunk.partial);
                all.devices.merge(chunk.devices);
                all.facts.time = all.facts.time.max(chunk.facts.time);
                facts.damaged.extend(chunk.facts.damaged);
                facts.unknown_fields += chunk.facts.unknown_fields;
            }
            let first = wave.first().copied().unwrap_or_default();
            progress((length.min(first + WAVE * CHUNK) - first) as u64);
        }
        facts
    }

    fn chunk(&self, position: usize, input: &Input, range: std::ops::Range<usize>) -> Fed {
        let mut fed = self.begin();
        let numbers = self.numbering.of_source(position);
        let (partial, devices) = (&mut fed.partial, &mut fed.devices);
        fed.facts = input.source.read(range, &numbers, &mut |launch| {
            let process = self.numbering.vocabulary.processes.get(launch.process);
            devices.see(launch, process, &self.device_metrics);
            partial.add(self.analysis, launch);
        });
        fed
    }
}

/// Notes on what is lost, unknown or guessed in one input.
fn input_notes(input: &Input, facts: &ReadFacts) -> Vec<Note> {
    let mut notes = Vec::new();
    for offset in facts.damaged.iter().take(LISTED_DAMAGE) {
        let message = format!("the result at byte {offset} is damaged and was skipped");
        notes.push(Note::new(NoteLevel::Warning, "damaged-input", message));
    }
    if let Some(more) = facts.damaged.len().checked_sub(LISTED_DAMAGE).filter(|more| *more > 0) {
        let message = format!("{more} more results are damaged and were skipped");
        notes.push(Note::new(NoteLevel::Warning, "damaged-input", message));
    }
    notes.extend(input.source.notes());
    let unknown = facts.unknown_fields + input.source.unknown_fields();
    if unknown > 0 {
        let message = format!("{unknown} fields of a newer format were skipped");
        notes.push(Note::new(NoteLevel::Info, "unknown-fields", message));
    }
    for note in &mut notes {
        note.message = format!("{}: {}", input.file_name(), note.message);
    }
    notes
}

fn source_info(input: &Input, facts: &ReadFacts) -> SourceInfo {
    SourceInfo {
        file: input.file_name(),
        format: input.source.format().to_owned(),
        profiler: input.source.profiler(),
        results: input.source.len() as u64,
        lost: facts.damaged.len() as u64 + input.source.lost(),
    }
}

fn rfc3339(seconds: u64) -> Option<String> {
    let timestamp = Timestamp::from_second(i64::try_from(seconds).ok()?).ok()?;
    Some(timestamp.to_string())
}
