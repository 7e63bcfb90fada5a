//! What `ncu --csv` printed, on the raw or the details page.

use std::borrow::Cow;
use std::io::Read;
use std::ops::Range;
use std::path::Path;

use indexmap::IndexSet;
use ncu_rep::csv::{self, CsvNote};
use ncu_rep::{Metric, ResultData, Value, limits};
use rangescope_model::document::{Note, NoteLevel};
use rangescope_model::launch::{Launch, ProcessInfo, SectionId};
use rustc_hash::FxBuildHasher;

use super::ncu_report::rule_messages;
use super::numbering::{NO_METRIC, SourceNumbers, process_info};
use super::scalars::Scalars;
use super::{LISTED_PROBLEMS, PlainResult, ReadFacts, Refusal, ResultSource, launch_kind};
use crate::InputError;
use crate::open_ranges::open_ranges;

/// Bytes that are looked at to tell a CSV from other text.
const HEAD: u64 = 256 << 10;

#[derive(Debug)]
struct NcuCsv {
    #[expect(clippy::vec_box, reason = "they are large, and a list of them moves when it grows")]
    results: Vec<Box<PlainResult>>,
    notes: Vec<CsvNote>,
    names: IndexSet<String, FxBuildHasher>,
    /// Results that are too many for the size of the file.
    lost: u64,
}

pub(super) fn open(path: &Path) -> Result<Box<dyn ResultSource>, Refusal> {
    let unreadable = Refusal::Unreadable;
    let io = |source| unreadable(InputError::Io { path: path.to_owned(), source });
    let (mut file, _) = ncu_rep::file::open(path).map_err(io)?;
    let mut text = Vec::new();
    file.by_ref().take(HEAD).read_to_end(&mut text).map_err(io)?;
    if !csv::looks_like_csv(&text) {
        return Err(Refusal::OtherFormat(None));
    }
    drop(file);
    let text = ncu_rep::file::read(path, limits::TEXT).map_err(io)?;
    let mut names = IndexSet::default();
    let mut results = Vec::new();
    let mut lost = 0;
    let most = limits::CSV_RESULTS + text.len() / limits::BYTES_PER_CSV_RESULT;
    let mut keep = |result| {
        if results.len() < most {
            results.push(Box::new(plain(result, &mut names)));
        } else {
            lost += 1;
        }
    };
    let (_, notes) = csv::read_each(&text, &mut keep)
        .map_err(|source| unreadable(InputError::Csv { path: path.to_owned(), source }))?;
    Ok(Box::new(NcuCsv { results, notes, names, lost }))
}

/// The names of all results would take several times the memory of the file.
fn plain(
    mut data: ResultData<'static>,
    names: &mut IndexSet<String, FxBuildHasher>,
) -> PlainResult {
    let mut number = |name: &str| {
        let known = names.get_index_of(name);
        let number = known.unwrap_or_else(|| names.insert_full(name.to_owned()).0);
        u32::try_from(number).ok()
    };
    // A page has no instances.
    let metrics = std::mem::take(&mut data.metrics)
        .into_iter()
        .filter_map(|metric| Some((number(&metric.name)?, metric.value)))
        .collect();
    PlainResult { data, metrics }
}

impl ResultSource for NcuCsv {
    fn format(&self) -> &'static str {
        "ncu-csv"
    }

    fn len(&self) -> usize {
        self.results.len()
    }

    fn metric_names(&self) -> Vec<Option<&str>> {
        self.names.iter().map(|name| Some(name.as_str())).collect()
    }

    /// One for each result: the page names the process in every row.
    fn processes(&self) -> Vec<ProcessInfo> {
        self.results.iter().map(|result| process_info(&result.data.process)).collect()
    }

    fn read(
        &self,
        range: Range<usize>,
        numbers: &SourceNumbers<'_>,
        take: &mut dyn FnMut(&Launch<'_>),
    ) -> ReadFacts {
        let mut facts = ReadFacts::default();
        let mut scalars = Scalars::new(numbers.metric_count);
        for index in range {
            let Some(result) = self.results.get(index) else { break };
            let PlainResult { data, metrics } = &**result;
            facts.time = facts.time.max(data.time);
            scalars.begin();
            for (number, value) in metrics {
                let id = numbers.metrics.get(*number as usize).copied();
                scalars.set(id.unwrap_or(NO_METRIC), value.clone());
            }
            let sections: Vec<SectionId> =
                data.sections.iter().map(|section| numbers.sections.id(section)).collect();
            take(&Launch {
                index,
                kind: launch_kind(data.kind),
                process: numbers.process(index),
                device: scalars.device(&numbers.device),
                function: &data.function,
                demangled: &data.demangled,
                mangled: &data.mangled,
                grid: data.grid,
                block: data.block,
                domains: &open_ranges(data.nvtx.as_ref()),
                is_placed: true,
                numbers: &scalars.numbers,
                large: &scalars.large,
                texts: &scalars.texts(),
                sections: &sections,
                rules: &rule_messages(&data.rules),
            });
        }
        facts
    }

    fn decode(&self, index: usize) -> Option<Cow<'_, ResultData<'_>>> {
        let PlainResult { data, metrics } = &**self.results.get(index)?;
        let metric = |(number, value): &(u32, Option<Value<'static>>)| Metric {
            name: self.names.get_index(*number as usize).map_or("", String::as_str).into(),
            value: value.clone(),
            instances: Vec::new(),
        };
        Some(Cow::Owned(ResultData {
            metrics: metrics.iter().map(metric).collect(),
            ..data.clone()
        }))
    }

    fn decode_plain(&self, range: Range<usize>) -> Vec<Option<Cow<'_, PlainResult>>> {
        let plain = |index: usize| self.results.get(index).map(|result| Cow::Borrowed(&**result));
        range.map(plain).collect()
    }

    fn notes(&self) -> Vec<Note> {
        let listed = self.notes.iter().take(LISTED_PROBLEMS);
        let listed = listed.map(|note| Note::new(NoteLevel::Info, "csv", note.to_string()));
        let lost = (self.lost > 0).then(|| {
            let message = format!(
                "{} results are left out: their rows are shorter than ncu makes them, and too many to be kept in memory",
                self.lost
            );
            Note::new(NoteLevel::Warning, "too-many-rows", message)
        });
        lost.into_iter().chain(listed).collect()
    }

    fn lost(&self) -> u64 {
        self.lost
    }
}
