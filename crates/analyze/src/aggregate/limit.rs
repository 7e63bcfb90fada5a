//! What limits a launch: compute, memory, neither, or a grid that does not fill the device.
//!
//! Every launch is classified by its own numbers when it is read, and time and launches are summed per limit. The limit of an average would be another thing: a
//! kernel at 79 % in one phase and at 2 % in another is not at 30 % in either.

use crate::aggregate::kernels::Launches;
use crate::aggregate::tally::plan::ResultValues;
use crate::outcome::Unit;
use rangescope_model::document::{Limit, LimitShare};
use rangescope_model::launch::Vocabulary;
use rustc_hash::FxHashMap;
use std::fmt::Write as _;

/// One threshold with what it means, in the words of every output.
#[derive(Clone, Copy, Debug)]
pub struct Threshold {
    pub value: f64,
    pub unit: &'static str,
    pub meaning: &'static str,
}

/// A unit that is at least this busy limits the launch.
pub const BUSY: Threshold = Threshold {
    value: 60.0,
    unit: "%",
    meaning: "A unit that is at least this busy limits the launch; if none is, latency does.",
};

/// Two units that differ by at most this are equally busy.
pub const BALANCED: Threshold = Threshold {
    value: 10.0,
    unit: "points",
    meaning: "Compute and memory that differ by at most this limit the launch together: it is balanced.",
};

/// A unit that is at least this busy has little left to give.
pub const NEAR_PEAK: Threshold = Threshold {
    value: 80.0,
    unit: "%",
    meaning: "A unit that is at least this busy is near its peak: only less work for it helps.",
};

/// A grid of less than this leaves room for as many blocks again.
pub const HALF_WAVE: Threshold = Threshold {
    value: 0.5,
    unit: "waves",
    meaning: "Where nothing is busy, a grid of less than this, or of fewer blocks than there are multiprocessors, is too small: that comes before latency.",
};

/// The thresholds; those in per cent are those of ncu's SpeedOfLight rule.
pub const THRESHOLDS: [Threshold; 4] = [BUSY, BALANCED, NEAR_PEAK, HALF_WAVE];

/// The rule in words.
pub fn rule() -> String {
    let mut words = "Every launch is classified by its own numbers. Compute is the largest fraction of any measured compute roof (SM throughput, pipes, \
        tensor operations over their peak), memory the memory throughput, else that of the busiest level."
        .to_owned();
    for Threshold { value, unit, meaning } in THRESHOLDS {
        let _ = write!(words, " {value} {unit}: {meaning}");
    }
    words.push_str(
        " A kernel or region is of the class that has more than half of its time, else mixed.",
    );
    words
}

/// ncu's number for memory and caches together.
pub(crate) const MEMORY: &str = "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed";

const WAVES: &str = "launch__waves_per_multiprocessor";
const BLOCKS: &str = "launch__grid_size";
/// The multiprocessors that a launch may use, else all of the device.
const MULTIPROCESSORS: [&str; 2] = ["launch__sm_count", "device__attribute_multiprocessor_count"];
const PCT_ELAPSED: &str = ".avg.pct_of_peak_sustained_elapsed";
const PCT_ACTIVE: &str = ".avg.pct_of_peak_sustained_active";

/// The throughput of single levels, of which the busiest stands for memory where ncu's own number was not collected.
pub(crate) const LEVELS: [(&str, &str); 4] = [
    ("gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", "dram"),
    ("dram__throughput.avg.pct_of_peak_sustained_elapsed", "dram"),
    ("lts__throughput.avg.pct_of_peak_sustained_elapsed", "l2"),
    ("l1tex__throughput.avg.pct_of_peak_sustained_elapsed", "l1"),
];

/// The level that counters of a hardware unit speak of. These are the units whose counters make ncu's memory throughput up.
const LEVEL_OF_UNIT: [(&str, &str); 5] =
    [("dram__", "dram"), ("fbpa__", "dram"), ("lts__", "l2"), ("ltc__", "l2"), ("l1tex__", "l1")];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ComputeRoof {
    /// In per cent of the peak over the whole duration.
    OfElapsed,
    /// In per cent of the peak over the cycles in which SMs were active: of a device of which part is idle that is not how busy it is.
    OfActive,
}

