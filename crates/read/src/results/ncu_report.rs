//! `.ncu-rep`, `.ncu-repz` and `.nsight-cuprof-report`.

use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;
use std::sync::OnceLock;

use ncu_rep::source::{Source, SourcePlace};
use ncu_rep::{MetricSink, ReadError, Report, ResultData, ResultParts, RuleResult, Value};
use rangescope_model::document::{Note, NoteLevel, Scalar};
use rangescope_model::launch::{Launch, MetricId, ProcessInfo, RuleMessage};
use rangescope_model::rank::RankRecord;
use rangescope_model::session::{RANKS, SIMULATOR_PROVIDER};
use rustc_hash::FxHashMap;

use super::code::counted;
use super::numbering::{NO_METRIC, SectionCache, SourceNumbers, process_info};
use super::scalars::Scalars;
use super::{
    CountedCode, LISTED_PROBLEMS, PlainResult, ReadFacts, Refusal, ResultSource, launch_kind,
};
use crate::InputError;
use crate::open_ranges::open_ranges;
use crate::rank_beside::rank_beside;

#[derive(Debug)]
pub struct NcuReport {
    report: Report,
    /// Where the modules are; found when one is asked for.
    modules: OnceLock<FxHashMap<u64, SourcePlace>>,
    /// Who its processes are, as whoever started ncu wrote it down beside the report.
    rank: Option<RankRecord>,
}

impl NcuReport {
    fn new(report: Report) -> Self {
        Self { report, modules: OnceLock::new(), rank: None }
    }

    /// A report that is in memory.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, ReadError> {
        Report::from_bytes(bytes).map(Self::new)
    }
}

pub(super) fn open(path: &Path) -> Result<Box<dyn ResultSource>, Refusal> {
    let refused = |source: ReadError| {
        let path = path.to_owned();
        match source {
            ReadError::NotAReport { .. } => {
                Refusal::OtherFormat(Some(InputError::Report { path, source }))
            }
            ReadError::Io { source, .. } => Refusal::Unreadable(InputError::Io { path, source }),
            _ => Refusal::Unreadable(InputError::Report { path, source }),
        }
    };
    let report = Report::open(path).map_err(refused)?;
    Ok(Box::new(NcuReport { rank: rank_beside(path), ..NcuReport::new(report) }))
}

impl ResultSource for NcuReport {
    fn format(&self) -> &'static str {
        "ncu-rep"
    }

    fn len(&self) -> usize {
        self.report.len()
    }

    fn profiler(&self) -> Option<String> {
        self.report.session().ncu_version().map(str::to_owned)
    }

    fn created(&self) -> Option<u64> {
        self.report.session().created
    }

    fn is_simulated(&self) -> bool {
        self.report.session().version(SIMULATOR_PROVIDER).is_some()
    }

    fn metric_names(&self) -> Vec<Option<&str>> {
        self.report.slot_strings().collect()
    }

    fn processes(&self) -> Vec<ProcessInfo> {
        let ranks = ranks(self.report.session().version(RANKS).unwrap_or_default());
        let with_rank = |process| {
            let info = process_info(process);
            let told = info.pid.and_then(|pid| ranks.get(&pid).copied());
            let beside = self.rank.as_ref();
            let host = match beside {
                Some(beside) if info.host.is_empty() => beside.host.clone(),
                _ => info.host,
            };
            ProcessInfo { rank: told.or(beside.map(|beside| beside.rank)), host, ..info }
        };
        self.report.processes().iter().map(with_rank).collect()
    }

    fn job_size(&self) -> Option<u32> {
        self.rank.as_ref()?.size
    }

    fn read(
        &self,
        range: Range<usize>,
        numbers: &SourceNumbers<'_>,
        take: &mut dyn FnMut(&Launch<'_>),
    ) -> ReadFacts {
        let mut facts = ReadFacts::default();
        let mut scalars = Scalars::new(numbers.metric_count);
        let mut parts = ResultParts::up_to(range.end);
        let mut cache = SectionCache::default();
        let mut sections = Vec::new();
        for (index, view) in range.filter_map(|index| Some((index, self.report.result(index)?))) {
            if !view.read_parts(&mut parts) {
                facts.damaged.push(view.offset());
                continue;
            }
            facts.unknown_fields += parts.unknown_fields;
            facts.time = facts.time.max(parts.time);
            scalars.begin();
            parts.give_metrics(&mut Numbered { report: &self.report, numbers, to: &mut scalars });
            cache.ids(&parts, numbers.sections, &mut sections);
            let rules: Vec<RuleResult<'_>> = parts.rules().collect();
            let nvtx = parts.nvtx();
            take(&Launch {
                index,
                kind: launch_kind(parts.kind),
                process: numbers.process(view.process_index()),
                device: scalars.device(&numbers.device),
                function: &parts.function(),
                demangled: &parts.demangled(),
                mangled: &parts.mangled(),
                grid: parts.grid,
                block: parts.block,
                domains: &open_ranges(nvtx.as_ref()),
                is_placed: true,
                numbers: &scalars.numbers,
                large: &scalars.large,
                texts: &scalars.texts(),
                sections: &sections,
                rules: &rule_messages(&rules),
            });
        }
        facts
    }

    fn decode(&self, index: usize) -> Option<Cow<'_, ResultData<'_>>> {
        self.report.result(index)?.decode().map(Cow::Owned)
    }

    fn decode_plain(&self, range: Range<usize>) -> Vec<Option<Cow<'_, PlainResult>>> {
        let mut parts = ResultParts::up_to(range.end);
        let plain = |index| {
            let view = self.report.result(index)?;
            if !view.read_parts(&mut parts) {
                return None;
            }
            let metrics = Vec::with_capacity(parts.metric_count());
            let mut collected = Collected { report: &self.report, metrics };
            parts.give_metrics(&mut collected);
            let metrics = collected.metrics;
            Some(Cow::Owned(PlainResult { metrics, data: view.described(&parts) }))
        };
        range.map(plain).collect()
    }

    fn counted_code(&self, index: usize, wanted: &dyn Fn(&str) -> bool) -> Option<CountedCode> {
        counted(&self.report.result(index)?.parts()?, |id| self.report.string(id), wanted)
    }

    fn module(&self, number: u64) -> Option<Source> {
        let places = self.modules.get_or_init(|| self.report.source_places());
        self.report.source(places.get(&number)?)
    }

    fn notes(&self) -> Vec<Note> {
        let listed = self.report.damage().iter().take(LISTED_PROBLEMS);
        listed
            .map(|damage| Note::new(NoteLevel::Warning, "damaged-input", damage.to_string()))
            .collect()
    }

    fn lost(&self) -> u64 {
        self.report.lost_results()
    }

    fn close(&mut self, most: usize) -> Option<usize> {
        let kept = self.report.kept_bytes();
        (kept <= most && self.report.close()).then_some(kept)
    }

    fn reopened(&self, path: &Path) -> Option<Box<dyn ResultSource>> {
        let report = self.report.reopened(path).ok()?;
        Some(Box::new(Self { rank: self.rank.clone(), ..Self::new(report) }))
    }

    fn unknown_fields(&self) -> u64 {
        self.report.unknown_header_fields()
    }
}

