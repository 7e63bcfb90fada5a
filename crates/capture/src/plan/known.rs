//! What is known of a program's regions before it is run again.

use std::collections::BTreeSet;

use rangescope_model::observed::ObservedRegions;
use rangescope_model::region::{RangeKind, RegionKey};

use crate::selector::Repeats;

fn is_start_end(region: &RegionKey) -> bool {
    region.kind == RangeKind::StartEnd
}

fn nest(left: &RegionKey, right: &RegionKey) -> bool {
    let same_tree = left.domain == right.domain && !is_start_end(left) && !is_start_end(right);
    same_tree && left.path.iter().zip(&right.path).all(|(left, right)| left == right)
}

/// Pairs of regions of different trees that have been seen open together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Overlaps {
    /// Nobody has looked: any two may be.
    Unknown,
    /// By index, the smaller first.
    Seen(BTreeSet<(usize, usize)>),
}

/// In a fixed order, each once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownRegions {
    regions: Vec<RegionKey>,
    overlaps: Overlaps,
}

impl KnownRegions {
    /// Regions of which only the paths are known.
    pub fn new(regions: impl IntoIterator<Item = RegionKey>) -> Self {
        let unique: BTreeSet<RegionKey> = regions.into_iter().collect();
        Self { regions: unique.into_iter().collect(), overlaps: Overlaps::Unknown }
    }

    /// The regions of an earlier run. Pairs that name no region are ignored, since the list may come from a file.
    pub fn observed(ObservedRegions { regions, open_together, .. }: &ObservedRegions) -> Self {
        let mut known = Self::new(regions.iter().cloned());
        let Some(pairs) = open_together else { return known };
        let place = |index: usize| known.place(regions.get(index)?);
        let pair = |[left, right]: [usize; 2]| {
            let (left, right) = (place(left)?, place(right)?);
            Some((left.min(right), left.max(right)))
        };
        let seen = pairs.iter().copied().filter_map(pair).collect();
        known.overlaps = Overlaps::Seen(seen);
        known
    }

    pub fn regions(&self) -> &[RegionKey] {
        &self.regions
    }

    /// Regions are given by index.
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

pub(super) fn repeats(path: &[String]) -> bool {
    path.iter()
        .enumerate()
        .any(|(index, name)| path.iter().take(index).any(|before| before == name))
}
