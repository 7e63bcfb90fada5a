//! Everything that is known of one kernel, of its launches of one shape, or of a single launch.
//!
//! The document of that selection alone states the numbers, the document of everything around says what part of it they are. What stands in single results only
//! (durations one by one, opcodes, samples over time) is collected by whoever reads the files and handed in.

use super::details::model::{Details, MemoryTable, NotCollected};
use super::details::{details, memory_tables};
use super::histogram::histogram;
use super::model::{Bound, Insight, Roofline};
pub use super::sampled::sampled_label;
use indexmap::IndexMap;
use rangescope_model::document::{
    Basis, DeviceInfo, KernelSummary, LaunchShape, Note, NoteLevel, Region, RegionDocument,
    RuleSummary, ScopeReport, SectionSummary, Selection, SourceInfo, Tool,
};
use rangescope_model::number::weight;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Version of the contract; raised when a field changes its meaning or disappears.
pub const SCHEMA_VERSION: &str = "1.0";

/// Kernels of the selection and regions of the kernel that are listed.
const LISTED: usize = 8;

/// One kernel in detail; or several, where a pattern names several.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KernelReport {
    /// Version of this contract.
    pub schema_version: String,
    /// The program that wrote it.
    pub tool: Tool,
    /// True when any of the data comes from a simulated device.
    pub simulated: bool,
    pub sources: Vec<SourceInfo>,
    pub devices: Vec<DeviceInfo>,
    /// The scope, as in reports.
    pub scope: String,
    pub basis: Basis,
    /// True if nobody asked for a kernel, and this is the heaviest.
    pub is_heaviest: bool,
    /// What was selected.
    pub selection: Selection,
    /// The kernels that this is about, heaviest first.
    pub kernels: Vec<KernelTime>,
    /// The heaviest other kernels of the scope and regions.
    pub others: Vec<KernelTime>,
    /// How many other kernels there are.
    pub other_kernels: u64,
    /// Where the kernel ran, heaviest first; a launch in two nested regions counts in the inner one.
    pub regions: Vec<RegionTime>,
    pub launches: u64,
    /// Launches that have a duration.
    pub timed: u64,
    /// GPU time of those; null if none has one.
    pub total_ms: Option<f64>,
    /// Part of the time of the scope and regions, 0 to 1.
    pub share: Option<f64>,
    /// The durations of single launches; null if none has one.
    pub durations: Option<Durations>,
    /// What limits the launches, by time.
    pub bound: Bound,
    /// Launch shapes, most used first.
    pub shapes: Vec<LaunchShape>,
    pub details: Details,
    /// The memory system in tables.
    pub memory_tables: Vec<MemoryTable>,
    /// Executed instructions by opcode over all launches, most first; empty if none were counted.
    pub opcodes: Vec<Opcode>,
    /// Samples over the time of one launch; null if none were taken.
    pub pm_sampling: Option<PmSampling>,
    pub roofline: Roofline,
    /// Every section that the results hold, as ncu's details page groups them.
    pub sections: Vec<SectionSummary>,
    /// What ncu's rules said, by what following them might gain.
    pub rules: Vec<RuleSummary>,
    pub notes: Vec<Note>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KernelTime {
    pub name: String,
    pub launches: u64,
    pub total_ms: Option<f64>,
    /// Part of the time of the scope and regions, 0 to 1.
    pub share: Option<f64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RegionTime {
    pub name: String,
    pub launches: u64,
    pub total_ms: Option<f64>,
}

/// How long single launches take, in milliseconds. Quartiles lie between neighbours where no launch is exactly there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Durations {
    pub launches: u64,
    pub min_ms: f64,
    pub lower_quartile_ms: f64,
    pub median_ms: f64,
    pub upper_quartile_ms: f64,
    pub p95_ms: f64,
    pub max_ms: f64,
    pub mean_ms: f64,
    /// Bins of equal width between round times, from that of the shortest to that of the longest; each begins where the one before ends, which is not in it.
    pub histogram: Vec<DurationBin>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DurationBin {
    pub from_ms: f64,
    pub to_ms: f64,
    pub launches: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Opcode {
    pub opcode: String,
    /// Executed, counted once a warp.
    pub instructions: f64,
    /// Part of all of them, 0 to 1.
    pub share: f64,
}

/// Samples of hardware counters over the time of one launch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PmSampling {
    /// The number of the result, as `rangescope dump` counts them.
    pub launch: u64,
    pub duration_ms: Option<f64>,
    pub series: Vec<PmSeries>,
}

impl PmSampling {
    /// Whether any sample is a number; ncu may have counted nothing at all.
    pub fn has_numbers(&self) -> bool {
        self.series.iter().any(|series| series.values.iter().any(Option::is_some))
    }

    /// Sentences about what is not known of its series, each reason once.
    pub fn unknown(&self) -> Vec<String> {
        let mut reasons: IndexMap<String, usize> = IndexMap::new();
        for series in &self.series {
            let uncut = series.uncut.iter().map(|why| format!("not cut to the kernel: {why}"));
            let endless = series.end_unknown.iter();
            let endless = endless.map(|why| format!("shown up to the last sample: {why}"));
            for reason in uncut.chain(endless) {
                *reasons.entry(reason).or_default() += 1;
            }
        }
        let all = self.series.len();
        let sentence = |(reason, count)| match count {
            count if count == all => format!("The counters are {reason}."),
            1 => format!("One of {all} counters is {reason}."),
            count => format!("{count} of {all} counters are {reason}."),
        };
        reasons.into_iter().map(sentence).collect()
    }
}

/// One sampled counter, cut to the kernel as NVIDIA's reader cuts it: what was sampled in other contexts is left out and what follows moves up, or a zero stands in front
/// where another pass began earlier. Passes are runs of the kernel of their own, so that their times are told from their own beginnings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PmSeries {
    pub metric: String,
    pub label: String,
    /// Base unit.
    pub unit: String,
    /// The clock of the device when the kernel began; of the first sample where that is not known.
    pub origin_ns: u64,
    /// When the kernel ended, from its origin on; null if not known.
    pub end_ns: Option<i64>,
    /// Why the end is not known.
    pub end_unknown: Option<String>,
    /// Why it is not known how NVIDIA's reader would cut the samples, which are then all that were taken; null where they are cut.
    pub uncut: Option<String>,
    /// Times of the samples, from the origin on.
    pub at_ns: Vec<i64>,
    /// Null where a sample is no number.
    pub values: Vec<Option<f64>>,
}

