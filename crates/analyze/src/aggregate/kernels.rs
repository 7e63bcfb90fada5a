//! The kernels of a region: how often, how long, in which shapes, and their key metrics.

use crate::aggregate::advice::RuleTally;
use crate::aggregate::agreement::Agreement;
use crate::aggregate::bounds::{Names, OTHERS};
use crate::aggregate::constituents::Constituents;
use crate::aggregate::limit::{LaunchLimit, LimitPlan};
use crate::aggregate::rollup::RuleId;
use crate::aggregate::sum::Sum;
use crate::aggregate::tally::numbers::Numbers;
use crate::aggregate::tally::plan::{ResultValues, TallyPlan};
use indexmap::{Equivalent, IndexMap};
use rangescope_model::document::LaunchShape;
use rangescope_model::launch::{DeviceId, LaunchKind, MetricId};
use rustc_hash::FxBuildHasher;

/// Number of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct KernelId(pub(crate) u32);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct KernelKey {
    pub(crate) kind: LaunchKind,
    pub(crate) shown: Box<str>,
    pub(crate) function: Box<str>,
}

impl KernelKey {
    /// Kernels that are too many, taken together.
    pub(crate) fn others(function: &str) -> Self {
        Self { kind: LaunchKind::Kernel, shown: OTHERS.into(), function: function.into() }
    }
}

/// The same, borrowed.
#[derive(Hash)]
struct BorrowedKey<'n> {
    kind: LaunchKind,
    shown: &'n str,
    function: &'n str,
}

impl Equivalent<KernelKey> for BorrowedKey<'_> {
    fn equivalent(&self, key: &KernelKey) -> bool {
        self.kind == key.kind && *self.shown == *key.shown && *self.function == *key.function
    }
}

/// All kernels met so far, with whether they are selected.
#[derive(Clone, Debug)]
pub(crate) struct KernelTable {
    kernels: IndexMap<KernelKey, bool, FxBuildHasher>,
    /// Those of too many kernels that are selected, and those that are not.
    others: [Option<KernelId>; 2],
    names: Names,
}

impl KernelTable {
    pub(crate) fn new(names: Names) -> Self {
        Self { kernels: IndexMap::default(), others: [None; 2], names }
    }

    /// The number of a kernel and whether it is selected; `selects` is asked once per kernel.
    pub(crate) fn find(
        &mut self,
        kind: LaunchKind,
        shown: &str,
        function: &str,
        selects: impl FnOnce(&str) -> bool,
    ) -> (KernelId, bool) {
        if let Some((index, _, selected)) =
            self.kernels.get_full(&BorrowedKey { kind, shown, function })
        {
            return (KernelId(number(index)), *selected);
        }
        let selected = selects(shown);
        let key = KernelKey { kind, shown: shown.into(), function: function.into() };
        (self.keep(key, selected), selected)
    }

    /// The number of a kernel; one that is new and one too many has the number that all such kernels share.
    fn keep(&mut self, key: KernelKey, selected: bool) -> KernelId {
        let known = self.kernels.get_index_of(&key);
        let others = self.others[usize::from(selected)];
        let id = match (known, others) {
            (Some(known), _) => return KernelId(number(known)),
            (None, Some(others)) => return others,
            (None, None) => KernelId(number(self.kernels.len())),
        };
        if self.names.admit(selected) {
            self.kernels.insert(key, selected);
            return id;
        }
        // Whether it is selected is part of the name, because the two must not share a number.
        let function = if selected { OTHERS } else { "(others, not selected)" };
        let key = KernelKey::others(function);
        let others = KernelId(number(self.kernels.insert_full(key, selected).0));
        self.others[usize::from(selected)] = Some(others);
        others
    }

    /// The selected kernels that were too many, and how many are not.
    pub(crate) fn others(&self) -> Option<(KernelId, usize)> {
        self.others[1].map(|others| (others, self.names.most()))
    }

    pub(crate) fn key(&self, kernel: KernelId) -> Option<&KernelKey> {
        self.kernels.get_index(kernel.0 as usize).map(|(key, _)| key)
    }

    /// All kernels, selected or not, in order of first appearance.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &KernelKey> {
        self.kernels.keys()
    }

    /// Takes over kernels of later results; gives the new number of each.
    pub(crate) fn merge(&mut self, other: Self) -> Vec<KernelId> {
        other.kernels.into_iter().map(|(key, selected)| self.keep(key, selected)).collect()
    }
}

/// The launches of one kernel in a set of results.
#[derive(Clone, Debug)]
pub(crate) struct KernelTally {
    pub(crate) calls: u64,
    pub(crate) timed: u64,
    pub(crate) time: Sum,
    pub(crate) shortest: f64,
    pub(crate) longest: f64,
    pub(crate) device: Agreement<Option<DeviceId>>,
    pub(crate) shapes: IndexMap<(Shape, LaunchLimit), Launches, FxBuildHasher>,
    pub(crate) metrics: Numbers,
    /// By throughput: the counters of which it is the largest.
    pub(crate) constituents: IndexMap<MetricId, Constituents, FxBuildHasher>,
    /// What was said of these launches.
    pub(crate) rules: IndexMap<RuleId, RuleTally, FxBuildHasher>,
}

