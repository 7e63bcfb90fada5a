//! What each process took of every place and kernel: the slim table from which the imbalance over ranks is made.
//!
//! Full sets are kept for a bounded number of processes, and a run of ten thousand ranks has more. So beside them every process has, for each list of innermost
//! regions and for each kernel, one cell of sums that merge like those of the buckets. A cell takes about 60 bytes and 24 for each counter, of which there are
//! [`MOST_COUNTERS`] at most: with the three usual ones, 10,000 ranks × 50 regions and 50 kernels come to 130 MB by that count. A run of one process has no cells.

use crate::aggregate::kernels::KernelId;
use crate::aggregate::rules::recipe::DURATION_NAMES;
use crate::aggregate::sum::Sum;
use crate::aggregate::tally::plan::{ResultValues, Slot, TallyPlan};
use crate::aggregate::tree::RegionId;
use indexmap::map::Entry;
use indexmap::{Equivalent, IndexMap, IndexSet};
use rangescope_model::document::Basis;
use rangescope_model::launch::{DeviceId, MetricId, Vocabulary};
use rustc_hash::FxBuildHasher;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The clock of the SMs, whose cell holds cycles.
pub(crate) const CLOCK: &str = "sm__cycles_elapsed.avg.per_second";

/// Counters beside time and launches, with the ways to state each, the best first. More cycles for the same work mean waiting, fewer of them in the same time a lower clock.
const COUNTERS: [(&str, &str, &[Stated]); 3] = [
    (
        CLOCK,
        "hz",
        &[
            Stated::PerSecond("sm__cycles_elapsed.avg.per_second"),
            Stated::Counts(&["sm__cycles_elapsed.avg"]),
            Stated::Counts(&["sm__cycles_elapsed.max"]),
        ],
    ),
    (
        "smsp__inst_executed.sum",
        "inst",
        &[Stated::Counts(&["smsp__inst_executed.sum"]), Stated::Counts(&["sm__inst_executed.sum"])],
    ),
    (
        "dram__bytes.sum",
        "byte",
        &[
            Stated::Counts(&["dram__bytes.sum"]),
            Stated::Counts(&["dram__bytes_read.sum", "dram__bytes_write.sum"]),
            Stated::PerSecond("dram__bytes.sum.per_second"),
        ],
    ),
];

/// Metrics that were asked for are compared over ranks too, if so few of them can be summed.
const MOST_ASKED: usize = 4;
pub(crate) const MOST_COUNTERS: usize = COUNTERS.len() + MOST_ASKED;

/// How metrics state a counter.
enum Stated {
    /// The sum of all of these.
    Counts(&'static [&'static str]),
    PerSecond(&'static str),
}

/// What cells hold, settled before the first result is looked at.
#[derive(Debug, Default)]
pub(crate) struct RankPlan {
    /// By index of a process: the first index that is the same process; empty where that is one for all, so that nothing is to be compared.
    processes: Vec<u32>,
    pub(crate) counters: Vec<RankCounter>,
    most_cells: usize,
}

#[derive(Debug)]
pub(crate) struct RankCounter {
    pub(crate) name: String,
    pub(crate) unit: String,
    ways: Vec<Way>,
}

#[derive(Debug)]
enum Way {
    Counts(Vec<usize>),
    PerSecond(usize),
}

impl RankPlan {
    /// The plan for processes of which these are the same ones. `asked` tells which metrics were asked for.
    pub(crate) fn new(
        vocabulary: &Vocabulary,
        plan: &TallyPlan,
        asked: impl Fn(usize) -> bool,
    ) -> Self {
        let mut counters = RankCounter::usual(vocabulary);
        // The time is there already.
        let is_duration = |id: &usize| {
            vocabulary.metrics.get(*id).is_some_and(|name| DURATION_NAMES.contains(&name.as_str()))
        };
        let is_summed = |id: &usize| {
            let metric = u32::try_from(*id).ok().and_then(|id| plan.metric(MetricId(id)));
            metric.is_some_and(|metric| matches!(metric.slot, Slot::Sum { .. }))
        };
        let asked: Vec<RankCounter> = (0..vocabulary.metrics.len())
            .filter(|id| asked(*id))
            .filter(|id| is_summed(id) && !is_duration(id))
            .filter_map(|id| {
                let name = vocabulary.metrics.get(id)?.clone();
                let is_new = !counters.iter().any(|counter| counter.name == name);
                let unit = vocabulary.units.get(id).cloned().unwrap_or_default();
                is_new.then(|| RankCounter { name, unit, ways: vec![Way::Counts(vec![id])] })
            })
            .take(MOST_ASKED + 1)
            .collect();
        if asked.len() <= MOST_ASKED {
            counters.extend(asked);
        }
        Self { counters, ..Self::default() }
    }

