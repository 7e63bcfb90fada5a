//! What is concluded from a region report, as plain data.
//!
//! Entries are parallel to the document that they were made from: `reports[i]`, its `regions[j]` and their `kernels[k]` speak of the entries of the same
//! positions there, so that names and times need not be repeated.
//! Shares are 0 to 1, percentages say so in their name. Texts hold names as the program wrote them; whoever shows them makes them visible first.
//! No logic lives here.

use crate::outcome::{FindingKind, Unit};
use rangescope_model::ResultIds;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Version of this contract; raised when a field changes its meaning or disappears.
pub const SCHEMA_VERSION: &str = "2.0";

/// Everything that is concluded from one document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Insight {
    /// Version of this contract.
    pub schema_version: String,
    /// How launches, kernels and regions are classified, in words.
    pub bound_rule: String,
    /// Position of the report that answers for the whole run: the first aggregate, else the first report; null when there is none.
    pub main_report: Option<usize>,
    /// One entry per report of the document.
    pub reports: Vec<ReportInsight>,
}

/// What is concluded from one report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReportInsight {
    /// The facts for a first screen, in the order in which they should be read.
    pub facts: Vec<Fact>,
    /// Everything selected, with or without a region.
    pub totals: SetInsight,
    /// Results with no open range.
    pub unlabeled: SetInsight,
    /// One entry per region of the report.
    pub regions: Vec<RegionInsight>,
    /// What concerns the report as a whole, costliest first.
    pub findings: Vec<Finding>,
    /// What a roofline would need and the report does not hold.
    pub roofline_missing: Vec<MissingMetrics>,
}

/// What is concluded from a set of results that is not a region.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SetInsight {
    /// What bounds it.
    pub bound: Bound,
    /// Its roofline.
    pub roofline: Roofline,
    /// One entry per kernel of the set.
    pub kernels: Vec<KernelInsight>,
}

/// What is concluded from one region.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RegionInsight {
    /// What bounds it.
    pub bound: Bound,
    /// Its roofline.
    pub roofline: Roofline,
    /// Advice, costliest first.
    pub findings: Vec<Finding>,
    /// One entry per kernel of the region.
    pub kernels: Vec<KernelInsight>,
}

/// What is concluded from the launches of one kernel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KernelInsight {
    /// What bounds it.
    pub bound: Bound,
    /// Its points in the roofline of the region around it, one per precision in which it worked.
    pub points: Vec<RooflinePoint>,
    /// Work that has no point, with the reason.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub not_drawn: Vec<NotDrawn>,
}

/// What bounds a kernel or region, with the numbers that say so.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Bound {
    /// The class of the launches that have more than half of the time.
    pub class: BoundClass,
    /// The unit that is busiest in them: `dram`, `l2`, `l1`, `tensor` …
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub unit: Option<String>,
    /// The largest fraction of any compute roof over the whole set, in per cent.
    pub compute_pct: Option<f64>,
    /// The unit that this roof is of; null for the SM as a whole.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub compute_unit: Option<String>,
    /// Whether some launch had fewer blocks than the device has multiprocessors: `compute_pct` is a mean over all of them.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub idle_sms: bool,
    /// Throughput of memory and caches in per cent of the peak.
    pub memory_pct: Option<f64>,
    /// The metric that `memory_pct` was taken from, where it is not ncu's own memory throughput.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub memory_metric: Option<String>,
    /// The share of the launches of each class, largest first: of the time, or of the launches where no time is known.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub mix: Vec<BoundShare>,
}

/// The share that launches of one class have.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BoundShare {
    /// The class.
    pub class: BoundClass,
    /// 0 to 1.
    pub share: f64,
    pub launches: u64,
}

/// What bounds a kernel or region.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum BoundClass {
    /// The SMs are busy.
    Compute,
    /// Memory or a cache is busy.
    Memory,
    /// Both are busy, equally.
    Balanced,
    /// Neither is busy: the work waits for something else.
    Latency,
    /// The grids do not fill the device once.
    SmallGrid,
    /// Launches are of several classes, and none has more than half of the time.
    Mixed,
    /// The metrics to tell were not collected.
    Unknown,
}

/// Measured work against what the device could do.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Roofline {
    /// One point per precision in which work was measured.
    pub points: Vec<RooflinePoint>,
    /// The ceilings: memory levels first, then precisions.
    pub ceilings: Vec<Ceiling>,
    /// Work that was done and has no point.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub not_drawn: Vec<NotDrawn>,
}

/// Work without a point in the roofline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NotDrawn {
    /// A precision, as points name it.
    pub precision: String,
    pub reason: String,
}

/// Work of one precision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RooflinePoint {
    /// `fp64`, `fp32`, `fp16`, `tensor`, or a tensor path such as `tensor fp16→fp32`.
    pub precision: String,
    /// Measured work: operations per second, all operations over all the time.
    pub work: f64,
    /// Operations per second that the device could do at the clock of the measurement, if stated.
    pub peak: Option<f64>,
    /// Traffic of each memory level that was measured.
    pub traffic: Vec<LevelTraffic>,
    /// Whether the numbers are what a measurement of the whole would give.
    pub exact: bool,
}

