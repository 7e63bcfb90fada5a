//! Results as they come in: each is put into its bucket once, and everything else is made from buckets later.
//!
//! A bucket is the basis, process, device and list of innermost regions of a result. Totals, regions, scopes are all unions of buckets, so a result costs one
//! accumulation however deep its stack is and however many reports it appears in.

use crate::aggregate::advice::RuleKey;
use crate::aggregate::analysis::{Analysis, Chosen};
use crate::aggregate::bounds::Names;
use crate::aggregate::constituents::{KnownLists, Listed};
use crate::aggregate::kernels::{KernelId, KernelTable};
use crate::aggregate::place::{Placed, place};
use crate::aggregate::ranks::{BorrowedPlace, RankTable};
use crate::aggregate::rollup::{NumberedLaunch, Plans, Rollup, RuleId};
use crate::aggregate::same_counters::SameCounters;
use crate::aggregate::tally::plan::ResultValues;
use crate::aggregate::tree::{RegionId, RegionTree};
use indexmap::map::raw_entry_v1::{RawEntryApiV1, RawEntryMut};
use indexmap::{Equivalent, IndexMap, IndexSet};
use rangescope_model::document::Basis;
use rangescope_model::launch::{DeviceId, Launch, LaunchKind, MetricId};
use rustc_hash::FxBuildHasher;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// Results of an analysis that one thread has taken in.
#[derive(Debug)]
pub struct Partial {
    pub(crate) tree: RegionTree,
    pub(crate) kernels: KernelTable,
    pub(crate) rules: RuleSet,
    pub(crate) buckets: Buckets,
    /// What all processes with brief buckets add up to: buckets of no process and no device.
    pub(crate) whole: Buckets,
    /// By metric handle: whether a selected result has it.
    pub(crate) metrics_seen: Vec<bool>,
    /// Selected results that ncu gave up, by kernel.
    pub(crate) given_up: IndexMap<KernelId, u64, FxBuildHasher>,
    pub(crate) ranks: RankTable,
    pub(crate) same: SameCounters,
    pub(super) results: u64,
    /// The number of the first result of the file whose results are added.
    first: u64,
    is_simulated: bool,
    plans: Arc<Plans>,
    pub(super) scratch: ResultValues,
    pub(super) regions_of_result: Vec<RegionId>,
    lists: KnownLists,
    lists_of_result: Vec<Listed>,
}

/// The rules whose messages were met, by their numbers.
pub(crate) type RuleSet = IndexSet<RuleKey, FxBuildHasher>;

pub(crate) type Buckets = IndexMap<BucketKey, Bucket, FxBuildHasher>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BucketKey {
    pub(crate) basis: Basis,
    pub(crate) process: u32,
    pub(crate) device: Option<DeviceId>,
    pub(crate) regions: Box<[RegionId]>,
}

#[derive(Debug, Default)]
pub(crate) struct Bucket {
    /// Results before any selection.
    pub(crate) seen: u64,
    /// Results that are selected by their regions, before kernels are selected.
    pub(crate) in_regions: u64,
    /// Predicates that selected a result here.
    pub(crate) predicates: Vec<u32>,
    /// The results that are selected; absent if there are none.
    pub(crate) rollup: Option<Box<Rollup>>,
}

impl Bucket {
    fn count(&mut self, seen: u64, in_regions: u64, predicates: &[u32]) {
        self.seen += seen;
        self.in_regions += in_regions;
        add_sorted(&mut self.predicates, predicates);
    }

    pub(super) fn take(
        &mut self,
        plans: &Plans,
        scratch: &mut ResultValues,
        rollup: Option<Rollup>,
    ) {
        match (&mut self.rollup, rollup) {
            (Some(ours), Some(theirs)) => ours.merge(plans, scratch, &theirs),
            (None, Some(theirs)) => self.rollup = Some(Box::new(theirs)),
            (_, None) => {}
        }
    }
}

/// A bucket, borrowed.
#[derive(Hash)]
pub(super) struct BorrowedBucket<'r> {
    pub(super) basis: Basis,
    pub(super) process: u32,
    pub(super) device: Option<DeviceId>,
    pub(super) regions: &'r [RegionId],
}

impl Hash for BucketKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        BorrowedBucket {
            basis: self.basis,
            process: self.process,
            device: self.device,
            regions: &self.regions,
        }
        .hash(state);
    }
}

impl Equivalent<BucketKey> for BorrowedBucket<'_> {
    fn equivalent(&self, key: &BucketKey) -> bool {
        self.basis == key.basis
            && self.process == key.process
            && self.device == key.device
            && *self.regions == *key.regions
    }
}