/// What stands in single results only.
#[derive(Clone, Debug, Default)]
pub struct Collected {
    /// Durations of the launches that have one, in nanoseconds, in any order.
    pub durations_ns: Vec<f64>,
    pub opcodes: IndexMap<String, f64>,
    pub pm_sampling: Option<PmSampling>,
}

/// What only one result holds: that of a kernel's longest launch.
#[derive(Clone, Debug, PartialEq)]
pub struct LongestLaunch {
    pub kernel: String,
    pub opcodes: Vec<Opcode>,
    /// Without a series where nothing was sampled.
    pub sampled: PmSampling,
}

/// What single results do not hold, with the sections of ncu that collect it.
pub fn not_in_results(has_opcodes: bool, has_samples: bool) -> Vec<NotCollected> {
    [
        (has_opcodes, "executed instructions by opcode", "InstructionStats"),
        (has_samples, "samples over the time of a launch", "PmSampling"),
    ]
    .into_iter()
    .filter(|(is_there, _, _)| !is_there)
    .map(|(_, what, section)| NotCollected::new(what, &[section]))
    .collect()
}

impl KernelReport {
    /// Of the report at this place in the document of the selection alone, and the same scope of the document of everything around.
    ///
    /// Nothing is `collected` where single results are not at hand.
    pub fn new(
        document: &RegionDocument,
        place: usize,
        around: &ScopeReport,
        is_heaviest: bool,
        collected: Option<Collected>,
    ) -> Option<Self> {
        let has_results = collected.is_some();
        let collected = collected.unwrap_or_default();
        let report = document.reports.get(place)?;
        let totals = &report.totals;
        let insight = Insight::of(document);
        let concluded = &insight.reports.get(place)?.totals;
        let whole = around.totals.total_ms;
        let share = |part: Option<f64>| Some(part? / whole.filter(|whole| *whole > 0.0)?);
        let timed = |kernel: &KernelSummary| KernelTime {
            name: kernel.kernel_name.clone(),
            launches: kernel.calls,
            total_ms: kernel.total_ms,
            share: share(kernel.total_ms),
        };
        let is_other = |kernel: &&KernelSummary| {
            !totals
                .kernels
                .iter()
                .any(|own| own.kernel_name == kernel.kernel_name && own.kind == kernel.kind)
        };
        let others = around.totals.kernels.iter().filter(is_other);
        let mut found = Self {
            schema_version: SCHEMA_VERSION.to_owned(),
            tool: document.tool.clone(),
            simulated: document.simulated,
            sources: document.sources.clone(),
            devices: document.devices.clone(),
            scope: report.scope.id.clone(),
            basis: report.basis,
            is_heaviest,
            selection: report.selection.clone(),
            kernels: totals.kernels.iter().map(timed).collect(),
            others: others.clone().take(LISTED).map(timed).collect(),
            other_kernels: others.count() as u64,
            regions: regions(report),
            launches: totals.kernel_count,
            timed: totals.timed_count,
            total_ms: totals.total_ms,
            share: share(totals.total_ms),
            durations: durations(collected.durations_ns),
            bound: concluded.bound.clone(),
            shapes: shapes(&totals.kernels),
            details: details(&totals.metrics),
            memory_tables: memory_tables(&totals.metrics),
            opcodes: opcodes(collected.opcodes),
            pm_sampling: collected.pm_sampling,
            roofline: concluded.roofline.clone(),
            sections: totals.sections.clone(),
            rules: totals.rules.clone(),
            notes: document.notes.clone(),
        };
        if has_results {
            let lacking = not_in_results(!found.opcodes.is_empty(), found.pm_sampling.is_some());
            found.details.not_collected.extend(lacking);
        } else {
            let message = "single results are not at hand: durations one by one, instructions by opcode and samples over time are in the reports alone";
            found.notes.push(Note::new(NoteLevel::Info, "no-single-results", message.to_owned()));
        }
        if found.roofline.points.is_empty() {
            let section = &["SpeedOfLight_RooflineChart"];
            let lacking = NotCollected::new("a point in the roofline", section);
            found.details.not_collected.push(lacking);
        }
        Some(found)
    }
}

