//! Sources of results: files that hold what was measured, each format in a file of its own.
//!
//! A source numbers its metrics and processes in its own way; [`Numbering`] gives all sources of a run common numbers, and a source hands out its results as borrowed
//! [`Launch`]es that speak of those. Results are decoded in chunks and forgotten; nothing here grows with the file but the tables of names.

mod code;
mod ncu_csv;
mod ncu_report;
mod numbering;
mod parked;
mod scalars;

use std::borrow::Cow;
use std::fmt::Debug;
use std::ops::Range;
use std::path::Path;

use ncu_rep::source::Source;
use ncu_rep::{ResultData, ResultKind, Value};
use rangescope_model::document::Note;
use rangescope_model::launch::{Launch, LaunchKind, ProcessInfo};

use crate::InputError;
pub use code::CountedCode;
pub use ncu_report::NcuReport;
pub use numbering::{Numbering, Sections, SourceNumbers, base_unit};
pub(crate) use parked::Shelf;

/// Damaged places of one file that are listed one by one.
const LISTED_PROBLEMS: usize = 20;

/// Opens a file that is of the format at hand.
type Open = fn(&Path) -> Result<Box<dyn ResultSource>, Refusal>;

/// Why a format does not take a file.
pub(crate) enum Refusal {
    /// It is of another format; the error says more than that it is of none.
    OtherFormat(Option<InputError>),
    /// It is of this format and cannot be read.
    Unreadable(InputError),
}

/// The formats of results, in the order in which they are tried.
pub(crate) const FORMATS: &[Open] = &[ncu_report::open, ncu_csv::open];

pub trait ResultSource: Debug + Send + Sync {
    /// The format as documents name it.
    fn format(&self) -> &'static str;

    fn len(&self) -> usize;

    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Version of the profiler that wrote it.
    fn profiler(&self) -> Option<String> {
        None
    }

    /// When it was written, in seconds since 1970.
    fn created(&self) -> Option<u64> {
        None
    }

    fn is_simulated(&self) -> bool {
        false
    }

    /// The metrics by the source's own numbers; a number that names none is empty.
    fn metric_names(&self) -> Vec<Option<&str>>;

    /// The processes by the source's own numbers.
    fn processes(&self) -> Vec<ProcessInfo>;

    /// How many ranks the job has of which this is one, where its launcher told.
    fn job_size(&self) -> Option<u32> {
        None
    }

    fn read(
        &self,
        range: Range<usize>,
        numbers: &SourceNumbers<'_>,
        take: &mut dyn FnMut(&Launch<'_>),
    ) -> ReadFacts;

    /// Whether there is more of a result than [`ResultSource::read`] gives.
    fn has_results(&self) -> bool {
        true
    }

    /// One result with everything that is stored of it; nothing if it is damaged.
    fn decode(&self, index: usize) -> Option<Cow<'_, ResultData<'_>>>;

    /// Results without the instances of their metrics and without their sections; nothing for one that is damaged.
    fn decode_plain(&self, range: Range<usize>) -> Vec<Option<Cow<'_, PlainResult>>>;

    /// What was counted at the instructions of a kernel launch, of the metrics that are wanted; nothing where that is nothing.
    fn counted_code(&self, _: usize, _: &dyn Fn(&str) -> bool) -> Option<CountedCode> {
        None
    }

    /// The module with this number: code, line table and embedded sources.
    fn module(&self, _: u64) -> Option<Source> {
        None
    }

    /// Problems known before any result is read; the messages do not name the file.
    fn notes(&self) -> Vec<Note>;

    /// Results that are known to be lost before any is read.
    fn lost(&self) -> u64 {
        0
    }

    /// Closes its file if what is known without it takes at most so many bytes, and gives how many that are. Its results cannot be read then.
    fn close(&mut self, _: usize) -> Option<usize> {
        None
    }

    /// A closed source with its file opened, which has to be the same file.
    fn reopened(&self, _: &Path) -> Option<Box<dyn ResultSource>> {
        None
    }

    /// Fields of a newer format, outside of results.
    fn unknown_fields(&self) -> u64 {
        0
    }
}

/// A result whose metrics are apart, by the source's own numbers, in stored order; of one that comes again the last entry counts.
#[derive(Clone, Debug)]
pub struct PlainResult {
    /// Without metrics.
    pub data: ResultData<'static>,
    pub metrics: Vec<(u32, Option<Value<'static>>)>,
}

/// Learnt about a source while its results are read.
#[derive(Debug, Default)]
pub struct ReadFacts {
    /// Latest time stamp of a result, in seconds since 1970.
    pub time: Option<u64>,
    /// Byte positions of results that are damaged.
    pub damaged: Vec<u64>,
    /// Results that cannot be read any more, because the file is gone or has become another one.
    pub gone: u64,
    /// Fields that the reader does not know.
    pub unknown_fields: u64,
}

fn launch_kind(kind: ResultKind) -> LaunchKind {
    match kind {
        ResultKind::Kernel => LaunchKind::Kernel,
        ResultKind::Range => LaunchKind::Range,
        ResultKind::Cmdlist => LaunchKind::Cmdlist,
        ResultKind::Graph => LaunchKind::Graph,
    }
}
