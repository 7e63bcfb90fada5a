//! What a region report holds, as plain data: every output is made from it.
//!
//! How it is stored as JSON is in the module `stored`, and in docs/regions.md.
//! Times in `*_ms` are milliseconds, null where none is known; metric values are in ncu's base units.
//! No logic lives here.

use crate::ResultIds;
use crate::imbalance::Imbalance;
pub use crate::launch::LaunchKind;
use crate::region::{RangeKind, RegionRef};
use crate::stored::StoredDocument;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// Version of the contract; raised when a field changes its meaning or disappears.
pub const SCHEMA_VERSION: &str = "3.0";

/// The whole report of a run: one entry of `reports` per scope and basis.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "StoredDocument")]
pub struct RegionDocument {
    /// Version of this contract.
    pub schema_version: String,
    /// When the data was captured (RFC 3339), taken from the reports themselves so that the same inputs always give the same bytes; null when they do not say.
    pub generated_at: Option<String>,
    /// Hash of everything that was selected and configured; equal fingerprints mean comparable selections.
    pub config_fingerprint: String,
    /// The program that wrote this document.
    pub tool: Tool,
    /// True when any of the data comes from a simulated device.
    pub simulated: bool,
    /// The files that were read.
    pub sources: Vec<SourceInfo>,
    /// The devices that results ran on.
    pub devices: Vec<DeviceInfo>,
    /// What the reader should know before trusting the numbers.
    pub notes: Vec<Note>,
    /// The ranks, or processes, beside each other; absent where there is only one.
    pub ranks: Option<Imbalance>,
    /// One report per scope.
    pub reports: Vec<ScopeReport>,
}

/// The program that wrote a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tool {
    /// `rangescope`.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// One file that was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SourceInfo {
    /// File name without its folder, so that a moved run folder gives the same report.
    pub file: String,
    /// `ncu-rep` or `ncu-csv`.
    pub format: String,
    /// Version of the profiler that made it, if stated.
    pub profiler: Option<String>,
    /// Results that could be read.
    pub results: u64,
    /// Results that are lost or damaged: as many as are known to be, and at least one where nothing says how many.
    pub lost: u64,
}

/// A device that results ran on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DeviceInfo {
    /// Index of the device as the process saw it. Several entries have the same one where processes were given different GPUs.
    pub id: u32,
    /// PCI address such as `0000:3b:00`, if stated; with the host it says which GPU it is.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub pci: Option<String>,
    /// Name, if stated.
    pub name: Option<String>,
    /// Compute capability such as `8.6`, if stated.
    pub compute_capability: Option<String>,
    /// Hosts on which results of this device index and address were seen.
    pub hosts: Vec<String>,
}

/// Something the reader should know.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Note {
    /// How much it matters.
    pub level: NoteLevel,
    /// Stable identifier, for example `overlapping-domains`.
    pub code: String,
    /// The sentence for people.
    pub message: String,
}

impl Note {
    /// A note.
    pub fn new(level: NoteLevel, code: &str, message: String) -> Self {
        Self { level, code: code.to_owned(), message }
    }
}

/// How much a note matters.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum NoteLevel {
    /// Numbers may mislead without it.
    Warning,
    /// Good to know.
    Info,
}

/// The regions of one scope.
#[derive(Clone, Debug, PartialEq)]
pub struct ScopeReport {
    pub scope: Scope,
    /// What kind of results it was made from; kernel results and range-replay results are never mixed in one report.
    pub basis: Basis,
    /// The regions; a parent comes before its children, siblings are in order of first appearance.
    pub regions: Vec<Region>,
    /// Sibling regions that repeat, taken together: the same numbers as of a region, made from all results of the members.
    pub families: Vec<Region>,
    /// Everything selected, with or without a region.
    pub totals: SharedSet,
    /// Results with no open range.
    pub unlabeled: SharedSet,
    /// Those in `unlabeled` of which nobody knows whether a range was open.
    pub unplaced: Unplaced,
    pub selection: Selection,
}

/// Results whose place is not known: kernels of a trace that does not have the calls that launched them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Unplaced {
    pub kernel_count: u64,
    /// GPU time of those that have a duration.
    pub total_ms: f64,
}

