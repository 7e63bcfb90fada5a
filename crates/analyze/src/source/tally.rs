//! Launches as they come in: each is put into its set, and its counts are added there.

use super::counters::{SAMPLES, is_count, stall_reason};
use crate::aggregate::analysis::{Analysis, Chosen};
use crate::aggregate::kernels::{KernelId, KernelTable};
use crate::aggregate::place::place;
use crate::aggregate::rules::recipe::DURATION_NAMES;
use crate::aggregate::sum::Sum;
use crate::aggregate::tree::{RegionId, RegionTree};
use indexmap::{IndexMap, IndexSet};
use rangescope_model::launch::{Launch, LaunchKind, MetricId};
use rustc_hash::FxBuildHasher;
use std::collections::BTreeMap;

/// What was counted at the instructions of one launch.
#[derive(Clone, Debug, Default)]
pub struct LaunchCode {
    /// The function, by the number that the code map knows it by.
    pub function: u32,
    /// By metric: the counts with the offsets of their instructions.
    pub counters: Vec<(String, Vec<(u32, u64)>)>,
    /// Samples at addresses outside of the function.
    pub samples_outside: u64,
}

/// The set that a launch was put into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetId(usize);

#[derive(Debug)]
pub struct SourceTally<'a> {
    analysis: &'a Analysis<'a>,
    durations: Vec<MetricId>,
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
    pub(super) functions: IndexMap<u32, FunctionCounts, FxBuildHasher>,
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

/// Counts at the instructions of one function.
#[derive(Debug, Default)]
pub(super) struct FunctionCounts {
    pub(super) launches: Launches,
    pub(super) samples_outside: u64,
    /// By number of the counter, then by offset. Sparse, because a hostile file may have one count in each of very many counters.
    pub(super) cells: BTreeMap<u32, BTreeMap<u32, u64>>,
    /// Estimated nanoseconds by offset.
    pub(super) time: BTreeMap<u32, Sum>,
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
            tree: RegionTree::new(analysis.bounds.names(), analysis.shows_some()),
            kernels: KernelTable::new(analysis.bounds.names()),
            regions_of_result: Vec::new(),
            counters: IndexSet::default(),
            sets: IndexMap::default(),
        }
    }

    /// Puts a launch into its set; nothing if it is not selected. Gives its duration in nanoseconds, if it has one.
    pub fn place(&mut self, launch: &Launch<'_>) -> Option<(SetId, Option<f64>)> {
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
        let entry = self.sets.entry((regions.as_slice().into(), placed.kernel));
        let id = SetId(entry.index());
        let launches = &mut entry.or_default().launches;
        launches.all += 1;
        if let Some(duration) = duration {
            launches.timed += 1;
            launches.time.add(duration);
        }
        Some((id, duration))
    }

    /// Adds what was counted in a launch of a set.
    pub fn add(&mut self, SetId(set): SetId, duration: Option<f64>, code: &LaunchCode) {
        let Some((_, set)) = self.sets.get_index_mut(set) else { return };
        let function = set.functions.entry(code.function).or_default();
        let mut samples: BTreeMap<u32, u64> = BTreeMap::new();
        let mut all = 0_u64;
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
            let cells = function.cells.entry(counter).or_default();
            for &(offset, value) in values {
                let cell = cells.entry(offset).or_default();
                *cell = cell.saturating_add(value);
                if is_sample {
                    let samples = samples.entry(offset).or_default();
                    *samples = samples.saturating_add(value);
                    all = all.saturating_add(value);
                }
            }
        }
        all = all.saturating_add(code.samples_outside);
        function.samples_outside = function.samples_outside.saturating_add(code.samples_outside);
        let is_estimated = all > 0 && duration.is_some();
        for launches in [&mut set.launches, &mut function.launches] {
            launches.counted += u64::from(counted);
            launches.sampled += u64::from(all > 0);
            launches.estimated += u64::from(is_estimated);
        }
        function.launches.all += 1;
        if let Some(duration) = duration {
            function.launches.timed += 1;
            function.launches.time.add(duration);
            let each = duration / all as f64;
            for (offset, samples) in samples {
                function.time.entry(offset).or_default().add_product(each, samples as f64);
            }
        }
    }
}
