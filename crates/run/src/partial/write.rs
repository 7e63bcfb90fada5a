//! `rangescope partial`: a file of rows for each report or run.

use std::fs::Permissions;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use fs_err::File;
use rangescope_analyze::aggregate::rows::{Distilled, Distillery};
use rangescope_model::document::{Note, SourceInfo};
use rangescope_model::partial::{Fact, Tally};
use rangescope_read::Input;
use rangescope_read::results::{Numbering, ReadFacts, ResultSource};
use rangescope_report::tables::schema::PARTIALS;
use rangescope_report::tables::{Sink, parquet_file};
use rayon::prelude::*;

use super::InputFacts;
use super::rows::{INPUT, METRIC, cells, fact_cells, group_cells, no_group};
use crate::analysis::devices::{DeviceMetrics, Devices};
use crate::analysis::{Progress, input_notes, source_info, stored};
use crate::load::of_another_verb;
use crate::{RunError, RunFolder, reports};

/// Results a thread takes at a time.
const CHUNK: usize = 64;
/// Results that are under way before they are merged.
const WAVE: usize = 32 * CHUNK;

/// Bytes of a report's name in that of its partial.
const LONGEST_NAME: usize = 200;

/// What becomes one file: a report, or the reports of a run.
struct Unit {
    name: String,
    inputs: Vec<Input>,
    one_program: bool,
    notes: Vec<Note>,
}

/// A file that is there now.
#[derive(Debug)]
pub struct WrittenPartial {
    pub path: PathBuf,
    /// It was there before, and nothing had to be done.
    pub was_there: bool,
    pub results: u64,
    pub lost: u64,
}

/// Writes the rows of each report or run into a folder. A file is named after what is in it, and is there only when it is complete, so that doing it again changes nothing.
pub fn partial(
    paths: &[PathBuf],
    out: &Path,
    progress: Progress<'_>,
) -> Result<Vec<WrittenPartial>, RunError> {
    fs_err::create_dir_all(out).map_err(|cause| failed(out, cause))?;
    let mut written = Vec::new();
    for (done, path) in (1..).zip(paths) {
        for unit in units(path)? {
            written.push(unit.write(out)?);
        }
        progress(done, paths.len() as u64);
    }
    Ok(written)
}

fn failed(path: &Path, cause: io::Error) -> RunError {
    RunError::Write { path: path.to_owned(), cause }
}

fn units(path: &PathBuf) -> Result<Vec<Unit>, RunError> {
    let inputs = Input::open_all(std::slice::from_ref(path)).map_err(of_another_verb)?;
    if let Ok(folder) = RunFolder::open(path) {
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        let notes = reports::stored_notes(&folder)?;
        return Ok(vec![Unit { name, inputs, one_program: true, notes }]);
    }
    let of_one = |input: Input| {
        let (name, notes) = (input.file_name(), Vec::new());
        Unit { name, inputs: vec![input], one_program: false, notes }
    };
    Ok(inputs.into_iter().map(of_one).collect())
}

impl Unit {
    fn write(&self, out: &Path) -> Result<WrittenPartial, RunError> {
        let id = self.identity()?;
        let path = out.join(format!("{}.{id}.parquet", start_of(&self.name)));
        if path.is_file() {
            let lost = self.inputs.iter().map(|input| input.source.lost()).sum();
            let results = self.inputs.iter().map(|input| input.source.len() as u64).sum();
            return Ok(WrittenPartial { path, was_there: true, results, lost });
        }
        let sources = || self.inputs.iter().map(|input| &*input.source);
        let numbering = Numbering::new(sources(), self.one_program);
        let device_metrics = DeviceMetrics::new(|name| numbering.metric(name));
        let still = Still {
            distillery: Distillery::new(&numbering.vocabulary)?,
            numbering: &numbering,
            device_metrics,
        };
        let distillery = &still.distillery;
        let (mut all, mut devices) = (distillery.begin(), Devices::default());
        let mut facts = InputFacts::new(&id, &self.name, &numbering.vocabulary);
        let mut first = 0;
        for (position, input) in self.inputs.iter().enumerate() {
            let read = still.distil(position, input, first, (&mut all, &mut devices));
            first += input.source.len() as u64;
            facts.time = facts.time.max(read.time);
            facts.sources.push(source_info(input, &read));
            facts.notes.extend(input_notes(input, &read));
        }
        facts.devices = devices.into_infos();
        facts.notes.extend(self.notes.iter().cloned());
        facts.created = sources().filter_map(ResultSource::created).max();
        facts.simulated = sources().any(ResultSource::is_simulated);
        facts.bytes = stored(&self.inputs);

        write_rows(&path, |sink| rows(&id, &facts, distillery, &mut all, &numbering, sink))?;
        let sum = |count: fn(&SourceInfo) -> u64| facts.sources.iter().map(count).sum();
        let (results, lost) = (sum(|source| source.results), sum(|source| source.lost));
        Ok(WrittenPartial { path, was_there: false, results, lost })
    }

