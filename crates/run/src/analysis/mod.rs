//! The story from inputs to the document: number everything, feed all results in parallel, finish, describe.

pub(crate) mod devices;
mod ncu_selector;
mod repeated;

use std::ops::Range;

use jiff::Timestamp;
use rangescope_analyze::aggregate::{Analysis, AnalysisOptions, Partial, fingerprint};
use rangescope_model::document::{
    Note, NoteLevel, RegionDocument, SCHEMA_VERSION, ScopeReport, SourceInfo, Tool,
};
use rangescope_model::number::count;
use rangescope_model::select::SelectError;
use rangescope_read::Input;
use rangescope_read::results::{Numbering, ReadFacts, ResultSource};
use rayon::prelude::*;

use crate::analysis::devices::{DeviceMetrics, Devices};
pub(crate) use crate::analysis::ncu_selector::ncu_predicate;

/// Results a thread takes at a time.
const CHUNK: usize = 32;
/// Results that are under way before their outcomes are merged; bounds what is held, whatever the number of results.
const WAVE: usize = 32 * CHUNK;
/// With so many files there is work for all cores without taking files apart, and a file taken as a whole is merged once.
const MANY_FILES: usize = 64;
/// Chunks that each thread has before it waits for the others.
const CHUNKS_PER_THREAD: usize = 4;
/// A chunk needs room for every metric of the run: where those are very many, it has a result for each of so many.
const METRICS_PER_RESULT: usize = 256;
/// Kernels that get the metrics of their sections; a document with more of them has no need for so much of each.
const MOST_KERNELS_WITH_SECTIONS: usize = 200;
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
///
/// Without ranges it is a report of kernels, so that each of them gets the metrics of its sections. Which those are is only known afterwards.
pub fn analyse(inputs: &[Input], request: &Request<'_>) -> Result<RegionDocument, SelectError> {
    let document = analyse_once(inputs, request)?;
    let per_kernel = section_metrics(&document);
    if per_kernel.is_empty() {
        return Ok(document);
    }
    let options = AnalysisOptions { per_kernel, ..request.options.clone() };
    analyse_once(inputs, &Request { options: &options, ..*request })
}

/// The metrics in the headers of the sections, where the document has several kernels and no regions.
pub(crate) fn section_metrics(document: &RegionDocument) -> Vec<String> {
    let reports = &document.reports;
    let is_of_kernels = reports.iter().all(|report| report.regions.is_empty());
    let has_few = |report: &ScopeReport| {
        (2..=MOST_KERNELS_WITH_SECTIONS).contains(&report.totals.kernels.len())
    };
    if !is_of_kernels || !reports.iter().any(has_few) {
        return Vec::new();
    }
    let sections = reports.iter().flat_map(|report| &report.totals.sections);
    let mut names: Vec<String> = sections
        .flat_map(|section| section.metrics.iter().map(|metric| metric.name.clone()))
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// The same with the metrics per kernel that are asked for and no others.
pub(crate) fn analyse_once(
    inputs: &[Input],
    request: &Request<'_>,
) -> Result<RegionDocument, SelectError> {
    let sources = || inputs.iter().map(|input| &*input.source);
    let numbering = Numbering::new(sources(), request.one_program);
    let analysis = Analysis::with_ncu(request.options, &numbering.vocabulary, &ncu_predicate)?
        .of_input(stored(inputs));
    let feed = Feed {
        analysis: &analysis,
        numbering: &numbering,
        device_metrics: DeviceMetrics::new(|name| numbering.metric(name)),
    };
    let total = sources().map(|source| source.len() as u64).sum();
    let mut all = feed.begin();
    let facts = feed.inputs(inputs, request, total, &mut all);
    let infos = inputs.iter().zip(&facts).map(|(input, facts)| source_info(input, facts)).collect();
    let mut notes: Vec<Note> =
        inputs.iter().zip(&facts).flat_map(|(input, facts)| input_notes(input, facts)).collect();
    notes.extend(repeated::notes(inputs));
    notes.extend(request.options.launch.and_then(|launch| launch_not_seen(launch, total)));
    let outcome = analysis.finish(all.partial, &numbering.sections());
    notes.extend(outcome.notes);
    let devices = all.devices.into_infos();
    notes.extend(devices::mixed(&devices));
    let (tool, version) = request.tool;
    let created = || sources().filter_map(ResultSource::created).max();
    Ok(RegionDocument {
        schema_version: SCHEMA_VERSION.to_owned(),
        generated_at: all.facts.time.or_else(created).and_then(rfc3339),
        config_fingerprint: fingerprint(request.options),
        tool: Tool { name: tool.to_owned(), version: version.to_owned() },
        simulated: sources().any(ResultSource::is_simulated),
        sources: infos,
        devices,
        notes,
        ranks: outcome.ranks,
        reports: outcome.reports,
    })
}

struct Feed<'a> {
    analysis: &'a Analysis<'a>,
    numbering: &'a Numbering,
    device_metrics: DeviceMetrics,
}

/// Results of one input that one thread takes.
struct Chunk<'i> {
    position: usize,
    input: &'i Input,
    /// The number of the first result of the input.
    first: usize,
    range: Range<usize>,
}

