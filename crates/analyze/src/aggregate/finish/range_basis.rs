//! Regions of range-replay results: a result is one instance of its region, measured as a whole.
//!
//! What was measured of a region stands for everything in it, so results of regions below are not added to it: they cover the same time again.
//! A region without results of its own is the union of what is below. Both are decided per process and device, because one process may have been captured
//! at another level than the next.

use super::kernel_basis::{Exclusive, RegionNumbers};
use super::{Body, View};
use crate::aggregate::sum::Sum;
use crate::aggregate::tally::plan::Bench;
use crate::aggregate::tree::RegionId;
use rangescope_model::document::NCUProfileRegion;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Process and device.
type Lane = (u32, Option<u32>);

impl View<'_> {
    pub(super) fn range_body(&self, bench: &mut Bench, places: &[usize]) -> Body {
        let measured: FxHashSet<(Lane, RegionId)> = places
            .iter()
            .filter(|place| self.gathered(**place).is_some())
            .filter_map(|place| self.key(*place))
            .flat_map(|key| key.regions.iter().map(|region| ((key.process, key.device), *region)))
            .collect();
        // A result inside a region that was measured itself is in that measurement already.
        let is_outermost = |place: &usize| {
            self.key(*place).is_some_and(|key| {
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
        let all = self.union(bench, places.iter().copied().filter(is_outermost));
        let total_time = all.as_ref().map_or(0.0, |all| all.time.value());
        let outside = places
            .iter()
            .copied()
            .filter(|place| self.key(*place).is_some_and(|key| key.regions.is_empty()));
        let unlabeled = self.union(bench, outside);
        Body {
            regions: self
                .range_regions(bench, places, total_time)
                .into_iter()
                .map(Arc::new)
                .collect(),
            totals: self.totals(bench, all.as_deref()),
            unlabeled: self.totals(bench, unlabeled.as_deref()),
        }
    }

    fn range_regions(
        &self,
        bench: &mut Bench,
        places: &[usize],
        total_time: f64,
    ) -> Vec<NCUProfileRegion> {
        let tree = &self.partial.tree;
        let direct = self.places_by_region(places);
        let mut below: Vec<BTreeMap<Lane, Vec<usize>>> = vec![BTreeMap::new(); tree.len()];
        let mut regions: Vec<Option<NCUProfileRegion>> = (0..tree.len()).map(|_| None).collect();
        for region in tree.ids().rev() {
            let index = region.0 as usize;
            let here = direct.get(index).map_or(&[][..], Vec::as_slice);
            let children = below.get_mut(index).map(std::mem::take).unwrap_or_default();
            let own = self.by_lane(here);
            let mut exclusive = Sum::default();
            let mut inclusive = children.clone();
            for (lane, places) in own {
                let inside = children.get(&lane).map_or(&[][..], Vec::as_slice);
                exclusive.merge(self.time(&places).saturating_sub(self.time(inside)));
                inclusive.insert(lane, places);
            }
            let all: Vec<usize> = inclusive.values().flatten().copied().collect();
            if let (Some(slot), Some(union)) =
                (regions.get_mut(index), self.union(bench, all.iter().copied()))
            {
                let numbers = RegionNumbers {
                    inclusive: &union,
                    exclusive_ms: exclusive.value() / 1e6,
                    exclusive_count: here
                        .iter()
                        .filter_map(|place| self.gathered(*place))
                        .map(|gathered| gathered.results)
                        .sum(),
                    // Counters of separate measurements cannot be taken from each other.
                    exclusive: if children.is_empty() {
                        Exclusive::SameAsInclusive
                    } else {
                        Exclusive::Nothing
                    },
                    results_seen: all
                        .iter()
                        .filter_map(|place| self.place(*place))
                        .map(|place| place.in_regions)
                        .sum(),
                };
                *slot = self.region(bench, region, &numbers, total_time);
            }
            if let Some(above) =
                tree.parent(region).and_then(|parent| below.get_mut(parent.0 as usize))
            {
                for (lane, places) in inclusive {
                    above.entry(lane).or_default().extend(places);
                }
            }
        }
        self.in_tree_order(regions)
    }

    /// Places with selected results, by process and device.
    fn by_lane(&self, places: &[usize]) -> BTreeMap<Lane, Vec<usize>> {
        let mut lanes: BTreeMap<Lane, Vec<usize>> = BTreeMap::new();
        for &place in places {
            if let Some(key) = self.key(place).filter(|_| self.gathered(place).is_some()) {
                lanes.entry((key.process, key.device)).or_default().push(place);
            }
        }
        lanes
    }

    fn time(&self, places: &[usize]) -> Sum {
        let mut time = Sum::default();
        for gathered in places.iter().filter_map(|place| self.gathered(*place)) {
            time.merge(gathered.time);
        }
        time
    }
}