/// The pipe that a percentage of a peak speaks of; empty for the SM as a whole. Nothing for what is no compute roof.
pub(crate) fn compute_roof(metric: &str) -> Option<(ComputeRoof, &str)> {
    if let Some(counter) = metric.strip_suffix(PCT_ELAPSED) {
        return Some((
            ComputeRoof::OfElapsed,
            if counter == "sm__throughput" { "" } else { pipe(counter)? },
        ));
    }
    // Of the active cycles only the tensor pipes are taken: under some sections they have no other number.
    let counter = metric.strip_suffix(PCT_ACTIVE)?;
    pipe(counter).filter(|pipe| *pipe == "tensor").map(|pipe| (ComputeRoof::OfActive, pipe))
}

/// The counter of tensor operations that this is the rate of: over all units, since the busiest of them says nothing about the others.
fn tensor_work(rate: &str) -> Option<&str> {
    let counter = rate.strip_suffix(".per_cycle_elapsed")?;
    let is_over_units = matches!(counter.rsplit_once('.'), Some((_, "sum" | "avg")));
    (is_over_units && pipe(counter) == Some("tensor")).then_some(counter)
}

/// Units of the multiprocessor that are no pipe, by the beginning of their counters.
const QUEUES: [(&str, &str); 2] = [("mio", "sm__mio"), ("idc", "idc__")];

/// What counts instructions that are issued, whichever pipe takes them.
const ISSUE: [&str; 3] = ["sm__issue_active", "sm__inst_issued", "sm__inst_executed"];

/// `fma` of `sm__pipe_fma_cycles_active`; `tensor` of whatever counts on the tensor cores.
fn pipe(counter: &str) -> Option<&str> {
    if counter.starts_with("sm__ops_path_tensor_") {
        return Some("tensor");
    }
    if ISSUE.contains(&counter) {
        return Some("issue");
    }
    if let Some((unit, _)) = QUEUES.iter().find(|(_, prefix)| counter.starts_with(prefix)) {
        return Some(unit);
    }
    let pipe = counter
        .strip_prefix("sm__inst_executed_pipe_")
        .or_else(|| counter.strip_prefix("sm__pipe_"))?;
    // Newer chips call the pipe of their tensor cores `tc`.
    pipe.split('_').next().map(|pipe| if pipe == "tc" { "tensor" } else { pipe })
}

/// How busy the busiest unit of a launch is in per cent, and its position in the plan; nothing where that was not measured.
pub(crate) type Busiest = Option<(f64, Option<u16>)>;

/// How busy a launch keeps what computes and what moves data.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Load {
    pub(crate) compute: Busiest,
    pub(crate) memory: Busiest,
}

impl Load {
    /// How busy the busiest unit is in per cent.
    pub(crate) fn busiest(&self) -> Option<f64> {
        let loads = [self.compute, self.memory].into_iter().flatten();
        loads.map(|(pct, _)| pct).reduce(f64::max)
    }

    /// The part of the launch's time that can be saved at most by what takes work off this unit: what the busiest unit leaves, or all of it where that unit is
    /// the one; all of it too where nobody knows.
    pub(crate) fn left(&self, plan: &LimitPlan, relieves: Option<Unit>) -> f64 {
        let Some(busiest) = self.busiest() else { return 1.0 };
        let is_relieved = |side: Busiest, is_memory: bool| {
            let (Some((pct, unit)), Some(relieved)) = (side, relieves) else { return false };
            let name = unit.map_or("", |unit| plan.unit_name(unit));
            pct >= busiest && relieved.is_memory() == is_memory && relieved.relieves(name)
        };
        if is_relieved(self.compute, false) || is_relieved(self.memory, true) {
            1.0
        } else {
            (1.0 - busiest / 100.0).clamp(0.0, 1.0)
        }
    }
}

