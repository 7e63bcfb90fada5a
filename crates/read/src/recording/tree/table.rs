//! The regions of all processes, each with a small number. Parents have smaller numbers than their children.

use indexmap::{IndexMap, IndexSet};
use rangescope_model::region::RangeKind;
use rustc_hash::FxBuildHasher;

/// Levels that a tree has at most, as in reports.
const DEEPEST: u32 = 256;
/// Bytes that the names of a path have at most together, as in reports.
const LONGEST_PATH: usize = 256 * 1024;

#[derive(Debug, Default)]
pub(super) struct Table {
    names: IndexSet<Box<str>, FxBuildHasher>,
    regions: IndexMap<Key, Node, FxBuildHasher>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub(super) parent: Option<usize>,
    domain: usize,
    pub(super) kind: RangeKind,
    name: usize,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    depth: u32,
    path_bytes: usize,
}

impl Table {
    /// The number of a region, given by the numbers of its names; nothing if it would be too deep.
    pub(super) fn region(
        &mut self,
        parent: Option<usize>,
        domain: usize,
        kind: RangeKind,
        name: usize,
    ) -> Option<usize> {
        let key = Key { parent, domain, kind, name };
        if let Some(index) = self.regions.get_index_of(&key) {
            return Some(index);
        }
        let above = parent.and_then(|parent| self.regions.get_index(parent)).map(|(_, node)| *node);
        let node = Node {
            depth: above.map_or(0, |node| node.depth + 1),
            path_bytes: above.map_or(0, |node| node.path_bytes) + self.text(name).len(),
        };
        if above.is_some() && (node.depth >= DEEPEST || node.path_bytes > LONGEST_PATH) {
            return None;
        }
        Some(self.regions.insert_full(key, node).0)
    }

    /// The number of a name.
    pub(super) fn name(&mut self, name: &str) -> usize {
        self.names.get_index_of(name).unwrap_or_else(|| self.names.insert_full(name.into()).0)
    }

    pub(super) fn get(&self, region: usize) -> Option<(&Key, u32)> {
        self.regions.get_index(region).map(|(key, node)| (key, node.depth))
    }

    pub(super) fn domain(&self, key: &Key) -> &str {
        self.text(key.domain)
    }

    fn text(&self, name: usize) -> &str {
        self.names.get_index(name).map_or("", |name| name)
    }

    /// The names from the root to a region.
    pub(super) fn path(&self, region: usize) -> Vec<&str> {
        let mut path = Vec::new();
        let mut next = Some(region);
        while let Some((key, _)) = next.and_then(|region| self.regions.get_index(region)) {
            path.push(self.text(key.name));
            next = key.parent;
        }
        path.reverse();
        path
    }
}
