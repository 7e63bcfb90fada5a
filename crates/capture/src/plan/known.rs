//! What is known of a program's regions before it is run again.

use std::collections::BTreeSet;

use rangescope_model::launch::OpenRanges;
use rangescope_model::region::{RangeKind, RegionKey};

use crate::selector::Repeats;

fn is_start_end(region: &RegionKey) -> bool {
    region.kind == RangeKind::StartEnd
}

/// Whether one region lies in the other.
fn nest(left: &RegionKey, right: &RegionKey) -> bool {
    let same_tree = left.domain == right.domain && !is_start_end(left) && !is_start_end(right);
    same_tree && left.path.iter().zip(&right.path).all(|(left, right)| left == right)
}

/// Which regions of different trees have been seen open together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Overlaps {
    /// Nobody has looked: any two may be.
    Unknown,
    /// These pairs, by index, the smaller first.
    Seen(BTreeSet<(usize, usize)>),
}

/// The regions that a program is known to have, in a fixed order, each once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownRegions {
    regions: Vec<RegionKey>,
    overlaps: Overlaps,
}

impl KnownRegions {
    /// Regions of which nothing is known but their paths.
    pub fn new(regions: impl IntoIterator<Item = RegionKey>) -> Self {
        let unique: BTreeSet<RegionKey> = regions.into_iter().collect();
        Self { regions: unique.into_iter().collect(), overlaps: Overlaps::Unknown }
    }

    /// Regions of which is known which were open together: pairs of places in the list. Places that do not exist are left out.
    pub fn seen_together(
        regions: &[RegionKey],
        pairs: impl IntoIterator<Item = [usize; 2]>,
    ) -> Self {
        let mut known = Self::new(regions.iter().cloned());
        let place = |index: usize| known.place(regions.get(index)?);
        let pair = |[left, right]: [usize; 2]| {
            let (left, right) = (place(left)?, place(right)?);
            Some((left.min(right), left.max(right)))
        };
        let seen = pairs.into_iter().filter_map(pair).collect();
        known.overlaps = Overlaps::Seen(seen);
        known
    }

    /// The regions of results, given what was open at each: then it is known which were open together.
    pub fn from_results<'r>(results: impl IntoIterator<Item = &'r [OpenRanges<'r>]>) -> Self {
        let mut states: BTreeSet<Vec<RegionKey>> = BTreeSet::new();
        for domains in results {
            states.insert(open_regions(domains));
        }
        let mut known = Self::new(states.iter().flatten().cloned());
        let mut seen = BTreeSet::new();
        for state in &states {
            let places: Vec<usize> =
                state.iter().filter_map(|region| known.place(region)).collect();
            for (index, left) in places.iter().enumerate() {
                seen.extend(
                    places.iter().skip(index + 1).map(|right| (*left.min(right), *left.max(right))),
                );
            }
        }
        known.overlaps = Overlaps::Seen(seen);
        known
    }

    /// The regions, in order.
    pub fn regions(&self) -> &[RegionKey] {
        &self.regions
    }

    /// Whether two regions, by index, may be open at the same time.
    pub fn may_be_open_together(&self, left: usize, right: usize) -> bool {
        let (Some(first), Some(second)) = (self.regions.get(left), self.regions.get(right)) else {
            return true;
        };
        match &self.overlaps {
            _ if nest(first, second) => true,
            // Not that they are, but ncu cannot look at both in one run.
            _ if is_start_end(first) && is_start_end(second) && first.domain != second.domain => {
                true
            }
            // Two ranges of one stack that do not nest exclude each other.
            _ if first.domain == second.domain && !is_start_end(first) && !is_start_end(second) => {
                false
            }
            Overlaps::Unknown => true,
            Overlaps::Seen(pairs) => pairs.contains(&(left.min(right), left.max(right))),
        }
    }

    /// Whether a name comes twice on one path.
    pub fn repeats(&self) -> Repeats {
        if self.regions.iter().any(|region| repeats(&region.path)) {
            Repeats::Possible
        } else {
            Repeats::Absent
        }
    }

    fn place(&self, region: &RegionKey) -> Option<usize> {
        self.regions.binary_search(region).ok()
    }
}

/// Whether a name comes twice.
pub(super) fn repeats(path: &[String]) -> bool {
    path.iter()
        .enumerate()
        .any(|(index, name)| path.iter().take(index).any(|before| before == name))
}

fn open_regions(domains: &[OpenRanges<'_>]) -> Vec<RegionKey> {
    let mut regions = BTreeSet::new();
    for open in domains {
        let region =
            |path: Vec<String>, kind| RegionKey { domain: open.domain.to_owned(), kind, path };
        let mut path = Vec::new();
        for name in &open.push_pop {
            path.push((*name).to_owned());
            regions.insert(region(path.clone(), RangeKind::PushPop));
        }
        regions.extend(
            open.start_end
                .iter()
                .map(|(_, name)| region(vec![(*name).to_owned()], RangeKind::StartEnd)),
        );
    }
    regions.into_iter().collect()
}
