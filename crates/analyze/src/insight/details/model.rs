//! What the metrics of a set of results say about it, as plain data for charts: every number with the metrics that it was read from.

use rangescope_model::document::Method;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The charts of ncu's details page that the metrics of a set of results suffice for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Details {
    /// Traffic between the units of the memory system; null if none was measured.
    pub memory: Option<MemoryChart>,
    /// What warps did, most time first; null if it was not measured.
    pub stalls: Option<WarpStates>,
    /// How busy each pipe of the multiprocessors was, busiest first.
    pub pipes: Vec<Pipe>,
    /// Null if nothing of it is known.
    pub occupancy: Option<Occupancy>,
    /// What was not collected, with the sections of ncu that collect it.
    pub not_collected: Vec<NotCollected>,
}

/// A number with where it comes from: `times` × the sum of the metrics.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reading {
    pub value: f64,
    /// Base unit.
    pub unit: String,
    pub metrics: Vec<String>,
    /// What one count of the metrics stands for, such as 32 bytes for a sector.
    #[serde(skip_serializing_if = "is_one", default = "one")]
    pub times: f64,
    /// How the metrics were combined over the results.
    pub method: Method,
    /// Whether a measurement of all the results at once would give exactly this.
    pub exact: bool,
    /// Results that have it, where not all have.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub covered: Option<u64>,
}

fn one() -> f64 {
    1.0
}

#[expect(clippy::float_cmp, reason = "the factor that changes nothing is exactly one")]
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields by reference")]
fn is_one(times: &f64) -> bool {
    *times == 1.0
}

/// The memory chart: units, and what was measured to flow between them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MemoryChart {
    pub units: Vec<MemoryUnit>,
    pub links: Vec<MemoryLink>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MemoryUnit {
    pub place: Place,
    /// Per cent of what is asked of it that it has.
    pub hit_rate: Option<Reading>,
    /// Per cent of what it could do at most.
    pub busy: Option<Reading>,
}

/// Where data is, or which instructions ask for it.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    Kernel,
    /// Instructions on global memory.
    Global,
    /// Instructions on local memory: what a thread keeps for itself outside of registers.
    Local,
    Texture,
    Surface,
    /// Instructions on shared memory.
    Shared,
    L1,
    SharedMemory,
    /// Shared memory of the other multiprocessors of a cluster.
    Cluster,
    L2,
    /// The other part of an L2 cache that has two.
    L2Fabric,
    DeviceMemory,
    SystemMemory,
    PeerMemory,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MemoryLink {
    pub from: Place,
    pub to: Place,
    pub flow: Flow,
    /// What is counted.
    pub counted: Counted,
    /// How much; null if it was not measured.
    pub amount: Option<Reading>,
    /// The same per second, where ncu states it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub rate: Option<Reading>,
    /// Per cent of what the link could carry at most.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub peak_pct: Option<Reading>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Flow {
    Load,
    Store,
    /// Atomic operations and reductions.
    Atomic,
    /// From global to shared memory without registers between.
    AsyncCopy,
    /// Blocks of memory that the tensor memory accelerator moves.
    Tma,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Counted {
    /// Executed by warps.
    Instructions,
    Requests,
    /// Passes through the data path of shared memory; conflicts between banks make more of them.
    Wavefronts,
    Bytes,
}

/// One of ncu's tables of the memory system.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MemoryTable {
    pub title: String,
    pub columns: Vec<String>,
    pub rows: Vec<MemoryRow>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MemoryRow {
    pub name: String,
    /// One a column; null where it was not measured.
    pub cells: Vec<Option<Reading>>,
}

/// What warps did while they were active.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WarpStates {
    /// Cycles between two instructions of a warp.
    pub cycles_per_instruction: Option<Reading>,
    /// Most time first; issuing, which is no stall, is the last.
    pub states: Vec<WarpState>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WarpState {
    /// As in the names of metrics: `long_scoreboard`.
    pub reason: String,
    pub name: String,
    /// What it means and what helps; empty for a reason that is not known here.
    pub meaning: String,
    /// False for issuing an instruction.
    pub is_stall: bool,
    /// Part of all cycles of warps, 0 to 1; of all samples where no cycles were counted.
    pub share: Option<f64>,
    /// Cycles that a warp spends in it between two instructions.
    pub cycles: Option<Reading>,
    /// Samples that found a warp in it.
    pub samples: Option<Reading>,
}

/// A pipe of the multiprocessors, or a part of one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Pipe {
    /// As in the names of metrics: `fma`, `tensor_op_hmma`.
    pub pipe: String,
    pub name: String,
    /// Per cent of the cycles in which it was busy.
    pub cycles_pct: Option<Reading>,
    /// Per cent of the instructions that it could take.
    pub instructions_pct: Option<Reading>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Occupancy {
    /// Per cent of the warps that fit on the device at most.
    pub achieved: Option<Reading>,
    /// What the launch allows, in per cent; the smallest and largest of all launches.
    pub possible: Option<Extremes>,
    pub waves: Option<Extremes>,
    /// How many blocks of an SM each of its resources allows, tightest first.
    pub block_limits: Vec<BlockLimit>,
    /// Those of `block_limits` that allow the fewest.
    pub limited_by: Vec<String>,
}

/// The smallest and the largest value over launches.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Extremes {
    pub least: f64,
    pub most: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BlockLimit {
    pub resource: String,
    pub metric: String,
    pub blocks: Extremes,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NotCollected {
    pub what: String,
    /// Identifiers for ncu's `--section`, any of which collects it.
    pub sections: Vec<String>,
}
