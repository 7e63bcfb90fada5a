//! Regions of range-replay results: a result is one instance of its region, measured as a whole.
//!
//! What was measured of a region stands for everything in it, so results of regions below are not added to it: they cover the same time again.
//! A region without results of its own is the union of what is below. Both are decided per process and device, because one process may have been captured
//! at another level than the next.

use super::kernel_basis::{Exclusive, RegionNumbers};
use super::summaries::unplaced;
use super::{Body, ReportContext, TreeRegion};
use crate::aggregate::sum::Sum;
use crate::aggregate::tally::plan::ResultValues;
use crate::aggregate::tree::RegionId;
use rangescope_model::document::Region;
use rangescope_model::launch::DeviceId;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// Process and device.
pub(super) type Lane = (u32, Option<DeviceId>);

impl ReportContext<'_> {
    pub(super) fn range_body(&self, scratch: &mut ResultValues, buckets: &[usize]) -> Body {
        let measured: FxHashSet<(Lane, RegionId)> = buckets
            .iter()
            .filter(|bucket| self.rollup(**bucket).is_some())
            .filter_map(|bucket| self.key(*bucket))
            .flat_map(|key| key.regions.iter().map(|region| ((key.process, key.device), *region)))
            .collect();
        // A result inside a region that was measured itself is in that measurement already.
        let is_outermost = |bucket: &usize| {
            self.key(*bucket).is_some_and(|key| {
                let lane = (key.process, key.device);
                let above = |region: &RegionId| {
                    self.partial
                        .tree
                        .and_above(*region)
                        .skip(1)
                        .any(|above| measured.contains(&(lane, above)))
                };
                !key.regions.iter().any(above)
            })
        };
        let all = self.union(scratch, buckets.iter().copied().filter(is_outermost));
        let total_time = all.as_ref().map_or(0.0, |all| all.time.value());
        let outside = buckets
            .iter()
            .copied()
            .filter(|bucket| self.key(*bucket).is_some_and(|key| key.regions.is_empty()));
        let unlabeled = self.union(scratch, outside);
        let regions = self.range_regions(scratch, buckets, total_time);
        Body {
            families: self.families(scratch, buckets, &regions, &measured, total_time),
            regions: regions.into_iter().map(|(_, region)| region).collect(),
            totals: self.totals(scratch, all.as_deref()).into(),
            unlabeled: self.totals(scratch, unlabeled.as_deref()).into(),
            unplaced: unplaced(unlabeled.as_deref()),
        }
    }

    fn range_regions(
        &self,
        scratch: &mut ResultValues,
        buckets: &[usize],
        total_time: f64,
    ) -> Vec<TreeRegion> {
        let tree = &self.partial.tree;
        let direct = self.buckets_by_region(buckets);
        let mut below: Vec<BTreeMap<Lane, Vec<usize>>> = vec![BTreeMap::new(); tree.len()];
        let mut regions: Vec<Option<Region>> = (0..tree.len()).map(|_| None).collect();
        for region in tree.ids().rev() {
            let index = region.0 as usize;
            let here = direct.get(index).map_or(&[][..], Vec::as_slice);
            let children = below.get_mut(index).map(std::mem::take).unwrap_or_default();
            let own = self.by_lane(here);
            let mut exclusive_ms = Some(0.0);
            let mut inclusive = children.clone();
            for (lane, buckets) in own {
                let inside = children.get(&lane).map_or(&[][..], Vec::as_slice);
                exclusive_ms = exclusive_ms
                    .zip(self.time_beside(&buckets, inside))
                    .map(|(sum, beside)| sum + beside / 1e6);
                inclusive.insert(lane, buckets);
            }
            let all: Vec<usize> = inclusive.values().flatten().copied().collect();
            if let (Some(slot), Some(union)) =
                (regions.get_mut(index), self.union(scratch, all.iter().copied()))
            {
                let numbers = RegionNumbers {
                    inclusive: &union,
                    exclusive_ms,
                    exclusive_count: here
                        .iter()
                        .filter_map(|bucket| self.rollup(*bucket))
                        .map(|rollup| rollup.results)
                        .sum(),
                    // Counters of separate measurements cannot be taken from each other.
                    exclusive: if children.is_empty() {
                        Exclusive::SameAsInclusive
                    } else {
                        Exclusive::Nothing
                    },
                    results_seen: all
                        .iter()
                        .filter_map(|bucket| self.bucket(*bucket))
                        .map(|bucket| bucket.in_regions)
                        .sum(),
                };
                *slot = self.region(scratch, region, &numbers, total_time);
            }
            if let Some(above) =
                tree.parent(region).and_then(|parent| below.get_mut(parent.0 as usize))
            {
                for (lane, buckets) in inclusive {
                    above.entry(lane).or_default().extend(buckets);
                }
            }
        }
        self.in_tree_order(regions)
    }

    /// Places with selected results, by process and device.
    fn by_lane(&self, buckets: &[usize]) -> BTreeMap<Lane, Vec<usize>> {
        let mut lanes: BTreeMap<Lane, Vec<usize>> = BTreeMap::new();
        for &bucket in buckets {
            if let Some(key) = self.key(bucket).filter(|_| self.rollup(bucket).is_some()) {
                lanes.entry((key.process, key.device)).or_default().push(bucket);
            }
        }
        lanes
    }

    /// The time of some measurements without that of others inside them. They were made apart, so the parts can come out longer than the whole:
    /// then nobody knows.
    fn time_beside(&self, whole: &[usize], inside: &[usize]) -> Option<f64> {
        let mut beside = self.time(whole)?;
        if !inside.is_empty() {
            beside.subtract(self.time(inside)?);
        }
        Some(beside.value()).filter(|time| *time >= 0.0)
    }

    fn time(&self, buckets: &[usize]) -> Option<Sum> {
        let mut time = Sum::default();
        let mut timed = 0;
        for rollup in buckets.iter().filter_map(|bucket| self.rollup(*bucket)) {
            time.merge(rollup.time);
            timed += rollup.timed;
        }
        (timed > 0).then_some(time)
    }
}