/// A unit of the document in words.
pub(crate) fn unit_word(unit: &str) -> String {
    match unit {
        "dram" => "DRAM".to_owned(),
        "l2" => "L2".to_owned(),
        "l1" => "L1".to_owned(),
        "tensor" => "tensor cores".to_owned(),
        "issue" => "issue slots".to_owned(),
        "mio" => "memory input/output queue".to_owned(),
        "idc" => "constant cache".to_owned(),
        pipe => format!("{pipe} pipe"),
    }
}

/// The limit of a launch, and the position of the busiest unit in the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct LaunchLimit {
    pub(crate) limit: Limit,
    pub(crate) unit: Option<u16>,
}

pub(crate) const ACTIVE_CYCLES: &str = "sm__cycles_active.avg";
pub(crate) const ELAPSED_CYCLES: &str = "sm__cycles_elapsed.avg";
/// Cycles per second, which with the duration in nanoseconds are all cycles.
pub(crate) const CLOCK: &str = "sm__cycles_elapsed.avg.per_second";
pub(crate) const DURATION: &str = "gpu__time_duration.sum";

/// Where the cycles stand in which SMs were active, and all of them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cycles<M> {
    pub(crate) active: Option<M>,
    pub(crate) elapsed: Option<M>,
    /// The clock and the duration, for where cycles were not counted.
    pub(crate) clock: Option<(M, M)>,
}

impl<M: Copy> Cycles<M> {
    /// The part of the duration in which SMs were active; nothing where that is not known.
    pub(crate) fn active_part(&self, value: impl Fn(M) -> f64) -> Option<f64> {
        let counted = self.elapsed.map(&value).filter(|all| *all > 0.0);
        let by_clock = self.clock.map(|(clock, duration)| value(clock) * value(duration) / 1e9);
        let all = counted.or(by_clock).filter(|all| *all > 0.0)?;
        let part = value(self.active?) / all;
        // Both may come from different passes.
        (part >= 0.0).then(|| part.min(1.0))
    }
}

/// The metrics that tell limits, bound to the vocabulary of a run.
#[derive(Debug, Default)]
pub(crate) struct LimitPlan {
    compute: Vec<(usize, ComputeRoof, Option<u16>)>,
    /// Work per cycle and its peak.
    work: Vec<(usize, usize, Option<u16>)>,
    cycles: Cycles<usize>,
    memory: Option<usize>,
    levels: Vec<(usize, Option<u16>)>,
    parts: Vec<(usize, Option<u16>)>,
    waves: Option<usize>,
    blocks: Option<usize>,
    multiprocessors: Vec<usize>,
    units: Vec<String>,
}

impl LimitPlan {
    pub(crate) fn new(vocabulary: &Vocabulary) -> Self {
        let handles: FxHashMap<&str, usize> =
            vocabulary.metrics.iter().enumerate().map(|(id, name)| (name.as_str(), id)).collect();
        let handle = |name: &str| handles.get(name).copied();
        let mut plan = Self {
            cycles: Cycles {
                active: handle(ACTIVE_CYCLES),
                elapsed: handle(ELAPSED_CYCLES),
                clock: handle(CLOCK).zip(handle(DURATION)),
            },
            memory: handle(MEMORY),
            waves: handle(WAVES),
            blocks: handle(BLOCKS),
            multiprocessors: MULTIPROCESSORS.iter().filter_map(|name| handle(name)).collect(),
            ..Self::default()
        };
        for (name, level) in LEVELS {
            if let Some(id) = handle(name) {
                let unit = plan.unit(level);
                plan.levels.push((id, unit));
            }
        }
        let mut names: Vec<(usize, &String)> = vocabulary.metrics.iter().enumerate().collect();
        // Of equally busy units the first is named: tensor cores before the pipes that they share, and never by the order of files.
        names.sort_by_key(|(_, name)| (!name.contains("tensor"), *name));
        for (id, name) in names {
            if let Some((roof, pipe)) = compute_roof(name) {
                let unit = plan.unit(pipe);
                plan.compute.push((id, roof, unit));
            } else if let Some(counter) = tensor_work(name)
                && let Some(peak) = handle(&format!("{counter}.peak_sustained"))
            {
                let unit = plan.unit("tensor");
                plan.work.push((id, peak, unit));
            } else if name.ends_with(PCT_ELAPSED)
                && let Some((_, level)) =
                    LEVEL_OF_UNIT.iter().find(|(unit, _)| name.starts_with(unit))
            {
                let unit = plan.unit(level);
                plan.parts.push((id, unit));
            }
        }
        plan
    }

