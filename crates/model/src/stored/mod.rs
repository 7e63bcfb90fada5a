//! The document as it is stored: the JSON contract.
//!
//! A metric stands under its name and is a bare number or text. How its values are usually made stands once, in the table of the document; what is not as
//! usual stands beside the values. A scope that holds the same results as one before it refers to that one. It is written region by region, so that writing
//! takes no memory that grows with the document. Nothing is lost: reading gives the document that was written.

mod read;
mod scalar;
mod values;
mod write;

use crate::document::{
    Basis, DeviceInfo, Family, LaunchKind, LaunchShape, LimitShare, Note, RegionDocument,
    RegionSelection, RuleSummary, Scope, Selection, SourceInfo, Tool, Unplaced,
};
use crate::imbalance::Imbalance;
use crate::region::RangeKind;
use indexmap::IndexMap;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use values::{Details, StoredMetric, Values};

/// The whole report of a run: one entry of `reports` per scope and basis, the aggregate first.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "RegionDocument")]
pub(crate) struct StoredDocument {
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
    /// How the metrics of regions and totals are made, by name.
    metrics: IndexMap<String, StoredMetric>,
    /// How the metrics of kernels are made, by name.
    kernel_metrics: IndexMap<String, StoredMetric>,
    /// Sections of ncu's details page, by identifier.
    sections: IndexMap<String, StoredSection>,
    /// One report per scope and basis.
    reports: Vec<StoredReport>,
}

impl JsonSchema for RegionDocument {
    fn schema_name() -> Cow<'static, str> {
        StoredDocument::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        StoredDocument::json_schema(generator)
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SectionHeader")]
struct StoredSection {
    /// Title.
    name: String,
    /// The metrics of its header, in ncu's order: name and label.
    metrics: IndexMap<String, String>,
}

/// The regions of one scope.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "ScopeReport")]
struct StoredReport {
    scope: Scope,
    /// Kernel results and range-replay results are never mixed in one report.
    basis: Basis,
    selection: Selection,
    /// Position of the report before this one that holds the same results; what follows is absent then.
    #[serde(default)]
    same_as: Option<u32>,
    /// Everything selected, with or without a region.
    totals: Option<StoredSet>,
    /// Results with no open range.
    unlabeled: Option<StoredSet>,
    /// Those in `unlabeled` of which nobody knows whether a range was open; absent where there are none.
    #[serde(default)]
    unplaced: Unplaced,
    /// A parent comes before its children, siblings are in order of first appearance.
    #[serde(default)]
    regions: Vec<StoredRegion>,
    /// Sibling regions that repeat, taken together; docs/regions.md says which do.
    #[serde(default)]
    families: Vec<StoredRegion>,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Region")]
struct StoredRegion {
    /// Name for people: the parent's name + `::` + the own name, unless that already begins with `<parent>::`.
    name: String,
    /// Identity: the names of the open ranges from the bottom of the stack.
    path: Vec<String>,
    /// Position of the region around it in `regions`; of a family that of the region around its first member.
    parent: Option<u32>,
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
    exclusive_metrics: Option<Values>,
    /// What is not as the table `metrics` says in `exclusive_metrics`.
    #[serde(skip_serializing_if = "IndexMap::is_empty", default)]
    exclusive_metric_details: Details,
    /// Present on the entries of `families`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    family: Option<Family>,
    selection: RegionSelection,
}

/// A set of results.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ResultSet")]
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
    /// Values by name; null where none can be made.
    metrics: Values,
    /// Values of metrics of section headers that are not in `metrics`.
    #[serde(skip_serializing_if = "IndexMap::is_empty", default)]
    section_metrics: Values,
    /// What is not as the table `metrics` says in `metrics` and `section_metrics`.
    #[serde(skip_serializing_if = "IndexMap::is_empty", default)]
    metric_details: Details,
    /// Sections that the results hold: identifier, and how many results hold it.
    #[serde(skip_serializing_if = "IndexMap::is_empty", default)]
    sections: IndexMap<String, u64>,
    /// Kernels, heaviest first.
    kernels: Vec<StoredKernel>,
    /// What ncu's rules said, by what following them might gain.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    rules: Vec<RuleSummary>,
    /// What the counters say and no rule of ncu does, in the same form.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    causes: Vec<RuleSummary>,
}

/// All launches of one kernel in a set.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "KernelSummary")]
struct StoredKernel {
    /// The name in the chosen base (demangled unless asked otherwise).
    kernel_name: String,
    /// Function name without arguments.
    function: String,
    /// What the results stand for.
    kind: LaunchKind,
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
    /// Values by name; null where none can be made.
    metrics: Values,
    /// What is not as the table `kernel_metrics` says.
    #[serde(skip_serializing_if = "IndexMap::is_empty", default)]
    metric_details: Details,
    /// What ncu's rules said of these launches alone; only told in the totals of a report without regions.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    rules: Vec<RuleSummary>,
}
