//! Launches as they come in: each is put into its set, and its counts are added there.

use super::Spot;
use super::counters::{EXCESS, SAMPLES, is_count, stall_reason};
use crate::aggregate::analysis::{Analysis, Chosen};
use crate::aggregate::kernels::{KernelId, KernelTable};
use crate::aggregate::place::place;
use crate::aggregate::rules::recipe::DURATION_NAMES;
use crate::aggregate::sampling::{INTERVAL, Intervals};
use crate::aggregate::sum::Sum;
use crate::aggregate::tally::plan::ResultValues;
use crate::aggregate::tree::{RegionId, RegionTree};
use indexmap::{IndexMap, IndexSet};
use rangescope_model::launch::{Launch, LaunchKind, MetricId};
use rustc_hash::FxBuildHasher;
use std::collections::BTreeMap;

/// What was counted at the instructions of one launch.
#[derive(Clone, Debug, Default)]
pub struct LaunchCode {
    /// The kernel, by the number that the code map knows its function by.
    pub kernel: u32,
    /// By metric: the counts, and where they were.
    pub counters: Vec<(String, Vec<(Spot, u64)>)>,
}

/// A launch that is selected: the set that it was put into, and what its samples mean.
#[derive(Clone, Copy, Debug)]
pub struct PlacedLaunch {
    set: usize,
    /// In nanoseconds, if it is known.
    duration: Option<f64>,
    /// Cycles between two samples; not a number where that is not known.
    interval: f64,
    /// Nanoseconds that a sector costs at most that is moved and not used, if they can be told.
    excess_sector: Option<f64>,
}

#[derive(Debug)]
pub struct SourceTally<'a> {
    analysis: &'a Analysis<'a>,
    durations: Vec<MetricId>,
    interval: Option<MetricId>,
    scratch: ResultValues,
    pub(super) intervals: Intervals,
    pub(super) tree: RegionTree,
    pub(super) kernels: KernelTable,
    regions_of_result: Vec<RegionId>,
    pub(super) counters: IndexSet<String, FxBuildHasher>,
    pub(super) sets: IndexMap<(Box<[RegionId]>, KernelId), CodeSet, FxBuildHasher>,
}

/// The launches of one kernel with the same innermost regions.
#[derive(Debug, Default)]
pub(super) struct CodeSet {
    pub(super) launches: Launches,
    /// By the number of the kernel's function and the sampling interval, as bits of a number.
    pub(super) kernels: IndexMap<(u32, u64), KernelCounts, FxBuildHasher>,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Launches {
    pub(super) all: u64,
    pub(super) counted: u64,
    pub(super) sampled: u64,
    /// Launches that were sampled and have a duration.
    pub(super) estimated: u64,
    pub(super) timed: u64,
    pub(super) time: Sum,
}

impl Launches {
    pub(super) fn merge(&mut self, other: &Self) {
        self.all += other.all;
        self.counted += other.counted;
        self.sampled += other.sampled;
        self.estimated += other.estimated;
        self.timed += other.timed;
        self.time.merge(other.time);
    }
}

/// Counts of the launches of one kernel's code, in itself and in what it calls.
#[derive(Debug, Default)]
pub(super) struct KernelCounts {
    pub(super) launches: Launches,
    /// By number of the counter. Sparse, because a hostile file may have one count in each of very many counters.
    pub(super) cells: BTreeMap<u32, BTreeMap<Spot, u64>>,
    /// Each sample once.
    pub(super) samples: BTreeMap<Spot, u64>,
    /// Estimated nanoseconds.
    pub(super) time: BTreeMap<Spot, Sum>,
    /// Nanoseconds that sectors cost at most that are moved and not used.
    pub(super) excess: BTreeMap<Spot, Sum>,
}

impl<'a> SourceTally<'a> {
    pub fn new(analysis: &'a Analysis<'a>) -> Self {
        let metrics = &analysis.vocabulary.metrics;
        let id = |name: &&str| {
            let position = metrics.iter().position(|metric| metric == name)?;
            Some(MetricId(u32::try_from(position).ok()?))
        };
        Self {
            analysis,
            durations: DURATION_NAMES.iter().filter_map(id).collect(),
            interval: id(&INTERVAL),
            scratch: ResultValues::new(metrics.len()),
            intervals: Intervals::default(),
            tree: RegionTree::new(analysis.bounds.names(), analysis.shows_some()),
            kernels: KernelTable::new(analysis.bounds.names()),
            regions_of_result: Vec::new(),
            counters: IndexSet::default(),
            sets: IndexMap::default(),
        }
    }