fn regions(report: &ScopeReport) -> Vec<RegionTime> {
    let is_inner = |region: &&Region| region.exclusive_kernel_count > 0;
    let regions = report.regions.iter().filter(is_inner);
    let mut regions: Vec<RegionTime> = regions
        .map(|region| RegionTime {
            name: region.name.clone(),
            launches: region.exclusive_kernel_count,
            total_ms: region.exclusive_ms,
        })
        .collect();
    regions.sort_by(|left, right| weight(right.total_ms).total_cmp(&weight(left.total_ms)));
    regions.truncate(LISTED);
    regions
}

/// The shapes of all kernels, those of one grid and block as one.
fn shapes(kernels: &[KernelSummary]) -> Vec<LaunchShape> {
    if let [kernel] = kernels {
        return kernel.launch_shapes.clone();
    }
    let mut all: IndexMap<_, LaunchShape> = IndexMap::new();
    for shape in kernels.iter().flat_map(|kernel| &kernel.launch_shapes) {
        let known = all.entry((shape.grid, shape.block)).or_insert_with(|| LaunchShape {
            grid: shape.grid,
            block: shape.block,
            ..LaunchShape::default()
        });
        known.calls += shape.calls;
        known.total_ms = match (known.total_ms, shape.total_ms) {
            (Some(left), Some(right)) => Some(left + right),
            (left, right) => left.or(right),
        };
    }
    let mut shapes: Vec<LaunchShape> = all.into_values().collect();
    shapes.sort_by(|left, right| {
        let order = |shape: &LaunchShape| (shape.grid, shape.block);
        right.calls.cmp(&left.calls).then_with(|| order(left).cmp(&order(right)))
    });
    shapes
}

