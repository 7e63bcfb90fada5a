//! A comparison as plain data: what `compare.json` is written from, and every other format too.
//!
//! Times are milliseconds; metric values are in ncu's base units; relative differences are shares (0.05 is 5 %).
//! Names are as the programs wrote them; whoever shows them makes them visible first.

use crate::document::{Basis, Method, ScopeKind};
use crate::region::RangeKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Version of this contract; raised when a field changes its meaning or disappears.
pub const SCHEMA_VERSION: &str = "3.0";

/// The difference between two sides of one or more runs each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Comparison {
    /// Version of this contract.
    pub schema_version: String,
    /// What makes the runs not comparable, worst first.
    pub notes: Vec<CompareNote>,
    /// When a difference counts, in words.
    pub noise_rule: String,
    /// Differences below this many per cent of the base count as none.
    pub tolerance_percent: f64,
    /// How probable it is that all intervals of times hold the change of the program, and likewise those of each metric. Null where runs are too few for such a
    /// promise: intervals are then as wide as noise that is normal makes them.
    pub confidence: Option<f64>,
    /// Step of the timer in nanoseconds, the longer one of both sides: all durations are multiples of it; null where there is none or it is below a nanosecond.
    /// At most 1,024, also where durations are too few to tell.
    pub step_ns: Option<f64>,
    /// The order in which the runs were made.
    pub order: RunOrder,
    /// By how much all times change from one run to the next, as a share; intervals are widened by what that makes between the sides. Null where a side has a single run.
    pub drift_per_run: Option<f64>,
    /// The side that is compared with.
    pub base: Side,
    /// The side that is judged.
    pub new: Side,
    /// The compared scopes.
    pub scopes: Vec<ScopeComparison>,
    /// Scopes that only one side has.
    pub unmatched_scopes: Vec<UnmatchedScope>,
    /// What the gates said; null when there were none.
    pub gates: Option<GateReport>,
}

/// The order in which runs were made, by turns that were recorded or by time stamps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunOrder {
    /// All of the base before all of the new side.
    BaseFirst,
    /// All of the new side before all of the base.
    NewFirst,
    /// Runs of one side between those of the other.
    Mixed,
    /// It cannot be told.
    Unknown,
}

/// One side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Side {
    /// Its runs, in the order in which they were given.
    pub runs: Vec<RunInfo>,
}

/// What is known about a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunInfo {
    /// What sets it apart from the other runs: its folder, or the end of its path.
    pub name: String,
    /// The files that its document was made from.
    pub files: Vec<String>,
    /// When it was captured, if known.
    pub captured_at: Option<String>,
    /// Hash of what was selected.
    pub config_fingerprint: String,
    /// Whether its device was simulated.
    pub simulated: bool,
    /// Names of its devices.
    pub devices: Vec<String>,
    /// Versions of its profilers.
    pub profilers: Vec<String>,
}

/// Something that the reader must know before looking at differences.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct CompareNote {
    /// How much it matters.
    pub severity: NoteSeverity,
    /// Stable identifier, for example `other-device`.
    pub code: String,
    /// The sentence for people.
    pub message: String,
}

/// How much a note matters.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum NoteSeverity {
    /// The runs measure different things: differences say nothing about a change of the program.
    Incomparable,
    /// Some differences may have another cause than the program.
    Warning,
    /// Good to know.
    Info,
}

/// The comparison of one scope.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ScopeComparison {
    /// `aggregate`, `device:<id>`, `rank:<n>`, or `process:<n>` counted in order of appearance.
    pub scope: String,
    /// The kind of scope.
    pub kind: ScopeKind,
    /// What kind of results the numbers were made from.
    pub basis: Basis,
    /// Everything selected.
    pub totals: SetDelta,
    /// Results with no open range; null when neither side has any.
    pub unlabeled: Option<SetDelta>,
    /// Regions of both sides, by what they cost: the largest difference of time first.
    pub regions: Vec<RegionDelta>,
    /// Members of families that have one verdict, by the first of them.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub families: Vec<FamilyDelta>,
}

/// Three or more members of a family that have one verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FamilyDelta {
    /// Name of the family, with `*` for what differs in the names of its members.
    pub name: String,
    /// The verdict that all of them have.
    pub verdict: Verdict,
    /// Positions in `regions`, by what they cost.
    pub members: Vec<u32>,
    /// Members of the whole family.
    pub family_size: usize,
    /// The sum of their times, in milliseconds.
    pub time: Delta,
}