/// Puts the metrics of a result under their common numbers.
struct Numbered<'r> {
    report: &'r Report,
    numbers: &'r SourceNumbers<'r>,
    to: &'r mut Scalars,
}

impl Numbered<'_> {
    #[inline]
    fn id(&self, name_id: u32) -> MetricId {
        let slot = self.report.string_slot(name_id);
        slot.and_then(|slot| self.numbers.metrics.get(slot)).copied().unwrap_or(NO_METRIC)
    }
}

impl<'a> MetricSink<'a> for Numbered<'_> {
    #[inline]
    fn number(&mut self, name_id: u32, number: f64) {
        self.to.number(self.id(name_id), number);
    }

    #[inline]
    fn counter(&mut self, name_id: u32, counter: u64) {
        if counter < Scalar::LARGEST_EXACT {
            self.number(name_id, counter as f64);
        } else {
            self.other(name_id, Some(Value::U64(counter)));
        }
    }

    fn other(&mut self, name_id: u32, value: Option<Value<'a>>) {
        self.to.set(self.id(name_id), value);
    }
}

/// Keeps the metrics of a result under the numbers of their file.
struct Collected<'r> {
    report: &'r Report,
    metrics: Vec<(u32, Option<Value<'static>>)>,
}

impl<'a> MetricSink<'a> for Collected<'_> {
    fn number(&mut self, name_id: u32, number: f64) {
        self.other(name_id, Some(Value::F64(number)));
    }

    fn counter(&mut self, name_id: u32, counter: u64) {
        self.other(name_id, Some(Value::U64(counter)));
    }

    fn other(&mut self, name_id: u32, value: Option<Value<'a>>) {
        let slot = self.report.string_slot(name_id).and_then(|slot| u32::try_from(slot).ok());
        if let Some(slot) = slot {
            self.metrics.push((slot, value.map(Value::into_owned)));
        }
    }
}

pub(super) fn rule_messages<'a>(rules: &'a [RuleResult<'a>]) -> Vec<RuleMessage<'a>> {
    let mut messages = Vec::new();
    for rule in rules {
        for item in &rule.items {
            let Some(message) = &item.message else { continue };
            messages.push(RuleMessage {
                rule: &rule.id,
                name: &rule.name,
                section: &rule.section,
                kind: message.kind.as_str(),
                title: &message.title,
                text: &message.text,
                speedup: item.speedup.map(|speedup| (speedup.pct, speedup.kind_str())),
            });
        }
    }
    messages
}

/// Reads `pid:rank pid:rank …`; what is malformed is left out.
fn ranks(text: &str) -> FxHashMap<u32, u32> {
    let pair = |word: &str| {
        let (pid, rank) = word.split_once(':')?;
        Some((pid.parse().ok()?, rank.parse().ok()?))
    };
    text.split_whitespace().filter_map(pair).collect()
}
