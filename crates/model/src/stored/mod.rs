//! The document as it is stored: the JSON contract.
//!
//! In memory a document holds everything where it is looked for; stored, it says each thing once. Names, sections and texts stand in tables and are referred
//! to by position, scopes that hold the same results refer to the last of them, and a metric's value is a bare number wherever it was made in the way
//! that the table states. Nothing is lost: reading gives the document that was written.

mod read;
mod scalar;
mod values;
mod write;

use crate::ResultIds;
use crate::document::{
    Basis, DeviceInfo, Family, LaunchShape, LimitShare, Note, RegionSelection, Scope, Selection,
    SourceInfo, Tool, Unplaced,
};
use crate::imbalance::Imbalance;
use crate::region::RangeKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use values::{StoredMetric, StoredValue};

/// The whole report of a run: one entry of `reports` per scope and basis.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct StoredDocument {
    /// Version of this contract.
    schema_version: String,
    /// When the data was captured (RFC 3339), taken from the reports themselves so that the same inputs always give the same bytes; null when they do not say.
    generated_at: Option<String>,
    /// Hash of everything that was selected and configured; equal fingerprints mean comparable selections.
    config_fingerprint: String,
    tool: Tool,
    /// True when any of the data comes from a simulated device.
    simulated: bool,
    sources: Vec<SourceInfo>,
    devices: Vec<DeviceInfo>,
    /// What the reader should know before trusting the numbers.
    notes: Vec<Note>,
    /// The ranks, or processes, beside each other; absent where there is only one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    ranks: Option<Imbalance>,
    /// The metrics of `metrics` and `exclusive_metrics` of regions and totals, by position.
    metrics: Vec<StoredMetric>,
    /// The metrics of `metrics` of kernels, by position.
    kernel_metrics: Vec<StoredMetric>,
    /// Kernels, by position.
    kernels: Vec<StoredKernelName>,
    /// Sections, by position.
    sections: Vec<StoredSection>,
    /// Names and messages of rules, by position.
    texts: Vec<String>,
    /// One report per scope and basis.
    reports: Vec<StoredReport>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