/// A scope that only one side has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UnmatchedScope {
    /// The scope, as in [`ScopeComparison::scope`].
    pub scope: String,
    /// Its basis.
    pub basis: Basis,
    /// `base` or `new`.
    pub side: String,
}

/// The difference of a set of results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SetDelta {
    /// The verdict on its time.
    pub verdict: Verdict,
    /// GPU time in milliseconds.
    pub time: Delta,
    /// Results.
    pub calls: Delta,
    /// GPU time by result, in milliseconds.
    pub time_per_call: Delta,
    /// The selected metrics.
    pub metrics: Vec<MetricDelta>,
    /// Its kernels, by what they cost.
    pub kernels: Vec<KernelDelta>,
}

/// The difference of one region.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RegionDelta {
    /// Name for people.
    pub name: String,
    /// Identity: the names of the open ranges from the bottom of the stack, after renaming.
    pub path: Vec<String>,
    /// NVTX domain.
    pub domain: String,
    /// The kind of range.
    pub kind: RangeKind,
    /// How many regions enclose it.
    pub depth: u32,
    /// Names that a rule changed into this one, of both sides.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub renamed_from: Vec<String>,
    /// Whether it is in only some of the runs of a side.
    pub in_some_runs: bool,
    /// The verdict on its time.
    pub verdict: Verdict,
    /// GPU time of the region and everything below, in milliseconds.
    pub time: Delta,
    /// GPU time of the region alone, in milliseconds.
    pub exclusive_time: Delta,
    /// Results in the region or below.
    pub calls: Delta,
    /// Results of the region alone.
    pub exclusive_calls: Delta,
    /// GPU time by result in the region or below, in milliseconds.
    pub time_per_call: Delta,
    /// The selected metrics over the region and everything below.
    pub metrics: Vec<MetricDelta>,
    /// Its kernels, by what they cost.
    pub kernels: Vec<KernelDelta>,
}

/// The difference of one kernel in a set or region.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KernelDelta {
    /// The name.
    pub kernel_name: String,
    /// Function name without arguments.
    pub function: String,
    /// The verdict on its time.
    pub verdict: Verdict,
    /// Whether both sides launched it in the same shapes, or how they differ.
    pub shapes: ShapeChange,
    /// GPU time in milliseconds.
    pub time: Delta,
    /// Launches.
    pub calls: Delta,
    /// GPU time of a launch in milliseconds.
    pub time_per_call: Delta,
    /// The launch shapes, by what they cost; empty where there is one, the same on both sides.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub launch_shapes: Vec<ShapeDelta>,
    /// The selected metrics, as far as kernels have them.
    pub metrics: Vec<MetricDelta>,
}

/// The difference of the launches of a kernel in one shape.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ShapeDelta {
    /// Grid dimensions; null for ranges and graphs.
    pub grid: Option<[u64; 3]>,
    /// Block dimensions; null for ranges and graphs.
    pub block: Option<[u64; 3]>,
    /// The verdict on its time.
    pub verdict: Verdict,
    /// GPU time in milliseconds.
    pub time: Delta,
    /// Launches.
    pub calls: Delta,
    /// GPU time of a launch in milliseconds.
    pub time_per_call: Delta,
}

/// How the launch shapes of a kernel differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ShapeChange {
    /// The same shapes, equally often.
    Same,
    /// The same shapes, some of them more or less often.
    OtherCalls,
    /// Other shapes: times are of different work.
    Other,
    /// The kernel is on one side only.
    OneSide,
}

/// The difference of one metric.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MetricDelta {
    /// The metric, or the short name of a quantity that is made of several.
    pub name: String,
    /// Base unit, empty if it has none.
    pub unit: String,
    /// How the values were made; null for a quantity made of several metrics.
    pub method: Option<Method>,
    /// Whether all values are exact.
    pub exact: bool,
    /// The difference.
    pub delta: Delta,
}

/// A number on both sides.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Delta {
    /// The base; null if it has none.
    pub base: Option<Spread>,
    /// The new side; null if it has none.
    pub new: Option<Spread>,
    /// Median of the new side minus median of the base; null where a side has none.
    pub absolute: Option<f64>,
    /// The difference as a share of the base; null where the base is zero or absent.
    pub relative: Option<f64>,
    /// Where the difference that the program makes lies; null where the runs cannot tell, as with a single run on a side.
    pub interval: Option<Interval>,
    /// What to think of it.
    pub change: Change,
    /// Of an undecided difference: about how many runs a side would show one of this size; null also where a hundred would not, as where steps of the timer or a
    /// drift leave it open.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub runs_needed: Option<u32>,
}

