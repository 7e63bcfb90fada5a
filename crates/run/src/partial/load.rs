//! From files of rows to a document, and to one file of rows.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use indexmap::IndexMap;
use rangescope_analyze::aggregate::rows::{Restorer, merge as merge_tally};
use rangescope_analyze::aggregate::{Analysis, AnalysisOptions, Partial, fingerprint};
use rangescope_model::document::{Note, NoteLevel, RegionDocument, SCHEMA_VERSION, Tool};
use rangescope_model::imbalance::AbsentRanks;
use rangescope_model::launch::{ProcessInfo, Vocabulary};
use rangescope_model::partial::{Group, Tally};
use rangescope_read::parquet_table::ParquetTable;
use rangescope_read::results::base_unit;
use rangescope_report::tables::schema::PARTIALS;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::InputFacts;
use super::rows::{INPUT, METRIC, cells, fact_cells, group_cells, no_group};
use super::table::{GroupRows, Table};
use super::write::write_rows;
use crate::analysis::devices::{self, Devices};
use crate::analysis::{Progress, ncu_predicate, rfc3339, section_metrics};
use crate::{RunError, TOOL};

/// Files that are decoded at the same time.
const WAVE: usize = 8;

/// Whether a path names partial results: a file of rows, or a folder of such files.
pub fn is_partial(path: &Path) -> bool {
    ParquetTable::is(path) || files_in(path).is_some_and(|files| !files.is_empty())
}

/// The files of rows in a folder, in order; nothing if it is no folder.
fn files_in(path: &Path) -> Option<Vec<PathBuf>> {
    let entries = fs_err::read_dir(path).ok()?;
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension() == Some(OsStr::new("parquet")))
        .collect();
    files.sort();
    Some(files)
}

/// All inputs of some files of rows, each file with those of its inputs that no earlier file has.
struct Collection {
    files: Vec<PathBuf>,
    inputs: Vec<(String, InputFacts)>,
    vocabulary: Vocabulary,
    /// By file: whether its rows count, and the inputs of which they do not.
    known: Vec<Known>,
    /// Files tell of inputs that lie between those of other files.
    is_mixed: bool,
    notes: Vec<Note>,
}

#[derive(Default)]
struct Known {
    is_repeated: bool,
    inputs: FxHashSet<String>,
}

impl Collection {
    fn open(paths: &[PathBuf]) -> Result<Self, RunError> {
        let mut files: Vec<PathBuf> = Vec::new();
        for path in paths {
            match files_in(path) {
                Some(inside) if !inside.is_empty() => files.extend(inside),
                Some(_) => {
                    let reason = "the folder holds no .parquet file".to_owned();
                    return Err(RunError::NotAPartial { path: path.clone(), reason });
                }
                None => files.push(path.clone()),
            }
        }
        let opened: Vec<_> = files
            .par_iter()
            .map(|file| {
                Table::open(file, |name| matches!(name, "item" | "name" | "by"))?.contents()
            })
            .collect();
        let mut contents = Vec::new();
        for (file, opened) in files.into_iter().zip(opened) {
            let opened = opened?;
            let order = |extreme: fn(&str, &str) -> bool| {
                let orders = opened.inputs.iter().map(|(_, facts)| facts.order.clone());
                orders.reduce(|best, next| if extreme(&next, &best) { next } else { best })
            };
            let span = (order(|next, best| next < best), order(|next, best| next > best));
            contents.push((span, file, opened));
        }
        contents.sort_by(|left, right| (&left.0, &left.1).cmp(&(&right.0, &right.1)));

        let mut collection = Self {
            files: Vec::new(),
            inputs: Vec::new(),
            vocabulary: Vocabulary::default(),
            known: Vec::new(),
            is_mixed: contents
                .windows(2)
                .any(|two| matches!(two, [one, next] if one.0.1 > next.0.0)),
            notes: Vec::new(),
        };
        let mut seen: FxHashSet<String> = FxHashSet::default();
        let mut metrics: FxHashSet<String> = FxHashSet::default();
        for (_, file, opened) in contents {
            let mut known = Known::default();
            let mut fresh = 0;
            for (id, facts) in opened.inputs {
                if seen.insert(id.clone()) {
                    fresh += 1;
                    collection.inputs.push((id, facts));
                } else {
                    known.inputs.insert(id);
                }
            }
            known.is_repeated = fresh == 0;
            if !known.inputs.is_empty() {
                let name = file.file_name().unwrap_or_default().to_string_lossy();
                let message =
                    format!("{name}: its results are in another file too; they count once");
                collection.notes.push(Note::new(NoteLevel::Info, "same-partial-twice", message));
            }
            metrics.extend(opened.metrics);
            collection.files.push(file);
            collection.known.push(known);
        }
        collection.inputs.sort_by(|left, right| left.1.order.cmp(&right.1.order));
        let mut metrics: Vec<String> = metrics.into_iter().collect();
        metrics.sort_unstable();
        let mut processes: Vec<ProcessInfo> = Vec::new();
        let mut told: FxHashSet<ProcessInfo> = FxHashSet::default();
        for process in collection.inputs.iter().flat_map(|(_, facts)| facts.processes()) {
            if told.insert(process.clone()) {
                processes.push(process);
            }
        }
        let units = metrics.iter().map(|metric| base_unit(metric).to_owned()).collect();
        let sizes = collection.inputs.iter().flat_map(|(_, facts)| facts.sizes.iter().copied());
        collection.vocabulary = Vocabulary { metrics, units, processes, sizes: sizes.collect() };
        Ok(collection)
    }

