//! What the analysis takes in: one result as borrowed plain data.
//!
//! The edge that reads files fills a [`Launch`] per result; nothing here knows which format it came from.

use std::collections::BTreeSet;
use std::fmt;

use crate::imbalance::AbsentRanks;
use crate::words::Word;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One result, borrowed from wherever it was read.
#[derive(Clone, Debug)]
pub struct Launch<'a> {
    /// Its place among the results of its file, damaged ones included.
    pub index: usize,
    /// What it stands for: `kernel`, `range`, `cmdlist` or `graph`.
    pub kind: LaunchKind,
    /// Which process it came from: an index into the processes that were given to the analysis.
    pub process: usize,
    /// The device, if its index is known.
    pub device: Option<DeviceId>,
    /// Function name without arguments.
    pub function: &'a str,
    /// Demangled name; may be empty, then the function name is shown.
    pub demangled: &'a str,
    /// Mangled name.
    pub mangled: &'a str,
    /// Grid dimensions.
    pub grid: Option<[u64; 3]>,
    /// Block dimensions.
    pub block: Option<[u64; 3]>,
    /// Domains with their open ranges, in file order.
    pub domains: &'a [OpenRanges<'a>],
    /// Whether it is known which ranges were open; without it, no range in `domains` does not mean that none was.
    pub is_placed: bool,
    /// Scalar numbers by metric handle, each handle at most once.
    pub numbers: &'a [(MetricId, f64)],
    /// Those of `numbers` that are counters from 2^53 on, where rounding begins, with every digit.
    pub large: &'a [(MetricId, u64)],
    /// Scalar texts by metric handle, each handle at most once.
    pub texts: &'a [(MetricId, &'a str)],
    /// Handles of the sections that the result holds, in file order.
    pub sections: &'a [SectionId],
    pub rules: &'a [RuleMessage<'a>],
}

/// Which device a result ran on. The index is that of the process: processes that were given different GPUs (`CUDA_VISIBLE_DEVICES`) all count theirs from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DeviceId {
    pub index: u32,
    /// Where the GPU is on its host, if known.
    pub pci: Option<PciAddress>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PciAddress {
    pub domain: u32,
    pub bus: u32,
    pub device: u32,
}

/// As tools of NVIDIA and Linux write it: `0000:3b:00`.
impl fmt::Display for PciAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04x}:{:02x}:{:02x}", self.domain, self.bus, self.device)
    }
}

impl PciAddress {
    /// Reads what is displayed.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split(':').map(|part| u32::from_str_radix(part, 16).ok());
        let (domain, bus, device) = (parts.next()??, parts.next()??, parts.next()??);
        parts.next().is_none().then_some(Self { domain, bus, device })
    }
}

/// What a result stands for.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum LaunchKind {
    /// One kernel launch.
    Kernel,
    /// A range, replayed as one.
    Range,
    /// A command list.
    Cmdlist,
    /// A CUDA graph.
    Graph,
}

impl Word for LaunchKind {
    const ALL: &'static [(Self, &'static str)] = &[
        (Self::Kernel, "kernel"),
        (Self::Range, "range"),
        (Self::Cmdlist, "cmdlist"),
        (Self::Graph, "graph"),
    ];
}

/// The open ranges of one domain at launch.
#[derive(Clone, Debug, Default)]
pub struct OpenRanges<'a> {
    /// The domain's name.
    pub domain: &'a str,
    /// Which of the domains of this name it is, from 0: a program can create several.
    pub nth: u32,
    /// The push/pop stack, bottom first.
    pub push_pop: Vec<&'a str>,
    /// Open start/end ranges with their ids.
    pub start_end: Vec<(u64, &'a str)>,
}

/// A message of a rule about one result.
#[derive(Clone, Debug)]
pub struct RuleMessage<'a> {
    /// Identifier of the rule.
    pub rule: &'a str,
    /// Its name for people.
    pub name: &'a str,
    /// The section it belongs to.
    pub section: &'a str,
    /// `ok`, `optimization`, `warning`, `error`, `none` or `unknown`.
    pub kind: &'a str,
    /// Title.
    pub title: &'a str,
    /// Text with ncu's link markup.
    pub text: &'a str,
    /// Estimated speed-up in per cent with its kind (`local`, `global`, `unknown`).
    pub speedup: Option<(f64, &'a str)>,
}

/// Handle of a metric name in [`Vocabulary`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MetricId(pub u32);

/// Handle of a section; the sections themselves are given when the analysis is finished, because they are only met while results are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SectionId(pub u32);

/// The metric names and processes of a run, known before the first launch is looked at.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    /// Metric names by handle; no name twice.
    pub metrics: Vec<String>,
    /// Units by metric handle, in base units.
    pub units: Vec<String>,
    /// Processes by index.
    pub processes: Vec<ProcessInfo>,
    /// How many ranks there are, by launchers that told; one number unless inputs are of different jobs.
    pub sizes: BTreeSet<u32>,
}

impl Vocabulary {
    /// The ranks of which there is nothing; nothing where none is missing, or it is not certain how many there are.
    pub fn absent_ranks(&self) -> Option<AbsentRanks> {
        let ranks: Option<BTreeSet<u32>> =
            self.processes.iter().map(|process| process.rank).collect();
        let ranks = ranks?;
        let size = self.sizes.first().copied().filter(|_| self.sizes.len() == 1)?;
        let is_of_job = ranks.last().is_some_and(|last| *last < size);
        let count = u64::from(size).checked_sub(ranks.len() as u64).filter(|count| *count > 0)?;
        let absent = (0..size).filter(|rank| !ranks.contains(rank));
        is_of_job.then(|| AbsentRanks { size, count, first: absent.take(MOST_ABSENT).collect() })
    }
}

/// Absent ranks that are named.
const MOST_ABSENT: usize = 16;

/// A section: identifier, title, and the metrics of its header with their labels.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SectionInfo {
    /// Identifier.
    pub id: String,
    /// Title.
    pub name: String,
    /// Position among sections.
    pub order: u32,
    /// Header metrics as (name, label).
    pub header: Vec<(String, String)>,
}

/// A process of the run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ProcessInfo {
    /// Process id, if known.
    pub pid: Option<u32>,
    /// Host, may be empty.
    pub host: String,
    /// Base name of the executable, may be empty.
    pub name: String,
    /// Rank, where a launcher told it.
    pub rank: Option<u32>,
}
