//! The JSON contract of `rangescope regions`: which regions a program has, how often and how long they were open, and which of them at the same time.
//!
//! Times in `*_ms` are milliseconds of wall time, as the program's threads saw them. No logic lives here.

use crate::document::{Note, Scope, Tool};
use crate::region::{RangeKind, RegionRef};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Version of the contract; raised when a field changes its meaning or disappears.
pub const SCHEMA_VERSION: &str = "1.0";

/// What a recording holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RecordedRegions {
    /// Version of this contract.
    pub schema_version: String,
    /// The program that wrote this document.
    pub tool: Tool,
    /// What the reader should know before trusting the numbers.
    pub notes: Vec<Note>,
    /// The processes in order of their beginning.
    pub processes: Vec<RecordedProcess>,
    /// One tree per process in the same order, then the aggregate.
    pub reports: Vec<RegionTree>,
}

/// A recorded process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RecordedProcess {
    /// The id of its scope.
    pub scope: String,
    /// Process id.
    pub process_id: u32,
    /// Process id of the parent.
    pub parent_id: u32,
    /// Whether it was forked from a process that was recording. Ranges that were open in the parent are not open in it.
    pub forked: bool,
    /// Name of the host.
    pub host: String,
    /// The command line.
    pub command: Vec<String>,
    /// The rank that a launcher gave it.
    pub rank: Option<u32>,
    /// The rank among the processes of its host.
    pub local_rank: Option<u32>,
    /// How many ranks there are.
    pub world_size: Option<u32>,
    /// When recording began, milliseconds since 1970.
    pub began_unix_ms: f64,
    /// From there to its end or its last event, in milliseconds.
    pub duration_ms: f64,
    /// Whether the process ended in order; false if it was killed or left with `_exit`.
    pub ended_in_order: bool,
    /// Its threads in order of their first event.
    pub threads: Vec<RecordedThread>,
    /// Events that were recorded.
    pub events: u64,
    /// Events that could not be recorded.
    pub events_lost: u64,
    /// Events whose extended payload was left out.
    pub extended_payloads: u64,
    /// Why recording ended before the process did.
    pub storage_error: Option<String>,
}

/// A recorded thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RecordedThread {
    /// The system's id of the thread.
    pub thread_id: u32,
    /// The name that the program gave it through NVTX.
    pub name: Option<String>,
}

/// The regions of one scope.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RegionTree {
    /// One process, or all of them.
    pub scope: Scope,
    /// The regions; a parent comes before its children, siblings are in order of first appearance.
    pub regions: Vec<RecordedRegion>,
    /// Pairs of regions, as positions in `regions`, that were open at the same time in one process, on whatever threads.
    pub open_together: Vec<[usize; 2]>,
    /// Whether `open_together` holds every such pair; false when there were too many.
    pub open_together_complete: bool,
    /// Marks, without those of the simulated device.
    pub marks: u64,
    /// Kernel launches that the program announced to the simulated device.
    pub simulated_launches: u64,
    /// Pops without a range to pop.
    pub pops_without_push: u64,
    /// Ends of ranges that were not open.
    pub ends_without_start: u64,
    /// Ranges that were too deep in the tree for a region of their own; they count to the region above.
    pub ranges_too_deep: u64,
}

/// One region.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RecordedRegion {
    /// Name for people: the parent's name + `::` + the own name, unless that already begins with `<parent>::`.
    pub name: String,
    /// Identity: the names of the ranges from the bottom of the stack.
    pub path: Vec<String>,
    /// Position of the parent region in `regions`.
    pub parent: Option<usize>,
    /// How many regions enclose it.
    pub depth: u32,
    /// The kind of range.
    pub kind: RangeKind,
    /// NVTX domain.
    pub domain: String,
    /// How often it was opened.
    pub instances: u64,
    /// How many of these were never closed; their time goes to the end of their process.
    pub never_closed: u64,
    /// Wall time of all instances. Instances on several threads count each.
    pub total_ms: f64,
    /// The same without the time of the regions inside of it.
    pub exclusive_ms: f64,
    /// The shortest instance.
    pub min_ms: f64,
    /// The instance in the middle.
    pub median_ms: f64,
    /// The longest instance.
    pub max_ms: f64,
    /// Threads that opened it, added up over processes.
    pub threads: u64,
    /// Processes that opened it.
    pub processes: u64,
    /// How many instances were open at once in one process at most.
    pub most_open: u64,
}

impl RecordedRegion {
    /// The identity of the region.
    pub fn key(&self) -> RegionRef<'_> {
        RegionRef { domain: &self.domain, kind: self.kind, path: &self.path }
    }
}