struct StoredKernelName {
    /// The name in the chosen base (demangled unless asked otherwise).
    kernel_name: String,
    /// Function name without arguments.
    function: String,
    /// What the results stand for: `kernel`, `range`, `cmdlist` or `graph`.
    kind: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
struct StoredSection {
    /// Identifier, for example `SpeedOfLight`.
    id: String,
    /// Title.
    name: String,
    /// The metrics of its header, in ncu's order: label, and position in `metrics`.
    metrics: Vec<(String, u32)>,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
struct StoredReport {
    scope: Scope,
    /// Kernel results and range-replay results are never mixed in one report.
    basis: Basis,
    selection: Selection,
    /// Position of a later report that holds the same results; `results` is absent then.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    same_as: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    results: Option<StoredResults>,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
struct StoredResults {
    /// Everything selected, with or without a region.
    totals: StoredSet,
    /// Results with no open range.
    unlabeled: StoredSet,
    /// Those in `unlabeled` of which nobody knows whether a range was open; absent where there are none.
    #[serde(skip_serializing_if = "Unplaced::is_none", default)]
    unplaced: Unplaced,
    /// Sibling regions that repeat, taken together; docs/regions.md says which do.
    families: Vec<StoredRegion>,
    /// A parent comes before its children, siblings are in order of first appearance.
    regions: Vec<StoredRegion>,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
struct StoredRegion {
    /// Name for people: the parent's name + `::` + the own name, unless that already begins with `<parent>::`.
    name: String,
    /// Identity: the names of the open ranges from the bottom of the stack.
    path: Vec<String>,
    /// Name of the parent region.
    parent: Option<String>,
    /// How many regions enclose it.
    depth: u32,
    kind: RangeKind,
    /// NVTX domain.
    domain: String,
    /// The process, if all results are of one.
    process_id: Option<u32>,
    /// The device, if all results are of one.
    device: Option<u32>,
    /// GPU time of the results whose innermost region this is; null if there are such results and none has a duration.
    exclusive_ms: Option<f64>,
    /// Share of the scope's total time, 0 to 1.
    share: Option<f64>,
    /// Results whose innermost region this is.
    exclusive_kernel_count: u64,
    /// All results in the region or below.
    #[serde(flatten)]
    inclusive: StoredSet,
    /// Metrics over the results whose innermost region this is; absent when nothing is below the region, because then they are the inclusive ones.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    exclusive_metrics: Option<Vec<StoredValue>>,
    /// Present on the entries of `families`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    family: Option<Family>,
    selection: RegionSelection,
}

/// A set of results.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
struct StoredSet {
    /// GPU time of the results that have a duration; null if none has.
    total_ms: Option<f64>,
    /// Results.
    kernel_count: u64,
    /// Results that have a duration.
    timed_count: u64,
    /// What limits the launches.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    limits: Vec<LimitShare>,
    /// Values by the position of their metric in the table.
    metrics: Vec<StoredValue>,
    /// Sections that the results hold: position in the table, and how many results hold it.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    sections: Vec<(u32, u64)>,
    /// Values of metrics of section headers that are not in `metrics`, likewise by position.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    section_metrics: Vec<StoredValue>,
    /// Kernels, heaviest first.
    kernels: Vec<StoredKernel>,
    /// What ncu's rules said, by what following them might gain.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    rules: Vec<StoredRule>,
    /// What the counters say and no rule of ncu does, in the same form.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    causes: Vec<StoredRule>,
}

/// All launches of one kernel in a set.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
struct StoredKernel {
    /// Position in the table of kernels.
    kernel: u32,
    calls: u64,
    /// GPU time of the launches that have a duration; null if none has.
    total_ms: Option<f64>,
    /// Mean GPU time of a launch that has a duration.
    mean_ms: Option<f64>,
    min_ms: Option<f64>,
    max_ms: Option<f64>,
    /// Share of the set's time, 0 to 1.
    share: Option<f64>,
    /// The device, if all launches ran on one.
    device: Option<u32>,
    /// Launch shapes, most used first.
    launch_shapes: Vec<LaunchShape>,
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    limits: Vec<LimitShare>,
    /// Values by the position of their metric in `kernel_metrics`.
    metrics: Vec<StoredValue>,
}

/// What one rule said about the results of a set. Texts are positions in `texts`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
struct StoredRule {
    /// Identifier of the rule; empty for what the counters say.
    rule: u32,
    /// What the message says, by its identifier in docs/advice.md.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    outcome: Option<u32>,
    /// Its name for people.
    name: u32,
    /// The section that it belongs to.
    section: u32,
    /// `ok`, `optimization`, `warning`, `error`, `none` or `unknown`.
    kind: u32,
    /// Title of the message, of the result that weighs most.
    title: u32,
    /// The message, of the result that weighs most, with ncu's link markup replaced by its labels.
    message: u32,
    /// The kernel that weighs most.
    kernel_name: u32,
    /// Results with such a message.
    results: u64,
    /// Which results these are, counted over all files from 0, for example `0-5,9`; absent where single results are not known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[schemars(with = "Option<String>")]
    launches: Option<ResultIds>,
    /// GPU time of those of them that have a duration.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    time_ms: Option<f64>,
    /// The part of that time in which something else limits the results than what following it relieves.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    beside_ms: Option<f64>,
    /// What following it could gain at most: of each result its estimate, but no more than its busiest unit leaves unless the advice takes work off that very unit.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    gain_ms: Option<f64>,
    /// What following it might gain in per cent of the set's time: the sum over results of estimated speed-up × share of the time; null if the rule gives no estimate.
    region_speedup_pct: Option<f64>,
    /// The largest estimate for one result in per cent.
    max_speedup_pct: Option<f64>,
    /// `local`, `global` or `unknown`, of the largest estimate.
    speedup_kind: Option<String>,
    /// The kernels that it concerns, as positions in the set's `kernels`, heaviest first.
    kernels: Vec<u32>,
}