    /// The number of a unit; none for the nameless one.
    fn unit(&mut self, name: &str) -> Option<u16> {
        if name.is_empty() {
            return None;
        }
        let known = self.units.iter().position(|unit| unit == name);
        let position = known.unwrap_or_else(|| {
            self.units.push(name.to_owned());
            self.units.len() - 1
        });
        u16::try_from(position).ok()
    }

    /// A limit by its name and that of its unit.
    pub(crate) fn named(&self, limit: Limit, unit: Option<&str>) -> LaunchLimit {
        let position = unit.and_then(|unit| self.units.iter().position(|known| known == unit));
        LaunchLimit { limit, unit: position.and_then(|position| u16::try_from(position).ok()) }
    }

    /// The name of a limit, and that of its unit.
    pub(crate) fn names(&self, LaunchLimit { limit, unit }: LaunchLimit) -> (Limit, Option<&str>) {
        let unit = unit.and_then(|unit| self.units.get(usize::from(unit)));
        (limit, unit.map(String::as_str))
    }

    /// The name of a unit.
    pub(crate) fn unit_name(&self, unit: u16) -> &str {
        self.units.get(usize::from(unit)).map_or("", String::as_str)
    }

    /// How busy the launch in the scratch space keeps the device.
    pub(crate) fn load(&self, scratch: &ResultValues) -> Load {
        Load { compute: self.compute(scratch), memory: self.memory(scratch) }
    }

    /// The blocks of the launch in the scratch space for each multiprocessor that it may use, and its waves; what is not known is not a number.
    pub(crate) fn filling(&self, scratch: &ResultValues) -> Filling {
        let value = |metric: &usize| scratch.value(*metric);
        let multiprocessors = self.multiprocessors.iter().map(value).find(|count| *count > 0.0);
        let blocks = self.blocks.as_ref().map_or(f64::NAN, value);
        Filling {
            blocks,
            multiprocessors: multiprocessors.unwrap_or(f64::NAN),
            waves: self.waves.as_ref().map_or(f64::NAN, value),
        }
    }

    /// The limit of a launch with this load, which is in the scratch space.
    pub(crate) fn limit(&self, load: &Load, scratch: &ResultValues) -> LaunchLimit {
        let unknown = LaunchLimit { limit: Limit::Unknown, unit: None };
        let (Some(compute), Some(memory)) = (load.compute, load.memory) else {
            return unknown;
        };
        let limit = class(compute.0, memory.0, &self.filling(scratch));
        let unit = match limit {
            Limit::Compute => compute.1,
            Limit::Memory => memory.1,
            _ => None,
        };
        LaunchLimit { limit, unit }
    }

    /// The part of the duration in which multiprocessors had work.
    pub(crate) fn active_part(&self, scratch: &ResultValues) -> Option<f64> {
        self.cycles.active_part(|metric| scratch.value(metric))
    }

    /// How busy the busiest counter of a level is in per cent.
    pub(crate) fn busiest_part(&self, level: &str, scratch: &ResultValues) -> Option<f64> {
        let is_of_level =
            |unit: Option<u16>| unit.is_some_and(|unit| self.unit_name(unit) == level);
        let parts = self.parts.iter().filter(|(_, unit)| is_of_level(*unit));
        parts
            .map(|(metric, _)| scratch.value(*metric))
            .filter(|pct| pct.is_finite())
            .reduce(f64::max)
    }

