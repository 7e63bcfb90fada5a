//! What is known of a program's regions before it is run again.

use std::collections::BTreeSet;

use rangescope_model::observed::ObservedRegions;
use rangescope_model::region::{RangeKind, RegionKey};

use crate::selector::Repeats;

/// In a fixed order, each once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownRegions {
    regions: Vec<RegionKey>,
    /// Pairs of different trees that were seen open together, by index, the smaller first; `None` if nobody has looked.
    overlaps: Option<BTreeSet<(usize, usize)>>,
}

impl KnownRegions {
    /// Regions of which only the paths are known.
    pub fn new(regions: impl IntoIterator<Item = RegionKey>) -> Self {
        let unique: BTreeSet<RegionKey> = regions.into_iter().collect();
        Self { regions: unique.into_iter().collect(), overlaps: None }
    }

    /// The regions of an earlier run. Pairs that name no region are ignored, since the list may come from a file.
    pub fn observed(ObservedRegions { regions, open_together, .. }: &ObservedRegions) -> Self {
        let mut known = Self::new(regions.iter().cloned());
        let Some(pairs) = open_together else { return known };
        let position = |index: usize| known.regions.binary_search(regions.get(index)?).ok();
        let pair = |[left, right]: &[usize; 2]| Some(ordered(position(*left)?, position(*right)?));
        known.overlaps = Some(pairs.iter().filter_map(pair).collect());
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
        let start_end = [first, second].map(|region| region.kind == RangeKind::StartEnd);
        match (start_end, first.domain == second.domain) {
            // Two ranges of one stack exclude each other unless they nest.
            ([false, false], true) => first.path.iter().zip(&second.path).all(|(a, b)| a == b),
            // They need not overlap, but ncu cannot look at both in one run.
            ([true, true], false) => true,
            _ => self.overlaps.as_ref().is_none_or(|seen| seen.contains(&ordered(left, right))),
        }
    }

    pub fn repeats(&self) -> Repeats {
        if self.regions.iter().any(|region| repeats(&region.path)) {
            Repeats::Possible
        } else {
            Repeats::Absent
        }
    }
}

fn ordered(left: usize, right: usize) -> (usize, usize) {
    (left.min(right), left.max(right))
}

pub(super) fn repeats(path: &[String]) -> bool {
    path.iter()
        .enumerate()
        .any(|(index, name)| path.iter().take(index).any(|before| before == name))
}