/// Which results a report covers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Scope {
    /// `process:<pid>` (with `@host` if several hosts are in the run, and `@rank:<n>` where that is not enough), `device:<id>` (with `@<PCI address>`, and `@host` if several hosts are in the run, where the id stands for several GPUs) or `aggregate`.
    pub id: String,
    /// The kind of scope.
    pub kind: ScopeKind,
    /// The process of a process scope, if known.
    pub process_id: Option<u32>,
    /// Name of the executable of a process scope.
    pub process_name: Option<String>,
    /// The host of a process scope.
    pub host: Option<String>,
    /// The rank of a process scope, where a launcher told it.
    pub rank: Option<u32>,
    /// The device of a device scope.
    pub device: Option<u32>,
}

/// The kind of a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ScopeKind {
    /// One process.
    Process,
    /// One device.
    Device,
    /// Everything.
    Aggregate,
}

/// What kind of results the numbers of a report were made from.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Basis {
    /// Kernel launches, CUDA graphs and command lists.
    Kernel,
    /// Whole ranges (range and app-range replay).
    Range,
}

/// One region with everything that was measured in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    /// Name for people: the parent's name + `::` + the own name, unless that already begins with `<parent>::`.
    pub name: String,
    /// Identity: the names of the open ranges from the bottom of the stack.
    pub path: Vec<String>,
    /// Position of the region around it in the `regions` of the report, always a smaller one; of a family that of the region around its first member.
    pub parent: Option<u32>,
    pub depth: u32,
    /// The kind of range.
    pub kind: RangeKind,
    /// NVTX domain.
    pub domain: String,
    /// The process, if all results are of one.
    pub process_id: Option<u32>,
    /// The device, if all results are of one.
    pub device: Option<u32>,
    /// All results in the region or below.
    pub set: SharedSet,
    /// GPU time of the results whose innermost region this is; null if there are such results and none has a duration.
    pub exclusive_ms: Option<f64>,
    /// Share of the scope's total time, 0 to 1.
    pub share: Option<f64>,
    /// Results whose innermost region this is.
    pub exclusive_kernel_count: u64,
    /// Metrics over the results whose innermost region this is; absent when nothing is below the region, because then they are those of the set.
    pub exclusive_metrics: Option<Arc<Metrics>>,
    /// Present on the entries of `families`.
    pub family: Option<Family>,
    pub selection: RegionSelection,
}

/// The members of a family, and how much they differ.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Family {
    /// Positions in the `regions` of the report that the family was made from.
    pub members: Vec<u32>,
    /// Inclusive times of the members that have one.
    pub min_ms: Option<f64>,
    pub mean_ms: Option<f64>,
    pub max_ms: Option<f64>,
    /// What limits most members; absent where no limit does.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub usual_limit: Option<Limit>,
    /// Members that differ from the others: by time, furthest first, then by limit, then by kernels; the rule is in docs/regions.md.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub outliers: Vec<Outlier>,
    /// Members that differ beyond those in `outliers`.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub more_outliers: u64,
}

/// A member of a family that differs from the others.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Outlier {
    pub name: String,
    /// Null where no result has a duration.
    pub total_ms: Option<f64>,
    /// Its time stands out.
    #[serde(default = "by_time")]
    pub by_time: bool,
    /// What limits it, where that is not what limits most members.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub limit: Option<Limit>,
    /// Kernels that it launches and most members do not.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub more_kernels: Vec<String>,
    /// Kernels that it does not launch and most members do.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub fewer_kernels: Vec<String>,
}

/// Documents of version 2.0 only have members whose time stands out.
fn by_time() -> bool {
    true
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// The launches of a set that have one limit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LimitShare {
    pub limit: Limit,
    /// The unit that is busiest in these launches: `dram`, `l2`, `l1`, `tensor` …; null where no unit is.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub unit: Option<String>,
    /// GPU time of those launches that have a duration; null if none has.
    pub total_ms: Option<f64>,
    pub launches: u64,
}