/// Launches that have something in common.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Launches {
    pub(crate) calls: u64,
    pub(super) timed: u64,
    pub(super) time: Sum,
}

impl Launches {
    fn add(&mut self, duration: f64) {
        self.calls += 1;
        if !duration.is_nan() {
            self.timed += 1;
            self.time.add(duration);
        }
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.calls += other.calls;
        self.timed += other.timed;
        self.time.merge(other.time);
    }

    /// GPU time; nothing if no launch has a duration.
    pub(crate) fn milliseconds(&self) -> Option<f64> {
        (self.timed > 0).then(|| self.time.value() / 1e6)
    }
}

/// Grid and block.
pub(crate) type Shape = (Option<[u64; 3]>, Option<[u64; 3]>);

impl KernelTally {
    pub(crate) fn new() -> Self {
        Self {
            calls: 0,
            timed: 0,
            time: Sum::default(),
            shortest: f64::INFINITY,
            longest: f64::NEG_INFINITY,
            device: Agreement::Nothing,
            shapes: IndexMap::default(),
            metrics: Numbers::default(),
            constituents: IndexMap::default(),
            rules: IndexMap::default(),
        }
    }

    /// Only how often and how long.
    pub(crate) fn brief(&self) -> Self {
        Self {
            calls: self.calls,
            timed: self.timed,
            time: self.time,
            shortest: self.shortest,
            longest: self.longest,
            device: self.device,
            ..Self::new()
        }
    }

    /// Adds one launch; its metrics are added apart. The duration is in nanoseconds and not a number if there is none.
    pub(crate) fn add(
        &mut self,
        duration: f64,
        device: Option<DeviceId>,
        shape: Shape,
        limit: LaunchLimit,
    ) {
        self.calls += 1;
        if !duration.is_nan() {
            self.timed += 1;
            self.time.add(duration);
            self.shortest = self.shortest.min(duration);
            self.longest = self.longest.max(duration);
        }
        self.device.see(device);
        self.shapes.entry((shape, limit)).or_default().add(duration);
    }

    /// Adds other launches by way of an empty scratch space.
    pub(crate) fn merge(&mut self, plan: &TallyPlan, scratch: &mut ResultValues, other: &Self) {
        self.calls += other.calls;
        self.timed += other.timed;
        self.time.merge(other.time);
        self.shortest = self.shortest.min(other.shortest);
        self.longest = self.longest.max(other.longest);
        self.device.merge(other.device);
        for (shape, launches) in &other.shapes {
            self.shapes.entry(*shape).or_default().merge(launches);
        }
        self.metrics.merge(plan, scratch, &other.metrics);
        for (throughput, constituents) in &other.constituents {
            self.constituents.entry(*throughput).or_default().merge(constituents);
        }
        for (rule, tally) in &other.rules {
            match self.rules.get_mut(rule) {
                Some(known) => known.merge(tally),
                None => {
                    self.rules.insert(*rule, tally.clone());
                }
            }
        }
    }

    pub(crate) fn renumber_rules(&mut self, numbers: &[RuleId]) {
        let number = |old: RuleId| numbers.get(old.0 as usize).copied().unwrap_or(old);
        let rules = std::mem::take(&mut self.rules).into_iter();
        self.rules = rules.map(|(old, tally)| (number(old), tally)).collect();
    }

    pub(crate) fn limits(&self) -> impl Iterator<Item = (LaunchLimit, &Launches)> {
        self.shapes.iter().map(|(&(_, limit), launches)| (limit, launches))
    }

    /// Launch shapes, the most used first.
    pub(crate) fn launch_shapes(&self, plan: &LimitPlan) -> Vec<LaunchShape> {
        let mut of_shape: IndexMap<Shape, Vec<(LaunchLimit, &Launches)>, FxBuildHasher> =
            IndexMap::default();
        for (&(shape, limit), launches) in &self.shapes {
            of_shape.entry(shape).or_default().push((limit, launches));
        }
        let mut shapes: Vec<LaunchShape> = of_shape
            .into_iter()
            .map(|((grid, block), parts)| {
                let mut all = Launches::default();
                for (_, launches) in &parts {
                    all.merge(launches);
                }
                LaunchShape {
                    grid,
                    block,
                    calls: all.calls,
                    total_ms: all.milliseconds(),
                    limits: plan.shares(parts.into_iter()),
                }
            })
            .collect();
        shapes.sort_unstable_by(|left, right| {
            right
                .calls
                .cmp(&left.calls)
                .then_with(|| (left.grid, left.block).cmp(&(right.grid, right.block)))
        });
        shapes
    }
}

/// Kernels are counted in 32 bits: a run with more different ones does not fit into memory anyway.
fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}