    /// Hands out the groups of each file, each group once, and says how far it is.
    fn each(
        &self,
        progress: Progress<'_>,
        mut take: impl FnMut(Vec<GroupRows>),
    ) -> Result<(), RunError> {
        let files: Vec<(&PathBuf, &Known)> =
            self.files.iter().zip(&self.known).filter(|(_, known)| !known.is_repeated).collect();
        let mut done = 0;
        for wave in files.chunks(WAVE) {
            let read: Vec<_> =
                wave.par_iter().map(|(file, _)| Table::open(file, |_| true)?.groups()).collect();
            for ((file, known), groups) in wave.iter().zip(read) {
                let mut groups = groups?;
                let is_merged = groups.iter().any(|group| group.input.is_none());
                if is_merged && !known.inputs.is_empty() {
                    return Err(RunError::PartialsOverlap { path: (*file).clone() });
                }
                let is_known = |group: &GroupRows| {
                    group.input.as_ref().is_some_and(|input| known.inputs.contains(input))
                };
                groups.retain(|group| !is_known(group));
                take(groups);
                done += 1;
                progress(done, files.len() as u64);
            }
        }
        Ok(())
    }
}

/// The document of files of rows: the same as that of the reports that they were made from, read in order of rank and name.
pub fn load(
    paths: &[PathBuf],
    options: &AnalysisOptions,
    progress: Progress<'_>,
) -> Result<RegionDocument, RunError> {
    if options.launch.is_some() {
        return Err(RunError::LaunchOfPartials);
    }
    let collection = Collection::open(paths)?;
    let document = collection.document(options, progress)?;
    let per_kernel = section_metrics(&document);
    if per_kernel.is_empty() {
        return Ok(document);
    }
    collection.document(&AnalysisOptions { per_kernel, ..options.clone() }, progress)
}