    /// The largest fraction of a compute roof in per cent; of equal ones that which names its unit.
    fn compute(&self, scratch: &ResultValues) -> Option<(f64, Option<u16>)> {
        // What cannot be brought to the whole duration is not a number, and no roof.
        let active = self.active_part(scratch).unwrap_or(f64::NAN);
        let stated = self.compute.iter().map(|&(metric, roof, unit)| match roof {
            ComputeRoof::OfElapsed => (scratch.value(metric), unit),
            ComputeRoof::OfActive => (scratch.value(metric) * active, unit),
        });
        let work = self
            .work
            .iter()
            .map(|&(work, peak, unit)| (scratch.value(work) / scratch.value(peak) * 100.0, unit));
        busiest(stated.chain(work))
    }

    fn memory(&self, scratch: &ResultValues) -> Option<(f64, Option<u16>)> {
        let levels = self.levels.iter().map(|&(metric, unit)| (scratch.value(metric), unit));
        let whole = self.memory.map(|memory| scratch.value(memory)).filter(|pct| pct.is_finite());
        let Some(whole) = whole else { return busiest(levels) };
        let parts = self.parts.iter().map(|&(metric, unit)| (scratch.value(metric), unit));
        // What is busier than the whole is no part of it; what is far below it does not explain it.
        let explains =
            |(pct, _): &(f64, _)| *pct <= whole * (1.0 + 1e-6) && whole - pct <= BALANCED.value;
        let unit = busiest(parts.chain(levels).filter(explains)).and_then(|(_, unit)| unit);
        Some((whole, unit))
    }

    /// What launches add up to per limit, the most time first.
    pub(crate) fn shares<'t>(
        &self,
        launches: impl Iterator<Item = (LaunchLimit, &'t Launches)>,
    ) -> Vec<LimitShare> {
        let mut sums: Vec<(LaunchLimit, Launches)> = Vec::new();
        for (limit, launches) in launches {
            match sums.iter_mut().find(|(known, _)| *known == limit) {
                Some((_, sum)) => sum.merge(launches),
                None => sums.push((limit, *launches)),
            }
        }
        let share = |(limit, sum): (LaunchLimit, Launches)| {
            let (limit, unit) = self.names(limit);
            let (total_ms, launches) = (sum.milliseconds(), sum.calls);
            LimitShare { limit, unit: unit.map(str::to_owned), total_ms, launches }
        };
        let mut shares: Vec<LimitShare> = sums.into_iter().map(share).collect();
        shares.sort_by(|left, right| {
            let time = |share: &LimitShare| share.total_ms.unwrap_or(0.0);
            time(right)
                .total_cmp(&time(left))
                .then_with(|| right.launches.cmp(&left.launches))
                .then_with(|| (left.limit, &left.unit).cmp(&(right.limit, &right.unit)))
        });
        shares
    }
}

/// Waves are rounded quotients.
const WAVE_ERROR: f64 = 1e-9;

/// How much of the device a grid fills.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Filling {
    pub(crate) blocks: f64,
    pub(crate) multiprocessors: f64,
    pub(crate) waves: f64,
}

impl Filling {
    /// Whether the grid is too small where nothing is busy.
    pub(crate) fn is_small(&self) -> bool {
        self.leaves_sms_empty() || self.waves < HALF_WAVE.value
    }

    /// Whether some multiprocessors have no block.
    pub(crate) fn leaves_sms_empty(&self) -> bool {
        self.blocks < self.multiprocessors
    }

    /// Whether all blocks run at once, so that room for more would stay empty.
    pub(crate) fn runs_at_once(&self) -> bool {
        self.blocks <= self.multiprocessors || self.waves <= 1.0 + WAVE_ERROR
    }

    /// Whether more blocks would run at once.
    pub(crate) fn is_below_one_wave(&self) -> bool {
        self.leaves_sms_empty() || self.waves < 1.0 - WAVE_ERROR
    }