    /// The same for these processes: by index the first that is the same one.
    pub(crate) fn over(mut self, processes: &[u32], most_cells: usize) -> Self {
        let several = processes.iter().any(|process| Some(process) != processes.first());
        self.processes = if several { processes.to_vec() } else { Vec::new() };
        self.most_cells = most_cells;
        self
    }
}

impl RankCounter {
    /// The counters that are always compared, as far as the run can state them.
    pub(crate) fn usual(vocabulary: &Vocabulary) -> Vec<Self> {
        let handle = |name: &str| vocabulary.metrics.iter().position(|metric| metric == name);
        let way = |stated: &Stated| match stated {
            Stated::Counts(names) => {
                names.iter().map(|name| handle(name)).collect::<Option<_>>().map(Way::Counts)
            }
            Stated::PerSecond(name) => handle(name).map(Way::PerSecond),
        };
        let usual = COUNTERS.iter().map(|(name, unit, ways)| Self {
            name: (*name).to_owned(),
            unit: (*unit).to_owned(),
            ways: ways.iter().filter_map(way).collect(),
        });
        usual.filter(|counter| !counter.ways.is_empty()).collect()
    }

    pub(crate) fn is_usual(&self) -> bool {
        COUNTERS.iter().any(|(name, ..)| *name == self.name)
    }

    /// The counter of the result in the scratch space; not a number if it has none.
    pub(crate) fn of(&self, scratch: &ResultValues, duration: f64) -> f64 {
        let stated = |way: &Way| {
            let value = match way {
                Way::Counts(metrics) => metrics.iter().map(|metric| scratch.value(*metric)).sum(),
                Way::PerSecond(metric) => scratch.value(*metric) * duration * 1e-9,
            };
            (value >= 0.0 && f64::is_finite(value)).then_some(value)
        };
        // A clock is cycles over time, so that both are of the same results.
        if self.name == CLOCK && duration.is_nan() {
            return f64::NAN;
        }
        self.ways.iter().find_map(stated).unwrap_or(f64::NAN)
    }
}

/// Where results were: basis, device and innermost regions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    pub(crate) basis: Basis,
    pub(crate) device: Option<DeviceId>,
    pub(crate) regions: Box<[RegionId]>,
}

/// A place, borrowed.
#[derive(Hash)]
pub(crate) struct BorrowedPlace<'r> {
    pub(crate) basis: Basis,
    pub(crate) device: Option<DeviceId>,
    pub(crate) regions: &'r [RegionId],
}

impl Equivalent<Place> for BorrowedPlace<'_> {
    fn equivalent(&self, place: &Place) -> bool {
        self.basis == place.basis && self.device == place.device && *self.regions == *place.regions
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum What {
    /// Number of a place.
    Place(u32),
    /// A kernel, wherever it was launched. Replayed ranges are none.
    Kernel(KernelId),
}

/// The results of one process in one place or of one kernel.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cell {
    pub(crate) launches: u64,
    pub(crate) timed: u64,
    /// In nanoseconds.
    pub(crate) time: Sum,
}

/// A counter over the results of a cell.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CounterSum {
    pub(crate) sum: Sum,
    /// Results that have it.
    pub(crate) covered: u64,
}

impl Cell {
    pub(crate) fn merge(&mut self, other: Self) {
        self.launches += other.launches;
        self.timed += other.timed;
        self.time.merge(other.time);
    }
}

impl CounterSum {
    pub(crate) fn merge(&mut self, other: Self) {
        self.sum.merge(other.sum);
        self.covered += other.covered;
    }
}

/// The cells of all processes.
#[derive(Debug)]
pub(crate) struct RankTable {
    plan: Arc<RankPlan>,
    /// Processes with results, selected or not.
    pub(crate) seen: BTreeSet<u32>,
    places: IndexSet<Place, FxBuildHasher>,
    cells: IndexMap<(u32, What), Cell, FxBuildHasher>,
    /// For each cell its counters, in the order of the plan.
    counters: Vec<CounterSum>,
    /// Results in no cell, because there are too many cells.
    pub(crate) left_out: u64,
}

impl RankTable {
    pub(crate) fn new(plan: &Arc<RankPlan>) -> Self {
        Self {
            plan: Arc::clone(plan),
            seen: BTreeSet::new(),
            places: IndexSet::default(),
            cells: IndexMap::default(),
            counters: Vec::new(),
            left_out: 0,
        }
    }

    /// The number of a process; nothing where there is only one.
    fn process(&self, index: usize) -> Option<u32> {
        let processes = &self.plan.processes;
        (!processes.is_empty()).then(|| processes.get(index).copied().unwrap_or(u32::MAX))
    }