/// How many of the chunks are taken at once.
fn wave(chunks: &[Chunk<'_>]) -> usize {
    let mut results = 0;
    let fitting = chunks.iter().take_while(|chunk| {
        let has_room = results < WAVE;
        results += chunk.range.len();
        has_room
    });
    fitting.count().max(CHUNKS_PER_THREAD * rayon::current_num_threads()).min(chunks.len())
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

    /// Feeds all results; gives what was learnt about each input alone.
    fn inputs(
        &self,
        inputs: &[Input],
        request: &Request<'_>,
        total: u64,
        all: &mut Fed,
    ) -> Vec<ReadFacts> {
        let mut facts: Vec<ReadFacts> = inputs.iter().map(|_| ReadFacts::default()).collect();
        let mut done = 0;
        let chunks = self.chunks(inputs, request.options.launch);
        // Chunks have fixed borders and are merged in the order of files, so that the result does not depend on the number of threads.
        let mut rest = chunks.as_slice();
        while !rest.is_empty() {
            let (wave, later) = rest.split_at(wave(rest));
            rest = later;
            let fed: Vec<Fed> = wave.par_iter().map(|chunk| self.chunk(chunk)).collect();
            for (chunk, fed) in wave.iter().zip(fed) {
                all.partial.merge(fed.partial);
                all.devices.merge(fed.devices);
                all.facts.time = all.facts.time.max(fed.facts.time);
                if let Some(facts) = facts.get_mut(chunk.position) {
                    facts.damaged.extend(fed.facts.damaged);
                    facts.gone += fed.facts.gone;
                    facts.unknown_fields += fed.facts.unknown_fields;
                }
                done += chunk.range.len() as u64;
            }
            (request.progress)(done, total);
        }
        facts
    }

    /// What a thread takes at a time, in the order of files.
    fn chunks<'i>(&self, inputs: &'i [Input], launch: Option<u64>) -> Vec<Chunk<'i>> {
        let metrics = self.numbering.vocabulary.metrics.len();
        let size = if inputs.len() < MANY_FILES { CHUNK } else { WAVE };
        let size = size.max(metrics / METRICS_PER_RESULT);
        let mut chunks = Vec::new();
        let mut first = 0;
        for (position, input) in inputs.iter().enumerate() {
            let range = launch_range(launch, first, input.source.len());
            let begin = first;
            first += input.source.len();
            let end = range.end;
            chunks.extend(range.step_by(size).map(|start| {
                let range = start..end.min(start + size);
                Chunk { position, input, first: begin, range }
            }));
        }
        chunks
    }

    fn chunk(&self, chunk: &Chunk<'_>) -> Fed {
        let mut fed = self.begin();
        let numbers = self.numbering.of_source(chunk.position);
        let (partial, devices) = (&mut fed.partial, &mut fed.devices);
        partial.of_file(chunk.first as u64, chunk.input.source.is_simulated());
        fed.facts = chunk.input.source.read(chunk.range.clone(), &numbers, &mut |launch| {
            let process = self.numbering.vocabulary.processes.get(launch.process);
            devices.see(launch, process, &self.device_metrics);
            partial.add(self.analysis, launch);
        });
        partial.condense(self.analysis);
        fed
    }
}

/// Bytes that the inputs take on their disks.
pub(crate) fn stored(inputs: &[Input]) -> u64 {
    let files = inputs.iter().filter_map(|input| fs_err::metadata(&input.path).ok());
    files.map(|file| file.len()).sum()
}

/// The results of a file that are read: all, or the one that is asked for, if the file has it. Results are counted over all files.
pub(crate) fn launch_range(launch: Option<u64>, first: usize, length: usize) -> Range<usize> {
    let Some(launch) = launch else { return 0..length };
    match usize::try_from(launch).ok().and_then(|launch| launch.checked_sub(first)) {
        Some(index) if index < length => index..index + 1,
        _ => 0..0,
    }
}

fn launch_not_seen(launch: u64, total: u64) -> Option<Note> {
    let message = format!("There is no result {launch}: the files hold {total}, counted from 0");
    (launch >= total).then(|| Note::new(NoteLevel::Warning, "launch-not-seen", message))
}

/// Notes on what is lost, unknown or guessed in one input.
pub(crate) fn input_notes(input: &Input, facts: &ReadFacts) -> Vec<Note> {
    let mut notes = Vec::new();
    for offset in facts.damaged.iter().take(LISTED_DAMAGE) {
        let message = format!("the result at byte {offset} is damaged and was skipped");
        notes.push(Note::new(NoteLevel::Warning, "damaged-input", message));
    }
    if let Some(more) = facts.damaged.len().checked_sub(LISTED_DAMAGE).filter(|more| *more > 0) {
        let more = count(
            more as u64,
            "more result is damaged and was",
            "more results are damaged and were",
        );
        let message = format!("{more} skipped");
        notes.push(Note::new(NoteLevel::Warning, "damaged-input", message));
    }
    if facts.gone > 0 {
        let message = format!(
            "the file is gone or was changed while it was read; {} left out",
            count(facts.gone, "result is", "results are")
        );
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

pub(crate) fn source_info(input: &Input, facts: &ReadFacts) -> SourceInfo {
    let unread = facts.damaged.len() as u64 + facts.gone;
    SourceInfo {
        file: input.file_name(),
        format: input.source.format().to_owned(),
        profiler: input.source.profiler(),
        results: (input.source.len() as u64).saturating_sub(unread),
        lost: unread + input.source.lost(),
    }
}

pub(crate) fn rfc3339(seconds: u64) -> Option<String> {
    let timestamp = Timestamp::from_second(i64::try_from(seconds).ok()?).ok()?;
    Some(timestamp.to_string())
}
