//! Results as they come in: each is put into its bucket once, and everything else is made from buckets later.
//!
//! A bucket is the basis, process, device and list of innermost regions of a result. Totals, regions, scopes are all unions of buckets, so a result costs one
//! accumulation however deep its stack is and however many reports it appears in.

use crate::aggregate::advice::RuleKey;
use crate::aggregate::analysis::{Analysis, Chosen};
use crate::aggregate::attribute::attribute;
use crate::aggregate::constituents::{KnownLists, Listed};
use crate::aggregate::kernels::{KernelId, KernelTable};
use crate::aggregate::rollup::{NumberedLaunch, Plans, Rollup, RuleId};
use crate::aggregate::tally::plan::ResultValues;
use crate::aggregate::tree::{Judge, RegionId, RegionTree};
use indexmap::map::raw_entry_v1::{RawEntryApiV1, RawEntryMut};
use indexmap::{Equivalent, IndexMap, IndexSet};
use rangescope_model::document::Basis;
use rangescope_model::launch::{Launch, LaunchKind, MetricId, RuleMessage};
use rustc_hash::FxBuildHasher;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// Results of an analysis that one thread has taken in.
#[derive(Debug)]
pub struct Partial {
    pub(crate) tree: RegionTree,
    pub(crate) kernels: KernelTable,
    pub(crate) rules: IndexSet<RuleKey, FxBuildHasher>,
    pub(crate) buckets: IndexMap<BucketKey, Bucket, FxBuildHasher>,
    /// By metric handle: whether a selected result has it.
    pub(crate) metrics_seen: Vec<bool>,
    /// Selected results that ncu gave up, by kernel.
    pub(crate) given_up: IndexMap<KernelId, u64, FxBuildHasher>,
    results: u64,
    plans: Arc<Plans>,
    scratch: ResultValues,
    regions_of_result: Vec<RegionId>,
    rules_of_result: Vec<RuleId>,
    lists: KnownLists,
    lists_of_result: Vec<Listed>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BucketKey {
    pub(crate) basis: Basis,
    pub(crate) process: u32,
    pub(crate) device: Option<u32>,
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

/// A bucket, borrowed.
#[derive(Hash)]
struct BorrowedBucket<'r> {
    basis: Basis,
    process: u32,
    device: Option<u32>,
    regions: &'r [RegionId],
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

/// Rule and kind of a message, borrowed.
#[derive(Hash)]
struct BorrowedRule<'m> {
    rule: &'m str,
    kind: &'m str,
}

impl Equivalent<RuleKey> for BorrowedRule<'_> {
    fn equivalent(&self, key: &RuleKey) -> bool {
        *self.rule == *key.rule && *self.kind == *key.kind
    }
}

impl Partial {
    pub(crate) fn new(analysis: &Analysis<'_>) -> Self {
        let metrics = analysis.vocabulary.metrics.len();
        Self {
            tree: RegionTree::default(),
            kernels: KernelTable::default(),
            rules: IndexSet::default(),
            buckets: IndexMap::default(),
            metrics_seen: vec![false; metrics],
            given_up: IndexMap::default(),
            results: 0,
            plans: Arc::clone(&analysis.plans),
            scratch: ResultValues::new(metrics),
            regions_of_result: Vec::new(),
            rules_of_result: Vec::new(),
            lists: KnownLists::default(),
            lists_of_result: Vec::new(),
        }
    }