/// Traffic of one memory level beside some work.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LevelTraffic {
    /// The level.
    pub level: MemoryLevel,
    /// Measured bytes per second.
    pub bytes_per_second: f64,
    /// Operations per byte.
    pub intensity: f64,
    /// Bytes per second that the level could move at the clock of the measurement, if stated.
    pub peak: Option<f64>,
    /// The work that this level and the precision's peak allow at this intensity; null if either peak is not stated.
    pub attainable: Option<f64>,
}

/// A level of the memory hierarchy.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum MemoryLevel {
    /// Device memory.
    Dram,
    /// The L2 cache.
    L2,
    /// The L1 cache (global and local accesses).
    L1,
}

/// A roof of the roofline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ceiling {
    /// The memory level or the precision.
    pub name: String,
    /// Whether it slopes (bytes per second) or is flat (operations per second).
    pub kind: CeilingKind,
    /// The peak.
    pub value: f64,
    /// `byte/s` or `flop/s`; `op/s` for integer paths.
    pub unit: String,
    /// The metrics of the report that it was made from.
    pub metrics: Vec<String>,
}

/// What a ceiling limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CeilingKind {
    /// Bytes per second of a memory level.
    Memory,
    /// Operations per second of a precision.
    Compute,
}

/// Metrics that something would need.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MissingMetrics {
    /// What cannot be shown without them.
    pub what: String,
    /// The metrics, under the names that the presets collect.
    pub metrics: Vec<String>,
    /// Presets of `profiling/ncu` that collect them, cheapest first.
    pub presets: Vec<String>,
}

/// Something to do about a region or a run, with the numbers that support it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// Whether it is something to do or something to know.
    pub kind: FindingKind,
    /// Stable identifier of what is said; docs/advice.md lists them.
    pub outcome: String,
    /// ncu's identifier of the rule that said it; null for what the counters say.
    pub rule: Option<String>,
    /// How much it matters.
    pub severity: Severity,
    /// One line.
    pub title: String,
    /// The explanation.
    pub text: String,
    /// The numbers that support it.
    pub evidence: Vec<Evidence>,
    /// Results that it is about.
    pub results: u64,
    /// Which results these are, counted over all files from 0; null where single results are not known.
    #[schemars(with = "Option<String>")]
    pub launches: Option<ResultIds>,
    /// The kernel that weighs most; empty for what is about no kernel.
    pub foremost: String,
    /// The kernels that it concerns, as positions in the `kernels` of the region or of the totals, heaviest first.
    pub kernels: Vec<usize>,
    /// The section of ncu's details page to look at.
    pub section: Option<String>,
    /// The unit that following it takes work off; null for what takes work off none.
    pub relieves: Option<Unit>,
    /// Most of the time of its results, or of the run, is limited by something else: it takes work off what computes where memory is the limit, or the other way round, or off another level of memory, or shortens waits where a unit is busy.
    pub beside_the_limit: bool,
    /// Share of the region's time that its results have; null if no time is known.
    pub region_share: Option<f64>,
    /// The same of the run's time.
    pub run_share: Option<f64>,
    /// What could be gained at most, if that can be estimated.
    pub gain: Option<Gain>,
}

/// How much a finding matters: by gain where one is estimated, else by the share of time.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth looking at first.
    High,
    /// Worth looking at.
    Medium,
    /// Good to know.
    Low,
}

/// An estimate of what could be gained at most.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Gain {
    /// Share of the region's time.
    pub region: f64,
    /// Share of the run's time.
    pub run: f64,
    /// In milliseconds.
    pub ms: f64,
    /// What was estimated before the busiest unit was taken into account.
    pub stated_ms: f64,
    /// `global` for an estimate of run time; `local` where ncu estimates only the efficiency of the unit that the rule is about.
    pub kind: String,
}

/// One number behind a finding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// The metric, or a label for what was counted.
    pub label: String,
    /// The value.
    pub value: f64,
    /// Its unit, empty if it has none.
    pub unit: String,
}

/// One fact for a first screen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Fact {
    /// What it is about.
    pub kind: FactKind,
    /// One sentence.
    pub sentence: String,
    /// The regions that it speaks of, as positions in the report.
    pub regions: Vec<usize>,
    /// The numbers behind it.
    pub numbers: Vec<Evidence>,
}

/// What a fact is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FactKind {
    /// The regions with the most exclusive time (or the kernels, where there are no regions).
    Heaviest,
    /// What limits the heaviest region.
    Limiter,
    /// The advice that is worth most.
    Advice,
    /// Metrics that do not cover all results, or were not found.
    Uncovered,
    /// Time outside of all regions.
    Unlabeled,
}
