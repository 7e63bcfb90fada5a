//! Regions: what ranges are instances of.
//!
//! A push/pop region is known by its domain and the names from the bottom of the stack up to its own, a start/end region by its domain and name. The same
//! region may be opened by many threads and processes.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use crate::nsys::names::{NameId, Names};
use rangescope_model::region::{RangeKind, RegionKey};

/// Ranges that are nested deeper than this belong to the region at this depth. A program that forgets to pop would otherwise nest without end.
const DEEPEST: u32 = 256;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RegionId(u32);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Node {
    parent: Option<RegionId>,
    domain: NameId,
    kind: RangeKind,
    name: NameId,
    depth: u32,
}

#[derive(Debug, Default)]
pub(crate) struct RegionTable {
    nodes: IndexSet<Node, FxBuildHasher>,
    /// Ranges that were nested too deep to have a region of their own.
    pub(crate) too_deep: u64,
}

impl RegionTable {
    /// The region with this name inside another one.
    pub(crate) fn child(
        &mut self,
        parent: Option<RegionId>,
        domain: NameId,
        kind: RangeKind,
        name: NameId,
    ) -> RegionId {
        let depth = parent.and_then(|id| self.node(id)).map_or(0, |node| node.depth + 1);
        match parent {
            Some(parent) if depth >= DEEPEST => {
                self.too_deep += 1;
                parent
            }
            _ => {
                let index = self.nodes.insert_full(Node { parent, domain, kind, name, depth }).0;
                RegionId(u32::try_from(index).unwrap_or(u32::MAX))
            }
        }
    }

    /// The region and all around it, from the inside.
    pub(crate) fn with_ancestors(&self, region: RegionId) -> impl Iterator<Item = RegionId> {
        std::iter::successors(Some(region), |&id| self.node(id)?.parent)
    }

    /// Domain, kind and own name.
    pub(crate) fn label(&self, region: RegionId) -> Option<(NameId, RangeKind, NameId)> {
        self.node(region).map(|node| (node.domain, node.kind, node.name))
    }

    pub(crate) fn describe(&self, region: RegionId, names: &Names) -> Option<RegionKey> {
        let (domain, kind, _) = self.label(region)?;
        let own = |id| self.label(id).map(|(_, _, name)| names.get(name));
        let mut path: Vec<String> =
            self.with_ancestors(region).filter_map(own).map(str::to_owned).collect();
        path.reverse();
        Some(RegionKey { domain: names.get(domain).to_owned(), kind, path })
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = RegionId> {
        (0..u32::try_from(self.nodes.len()).unwrap_or(u32::MAX)).map(RegionId)
    }

    fn node(&self, region: RegionId) -> Option<&Node> {
        self.nodes.get_index(region.0 as usize)
    }
}