    /// Puts a launch into its set; nothing if it is not selected.
    pub fn place(&mut self, launch: &Launch<'_>) -> Option<PlacedLaunch> {
        let regions = &mut self.regions_of_result;
        let placed = place(self.analysis, launch, &mut self.tree, &mut self.kernels, regions);
        let is_chosen = !matches!(placed.chosen, Chosen::No) && placed.kernel_selected;
        if !is_chosen || launch.kind != LaunchKind::Kernel {
            return None;
        }
        let value = |metric: &MetricId| {
            let (_, value) = launch.numbers.iter().find(|(id, _)| id == metric)?;
            Some(*value).filter(|value| value.is_finite())
        };
        let duration = self.durations.iter().find_map(value);
        let interval = self.interval.as_ref().and_then(value).unwrap_or(f64::NAN);
        let entry = self.sets.entry((regions.as_slice().into(), placed.kernel));
        let set = entry.index();
        let launches = &mut entry.or_default().launches;
        launches.all += 1;
        if let Some(duration) = duration {
            launches.timed += 1;
            launches.time.add(duration);
        }
        let plans = &self.analysis.plans;
        self.scratch.load(launch.numbers, launch.large);
        let part = plans.causes.excess_sector(&plans.limits, &self.scratch);
        self.scratch.clear(launch.numbers);
        let excess_sector = part.zip(duration).map(|(part, duration)| part * duration);
        Some(PlacedLaunch { set, duration, interval, excess_sector })
    }

    /// Adds what was counted in a launch of a set.
    pub fn add(&mut self, placed: PlacedLaunch, code: &LaunchCode) {
        let PlacedLaunch { set, duration, interval, excess_sector } = placed;
        let Some((_, set)) = self.sets.get_index_mut(set) else { return };
        let kernel = set.kernels.entry((code.kernel, interval.to_bits())).or_default();
        let mut samples: BTreeMap<Spot, u64> = BTreeMap::new();
        let has_reasons = code.counters.iter().any(|(name, _)| stall_reason(name).is_some());
        let mut counted = false;
        for (name, values) in code.counters.iter().filter(|(name, _)| is_count(name)) {
            counted = true;
            let counter = match self.counters.get_index_of(name) {
                Some(counter) => counter,
                None => self.counters.insert_full(name.clone()).0,
            };
            let Ok(counter) = u32::try_from(counter) else { continue };
            let is_sample =
                if has_reasons { stall_reason(name).is_some() } else { name == SAMPLES };
            let cells = kernel.cells.entry(counter).or_default();
            for &(spot, value) in values {
                if let Some(each) = excess_sector.filter(|_| name == EXCESS) {
                    kernel.excess.entry(spot).or_default().add_product(each, value as f64);
                }
                add_to(cells, spot, value);
                if is_sample {
                    add_to(&mut samples, spot, value);
                }
            }
        }
        let all = samples.values().fold(0_u64, |all, samples| all.saturating_add(*samples));
        let is_estimated = all > 0 && duration.is_some();
        if all > 0 {
            self.intervals.add(interval);
        }
        for launches in [&mut set.launches, &mut kernel.launches] {
            launches.counted += u64::from(counted);
            launches.sampled += u64::from(all > 0);
            launches.estimated += u64::from(is_estimated);
        }
        kernel.launches.all += 1;
        if let Some(duration) = duration {
            kernel.launches.timed += 1;
            kernel.launches.time.add(duration);
        }
        for (spot, samples) in samples {
            add_to(&mut kernel.samples, spot, samples);
            if let Some(duration) = duration.filter(|_| is_estimated) {
                let time = kernel.time.entry(spot).or_default();
                time.add_product(duration / all as f64, samples as f64);
            }
        }
    }
}

fn add_to(cells: &mut BTreeMap<Spot, u64>, spot: Spot, value: u64) {
    let cell = cells.entry(spot).or_default();
    *cell = cell.saturating_add(value);
}
