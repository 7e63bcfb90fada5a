//! How large a document would become, and what is taken together so that it does not become too large.

use crate::aggregate::analysis::Analysis;
use crate::aggregate::partial::{Bucket, BucketKey, Partial};
use crate::aggregate::tree::RegionId;
use rustc_hash::FxHashSet;

/// The results with no more regions than a document has room for, and how many kernels each of them may list.
pub(super) fn within_bounds(analysis: &Analysis<'_>, partial: Partial) -> (Partial, usize) {
    let bounds = &analysis.bounds;
    let width = width(&partial);
    let sets = Sets::of(analysis, &partial);
    let partial = if bounds.hold_sets(sets.count, width) {
        partial
    } else {
        partial.with_fewer_regions(analysis, bounds.names_of_width(sets.scopes, width))
    };
    let sets = Sets::of(analysis, &partial);
    let metrics = analysis.plans.kernels.metrics.len();
    let listed = bounds.listed(sets.count, sets.listed, metrics);
    (partial, listed)
}

/// Metrics, sections and rules that a set may have.
fn width(partial: &Partial) -> usize {
    let metrics = partial.metrics_seen.iter().filter(|seen| **seen).count();
    let buckets = partial.buckets.values().chain(partial.whole.values());
    let rollups = buckets.filter_map(|bucket| bucket.rollup.as_deref());
    let sections: FxHashSet<u32> =
        rollups.flat_map(|rollup| rollup.sections.keys().map(|section| section.0)).collect();
    1 + metrics + sections.len() + partial.rules.len()
}

/// The sets of results that a document describes: regions, totals and what is outside of regions, of every scope.
#[derive(Default)]
struct Sets {
    scopes: usize,
    count: usize,
    /// Kernels that they list together, at most.
    listed: usize,
}

impl Sets {
    /// Brief ones are small and do not count.
    fn of(analysis: &Analysis<'_>, partial: &Partial) -> Self {
        let mut sets = Self::default();
        let own = partial.buckets.iter().filter(|(key, _)| !analysis.is_brief(key));
        sets.add_scopes(partial, own.clone().chain(&partial.whole), |_| ());
        let first = own.clone().next().map(|(key, _)| key);
        // Scopes that hold the same results share everything.
        if own.clone().any(|(key, _)| Some(key.process) != first.map(|key| key.process)) {
            sets.add_scopes(partial, own.clone(), |key| key.process);
        }
        if own.clone().any(|(key, _)| Some(key.device) != first.map(|key| key.device)) {
            sets.add_scopes(partial, own, |key| key.device);
        }
        sets
    }

    /// Adds the scopes that are told apart like this.
    fn add_scopes<'p, S: Eq + std::hash::Hash + Copy>(
        &mut self,
        partial: &Partial,
        buckets: impl Iterator<Item = (&'p BucketKey, &'p Bucket)>,
        scope: impl Fn(&BucketKey) -> S,
    ) {
        let tree = &partial.tree;
        let mut scopes: FxHashSet<S> = FxHashSet::default();
        let mut regions: FxHashSet<(S, RegionId)> = FxHashSet::default();
        for (key, bucket) in buckets {
            let scope = scope(key);
            scopes.insert(scope);
            let mut depth = 2;
            for region in key.regions.iter().flat_map(|region| tree.and_above(*region)) {
                depth += 1;
                if tree.node(region).is_some_and(|node| tree.is_shown(node)) {
                    regions.insert((scope, region));
                }
            }
            let kernels = bucket.rollup.as_ref().map_or(0, |rollup| rollup.kernels.len());
            self.listed += kernels * depth;
        }
        self.scopes += scopes.len();
        self.count += regions.len() + 2 * scopes.len();
    }
}