fn durations(mut ns: Vec<f64>) -> Option<Durations> {
    ns.retain(|duration| duration.is_finite());
    ns.sort_by(f64::total_cmp);
    let (first, last) = (*ns.first()?, *ns.last()?);
    let mean = ns.iter().sum::<f64>() / ns.len() as f64;
    Some(Durations {
        launches: ns.len() as u64,
        min_ms: first / 1e6,
        lower_quartile_ms: quantile(&ns, 0.25) / 1e6,
        median_ms: quantile(&ns, 0.5) / 1e6,
        upper_quartile_ms: quantile(&ns, 0.75) / 1e6,
        p95_ms: quantile(&ns, 0.95) / 1e6,
        max_ms: last / 1e6,
        mean_ms: mean / 1e6,
        histogram: histogram(&ns),
    })
}

/// Between the two neighbours of the place in the sorted values.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a place in a list")]
fn quantile(sorted: &[f64], part: f64) -> f64 {
    let place = part * sorted.len().saturating_sub(1) as f64;
    let low = place.floor() as usize;
    let value = |at: usize| sorted.get(at).or(sorted.last()).copied().unwrap_or(f64::NAN);
    let (left, right) = (value(low), value(low + 1));
    left + (right - left) * (place - place.floor())
}

/// Most executed first.
pub fn opcodes(counts: IndexMap<String, f64>) -> Vec<Opcode> {
    let total: f64 = counts.values().filter(|count| **count > 0.0).sum();
    let counts = counts.into_iter().filter(|(_, count)| *count > 0.0 && total > 0.0);
    let mut opcodes: Vec<Opcode> = counts
        .map(|(opcode, instructions)| Opcode { opcode, instructions, share: instructions / total })
        .collect();
    opcodes.sort_by(|left, right| {
        let by_count = right.instructions.total_cmp(&left.instructions);
        by_count.then_with(|| left.opcode.cmp(&right.opcode))
    });
    opcodes
}

#[cfg(test)]
mod tests {
    use super::{durations, opcodes};

    #[test]
    fn quartiles_lie_between_neighbours_and_bins_hold_every_launch() {
        let found = durations(vec![4e6, 1e6, 2e6, f64::NAN, 3e6]).unwrap();
        assert_eq!((found.launches, found.min_ms, found.max_ms), (4, 1.0, 4.0));
        assert_eq!((found.lower_quartile_ms, found.median_ms), (1.75, 2.5));
        assert_eq!(found.histogram.iter().map(|bin| bin.launches).sum::<u64>(), 4);
        let one = durations(vec![7e6]).unwrap();
        assert_eq!((one.median_ms, one.p95_ms, one.histogram.len()), (7.0, 7.0, 1));
        assert!(durations(vec![f64::NAN]).is_none());
    }

    #[test]
    fn opcodes_are_shares_of_what_was_counted() {
        let counts = [("A", 1.0), ("B", 3.0), ("C", f64::NAN), ("D", 0.0)];
        let found = opcodes(counts.map(|(name, count)| (name.to_owned(), count)).into());
        let shown: Vec<_> = found.iter().map(|one| (one.opcode.as_str(), one.share)).collect();
        assert_eq!(shown, [("B", 0.75), ("A", 0.25)]);
    }
}