impl Collection {
    fn document(
        &self,
        options: &AnalysisOptions,
        progress: Progress<'_>,
    ) -> Result<RegionDocument, RunError> {
        let facts = || self.inputs.iter().map(|(_, facts)| facts);
        let analysis = Analysis::with_ncu(options, &self.vocabulary, &ncu_predicate)?
            .of_input(facts().map(|facts| facts.bytes).sum());
        let mut feed = Feed::new(&analysis);
        let mut devices = Devices::default();
        for facts in facts() {
            devices.merge(Devices::of_infos(&facts.devices));
        }
        if self.is_mixed {
            let mut groups: Vec<(String, Group)> = Vec::new();
            self.each(&|_, _| {}, |file| {
                groups
                    .extend(file.into_iter().map(|rows| (rows.appeared().to_owned(), rows.group)));
            })?;
            groups.sort_by(|left, right| left.0.cmp(&right.0));
            for (_, group) in &groups {
                feed.announce(group);
            }
        }
        self.each(progress, |file| feed.add(&file))?;
        let Feed { partial, restorer, .. } = feed;
        let outcome = analysis.finish(partial, &restorer.sections());
        let mut notes: Vec<Note> = facts().flat_map(|facts| facts.notes.clone()).collect();
        notes.extend(self.notes.iter().cloned());
        notes.extend(outcome.notes);
        let devices = devices.into_infos();
        notes.extend(devices::mixed(&devices));
        let time = facts().filter_map(|facts| facts.time).max();
        let time = time.or_else(|| facts().filter_map(|facts| facts.created).max());
        Ok(RegionDocument {
            schema_version: SCHEMA_VERSION.to_owned(),
            generated_at: time.and_then(rfc3339),
            config_fingerprint: fingerprint(options),
            tool: Tool { name: TOOL.0.to_owned(), version: TOOL.1.to_owned() },
            simulated: facts().any(|facts| facts.simulated),
            sources: facts().flat_map(|facts| facts.sources.clone()).collect(),
            devices,
            notes,
            reports: outcome.reports,
            ranks: outcome.ranks,
        })
    }
}

/// Writes the rows of some files into one, as an engine would merge them. Gives the number of inputs and of rows, and the ranks of which there is nothing.
pub fn merge(
    paths: &[PathBuf],
    out: &Path,
    progress: Progress<'_>,
) -> Result<(usize, usize, Option<AbsentRanks>), RunError> {
    let collection = Collection::open(paths)?;
    let mut groups: IndexMap<Group, IndexMap<[String; 3], Tally>> = IndexMap::new();
    collection.each(progress, |file| {
        for rows in file {
            let group = groups.entry(rows.group).or_default();
            for (fact, tally) in rows.rows {
                let (item, name, by) = fact_cells(&fact);
                let key = [item.to_owned(), name.into_owned(), by.into_owned()];
                merge_tally(group.entry(key).or_default(), &tally);
            }
        }
    })?;
    let mut count = 0;
    write_rows(out, |sink| {
        let nothing = Tally::default();
        for (id, facts) in &collection.inputs {
            let text = serde_json::to_string(facts)?;
            let row = (INPUT, id.into(), text.as_str().into());
            sink.row(&PARTIALS, &cells(None, &no_group(), row, &nothing))?;
        }
        for metric in &collection.vocabulary.metrics {
            let row = (METRIC, metric.into(), "".into());
            sink.row(&PARTIALS, &cells(None, &no_group(), row, &nothing))?;
        }
        for (group, rows) in &groups {
            let group = group_cells(group);
            for ([item, name, by], tally) in rows {
                let row = (item.as_str(), name.into(), by.into());
                sink.row(&PARTIALS, &cells(None, &group, row, tally))?;
            }
            count += rows.len();
        }
        Ok(())
    })?;
    Ok((collection.inputs.len(), count, collection.vocabulary.absent_ranks()))
}

struct Feed<'a> {
    analysis: &'a Analysis<'a>,
    processes: FxHashMap<&'a ProcessInfo, usize>,
    restorer: Restorer<'a>,
    partial: Partial,
}

impl<'a> Feed<'a> {
    fn new(analysis: &'a Analysis<'a>) -> Self {
        Self {
            analysis,
            processes: analysis.vocabulary().processes.iter().zip(0..).collect(),
            restorer: Restorer::new(analysis),
            partial: analysis.partial(),
        }
    }

    fn process(&self, group: &Group) -> usize {
        let known = group.process.as_ref().and_then(|process| self.processes.get(process));
        known.copied().unwrap_or(usize::MAX)
    }

    fn announce(&mut self, group: &Group) {
        let process = self.process(group);
        self.restorer.announce(&mut self.partial, process, group);
    }

    fn add(&mut self, file: &[GroupRows]) {
        let mut partial = self.analysis.partial();
        for GroupRows { group, rows, .. } in file {
            self.restorer.add(&mut partial, self.process(group), group, rows);
        }
        partial.condense(self.analysis);
        self.partial.merge(partial);
    }
}
