//! Regions of kernel results: what lies in a region is its own results and those of the regions below.
//!
//! Regions are worked out from the last to the first. Children have larger numbers than their parents, so each region is complete when its turn comes, and
//! is added to its parent once; the cost grows with the number of regions, not with their depth.

use super::summaries::{milliseconds, share, unplaced};
use super::{Body, ReportContext, Shown, TreeRegion};
use crate::aggregate::rollup::Rollup;
use crate::aggregate::tally::plan::ResultValues;
use crate::aggregate::tree::RegionId;
use rangescope_model::document::{Region, RegionSelection, SharedSet};
use rangescope_model::region::{RangeKind, display_name};
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;
use std::sync::Arc;

/// The numbers of a region before they are written out.
pub(super) struct RegionNumbers<'g> {
    pub(super) inclusive: &'g Rollup,
    pub(super) exclusive_ms: Option<f64>,
    pub(super) exclusive_count: u64,
    pub(super) exclusive: Exclusive<'g>,
    pub(super) results_seen: u64,
}

/// Who a region or family is.
pub(super) struct Identity<'n> {
    pub(super) path: Vec<&'n str>,
    pub(super) kind: RangeKind,
    pub(super) domain: &'n str,
    pub(super) selector: Option<&'n str>,
}

/// Metrics over the results whose innermost region this is.
pub(super) enum Exclusive<'g> {
    /// Nothing is below the region.
    SameAsInclusive,
    /// There are no such results, or their metrics cannot be told.
    Nothing,
    Of(&'g Rollup),
}

