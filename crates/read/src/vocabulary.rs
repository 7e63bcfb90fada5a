//! One numbering of metrics, processes and sections over all inputs of a run.

use std::sync::Mutex;

use ncu_rep::{Process, ResultParts, Section};
use rangescope_regions::launch::{MetricId, ProcessInfo, SectionId, SectionInfo, Vocabulary};
use rustc_hash::FxHashMap;

use crate::RANKS;
use crate::input::{Content, Input};

/// What stands for a string that is no metric name.
pub(crate) const NO_METRIC: MetricId = MetricId(u32::MAX);

/// The numbering, with a table per input that leads from the file's own numbers to the common ones.
#[derive(Debug, Default)]
pub(crate) struct Numbering {
    pub(crate) vocabulary: Vocabulary,
    by_name: FxHashMap<String, MetricId>,
    /// For each report the metric by string slot; empty for CSVs.
    pub(crate) metrics_by_slot: Vec<Vec<MetricId>>,
    /// For each input the common process index by its own.
    pub(crate) processes: Vec<Vec<usize>>,
}

impl Numbering {
    /// Numbers everything. Inputs that are captures of one program were made by runs of it one after the other, so that the processes of one are those of the others.
    pub(crate) fn new(inputs: &[Input], one_program: bool) -> Self {
        let mut numbering = Self::default();
        let mut known = KnownProcesses { one_program, ..KnownProcesses::default() };
        for input in inputs {
            known.begin();
            let (slots, processes) = match &input.content {
                Content::Report(report) => {
                    let slots = report
                        .slot_strings()
                        .map(|name| name.map_or(NO_METRIC, |name| numbering.add(name)))
                        .collect();
                    let ranks = ranks(report.session().version(RANKS).unwrap_or_default());
                    let number = |process: &Process<'_>| {
                        let rank = process.pid.and_then(|pid| ranks.get(&pid).copied());
                        numbering.process(process, rank, &mut known)
                    };
                    (slots, report.processes().iter().map(number).collect())
                }
                Content::Csv(csv) => {
                    for metric in csv.results.iter().flat_map(|result| &result.metrics) {
                        numbering.add(&metric.name);
                    }
                    let processes = csv
                        .results
                        .iter()
                        .map(|r| numbering.process(&r.process, None, &mut known))
                        .collect();
                    (Vec::new(), processes)
                }
            };
            numbering.metrics_by_slot.push(slots);
            numbering.processes.push(processes);
        }
        numbering
    }

    /// The handle of a metric name, if any input has it.
    pub(crate) fn metric(&self, name: &str) -> Option<MetricId> {
        self.by_name.get(name).copied()
    }

    fn add(&mut self, name: &str) -> MetricId {
        if let Some(&id) = self.by_name.get(name) {
            return id;
        }
        let id = MetricId(u32::try_from(self.vocabulary.metrics.len()).unwrap_or(u32::MAX));
        self.by_name.insert(name.to_owned(), id);
        self.vocabulary.metrics.push(name.to_owned());
        self.vocabulary.units.push(ncu_rep::units::unit_of(name).to_owned());
        id
    }

    fn process(
        &mut self,
        process: &Process<'_>,
        rank: Option<u32>,
        known: &mut KnownProcesses,
    ) -> usize {
        let name = process.executable.rsplit(['/', '\\']).next().unwrap_or_default();
        let info = ProcessInfo {
            pid: process.pid,
            host: process.host.to_string(),
            name: name.to_owned(),
            rank,
        };
        known.number(info, &mut self.vocabulary.processes)
    }
}

/// What processes of several runs of a program have in common: host, name and rank.
type Alike = (String, String, Option<u32>);

/// Which processes have been met.
#[derive(Debug, Default)]
struct KnownProcesses {
    one_program: bool,
    /// The numbers of processes, by what is known of them; in captures of one program, only those of this capture.
    numbers: FxHashMap<ProcessInfo, usize>,
    /// How many processes of one host, name and rank this capture has had.
    alike: FxHashMap<Alike, usize>,
    /// The process that stands for the nth of those in every capture.
    places: FxHashMap<(Alike, usize), usize>,
}

impl KnownProcesses {
    fn begin(&mut self) {
        if self.one_program {
            self.numbers.clear();
            self.alike.clear();
        }
    }

    fn number(&mut self, info: ProcessInfo, processes: &mut Vec<ProcessInfo>) -> usize {
        if let Some(&number) = self.numbers.get(&info) {
            return number;
        }
        let next = processes.len();
        let number = if self.one_program {
            let alike = (info.host.clone(), info.name.clone(), info.rank);
            let count = self.alike.entry(alike.clone()).or_default();
            let number = *self.places.entry((alike, *count)).or_insert(next);
            *count += 1;
            number
        } else {
            next
        };
        if number == next {
            processes.push(info.clone());
        }
        self.numbers.insert(info, number);
        number
    }
}

/// Reads `pid:rank pid:rank …`; what is malformed is left out.
fn ranks(text: &str) -> FxHashMap<u32, u32> {
    let pair = |word: &str| {
        let (pid, rank) = word.split_once(':')?;
        Some((pid.parse().ok()?, rank.parse().ok()?))
    };
    text.split_whitespace().filter_map(pair).collect()
}

/// Sections met while results are read, by any thread. Their numbers depend on which thread came first; nothing that is shown does.
#[derive(Debug, Default)]
pub(crate) struct Sections {
    known: Mutex<(FxHashMap<SectionInfo, SectionId>, Vec<SectionInfo>)>,
}

impl Sections {
    pub(crate) fn into_list(self) -> Vec<SectionInfo> {
        self.known.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner).1
    }

    pub(crate) fn id(&self, section: &Section<'_>) -> SectionId {
        let info = SectionInfo {
            id: section.id.to_string(),
            name: section.name.to_string(),
            order: section.order,
            header: section
                .header
                .iter()
                .map(|m| (m.name.to_string(), m.label.to_string()))
                .collect(),
        };
        let mut known = self.known.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let (by_info, list) = &mut *known;
        *by_info.entry(info).or_insert_with_key(|info| {
            list.push(info.clone());
            SectionId(u32::try_from(list.len() - 1).unwrap_or(u32::MAX))
        })
    }
}

/// Remembers the sections of the result before, because results of one run nearly always hold the same ones.
#[derive(Debug, Default)]
pub(crate) struct SectionCache {
    last: Vec<(Vec<u8>, SectionId)>,
}

impl SectionCache {
    pub(crate) fn ids(
        &mut self,
        parts: &ResultParts,
        sections: &Sections,
        ids: &mut Vec<SectionId>,
    ) {
        ids.clear();
        for (position, key) in parts.section_keys().enumerate() {
            let id = match self.last.get(position) {
                Some((known, id)) if known == key => *id,
                _ => {
                    let Some(section) = parts.section(position) else { continue };
                    let id = sections.id(&section);
                    self.last.truncate(position);
                    self.last.push((key.to_vec(), id));
                    id
                }
            };
            ids.push(id);
        }
    }
}
