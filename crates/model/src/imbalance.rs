//! How evenly the ranks of a run share its work: of every region, family and kernel how long each rank took, who took longest, and why as far as counters tell.
//!
//! Members are ranks where the rank of every process is known, else processes. One that never ran a region is counted as missing there, never as zero.
//! Lists are bounded whatever the number of ranks and regions; what is left out is counted.

use crate::document::Basis;
use crate::number::{count, thousands};
use crate::region::RangeKind;
use crate::select::ranks::RankSelection;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The ranks, or processes, of a run beside each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Imbalance {
    /// What the members are.
    pub members: MemberKind,
    /// How many members have results.
    pub count: u64,
    /// Ranks of which there is nothing, where the size of the job is known and some are missing.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub absent: Option<AbsentRanks>,
    /// How many hosts they ran on; 0 where no host is stated.
    pub hosts: u64,
    /// Where members run different kernels: those that run the same ones, in order of their first members. Empty where all are of one stage.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub stages: Vec<Stage>,
    /// How verdicts are found, in words.
    pub rule: String,
    /// The totals, then regions, families and kernels, each kind with what the slowest member costs first: the difference between its time and the mean.
    pub rows: Vec<ImbalanceRow>,
    /// Regions, families and kernels beyond those in `rows`.
    pub rows_left_out: u64,
    /// Members whose time stands out upwards in some regions, in most of them first.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub standing_out: Vec<StandingOut>,
    /// Members × regions.
    pub heat_map: HeatMap,
    /// Results that are not in here, because the inputs hold more names than a document of their size has room for.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub results_left_out: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Ranks of a job of which there is nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AbsentRanks {
    /// How many ranks the job has, as its launcher told.
    pub size: u32,
    pub count: u64,
    /// The first of them.
    pub first: Vec<u32>,
}

impl AbsentRanks {
    /// `ranks 0-2,5 and 3 more`.
    pub fn listed(&self) -> String {
        let word = if self.count == 1 { "rank" } else { "ranks" };
        let mut text = format!("{word} {}", RankSelection::of(&self.first));
        if let Some(more) = self.count.checked_sub(self.first.len() as u64).filter(|more| *more > 0)
        {
            text.extend([" and ", &thousands(more), " more"]);
        }
        text
    }
}

/// Members that run the same kernels, where others run different ones: a stage of a pipeline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Stage {
    pub count: u64,
    /// The first of them.
    pub first: Vec<Member>,
}

/// What is found of the members of one stage in a row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StageRow {
    /// Its number among `stages`, counted from 1.
    pub stage: u64,
    pub verdict: Verdict,
    pub sentence: String,
    /// Times in milliseconds; null where no member has one.
    pub time: Option<Spread>,
    /// Members of the stage without any result here.
    pub missing: u64,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub slow: Option<Slow>,
}

/// What the members of a run are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MemberKind {
    /// The rank of every process is known; processes of one rank are taken together.
    Ranks,
    Processes,
}

impl Imbalance {
    /// `8 ranks`, or `7 of 8 ranks` where one is missing.
    pub fn counted(&self) -> String {
        let (one, many) = self.members.words();
        match &self.absent {
            Some(absent) => format!("{} of {} {many}", thousands(self.count), absent.size),
            None => count(self.count, one, many),
        }
    }
}

impl MemberKind {
    /// `rank` and `ranks`, or what else they are.
    pub fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Ranks => ("rank", "ranks"),
            Self::Processes => ("process", "processes"),
        }
    }
}

/// A rank or a process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Member {
    pub rank: Option<u32>,
    /// Of a rank with several processes that of the first.
    pub process_id: Option<u32>,
    pub host: Option<String>,
}

impl Member {
    /// `rank 3` or `process 4711`.
    pub fn name(&self, kind: MemberKind) -> String {
        let number = self.number(kind);
        let number = number.map_or_else(|| "unknown".to_owned(), |number| number.to_string());
        format!("{} {number}", kind.words().0)
    }

    /// The same with the host, if one is stated: `rank 3 (node02)`.
    pub fn name_and_host(&self, kind: MemberKind) -> String {
        match &self.host {
            Some(host) => format!("{} ({host})", self.name(kind)),
            None => self.name(kind),
        }
    }

    /// The rank of ranks, the process id of processes.
    pub fn number(&self, kind: MemberKind) -> Option<u32> {
        match kind {
            MemberKind::Ranks => self.rank,
            MemberKind::Processes => self.process_id,
        }
    }
}