    /// What tells these results from any others: their bytes, and what is known of their processes beside.
    fn identity(&self) -> Result<String, RunError> {
        let mut hasher = blake3::Hasher::new();
        hasher.update(super::VERSION.to_string().as_bytes());
        for input in &self.inputs {
            let file = File::open(&input.path)
                .map_err(|cause| RunError::Read { path: input.path.clone(), cause })?;
            hasher
                .update_reader(file)
                .map_err(|cause| RunError::Read { path: input.path.clone(), cause })?;
            for process in input.source.processes() {
                hasher.update(format!("{process:?}").as_bytes());
            }
        }
        Ok(hasher.finalize().to_hex().chars().take(16).collect())
    }
}

/// The rows of a unit.
fn rows(
    id: &str,
    facts: &InputFacts,
    distillery: &Distillery<'_>,
    all: &mut Distilled,
    numbering: &Numbering,
    sink: &mut dyn Sink,
) -> io::Result<()> {
    let nothing = Tally::default();
    let text = serde_json::to_string(facts)?;
    let row = (INPUT, id.into(), text.as_str().into());
    sink.row(&PARTIALS, &cells(Some(id), &no_group(), row, &nothing))?;
    for metric in &numbering.vocabulary.metrics {
        let row = (METRIC, metric.into(), "".into());
        sink.row(&PARTIALS, &cells(Some(id), &no_group(), row, &nothing))?;
    }
    distillery.rows(all, &numbering.sections(), |group, rows| {
        let group = group_cells(group);
        for (fact, tally) in rows {
            // Where a group appeared is told across files.
            let placed = tally.first.as_ref().filter(|_| matches!(fact, Fact::Launches));
            let placed = placed.map(|place| Tally {
                first: Some(format!("{}/{place}", facts.order)),
                ..tally.clone()
            });
            let tally = placed.as_ref().unwrap_or(tally);
            sink.row(&PARTIALS, &cells(Some(id), &group, fact_cells(fact), tally))?;
        }
        Ok(())
    })
}

/// Writes a file of rows, which has its name only when it is complete.
pub(super) fn write_rows(
    path: &Path,
    write: impl FnOnce(&mut dyn Sink) -> io::Result<()>,
) -> Result<(), RunError> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let make = || {
        let temporary = tempfile::Builder::new()
            .prefix(".rangescope-partial-")
            // As any file of the user: engines and colleagues read it.
            .permissions(Permissions::from_mode(0o666))
            .tempfile_in(parent.unwrap_or(Path::new(".")))?;
        let file = File::from_parts(temporary.reopen()?, temporary.path());
        let mut sink = parquet_file(file, &PARTIALS)?;
        write(&mut sink)?;
        sink.finish()?;
        temporary.as_file().sync_all()?;
        temporary.persist(path)?;
        Ok(())
    };
    make().map_err(|cause| failed(path, cause))
}

/// So much of a name that a file name has room for more.
fn start_of(name: &str) -> &str {
    let end = (0..=name.len().min(LONGEST_NAME)).rev().find(|end| name.is_char_boundary(*end));
    end.and_then(|end| name.get(..end)).unwrap_or_default()
}

/// What results of a unit are distilled with.
struct Still<'a> {
    distillery: Distillery<'a>,
    numbering: &'a Numbering,
    device_metrics: DeviceMetrics,
}

impl Still<'_> {
    /// Distils all results of one input, which is at this position of its unit.
    fn distil(
        &self,
        position: usize,
        input: &Input,
        first: u64,
        (all, devices): (&mut Distilled, &mut Devices),
    ) -> ReadFacts {
        let mut facts = ReadFacts::default();
        let length = input.source.len();
        let starts: Vec<usize> = (0..length).step_by(CHUNK).collect();
        for wave in starts.chunks(WAVE / CHUNK) {
            let chunks: Vec<_> = wave
                .par_iter()
                .map(|&start| {
                    let (mut chunk, mut found) = (self.distillery.begin(), Devices::default());
                    let mut place = first + start as u64;
                    let numbers = self.numbering.of_source(position);
                    let range = start..length.min(start + CHUNK);
                    let read = input.source.read(range, &numbers, &mut |launch| {
                        let process = self.numbering.vocabulary.processes.get(launch.process);
                        found.see(launch, process, &self.device_metrics);
                        chunk.add(&self.distillery, launch, place);
                        place += 1;
                    });
                    (chunk, found, read)
                })
                .collect();
            for (chunk, found, read) in chunks {
                all.merge(&self.distillery, chunk);
                devices.merge(found);
                facts.time = facts.time.max(read.time);
                facts.damaged.extend(read.damaged);
                facts.unknown_fields += read.unknown_fields;
            }
        }
        facts
    }
}