/// What limits a launch.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// The SMs, tensor cores included, are busy.
    Compute,
    /// Device memory or a cache is busy.
    Memory,
    /// Both are busy, equally.
    Balanced,
    /// Nothing is busy: the launch waits for something else.
    Latency,
    /// The grid does not fill the device once.
    SmallGrid,
    /// The metrics to tell were not collected.
    Unknown,
}

impl Unplaced {
    pub fn is_none(&self) -> bool {
        self.kernel_count == 0
    }
}

impl RegionDocument {
    /// The first report before this one that holds the same results.
    pub fn same_as(&self, report: usize) -> Option<usize> {
        let (before, from) = self.reports.split_at_checked(report)?;
        let report = from.first()?;
        before.iter().position(|other| report.is_of_the_results_of(other))
    }
}

impl ScopeReport {
    fn is_of_the_results_of(&self, other: &Self) -> bool {
        self.basis == other.basis
            && self.unplaced == other.unplaced
            && self.totals == other.totals
            && self.unlabeled == other.unlabeled
            && self.regions == other.regions
            && self.families == other.families
    }

    /// What results that are in no region are called.
    pub fn unlabeled_name(&self) -> &'static str {
        if self.unplaced.is_none() {
            "(unlabeled)"
        } else if self.unplaced.kernel_count == self.unlabeled.kernel_count {
            "(unknown)"
        } else {
            "(unlabeled or unknown)"
        }
    }

    /// Share of the time that is outside of all regions.
    pub fn unlabeled_share(&self) -> Option<f64> {
        let (part, whole) = (self.unlabeled.total_ms?, self.totals.total_ms?);
        (whole > 0.0).then(|| part / whole)
    }
}

impl Region {
    /// The identity of the region.
    pub fn key(&self) -> RegionRef<'_> {
        RegionRef { domain: &self.domain, kind: self.kind, path: &self.path }
    }
}

/// A set that views and reports of the same results share; changing it in one of them leaves the others as they are.
#[derive(Clone, Debug, Default)]
pub struct SharedSet(Arc<ResultSet>);

impl PartialEq for SharedSet {
    fn eq(&self, other: &Self) -> bool {
        self.are_one(other) || self.0 == other.0
    }
}

impl SharedSet {
    /// Whether both are one and the same, so that there is nothing to compare.
    pub fn are_one(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// What tells sets of one document apart.
    pub fn address(&self) -> *const ResultSet {
        Arc::as_ptr(&self.0)
    }
}

impl From<ResultSet> for SharedSet {
    fn from(set: ResultSet) -> Self {
        Self(Arc::new(set))
    }
}

impl Deref for SharedSet {
    type Target = ResultSet;

    fn deref(&self) -> &ResultSet {
        &self.0
    }
}

impl DerefMut for SharedSet {
    fn deref_mut(&mut self) -> &mut ResultSet {
        Arc::make_mut(&mut self.0)
    }
}

/// Metrics by name.
pub type Metrics = IndexMap<String, MetricSummary>;

/// What a set of results adds up to: those of a region, of no region, of all.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResultSet {
    /// GPU time of the results that have a duration; null if none has.
    pub total_ms: Option<f64>,
    /// Results.
    pub kernel_count: u64,
    /// Results that have a duration.
    pub timed_count: u64,
    /// Metrics over all of them.
    pub metrics: Metrics,
    /// Sections that the report holds for these results.
    pub sections: Vec<SectionSummary>,
    /// Kernels, heaviest first.
    pub kernels: Vec<KernelSummary>,
    /// What ncu's rules said, by what following them might gain.
    pub rules: Vec<RuleSummary>,
    /// What the counters say and no rule of ncu does, in the same form.
    pub causes: Vec<RuleSummary>,
    pub limits: Vec<LimitShare>,
}

/// One aggregated metric, with how it was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MetricSummary {
    /// The value: a number or a text; null when it cannot be made, see `reason`.
    pub value: Option<Scalar>,
    /// Base unit, empty if it has none or it is not known.
    pub unit: String,
    pub method: Method,
    /// Whether the value is exactly what a measurement of the whole region would give.
    pub exact: bool,
    /// Results with a usable value.
    pub covered: u64,
    /// Results asked.
    pub of: u64,
    /// The smallest value of one result, for methods that need it (`varies`, and `largest_part` of several results).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub min: Option<f64>,
    /// The largest value of one result, likewise.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub max: Option<f64>,
    /// For the largest of several counters over several results: the mean of the results' own values, weighted by time.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub mean: Option<f64>,
    /// For the largest of several counters: which one that is.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub busiest: Option<String>,
    /// Why there is no value, or why it is not exact.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<String>,
}