    /// Whether the blocks are exactly those that run at once.
    pub(crate) fn is_one_wave(&self) -> bool {
        (self.waves - 1.0).abs() <= WAVE_ERROR
    }
}

/// The class of a launch by its busiest units in per cent and its grid.
fn class(compute: f64, memory: f64, filling: &Filling) -> Limit {
    if compute.max(memory) < BUSY.value {
        if filling.is_small() { Limit::SmallGrid } else { Limit::Latency }
    } else if (compute - memory).abs() <= BALANCED.value {
        Limit::Balanced
    } else if compute > memory {
        Limit::Compute
    } else {
        Limit::Memory
    }
}

/// The largest finite number with its unit; of equal ones the first that names its unit.
fn busiest(units: impl Iterator<Item = (f64, Option<u16>)>) -> Option<(f64, Option<u16>)> {
    units.filter(|(pct, _)| pct.is_finite()).reduce(|best, next| {
        let is_better = next.0 > best.0 || (next.0 >= best.0 && best.1.is_none());
        if is_better { next } else { best }
    })
}

#[cfg(test)]
mod tests {
    use super::{LimitPlan, class};
    use crate::aggregate::tally::plan::ResultValues;
    use rangescope_model::document::Limit::{
        self, Balanced, Compute, Latency, Memory, SmallGrid, Unknown,
    };
    use rangescope_model::launch::{MetricId, Vocabulary};

    const UNSTATED: f64 = f64::NAN;

    #[test]
    fn the_documentation_has_the_same_table() {
        let docs = include_str!("../../../../docs/regions.md");
        for super::Threshold { value, unit, meaning } in super::THRESHOLDS {
            let row = format!("| {value} {unit} | {meaning} |");
            assert!(docs.contains(&row), "{row}");
        }
    }

    #[test]
    fn the_thresholds() {
        for (compute, memory, blocks, waves, expected) in [
            (80.0, 20.0, 400.0, 4.0, Compute),
            (20.0, 80.0, 400.0, 4.0, Memory),
            (59.9, 59.9, 400.0, 4.0, Latency),
            (59.9, 59.9, UNSTATED, UNSTATED, Latency),
            (60.0, 10.0, 400.0, 4.0, Compute),
            (60.0, 50.0, 400.0, 4.0, Balanced),
            (60.0, 49.9, 400.0, 4.0, Compute),
            (95.0, 88.0, 400.0, 4.0, Balanced),
            // A block for every multiprocessor, in more and in less than half a wave.
            (0.0, 0.0, 100.0, 0.5, Latency),
            (0.0, 0.0, 100.0, 0.49, SmallGrid),
            (0.0, 0.0, 99.0, 0.99, SmallGrid),
            (0.0, 0.0, UNSTATED, 0.99, Latency),
            (0.0, 0.0, 99.0, UNSTATED, SmallGrid),
            (59.9, 30.0, 40.0, 0.4, SmallGrid),
            (61.0, 30.0, 40.0, 0.4, Compute),
        ] {
            let filling = super::Filling { blocks, multiprocessors: 100.0, waves };
            assert_eq!(
                class(compute, memory, &filling),
                expected,
                "{compute} {memory} {filling:?}"
            );
        }
    }

    /// The limit of a launch with these metrics, and its unit.
    fn limit(metrics: &[(&str, f64)]) -> (Limit, Option<String>) {
        let names = metrics.iter().map(|(name, _)| (*name).to_owned()).collect();
        let plan = LimitPlan::new(&Vocabulary { metrics: names, ..Vocabulary::default() });
        let mut scratch = ResultValues::new(metrics.len());
        let numbers: Vec<_> =
            (0..).map(MetricId).zip(metrics.iter().map(|(_, number)| *number)).collect();
        scratch.load(&numbers, &[]);
        let found = plan.limit(&plan.load(&scratch), &scratch);
        (found.limit, found.unit.map(|unit| plan.units[usize::from(unit)].clone()))
    }