/// One set of results over all members.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ImbalanceRow {
    pub what: RowKind,
    /// Kernel results and range-replay results are never mixed.
    pub basis: Basis,
    /// Name for people, of a kernel in the chosen base; empty for the totals.
    pub name: String,
    /// The region that it is; absent for totals and kernels.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub region: Option<RowRegion>,
    /// A region of which a family has a row too.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub in_family: bool,
    pub verdict: Verdict,
    /// The answer to "slow everywhere or slow on one rank", with its numbers.
    pub sentence: String,
    /// Times in milliseconds; null where no member has one.
    pub time: Option<Spread>,
    /// Members without any result here.
    pub missing: u64,
    /// The first of them.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub missing_members: Vec<Member>,
    /// Members with results of which none has a duration.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub untimed: u64,
    /// Members of stages that run nothing of it.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub elsewhere: u64,
    /// Stage by stage, where several stages run something of it.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub stages: Vec<StageRow>,
    /// The members that are slow, against the others; absent where none is.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub slow: Option<Slow>,
    /// Members whose time stands out, furthest first.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub outliers: Vec<Extreme>,
    /// Launches, then counters that at least two members have for all their launches.
    pub counters: Vec<CounterSpread>,
}

/// What a row is about.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum RowKind {
    /// Everything that is selected.
    Total,
    Region,
    /// Sibling regions that repeat.
    Family,
    /// All launches of a kernel, wherever.
    Kernel,
}

/// The identity of a region or family.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct RowRegion {
    pub domain: String,
    pub kind: RangeKind,
    pub path: Vec<String>,
}

/// Where a set of results is slow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// On all members alike.
    Alike,
    /// On one member.
    OneMember,
    /// On a few members that stand out.
    FewMembers,
    /// On all members of one host.
    OneHost,
    /// Members differ, and no few of them are apart from the others.
    Spread,
    /// Members of several stages run different kernels here; `stages` has the verdict of each.
    Stages,
    /// Only one member has a time.
    OnlyOne,
    /// No member has a time.
    Unknown,
}

/// A quantity over the members that have it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Spread {
    /// Members with a value.
    pub n: u64,
    pub min: Extreme,
    pub mean: f64,
    pub max: Extreme,
    /// Null where the mean is zero.
    pub max_over_mean: Option<f64>,
}

/// A value with the member that has it; of equal ones the first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Extreme {
    pub value: f64,
    pub member: Member,
}

/// A counter over the members.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CounterSpread {
    /// `launches`, or a metric of ncu. `sm__cycles_elapsed.avg.per_second` is the clock of the SMs: cycles over time.
    pub name: String,
    /// Base unit, empty if it has none.
    pub unit: String,
    #[serde(flatten)]
    pub spread: Spread,
}

/// Members that are slow, against all others that have a time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Slow {
    pub members: u64,
    /// The slowest of them.
    pub named: Vec<Member>,
    pub mean_ms: f64,
    pub others: u64,
    pub others_mean_ms: f64,
    /// `mean_ms` over `others_mean_ms`; null where that is zero.
    pub times: Option<f64>,
    pub cause: Cause,
    /// The counter that says so.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub counter: Option<CauseCounter>,
    /// Clock and work of the slow members and of the others, as far as they are known.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub compared: Vec<CauseCounter>,
}

/// Why members are slow, as far as counters tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// The clock of their SMs is lower: by power, temperature or settings.
    LowerClock,
    /// They executed more instructions, moved more bytes or launched more.
    MoreWork,
    /// Clock and work are like those of the others.
    TookLonger,
    /// Clock or work differ from those of the others, and do not account for the time.
    NotExplained,
    /// Clock or work were not collected.
    Unknown,
}

/// A counter of slow members against that of the others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CauseCounter {
    pub name: String,
    pub unit: String,
    pub mean: f64,
    pub others_mean: f64,
}

/// A member whose time stands out upwards.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StandingOut {
    pub member: Member,
    /// In so many regions; of kernels where there are no regions.
    pub rows: u64,
}

/// Times by members and rows. Where members are many, neighbours share a bin.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HeatMap {
    /// The columns, in order of ranks.
    pub bins: Vec<HeatBin>,
    /// The totals and regions of `rows`; kernels where there are no regions.
    pub rows: Vec<HeatRow>,
}

/// Neighbouring members.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HeatBin {
    pub first: Member,
    /// Absent where the bin is one member.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub last: Option<Member>,
    pub members: u64,
}

/// A row of the heat map; null where no member of a bin has a time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HeatRow {
    /// Position in the `rows` of the imbalance.
    pub row: u32,
    /// By bin: the mean over the members that have a time.
    pub mean_ms: Vec<Option<f64>>,
    /// By bin: the longest time and the rank, or process id, that has it; absent where every bin is one member.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub max: Vec<Option<(f64, Option<u32>)>>,
}
