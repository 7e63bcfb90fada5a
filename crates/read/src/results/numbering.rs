//! One numbering of metrics, processes and sections over all sources of a run.

use std::sync::{Arc, Mutex};

use ncu_rep::{Process, ResultParts, Section, names};
use rangescope_model::launch::{MetricId, ProcessInfo, SectionId, SectionInfo, Vocabulary};
use rangescope_model::number::FRACTION;
use rustc_hash::FxHashMap;

use super::ResultSource;

/// Stands for a string that is no metric name.
pub(super) const NO_METRIC: MetricId = MetricId(u32::MAX);

/// The common numbers, with a table per source that leads from its own numbers to them.
#[derive(Debug, Default)]
pub struct Numbering {
    pub vocabulary: Vocabulary,
    by_name: FxHashMap<String, MetricId>,
    /// For each source the metric by its own number; sources that number them alike share the table.
    metrics: Vec<Arc<[MetricId]>>,
    /// For each source the common process index by its own.
    processes: Vec<Vec<usize>>,
    sections: Sections,
}

#[derive(Clone, Copy, Debug)]
pub struct SourceNumbers<'a> {
    /// Of all sources together.
    pub(super) metric_count: usize,
    /// The metric by the source's own number.
    pub(super) metrics: &'a [MetricId],
    processes: &'a [usize],
    pub(super) sections: &'a Sections,
    pub(super) device: DeviceMetrics,
}

/// The metrics that say which device a result ran on.
#[derive(Clone, Copy, Debug)]
pub(super) struct DeviceMetrics {
    pub(super) index: Option<MetricId>,
    /// Domain, bus and device of its PCI address.
    pub(super) pci: [Option<MetricId>; 3],
}

impl SourceNumbers<'_> {
    pub(crate) fn metric(&self, own: usize) -> Option<MetricId> {
        self.metrics.get(own).copied()
    }

    pub(crate) fn process(&self, own: usize) -> usize {
        self.processes.get(own).copied().unwrap_or(0)
    }
}

impl Numbering {
    /// Numbers everything. Sources that are captures of one program were made by runs of it one after the other, so that the processes of one are those of the others.
    pub fn new<'s>(sources: impl Iterator<Item = &'s dyn ResultSource>, one_program: bool) -> Self {
        let mut numbering = Self::default();
        let mut known = KnownProcesses { one_program, ..KnownProcesses::default() };
        let mut before: Vec<Option<&str>> = Vec::new();
        for source in sources {
            known.begin();
            let names = source.metric_names();
            let metrics = match numbering.metrics.last() {
                Some(alike) if names == before => Arc::clone(alike),
                _ => {
                    let names = names.iter().copied();
                    names.map(|name| name.map_or(NO_METRIC, |name| numbering.add(name))).collect()
                }
            };
            before = names;
            numbering.metrics.push(metrics);
            let processes = source.processes().into_iter();
            let processes =
                processes.map(|info| known.number(info, &mut numbering.vocabulary.processes));
            numbering.processes.push(processes.collect());
            numbering.vocabulary.sizes.extend(source.job_size());
        }
        numbering
    }

    /// The numbers for the source at this position.
    pub fn of_source(&self, position: usize) -> SourceNumbers<'_> {
        SourceNumbers {
            metric_count: self.vocabulary.metrics.len(),
            metrics: self.metrics.get(position).map_or(&[], |metrics| metrics),
            processes: self.processes.get(position).map_or(&[], Vec::as_slice),
            sections: &self.sections,
            device: DeviceMetrics {
                index: self.metric(names::DEVICE_INDEX),
                pci: names::PCI_ADDRESS.map(|name| self.metric(name)),
            },
        }
    }

    pub fn metric(&self, name: &str) -> Option<MetricId> {
        self.by_name.get(name).copied()
    }

    pub fn sections(&self) -> Vec<SectionInfo> {
        self.sections.list()
    }

    fn add(&mut self, name: &str) -> MetricId {
        if let Some(&id) = self.by_name.get(name) {
            return id;
        }
        let id = MetricId(u32::try_from(self.vocabulary.metrics.len()).unwrap_or(u32::MAX));
        self.by_name.insert(name.to_owned(), id);
        self.vocabulary.metrics.push(name.to_owned());
        self.vocabulary.units.push(base_unit(name).to_owned());
        id
    }
}

/// The unit that the values of a metric have. ncu calls a fraction per cent; whoever reads the value must know better.
pub fn base_unit(metric: &str) -> &'static str {
    if ncu_rep::units::is_fraction(metric) { FRACTION } else { ncu_rep::units::unit_of(metric) }
}

/// The rank of a process is not in ncu's own formats.
pub(super) fn process_info(process: &Process<'_>) -> ProcessInfo {
    let name = process.executable.rsplit(['/', '\\']).next().unwrap_or_default();
    ProcessInfo {
        pid: process.pid,
        host: process.host.to_string(),
        name: name.to_owned(),
        rank: None,
    }
}

/// Host, name and rank: the same in every run of a program.
type Alike = (String, String, Option<u32>);

#[derive(Debug, Default)]
struct KnownProcesses {
    one_program: bool,
    /// The numbers of processes, by what is known of them; in captures of one program, only those of this capture.
    numbers: FxHashMap<ProcessInfo, usize>,
    /// Processes of one host, name and rank that this capture has had so far.
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

/// Sections met while results are read, by any thread. Their numbers depend on which thread came first; nothing that is shown does.
#[derive(Debug, Default)]
pub struct Sections {
    known: Mutex<(FxHashMap<SectionInfo, SectionId>, Vec<SectionInfo>)>,
}

impl Sections {
    fn list(&self) -> Vec<SectionInfo> {
        self.known.lock().unwrap_or_else(std::sync::PoisonError::into_inner).1.clone()
    }

    pub(super) fn id(&self, section: &Section<'_>) -> SectionId {
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
pub(super) struct SectionCache {
    last: Vec<(Vec<u8>, SectionId)>,
}

impl SectionCache {
    pub(super) fn ids(
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