    #[test]
    fn the_largest_fraction_of_any_compute_roof_counts() {
        let sm = ("sm__throughput.avg.pct_of_peak_sustained_elapsed", 43.0);
        let memory = (super::MEMORY, 20.0);
        assert_eq!(limit(&[sm, memory]), (Latency, None));
        let tensor = Some("tensor".to_owned());
        let path =
            "sm__ops_path_tensor_src_fp16_dst_fp32_sparsity_off.avg.pct_of_peak_sustained_elapsed";
        assert_eq!(limit(&[sm, memory, (path, 86.7)]), (Compute, tensor.clone()));
        let work = "sm__ops_path_tensor_src_fp16_dst_fp32_sparsity_off.sum";
        let (rate, peak) = (format!("{work}.per_cycle_elapsed"), format!("{work}.peak_sustained"));
        assert_eq!(
            limit(&[sm, memory, (&rate, 900.0), (&peak, 1000.0)]),
            (Compute, tensor.clone())
        );
        assert_eq!(limit(&[sm, memory, (&rate, 900.0), (&peak, 0.0)]), (Latency, None));
        // The busiest SM is not the average.
        let busiest = "sm__ops_path_tensor_src_fp16_dst_fp32_sparsity_off.max";
        let (rate, peak) =
            (format!("{busiest}.per_cycle_elapsed"), format!("{busiest}.peak_sustained"));
        assert_eq!(limit(&[sm, memory, (&rate, 900.0), (&peak, 1000.0)]), (Latency, None));
        // The share of active cycles is brought to the whole duration.
        let active = "sm__pipe_tensor_op_hmma_cycles_active.avg.pct_of_peak_sustained_active";
        let cycles = [("sm__cycles_active.avg", 50.0), ("sm__cycles_elapsed.avg", 100.0)];
        let clock = [(super::CLOCK, 2e9), (super::DURATION, 50.0)];
        assert_eq!(
            limit(&[sm, memory, (active, 70.0), cycles[0], clock[0], clock[1]]),
            (Latency, None)
        );
        // Of an unknown part of the duration it says nothing.
        assert_eq!(limit(&[sm, memory, (active, 70.0)]), (Latency, None));
        let full = [("sm__cycles_active.avg", 99.0), ("sm__cycles_elapsed.avg", 100.0)];
        assert_eq!(
            limit(&[sm, memory, (active, 70.0), full[0], full[1]]),
            (Compute, tensor.clone())
        );
        assert_eq!(limit(&[sm, memory, (active, 70.0), cycles[0], cycles[1]]), (Latency, None));
        // Of equal roofs the one that names its unit.
        let busy = ("sm__throughput.avg.pct_of_peak_sustained_elapsed", 70.0);
        let fma = ("sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_elapsed", 70.0);
        assert_eq!(limit(&[busy, memory, fma]), (Compute, Some("fma".to_owned())));
    }

    #[test]
    fn the_busy_level_is_named() {
        let sm = ("sm__throughput.avg.pct_of_peak_sustained_elapsed", 20.0);
        let l2 = ("lts__t_sectors.avg.pct_of_peak_sustained_elapsed", 75.0);
        let dram = ("gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", 40.0);
        assert_eq!(limit(&[sm, (super::MEMORY, 75.0), l2, dram]), (Memory, Some("l2".to_owned())));
        // Nothing that was measured explains the whole.
        assert_eq!(limit(&[sm, (super::MEMORY, 90.0), l2, dram]), (Memory, None));
        let busy = ("gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", 85.0);
        assert_eq!(limit(&[sm, busy]), (Memory, Some("dram".to_owned())));
    }

    #[test]
    fn what_was_not_measured_is_unknown() {
        assert_eq!(limit(&[]), (Unknown, None));
        assert_eq!(limit(&[(super::MEMORY, 90.0)]), (Unknown, None));
        let sm = "sm__throughput.avg.pct_of_peak_sustained_elapsed";
        assert_eq!(limit(&[(sm, f64::NAN), (super::MEMORY, f64::NAN)]), (Unknown, None));
    }
}