    /// Takes one result in. The analysis must be the one that made this partial.
    pub fn add(&mut self, analysis: &Analysis<'_>, launch: &Launch<'_>) {
        self.results += 1;
        let kernel_name =
            analysis.options.kernel_name_base.of(launch.function, launch.demangled, launch.mangled);
        let selects = |name: &str| analysis.kernels.selects(name);
        let (kernel, kernel_selected) =
            self.kernels.find(launch.kind, kernel_name, launch.function, selects);

        let judge = |domain: &str, path: &[&str], display_name: &str| {
            analysis.judge(domain, path, display_name)
        };
        let judge: Option<&Judge<'_>> = if analysis.judges_regions() { Some(&judge) } else { None };
        attribute(&mut self.tree, &analysis.normaliser, judge, launch, &mut self.regions_of_result);
        let chosen = analysis.choose(&self.tree, &self.regions_of_result, launch);

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
            Chosen::No => return,
            Chosen::Yes => {}
            Chosen::ByPredicates(holding) => add_sorted(&mut bucket.predicates, &holding),
        }
        bucket.in_regions += 1;
        if !kernel_selected {
            return;
        }

        self.rules_of_result.clear();
        for message in launch.rules {
            self.rules_of_result.push(rule_id(&mut self.rules, message));
        }
        mark(&mut self.metrics_seen, launch.numbers.iter().map(|(metric, _)| *metric));
        mark(&mut self.metrics_seen, launch.texts.iter().map(|(metric, _)| *metric));
        self.scratch.load(launch.numbers);
        let given_up = analysis.given_up.is(&self.scratch, launch);
        let launch = if given_up {
            // What stands there was not measured. The launch counts, without a time.
            self.scratch.clear(launch.numbers);
            *self.given_up.entry(kernel).or_default() += 1;
            &Launch { numbers: &[], texts: &[], ..launch.clone() }
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
            serial: self.results,
            process,
            kernel,
            kernel_name,
            rules: &self.rules_of_result,
            listed: &self.lists_of_result,
        };
        bucket.rollup.get_or_insert_default().add(&analysis.plans, &mut self.scratch, numbered);
        self.scratch.clear(launch.numbers);
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
        for (key, theirs) in other.buckets {
            let mut innermost: Vec<RegionId> = key
                .regions
                .iter()
                .filter_map(|region| regions.get(region.0 as usize).copied())
                .collect();
            innermost.sort_unstable();
            let borrowed = BorrowedBucket {
                basis: key.basis,
                process: key.process,
                device: key.device,
                regions: &innermost,
            };
            let bucket = bucket_at(&mut self.buckets, &borrowed);
            bucket.seen += theirs.seen;
            bucket.in_regions += theirs.in_regions;
            add_sorted(&mut bucket.predicates, &theirs.predicates);
            let Some(theirs) = theirs.rollup else { continue };
            let theirs = theirs.renumbered(&kernels, &rules);
            match &mut bucket.rollup {
                Some(ours) => ours.merge(&self.plans, &mut self.scratch, &theirs),
                None => bucket.rollup = Some(Box::new(theirs)),
            }
        }
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

    /// How many results were taken in, selected or not.
    pub fn results(&self) -> u64 {
        self.results
    }

    /// Scratch space for merging sets, which is empty between results.
    pub(crate) fn take_scratch(&mut self) -> ResultValues {
        std::mem::take(&mut self.scratch)
    }
}

fn bucket_at<'p>(
    buckets: &'p mut IndexMap<BucketKey, Bucket, FxBuildHasher>,
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

fn rule_id(rules: &mut IndexSet<RuleKey, FxBuildHasher>, message: &RuleMessage<'_>) -> RuleId {
    let borrowed = BorrowedRule { rule: message.rule, kind: message.kind };
    let index = match rules.get_index_of(&borrowed) {
        Some(index) => index,
        None => {
            rules.insert_full(RuleKey { rule: message.rule.into(), kind: message.kind.into() }).0
        }
    };
    RuleId(number(index))
}

fn mark(seen: &mut [bool], metrics: impl Iterator<Item = MetricId>) {
    for metric in metrics {
        if let Some(seen) = seen.get_mut(metric.0 as usize) {
            *seen = true;
        }
    }
}

fn add_sorted(list: &mut Vec<u32>, items: &[u32]) {
    list.extend(items);
    list.sort_unstable();
    list.dedup();
}

fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}