/// From the least to the largest difference that the runs leave possible, at the [`confidence`](Comparison::confidence) of the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Interval {
    /// The least, in the unit of the number.
    pub low: f64,
    /// The largest.
    pub high: f64,
    /// The least as a share of the base; null where the base is zero.
    pub relative_low: Option<f64>,
    /// The largest, likewise.
    pub relative_high: Option<f64>,
}

/// A number over the runs of a side.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Spread {
    /// The smallest.
    pub min: f64,
    /// The one in the middle, or the mean of the two there.
    pub median: f64,
    /// The largest.
    pub max: f64,
    /// Runs that have it.
    pub runs: usize,
}

/// What to think of the difference of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// More than before, by the tolerance at least, and the runs show it.
    Higher,
    /// Less than before, likewise.
    Lower,
    /// More than before; whether runs differ as much by themselves is not known, because a side has a single run, or a single one with this number.
    HigherNotJudged,
    /// Less than before, likewise.
    LowerNotJudged,
    /// No difference, or one below the tolerance or within the steps of the timer.
    Same,
    /// A difference that runs may make by themselves.
    Undecided,
    /// Only the new side has it.
    New,
    /// Only the base has it.
    Gone,
    /// Both sides have it, and one or both could not measure it.
    Unknown,
    /// Neither side has it.
    Absent,
}

/// What became of a region or kernel.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It takes more time.
    Slower,
    /// It takes less time.
    Faster,
    /// It takes more time because there are more calls; a call does not take more.
    MoreCalls,
    /// It takes less time because there are fewer calls; a call does not take less.
    FewerCalls,
    /// It took more time; with a single run on a side nobody knows whether runs differ as much by themselves.
    HigherNotJudged,
    /// It took less time, likewise.
    LowerNotJudged,
    /// Only the new side has it.
    New,
    /// Only the base has it.
    Gone,
    /// Its time was not measured on both sides.
    Unknown,
    /// The runs do not show whether the difference is more than noise.
    Undecided,
    /// It takes the same time, up to the tolerance and the steps of the timer.
    Same,
}

impl GateReport {
    /// Whether a gate makes the comparison fail.
    pub fn fails(&self, gate: &GateOutcome) -> bool {
        match gate.status {
            GateStatus::Violated => true,
            GateStatus::Missing => !self.allow_missing,
            GateStatus::NotJudged => self.strict,
            GateStatus::Passed => false,
        }
    }
}

/// What the gates said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GateReport {
    /// Whether what cannot be judged counts as a failure.
    pub strict: bool,
    /// Whether a gate that matches nothing is let pass.
    pub allow_missing: bool,
    /// Whether the comparison fails: a gate was violated or matches nothing that may not; or, if strict, a gate could not be judged or the runs are not comparable.
    pub failed: bool,
    /// One entry per gate, in the order in which they were given.
    pub gates: Vec<GateOutcome>,
}

/// What one gate said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GateOutcome {
    /// The gate as it was written.
    pub gate: String,
    /// The worst of its checks.
    pub status: GateStatus,
    /// One entry per region that it matched, the worst first; empty when it matched nothing.
    pub checks: Vec<GateCheck>,
    /// Of a gate that matches nothing: which part of it, and what may have been meant.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub hint: Option<String>,
}

/// A gate applied to one region.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GateCheck {
    /// The scope.
    pub scope: String,
    /// Name of the region; null for the whole scope.
    pub region: Option<String>,
    /// What came out.
    pub status: GateStatus,
    /// The difference that was judged, in the unit of the gate: per cent or the quantity's own.
    pub difference: Option<f64>,
    /// The sentence for people.
    pub message: String,
}

/// What came out of a gate.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum GateStatus {
    /// The limit was exceeded: the whole interval of the difference is beyond it.
    Violated,
    /// There is nothing that it is about.
    Missing,
    /// It cannot be said: the limit is inside of the interval, runs are too few, or there is no difference to judge.
    NotJudged,
    /// The limit was kept: no part of the interval is beyond it.
    Passed,
}
