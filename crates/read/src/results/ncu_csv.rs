//! What `ncu --csv` printed, on the raw or the details page.

use std::borrow::Cow;
use std::io::Read;
use std::ops::Range;
use std::path::Path;

use indexmap::IndexSet;
use ncu_rep::ResultData;
use ncu_rep::csv::{self, CsvReport};
use rangescope_model::document::{Note, NoteLevel};
use rangescope_model::launch::{Launch, ProcessInfo, SectionId};
use rustc_hash::FxBuildHasher;

use super::ncu_report::rule_messages;
use super::numbering::{NO_METRIC, SourceNumbers, process_info};
use super::scalars::Scalars;
use super::{LISTED_PROBLEMS, ReadFacts, Refusal, ResultSource, launch_kind};
use crate::InputError;
use crate::open_ranges::open_ranges;

/// Largest CSV that is read; ncu's own are a few megabytes, and a CSV must be held in memory.
pub const LARGEST_CSV: u64 = 4 << 30;
/// Bytes that are looked at to tell a CSV from other text.
const HEAD: u64 = 256 << 10;

#[derive(Debug)]
struct NcuCsv {
    report: CsvReport,
    names: IndexSet<String, FxBuildHasher>,
}

pub(super) fn open(path: &Path) -> Result<Box<dyn ResultSource>, Refusal> {
    let unreadable = Refusal::Unreadable;
    let io = |source| unreadable(InputError::Io { path: path.to_owned(), source });
    let mut file = fs_err::File::open(path).map_err(io)?;
    let size = file.metadata().map_err(io)?.len();
    let mut text = Vec::new();
    file.by_ref().take(HEAD).read_to_end(&mut text).map_err(io)?;
    if !csv::looks_like_csv(&text) {
        return Err(Refusal::OtherFormat(None));
    }
    if size > LARGEST_CSV {
        return Err(unreadable(InputError::CsvTooLarge { path: path.to_owned(), size }));
    }
    file.take(LARGEST_CSV).read_to_end(&mut text).map_err(io)?;
    let report = csv::read(&text)
        .map_err(|source| unreadable(InputError::Csv { path: path.to_owned(), source }))?;
    let metrics = report.results.iter().flat_map(|result| &result.metrics);
    let names = metrics.map(|metric| metric.name.to_string()).collect();
    Ok(Box::new(NcuCsv { report, names }))
}

impl ResultSource for NcuCsv {
    fn format(&self) -> &'static str {
        "ncu-csv"
    }

    fn len(&self) -> usize {
        self.report.results.len()
    }

    fn metric_names(&self) -> Vec<Option<&str>> {
        self.names.iter().map(|name| Some(name.as_str())).collect()
    }

    /// One for each result: the page names the process in every row.
    fn processes(&self) -> Vec<ProcessInfo> {
        self.report.results.iter().map(|result| process_info(&result.process)).collect()
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
            let Some(data) = self.report.results.get(index) else { break };
            facts.time = facts.time.max(data.time);
            scalars.begin();
            for metric in &data.metrics {
                let number = self.names.get_index_of(&*metric.name);
                let id = number.and_then(|number| numbers.metrics.get(number)).copied();
                scalars.set(id.unwrap_or(NO_METRIC), metric.value.clone());
            }
            let sections: Vec<SectionId> =
                data.sections.iter().map(|section| numbers.sections.id(section)).collect();
            take(&Launch {
                kind: launch_kind(data.kind),
                process: numbers.process(index),
                device: scalars.index(numbers.device),
                function: &data.function,
                demangled: &data.demangled,
                mangled: &data.mangled,
                grid: data.grid,
                block: data.block,
                domains: &open_ranges(data.nvtx.as_ref()),
                numbers: &scalars.numbers,
                texts: &scalars.texts(),
                sections: &sections,
                rules: &rule_messages(&data.rules),
            });
        }
        facts
    }

    fn decode(&self, index: usize) -> Option<Cow<'_, ResultData<'_>>> {
        self.report.results.get(index).map(Cow::Borrowed)
    }

    fn notes(&self) -> Vec<Note> {
        let listed = self.report.notes.iter().take(LISTED_PROBLEMS);
        listed.map(|note| Note::new(NoteLevel::Info, "csv", note.to_string())).collect()
    }
}