impl ReportContext<'_> {
    pub(super) fn kernel_body(&self, scratch: &mut ResultValues, buckets: &[usize]) -> Body {
        let all = self.union(scratch, buckets.iter().copied());
        let total_time = all.as_ref().map_or(0.0, |all| all.time.value());
        let outside = buckets
            .iter()
            .copied()
            .filter(|bucket| self.key(*bucket).is_some_and(|key| key.regions.is_empty()));
        let unlabeled = self.union(scratch, outside);
        let regions = self.kernel_regions(scratch, buckets, total_time);
        let measured = FxHashSet::default();
        let mut totals = self.totals(scratch, all.as_deref());
        if let Some(all) = all.as_deref().filter(|_| regions.is_empty()) {
            self.tell_kernels(&mut totals, all);
        }
        let totals = SharedSet::from(totals);
        Body {
            families: self.families(scratch, buckets, &regions, &measured, total_time),
            regions: regions.into_iter().map(|(_, region)| region).collect(),
            unlabeled: match &unlabeled {
                // Without ranges they are the same.
                Some(part) if all.as_ref().is_some_and(|all| all.results == part.results) => {
                    totals.clone()
                }
                _ => self.totals(scratch, unlabeled.as_deref()).into(),
            },
            unplaced: unplaced(unlabeled.as_deref()),
            totals,
        }
    }

    fn kernel_regions(
        &self,
        scratch: &mut ResultValues,
        buckets: &[usize],
        total_time: f64,
    ) -> Vec<TreeRegion> {
        let tree = &self.partial.tree;
        let direct = self.buckets_by_region(buckets);
        let mut below: Vec<Option<Box<Rollup>>> = (0..tree.len()).map(|_| None).collect();
        let mut seen: Vec<u64> = vec![0; tree.len()];
        let mut regions: Vec<Option<Region>> = (0..tree.len()).map(|_| None).collect();
        for region in tree.ids().rev() {
            let index = region.0 as usize;
            let here = direct.get(index).map_or(&[][..], Vec::as_slice);
            let seen_here: u64 = here
                .iter()
                .filter_map(|bucket| self.bucket(*bucket))
                .map(|bucket| bucket.in_regions)
                .sum();
            let results_seen = seen.get(index).copied().unwrap_or(0) + seen_here;
            let parent = tree.parent(region).map(|parent| parent.0 as usize);
            if let Some(above) = parent.and_then(|parent| seen.get_mut(parent)) {
                *above += results_seen;
            }
            let own = self.union(scratch, here.iter().copied());
            let children = below.get_mut(index).and_then(Option::take);
            let has_children = children.is_some();
            let inclusive: Cow<'_, Rollup> = match (&own, children) {
                (None, None) => continue,
                (Some(own), None) => Cow::Borrowed(own),
                (None, Some(children)) => Cow::Owned(*children),
                (Some(own), Some(mut children)) => {
                    children.merge(&self.analysis.plans, scratch, own);
                    Cow::Owned(*children)
                }
            };
            if let Some(slot) = regions.get_mut(index) {
                let numbers = RegionNumbers {
                    inclusive: &inclusive,
                    exclusive_ms: own.as_deref().map_or(Some(0.0), milliseconds),
                    exclusive_count: own.as_ref().map_or(0, |own| own.results),
                    exclusive: match &own {
                        _ if !has_children => Exclusive::SameAsInclusive,
                        Some(own) => Exclusive::Of(own),
                        None => Exclusive::Nothing,
                    },
                    results_seen,
                };
                *slot = self.region(scratch, region, &numbers, total_time);
            }
            match parent.and_then(|parent| below.get_mut(parent)) {
                Some(Some(above)) => above.merge(&self.analysis.plans, scratch, &inclusive),
                Some(above) => *above = Some(Box::new(inclusive.into_owned())),
                None => {}
            }
        }
        self.in_tree_order(regions)
    }

    /// By region: the buckets that have it as an innermost one.
    pub(super) fn buckets_by_region(&self, buckets: &[usize]) -> Vec<Vec<usize>> {
        let mut direct: Vec<Vec<usize>> = vec![Vec::new(); self.partial.tree.len()];
        for &bucket in buckets {
            let regions = self.key(bucket).map_or(&[][..], |key| &key.regions);
            for region in regions {
                if let Some(list) = direct.get_mut(region.0 as usize) {
                    list.push(bucket);
                }
            }
        }
        direct
    }

    /// A region as the report shows it; nothing if it is not selected.
    pub(super) fn region(
        &self,
        scratch: &mut ResultValues,
        region: RegionId,
        numbers: &RegionNumbers<'_>,
        total_time: f64,
    ) -> Option<Region> {
        let selector = match self.shown_by(region) {
            Shown::No => return None,
            Shown::Yes => None,
            Shown::By(selector) => Some(selector),
        };
        let tree = &self.partial.tree;
        let key = tree.key(region)?;
        let (path, domain) = (tree.path(region), tree.text(key.domain));
        let identity = Identity { path, kind: key.kind, domain, selector };
        Some(self.described(scratch, identity, numbers, total_time))
    }

    pub(super) fn described(
        &self,
        scratch: &mut ResultValues,
        identity: Identity<'_>,
        numbers: &RegionNumbers<'_>,
        total_time: f64,
    ) -> Region {
        let Identity { path, kind, domain, selector } = identity;
        let inclusive = numbers.inclusive;
        let process =
            inclusive.process.value().and_then(|process| self.analysis.process_info(process));
        Region {
            name: display_name(&path),
            parent: None,
            depth: u32::try_from(path.len().saturating_sub(1)).unwrap_or(u32::MAX),
            path: path.into_iter().map(str::to_owned).collect(),
            kind,
            domain: domain.to_owned(),
            process_id: process.and_then(|process| process.pid),
            device: inclusive.device.value().flatten().map(|device| device.index),
            set: self.set(scratch, inclusive).into(),
            exclusive_ms: numbers.exclusive_ms,
            share: share(inclusive.timed, inclusive.time.value(), total_time),
            exclusive_kernel_count: numbers.exclusive_count,
            exclusive_metrics: match numbers.exclusive {
                Exclusive::SameAsInclusive => None,
                Exclusive::Nothing => Some(Arc::default()),
                Exclusive::Of(own) => Some(self.metrics(&self.readable(scratch, own)).into()),
            },
            family: None,
            selection: RegionSelection {
                selector: selector.map(str::to_owned),
                results_seen: numbers.results_seen,
                results_selected: inclusive.results,
            },
        }
    }

    /// Parents before children, siblings in order of first appearance. What is below a region that is not shown stands below the one around that.
    pub(super) fn in_tree_order(&self, mut regions: Vec<Option<Region>>) -> Vec<TreeRegion> {
        let tree = &self.partial.tree;
        let mut children: Vec<Vec<RegionId>> = vec![Vec::new(); regions.len()];
        let mut pending: Vec<RegionId> = Vec::new();
        for region in tree.ids().rev() {
            let is_shown =
                |region: RegionId| regions.get(region.0 as usize).is_some_and(Option::is_some);
            if !is_shown(region) {
                continue;
            }
            match tree
                .and_above(region)
                .skip(1)
                .find(|parent| is_shown(*parent))
                .and_then(|parent| children.get_mut(parent.0 as usize))
            {
                Some(siblings) => siblings.push(region),
                None => pending.push(region),
            }
        }
        // Both lists are in descending order, so that the last one is the next to be taken.
        let mut ordered: Vec<TreeRegion> = Vec::new();
        let mut positions: FxHashMap<RegionId, u32> = FxHashMap::default();
        while let Some(region) = pending.pop() {
            if let Some(mut shown) = regions.get_mut(region.0 as usize).and_then(Option::take) {
                shown.parent =
                    tree.and_above(region).skip(1).find_map(|id| positions.get(&id).copied());
                positions.insert(region, u32::try_from(ordered.len()).unwrap_or(u32::MAX));
                ordered.push((region, shown));
            }
            if let Some(below) = children.get_mut(region.0 as usize) {
                pending.append(below);
            }
        }
        ordered
    }
}