/// A number or a text.
#[derive(Clone, Debug, PartialEq, JsonSchema)]
#[schemars(untagged)]
pub enum Scalar {
    /// A finite number.
    Number(f64),
    /// A whole number above 2^53 that is known exactly; a [`Scalar::Number`] would round it.
    Integer(u64),
    /// A text.
    Text(String),
}

impl Scalar {
    /// Whole numbers up to here are exact as a [`Scalar::Number`].
    pub const LARGEST_EXACT: u64 = 1 << 53;

    /// A whole number, in the one form that it has.
    pub fn whole(value: u64) -> Self {
        if value > Self::LARGEST_EXACT { Self::Integer(value) } else { Self::Number(value as f64) }
    }

    /// The finite number, rounded where it has more digits than an `f64` holds.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Number(value) => value.is_finite().then_some(*value),
            Self::Integer(value) => Some(*value as f64),
            Self::Text(_) => None,
        }
    }
}

/// How an aggregated value was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// Sum over results.
    Sum,
    /// Maximum over results.
    Max,
    /// Minimum over results.
    Min,
    /// Mean weighted by time.
    TimeWeighted,
    /// Mean weighted by the unit's cycles.
    CycleWeighted,
    /// Sum of numerators over sum of denominators.
    RatioOfSums,
    /// Mean weighted by the denominator.
    DenominatorWeighted,
    /// Largest of several counters, each combined by its own rule.
    LargestPart,
    /// All results agree.
    Same,
    /// Results differ; `min` and `max` hold the extremes.
    Varies,
    /// Cannot be aggregated; look at single results.
    NotAggregated,
}

/// A section with its header metrics.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SectionSummary {
    /// Identifier, for example `SpeedOfLight`.
    pub id: String,
    /// Title.
    pub name: String,
    /// Results that hold the section.
    pub covered: u64,
    /// The metrics of its header, in ncu's order.
    pub metrics: Vec<SectionMetricSummary>,
}

/// A metric in a section's header.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SectionMetricSummary {
    /// Label for people.
    pub label: String,
    /// The metric's name.
    pub name: String,
    /// Its aggregated value.
    pub summary: MetricSummary,
}

/// All launches of one kernel in a region.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelSummary {
    /// The name in the chosen base (demangled unless asked otherwise).
    pub kernel_name: String,
    /// Function name without arguments.
    pub function: String,
    /// What the results stand for.
    pub kind: LaunchKind,
    /// Launches.
    pub calls: u64,
    /// GPU time of the launches that have a duration; null if none has.
    pub total_ms: Option<f64>,
    /// Mean GPU time of a launch that has a duration, in milliseconds; null if none has.
    pub mean_ms: Option<f64>,
    /// Shortest launch in milliseconds.
    pub min_ms: Option<f64>,
    /// Longest launch in milliseconds.
    pub max_ms: Option<f64>,
    /// Share of the region's time, 0 to 1.
    pub share: Option<f64>,
    /// The device, if all launches ran on one.
    pub device: Option<u32>,
    /// Launch shapes, most used first.
    pub launch_shapes: Vec<LaunchShape>,
    /// The key metrics over these launches.
    pub metrics: Metrics,
    pub limits: Vec<LimitShare>,
    /// What ncu's rules said of these launches alone; only told in the totals of a report without regions.
    pub rules: Vec<RuleSummary>,
}