/// What a message is told apart by, borrowed.
#[derive(Clone, Copy, Hash)]
pub(crate) struct BorrowedRule<'m> {
    pub(crate) rule: &'m str,
    pub(crate) kind: &'m str,
    pub(crate) title: &'m str,
    pub(crate) outcome: &'static str,
}

impl Equivalent<RuleKey> for BorrowedRule<'_> {
    fn equivalent(&self, key: &RuleKey) -> bool {
        *self.rule == *key.rule
            && *self.kind == *key.kind
            && *self.title == *key.title
            && self.outcome == key.outcome
    }
}

impl Partial {
    pub(crate) fn new(analysis: &Analysis<'_>) -> Self {
        let metrics = analysis.vocabulary.metrics.len();
        Self {
            tree: RegionTree::new(analysis.bounds.names(), analysis.shows_some()),
            kernels: KernelTable::new(analysis.bounds.names()),
            rules: RuleSet::default(),
            buckets: Buckets::default(),
            whole: Buckets::default(),
            metrics_seen: vec![false; metrics],
            given_up: IndexMap::default(),
            ranks: RankTable::new(&analysis.ranks),
            same: SameCounters::default(),
            results: 0,
            first: 0,
            is_simulated: false,
            plans: Arc::clone(&analysis.plans),
            scratch: ResultValues::new(metrics),
            regions_of_result: Vec::new(),
            lists: KnownLists::default(),
            lists_of_result: Vec::new(),
        }
    }

    /// Results that are added are of a file whose first result has this number.
    pub fn of_file(&mut self, first: u64, is_simulated: bool) {
        self.first = first;
        self.is_simulated = is_simulated;
    }

    /// Takes one result in. The analysis must be the one that made this partial.
    /// Gives the duration of a result that is selected in nanoseconds, which is not a number if it has none.
    pub fn add(&mut self, analysis: &Analysis<'_>, launch: &Launch<'_>) -> Option<f64> {
        self.results += 1;
        if !analysis.takes(launch.process) {
            return None;
        }
        self.ranks.see(launch.process);
        let regions = &mut self.regions_of_result;
        let Placed { kernel, kernel_name, kernel_selected, chosen } =
            place(analysis, launch, &mut self.tree, &mut self.kernels, regions);

        let process = analysis.process(launch.process);
        let basis = if launch.kind == LaunchKind::Range { Basis::Range } else { Basis::Kernel };
        let bucket = bucket_at(
            &mut self.buckets,
            &BorrowedBucket {
                basis,
                process,
                device: launch.device,
                regions: &self.regions_of_result,
            },
        );
        bucket.seen += 1;
        match chosen {
            Chosen::No => return None,
            Chosen::Yes => {}
            Chosen::ByPredicates(holding) => add_sorted(&mut bucket.predicates, &holding),
        }
        bucket.in_regions += 1;
        if !kernel_selected {
            return None;
        }

        mark(&mut self.metrics_seen, launch.numbers.iter().map(|(metric, _)| *metric));
        mark(&mut self.metrics_seen, launch.texts.iter().map(|(metric, _)| *metric));
        self.scratch.load(launch.numbers, launch.large);
        let given_up = analysis.given_up.is(&self.scratch, launch);
        let launch = if given_up {
            // What stands there was not measured. The launch counts, without a time.
            self.scratch.clear(launch.numbers);
            *self.given_up.entry(kernel).or_default() += 1;
            &Launch { numbers: &[], large: &[], texts: &[], ..launch.clone() }
        } else {
            launch
        };
        analysis.breakdowns.read(
            &mut self.lists,
            &self.scratch,
            launch.texts,
            &mut self.lists_of_result,
        );
        let numbered = NumberedLaunch {
            launch,
            id: number_of(self.first + launch.index as u64),
            process,
            kernel,
            kernel_name,
            is_given_up: given_up,
            listed: &self.lists_of_result,
        };
        let duration = analysis.plans.metrics.duration(&self.scratch);
        // Equal work on a machine model has equal numbers.
        if !self.is_simulated {
            self.same.see(&analysis.counters, launch, (numbered.id, kernel, duration));
        }
        let of_ranks =
            BorrowedPlace { basis, device: launch.device, regions: &self.regions_of_result };
        self.ranks.add(launch.process, &of_ranks, kernel, duration, &self.scratch);
        let rollup = bucket.rollup.get_or_insert_default();
        rollup.add(&analysis.plans, &mut self.scratch, &mut self.rules, numbered);
        self.scratch.clear(launch.numbers);
        Some(duration)
    }

