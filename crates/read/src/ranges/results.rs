//! Reports of an earlier capture: they hold the ranges that were open at each result.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use rangescope_model::launch::OpenRanges;
use rangescope_model::observed::{ObservedRange, ObservedRegions};
use rangescope_model::region::{RangeKind, RegionKey};

use super::RangesError;
use crate::{Input, open_ranges};

pub(super) fn read(path: &Path) -> Result<Option<ObservedRegions>, RangesError> {
    // Many results are launched in the same ranges.
    let mut states: BTreeMap<BTreeSet<RegionKey>, u64> = BTreeMap::new();
    for input in Input::open_all(&[path.to_owned()])? {
        for result in (0..input.source.len()).filter_map(|index| input.source.decode(index)) {
            *states.entry(open_regions(&open_ranges(result.nvtx.as_ref()))).or_default() += 1;
        }
    }
    Ok(Some(observed(&states)))
}

fn observed(states: &BTreeMap<BTreeSet<RegionKey>, u64>) -> ObservedRegions {
    let mut launches: BTreeMap<&RegionKey, u64> = BTreeMap::new();
    for (state, count) in states {
        for region in state {
            *launches.entry(region).or_default() += count;
        }
    }
    let numbers: BTreeMap<&RegionKey, usize> = launches.keys().copied().zip(0..).collect();
    let mut together = BTreeSet::new();
    for state in states.keys() {
        let open: Vec<usize> = state.iter().filter_map(|key| numbers.get(key).copied()).collect();
        for (index, &left) in open.iter().enumerate() {
            together.extend(open.iter().skip(index + 1).map(|&right| [left, right]));
        }
    }
    let range = |(key, launches): (&&RegionKey, &u64)| ObservedRange {
        launches: Some(*launches),
        ..ObservedRange::of((*key).clone())
    };
    ObservedRegions {
        regions: launches.keys().copied().cloned().collect(),
        ranges: launches.iter().map(range).collect(),
        open_together: Some(together.into_iter().collect()),
        main_process: None,
    }
}

fn open_regions(domains: &[OpenRanges<'_>]) -> BTreeSet<RegionKey> {
    let mut regions = BTreeSet::new();
    for open in domains {
        let region = |kind, names: &[&str]| RegionKey {
            domain: open.domain.to_owned(),
            kind,
            path: names.iter().map(|&name| name.to_owned()).collect(),
        };
        let stack = |depth| open.push_pop.get(..depth).unwrap_or_default();
        regions.extend(
            (1..=open.push_pop.len()).map(|depth| region(RangeKind::PushPop, stack(depth))),
        );
        let started = open.start_end.iter();
        regions.extend(started.map(|(_, name)| region(RangeKind::StartEnd, &[*name])));
    }
    regions
}