/// A grid and block with which a kernel was launched.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LaunchShape {
    /// Grid dimensions; null for ranges and graphs.
    pub grid: Option<[u64; 3]>,
    /// Block dimensions; null for ranges and graphs.
    pub block: Option<[u64; 3]>,
    /// Launches of this shape.
    pub calls: u64,
    /// GPU time of those that have a duration; null if none has.
    #[serde(default)]
    pub total_ms: Option<f64>,
    /// What limits them.
    #[serde(default)]
    pub limits: Vec<LimitShare>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RuleSummary {
    /// Identifier of the rule; empty for what the counters say.
    pub rule: String,
    /// What the message says, by its identifier in docs/advice.md; empty in documents of before 0.2.
    #[serde(default)]
    pub outcome: String,
    /// Its name for people.
    pub name: String,
    /// The section that it belongs to.
    pub section: String,
    /// `ok`, `optimization`, `warning`, `error`, `none` or `unknown`.
    pub kind: String,
    /// Results with such a message.
    pub results: u64,
    /// Which results these are, counted over all files from 0; null where single results are not known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[schemars(with = "Option<String>")]
    pub launches: Option<ResultIds>,
    /// GPU time of those of them that have a duration; null if none has.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub time_ms: Option<f64>,
    /// The part of that time in which something else limits the results than what following it relieves: memory for what takes work off what computes, what computes for what takes work off memory, either for what takes work off no unit; null if none has a duration.
    #[serde(default)]
    pub beside_ms: Option<f64>,
    /// What following it could gain at most: of each result its estimate, but no more than its busiest unit leaves unless the advice takes work off that very unit; null if the rule gives no estimate.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub gain_ms: Option<f64>,
    /// What following it might gain for the region in per cent of its time: the sum over results of estimated speed-up × share of the region's time; null if the rule gives no estimate.
    pub region_speedup_pct: Option<f64>,
    /// The largest estimate for one result in per cent.
    pub max_speedup_pct: Option<f64>,
    /// `local`, `global` or `unknown`, of the largest estimate; `counted` for one that is made from counters where the rule makes none.
    pub speedup_kind: Option<String>,
    /// Title of the message, of the result that weighs most.
    pub title: String,
    /// The message, of the result that weighs most, with ncu's link markup replaced by its labels.
    pub message: String,
    /// The kernel that weighs most.
    pub kernel_name: String,
    /// The kernels that it concerns, as positions in the region's `kernels`, heaviest first.
    pub kernels: Vec<u32>,
}

/// What was selected for a report.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Selection {
    /// Region selectors; empty means all.
    pub regions: Vec<String>,
    /// Region selectors that matched no region.
    pub regions_not_seen: Vec<String>,
    /// Region selectors to leave out.
    #[serde(default)]
    pub regions_exclude: Vec<String>,
    /// Kernel patterns to include; empty means all.
    pub kernel_include: Vec<String>,
    /// Kernel patterns to exclude.
    pub kernel_exclude: Vec<String>,
    /// Which name the patterns were matched against: `function`, `demangled` or `mangled`.
    pub kernel_name_base: String,
    /// The launch shape that was selected, for example `128,1,1x256,1,1`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub shape: Option<String>,
    /// The ranks that were selected, for example `0-3,7`; null means all.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ranks: Option<String>,
    /// The number of the one result that was selected.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub launch: Option<u64>,
    /// Metrics that were asked for; empty means all.
    pub metrics: Vec<String>,
    /// Metrics that were asked for, here or at the capture, and are in no result.
    pub metrics_not_found: Vec<String>,
    /// Sections that were asked for; empty means all.
    pub sections: Vec<String>,
    /// Sections that were asked for, here or at the capture, and are in no result.
    pub sections_not_found: Vec<String>,
    /// Normalisation rules in force, with how many distinct names each folded.
    pub normalisation: Vec<NormalisationUse>,
    /// Results in the scope before selection.
    pub results_seen: u64,
    /// Results that were selected.
    pub results_selected: u64,
}

/// A normalisation rule and what it did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NormalisationUse {
    /// The regular expression.
    pub pattern: String,
    /// What replaces it.
    pub replacement: String,
    /// Distinct names that it changed.
    pub names_folded: u64,
}

/// What the selection did to one region.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RegionSelection {
    /// The region selector that named it or a region around it; null when all regions are shown.
    pub selector: Option<String>,
    /// Results in the region or below before the kernel selection.
    pub results_seen: u64,
    /// Results that were selected.
    pub results_selected: u64,
}