    /// A process has a result, whether or not it is selected.
    pub(crate) fn see(&mut self, process: usize) {
        if let Some(process) = self.process(process) {
            self.seen.insert(process);
        }
    }

    /// Adds a selected result whose numbers lie in the scratch space.
    pub(crate) fn add(
        &mut self,
        process: usize,
        place: &BorrowedPlace<'_>,
        kernel: KernelId,
        duration: f64,
        scratch: &ResultValues,
    ) {
        if self.plan.processes.is_empty() {
            return;
        }
        let cell = match duration {
            _ if duration.is_nan() => Cell { launches: 1, ..Cell::default() },
            _ => Cell { launches: 1, timed: 1, time: Sum::of(duration) },
        };
        let mut counters = [CounterSum::default(); MOST_COUNTERS];
        for (slot, counter) in counters.iter_mut().zip(&self.plan.counters) {
            let value = counter.of(scratch, duration);
            if !value.is_nan() {
                *slot = CounterSum { sum: Sum::of(value), covered: 1 };
            }
        }
        self.add_cell(process, place, kernel, cell, &counters);
    }

    /// Adds what selected results of one process, place and kernel add up to, with the counters in the order of the plan.
    pub(crate) fn add_cell(
        &mut self,
        process: usize,
        place: &BorrowedPlace<'_>,
        kernel: KernelId,
        cell: Cell,
        counters: &[CounterSum],
    ) {
        let Some(process) = self.process(process) else { return };
        let at = match self.places.get_index_of(place) {
            Some(at) => at,
            None => {
                let BorrowedPlace { basis, device, regions } = *place;
                self.places.insert_full(Place { basis, device, regions: regions.into() }).0
            }
        };
        self.put(process, What::Place(number(at)), cell, counters);
        if place.basis == Basis::Kernel {
            self.put(process, What::Kernel(kernel), cell, counters);
        }
    }

    fn put(&mut self, process: u32, what: What, cell: Cell, counters: &[CounterSum]) {
        let width = self.plan.counters.len();
        let has_room = self.cells.len() < self.plan.most_cells;
        let first = match self.cells.entry((process, what)) {
            Entry::Occupied(mut known) => {
                known.get_mut().merge(cell);
                known.index() * width
            }
            Entry::Vacant(new) if has_room => {
                new.insert(cell);
                let first = self.counters.len();
                self.counters.resize(first + width, CounterSum::default());
                first
            }
            Entry::Vacant(_) => {
                // A result has a place and a kernel, and is counted once.
                if matches!(what, What::Place(_)) {
                    self.left_out += cell.launches;
                }
                return;
            }
        };
        let slots = self.counters.get_mut(first..first + width).unwrap_or_default();
        for (slot, counter) in slots.iter_mut().zip(counters) {
            slot.merge(*counter);
        }
    }

    /// Takes over the cells of later results, given the new numbers of their regions and kernels.
    pub(crate) fn merge(&mut self, other: Self, regions: &[RegionId], kernels: &[KernelId]) {
        let places: Vec<u32> = other
            .places
            .iter()
            .map(|place| {
                let new = place.regions.iter().filter_map(|old| regions.get(old.0 as usize));
                let mut innermost: Vec<RegionId> = new.copied().collect();
                innermost.sort_unstable();
                innermost.dedup();
                let place = Place { regions: innermost.into(), ..*place };
                number(self.places.insert_full(place).0)
            })
            .collect();
        for ((process, what), cell, counters) in other.cells() {
            let what = match what {
                What::Place(old) => places.get(old as usize).copied().map(What::Place),
                What::Kernel(old) => kernels.get(old.0 as usize).copied().map(What::Kernel),
            };
            if let Some(what) = what {
                self.put(process, what, cell, counters);
            }
        }
        self.left_out += other.left_out;
        self.seen.extend(other.seen);
    }

    /// Every cell with its counters.
    pub(crate) fn cells(&self) -> impl Iterator<Item = ((u32, What), Cell, &[CounterSum])> {
        (0..self.cells.len()).filter_map(|at| self.cell(at))
    }

    pub(crate) fn cell(&self, at: usize) -> Option<((u32, What), Cell, &[CounterSum])> {
        let width = self.plan.counters.len();
        let (key, cell) = self.cells.get_index(at)?;
        Some((*key, *cell, self.counters.get(at * width..(at + 1) * width)?))
    }

    pub(crate) fn place(&self, place: u32) -> Option<&Place> {
        self.places.get_index(place as usize)
    }

    pub(crate) fn counters(&self) -> &[RankCounter] {
        &self.plan.counters
    }
}

fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}
