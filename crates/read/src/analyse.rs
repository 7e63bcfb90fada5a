//! The story from inputs to the document: number everything, feed all results in parallel, finish, describe.

use jiff::Timestamp;
use rangescope_regions::model::{
    Note, NoteLevel, RegionDocument, SCHEMA_VERSION, SourceInfo, Tool,
};
use rangescope_regions::{Analysis, AnalysisOptions, SelectError, fingerprint};
use rayon::prelude::*;

use crate::SIMULATOR_PROVIDER;
use crate::devices::Devices;
use crate::feed::{ChunkOutcome, DeviceMetrics, Feed};
use crate::input::{Content, Input};
use crate::ncu_selector::ncu_predicate;
use crate::vocabulary::{Numbering, Sections};

/// Results a thread takes at a time.
const CHUNK: usize = 32;
/// Chunks that are under way before their outcomes are merged; bounds what is held, whatever the number of results.
const WAVE: usize = 32;
/// How many damaged places of one file are listed one by one.
const LISTED_DAMAGE: usize = 20;

/// Is told how many of how many results are done.
pub type Progress<'a> = &'a (dyn Fn(u64, u64) + Sync);

/// What is asked of the analysis.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// What to select and how to fold names.
    pub options: &'a AnalysisOptions,
    /// The program that asks; its name and version go into the document.
    pub tool: (&'a str, &'a str),
    /// Whether the inputs are captures of one program, each made by a run of its own: then their processes are the same ones.
    pub one_program: bool,
    /// Progress.
    pub progress: Progress<'a>,
}

/// Makes the region document of some inputs.
pub fn analyse(inputs: &[Input], request: &Request<'_>) -> Result<RegionDocument, SelectError> {
    let numbering = Numbering::new(inputs, request.one_program);
    let analysis = Analysis::with_ncu(request.options, &numbering.vocabulary, &ncu_predicate)?;
    let sections = Sections::default();
    let feed = Feed {
        analysis: &analysis,
        numbering: &numbering,
        sections: &sections,
        device_metrics: DeviceMetrics::new(&numbering),
    };
    let total = inputs.iter().map(|input| input.len() as u64).sum();
    let mut whole =
        Whole { partial: analysis.partial(), devices: Devices::default(), time: None, done: 0 };
    let mut sources = Vec::new();
    let mut notes = Vec::new();
    for (index, input) in inputs.iter().enumerate() {
        let lost = whole
            .take_input(&feed, index, input, &mut notes, |done| (request.progress)(done, total));
        sources.push(source_info(input, lost));
    }
    let outcome = analysis.finish(whole.partial, &sections.into_list());
    notes.extend(outcome.notes);
    let (tool, version) = request.tool;
    Ok(RegionDocument {
        schema_version: SCHEMA_VERSION.to_owned(),
        generated_at: whole.time.or_else(|| created(inputs)).and_then(rfc3339),
        config_fingerprint: fingerprint(request.options),
        tool: Tool { name: tool.to_owned(), version: version.to_owned() },
        simulated: inputs.iter().any(is_simulated),
        sources,
        devices: whole.devices.into_infos(),
        notes,
        reports: outcome.reports,
    })
}

/// Everything fed so far.
struct Whole {
    partial: rangescope_regions::Partial,
    devices: Devices,
    time: Option<u64>,
    done: u64,
}

impl Whole {
    /// Feeds all results of one input; returns how many of them are lost.
    fn take_input(
        &mut self,
        feed: &Feed<'_>,
        index: usize,
        input: &Input,
        notes: &mut Vec<Note>,
        progress: impl Fn(u64),
    ) -> u64 {
        let mut damaged = Vec::new();
        let mut unknown_fields = 0;
        let starts: Vec<usize> = (0..input.len()).step_by(CHUNK).collect();
        // Chunks have fixed borders and are merged in file order, so that the result does not depend on the number of threads.
        for wave in starts.chunks(WAVE) {
            let outcomes: Vec<ChunkOutcome> = wave
                .par_iter()
                .map(|&start| {
                    let range = start..input.len().min(start + CHUNK);
                    match &input.content {
                        Content::Report(report) => feed.report(index, report, range),
                        Content::Csv(csv) => feed.decoded(index, start, &csv.results[range]),
                    }
                })
                .collect();
            for outcome in outcomes {
                self.partial.merge(outcome.partial);
                self.devices.merge(outcome.devices);
                self.time = self.time.max(outcome.time);
                damaged.extend(outcome.damaged);
                unknown_fields += outcome.unknown_fields;
            }
            let first = wave.first().copied().unwrap_or_default();
            let done = first..input.len().min(first + WAVE * CHUNK);
            self.done += done.len() as u64;
            progress(self.done);
        }
        describe(input, &damaged, unknown_fields, notes)
    }
}

/// Notes on what is lost, unknown or guessed in one input; returns how many results are lost.
fn describe(input: &Input, damaged: &[u64], unknown_fields: u64, notes: &mut Vec<Note>) -> u64 {
    let file = input.file_name();
    let mut lost = damaged.len() as u64;
    let mut note = |level, code: &str, message: String| {
        notes.push(Note { level, code: code.to_owned(), message });
    };
    let listed = damaged.iter().take(LISTED_DAMAGE);
    for offset in listed {
        let message = format!("{file}: the result at byte {offset} is damaged and was skipped");
        note(NoteLevel::Warning, "damaged-input", message);
    }
    if damaged.len() > LISTED_DAMAGE {
        let more = damaged.len() - LISTED_DAMAGE;
        note(
            NoteLevel::Warning,
            "damaged-input",
            format!("{file}: {more} more results are damaged and were skipped"),
        );
    }
    match &input.content {
        Content::Report(report) => {
            for damage in report.damage().iter().take(LISTED_DAMAGE) {
                note(NoteLevel::Warning, "damaged-input", format!("{file}: {damage}"));
            }
            lost += report.damage().iter().map(ncu_rep::Damage::lost_results).sum::<u64>();
            let unknown = unknown_fields + report.unknown_header_fields();
            if unknown > 0 {
                let message = format!("{file}: {unknown} fields of a newer format were skipped");
                note(NoteLevel::Info, "unknown-fields", message);
            }
        }
        Content::Csv(csv) => {
            for found in csv.notes.iter().take(LISTED_DAMAGE) {
                note(NoteLevel::Info, "csv", format!("{file}: {found}"));
            }
        }
    }
    lost
}

fn source_info(input: &Input, lost: u64) -> SourceInfo {
    let (format, profiler) = match &input.content {
        Content::Report(report) => ("ncu-rep", report.session().ncu_version().map(str::to_owned)),
        Content::Csv(_) => ("ncu-csv", None),
    };
    SourceInfo {
        file: input.file_name(),
        format: format.to_owned(),
        profiler,
        results: input.len() as u64,
        lost,
    }
}

fn is_simulated(input: &Input) -> bool {
    match &input.content {
        Content::Report(report) => report.session().version(SIMULATOR_PROVIDER).is_some(),
        Content::Csv(_) => false,
    }
}

fn created(inputs: &[Input]) -> Option<u64> {
    let created = |input: &Input| match &input.content {
        Content::Report(report) => report.session().created,
        Content::Csv(_) => None,
    };
    inputs.iter().filter_map(created).max()
}

fn rfc3339(seconds: u64) -> Option<String> {
    let timestamp = Timestamp::from_second(i64::try_from(seconds).ok()?).ok()?;
    Some(timestamp.to_string())
}
