//! `.ncu-rep`, `.ncu-repz` and `.nsight-cuprof-report`.

use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;

use ncu_rep::{ReadError, Report, ResultData, ResultKind, ResultParts, RuleResult};
use rangescope_model::document::{Note, NoteLevel};
use rangescope_model::launch::{Launch, ProcessInfo, RuleMessage};
use rangescope_model::session::{RANKS, SIMULATOR_PROVIDER};
use rustc_hash::FxHashMap;

use super::numbering::{NO_METRIC, SectionCache, SourceNumbers, process_info};
use super::scalars::Scalars;
use super::{LISTED_PROBLEMS, ReadFacts, Refusal, ResultSource, launch_kind};
use crate::InputError;
use crate::open_ranges::open_ranges;

#[derive(Debug)]
pub struct NcuReport(Report);

impl NcuReport {
    /// A report that is in memory.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, ReadError> {
        Report::from_bytes(bytes).map(Self)
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
    Ok(Box::new(NcuReport(Report::open(path).map_err(refused)?)))
}

impl ResultSource for NcuReport {
    fn format(&self) -> &'static str {
        "ncu-rep"
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    fn profiler(&self) -> Option<String> {
        self.0.session().ncu_version().map(str::to_owned)
    }

    fn created(&self) -> Option<u64> {
        self.0.session().created
    }

    fn is_simulated(&self) -> bool {
        self.0.session().version(SIMULATOR_PROVIDER).is_some()
    }

    fn metric_names(&self) -> Vec<Option<&str>> {
        self.0.slot_strings().collect()
    }

    fn processes(&self) -> Vec<ProcessInfo> {
        let ranks = ranks(self.0.session().version(RANKS).unwrap_or_default());
        let with_rank = |process| {
            let info = process_info(process);
            ProcessInfo { rank: info.pid.and_then(|pid| ranks.get(&pid).copied()), ..info }
        };
        self.0.processes().iter().map(with_rank).collect()
    }

    fn read(
        &self,
        range: Range<usize>,
        numbers: &SourceNumbers<'_>,
        take: &mut dyn FnMut(&Launch<'_>),
    ) -> ReadFacts {
        let mut facts = ReadFacts::default();
        let mut scalars = Scalars::new(numbers.metric_count);
        let mut parts = ResultParts::new(ResultKind::Kernel);
        let mut cache = SectionCache::default();
        let mut sections = Vec::new();
        for view in range.filter_map(|index| self.0.result(index)) {
            if !view.read_parts(&mut parts) {
                facts.damaged.push(view.offset());
                continue;
            }
            facts.unknown_fields += parts.unknown_fields;
            facts.time = facts.time.max(parts.time);
            scalars.begin();
            for metric in parts.metrics() {
                let slot = self.0.string_slot(metric.name_id);
                let id = slot.and_then(|slot| numbers.metrics.get(slot)).copied();
                scalars.set(id.unwrap_or(NO_METRIC), metric.value);
            }
            cache.ids(&parts, numbers.sections, &mut sections);
            let rules: Vec<RuleResult<'_>> = parts.rules().collect();
            let nvtx = parts.nvtx();
            take(&Launch {
                kind: launch_kind(parts.kind),
                process: numbers.process(view.process_index()),
                device: scalars.index(numbers.device),
                function: &parts.function(),
                demangled: &parts.demangled(),
                mangled: &parts.mangled(),
                grid: parts.grid,
                block: parts.block,
                domains: &open_ranges(nvtx.as_ref()),
                numbers: &scalars.numbers,
                texts: &scalars.texts(),
                sections: &sections,
                rules: &rule_messages(&rules),
            });
        }
        facts
    }

    fn decode(&self, index: usize) -> Option<Cow<'_, ResultData<'_>>> {
        self.0.result(index)?.decode().map(Cow::Owned)
    }

    fn notes(&self) -> Vec<Note> {
        let listed = self.0.damage().iter().take(LISTED_PROBLEMS);
        listed
            .map(|damage| Note::new(NoteLevel::Warning, "damaged-input", damage.to_string()))
            .collect()
    }

    fn lost(&self) -> u64 {
        self.0.damage().iter().map(ncu_rep::Damage::lost_results).sum()
    }

    fn unknown_fields(&self) -> u64 {
        self.0.unknown_header_fields()
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