    /// Takes over the results of another partial of the same analysis, which come after those in here.
    pub fn merge(&mut self, other: Self) {
        let regions = self.tree.merge(&other.tree);
        let kernels = self.kernels.merge(other.kernels);
        let rules: Vec<RuleId> = other
            .rules
            .into_iter()
            .map(|rule| RuleId(number(self.rules.insert_full(rule).0)))
            .collect();
        for (ours, theirs) in [(&mut self.buckets, other.buckets), (&mut self.whole, other.whole)] {
            for (key, theirs) in theirs {
                let mut innermost: Vec<RegionId> = key
                    .regions
                    .iter()
                    .filter_map(|region| regions.get(region.0 as usize).copied())
                    .collect();
                innermost.sort_unstable();
                innermost.dedup();
                let borrowed = BorrowedBucket {
                    basis: key.basis,
                    process: key.process,
                    device: key.device,
                    regions: &innermost,
                };
                let rollup = theirs.rollup.map(|rollup| {
                    rollup.renumbered(&self.plans, &mut self.scratch, &kernels, &rules)
                });
                let bucket = bucket_at(ours, &borrowed);
                bucket.count(theirs.seen, theirs.in_regions, &theirs.predicates);
                bucket.take(&self.plans, &mut self.scratch, rollup);
            }
        }
        self.ranks.merge(other.ranks, &regions, &kernels);
        self.same.merge(other.same, &kernels);
        for (kernel, results) in other.given_up {
            if let Some(kernel) = kernels.get(kernel.0 as usize) {
                *self.given_up.entry(*kernel).or_default() += results;
            }
        }
        for (ours, theirs) in self.metrics_seen.iter_mut().zip(&other.metrics_seen) {
            *ours |= theirs;
        }
        self.results += other.results;
    }

    /// Leaves processes that are too many with what a brief scope shows, and adds up the rest of them. To be called when all results are in, before merging.
    pub fn condense(&mut self, analysis: &Analysis<'_>) {
        for (key, bucket) in &mut self.buckets {
            if !analysis.is_brief(key) {
                continue;
            }
            let everybody = BorrowedBucket {
                basis: key.basis,
                process: u32::MAX,
                device: None,
                regions: &key.regions,
            };
            let whole = bucket_at(&mut self.whole, &everybody);
            whole.count(bucket.seen, bucket.in_regions, &bucket.predicates);
            let rollup = bucket.rollup.as_mut().map(|rollup| rollup.make_brief());
            whole.take(&self.plans, &mut self.scratch, rollup);
        }
    }

    /// The same with no more regions than these.
    pub(crate) fn with_fewer_regions(self, analysis: &Analysis<'_>, names: Names) -> Self {
        let mut fewer = Self::new(analysis);
        fewer.tree = RegionTree::new(names, analysis.shows_some());
        fewer.merge(self);
        fewer
    }

    /// How many results were taken in, selected or not.
    pub fn results(&self) -> u64 {
        self.results
    }

    /// Scratch space for merging sets, which is empty between results.
    pub(crate) fn take_scratch(&mut self) -> ResultValues {
        std::mem::take(&mut self.scratch)
    }
}

pub(super) fn bucket_at<'p>(
    buckets: &'p mut Buckets,
    wanted: &BorrowedBucket<'_>,
) -> &'p mut Bucket {
    match buckets.raw_entry_mut_v1().from_key(wanted) {
        RawEntryMut::Occupied(bucket) => bucket.into_mut(),
        RawEntryMut::Vacant(bucket) => {
            let key = BucketKey {
                basis: wanted.basis,
                process: wanted.process,
                device: wanted.device,
                regions: wanted.regions.into(),
            };
            bucket.insert(key, Bucket::default()).1
        }
    }
}

/// The number of the rule with this kind, title and outcome of message.
pub(super) fn rule_id(rules: &mut RuleSet, told: BorrowedRule<'_>) -> RuleId {
    let index = match rules.get_index_of(&told) {
        Some(index) => index,
        None => {
            let BorrowedRule { rule, kind, title, outcome } = told;
            let (rule, kind, title) = (rule.into(), kind.into(), title.into());
            rules.insert_full(RuleKey { rule, kind, title, outcome }).0
        }
    };
    RuleId(number(index))
}

pub(super) fn mark(seen: &mut [bool], metrics: impl Iterator<Item = MetricId>) {
    for metric in metrics {
        if let Some(seen) = seen.get_mut(metric.0 as usize) {
            *seen = true;
        }
    }
}

pub(super) fn add_sorted(list: &mut Vec<u32>, items: &[u32]) {
    list.extend(items);
    list.sort_unstable();
    list.dedup();
}

/// Results are counted in 32 bits: more of them fit into no report.
pub(super) fn number_of(result: u64) -> u32 {
    u32::try_from(result).unwrap_or(u32::MAX)
}

fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}
