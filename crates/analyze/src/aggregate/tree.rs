//! The regions of a run: names, domains and the tree that push/pop ranges make.
//!
//! A region is known by a small number; its path is the way to the root and is written out only for a report. Parents always have smaller numbers than
//! their children. How deep and how long a path may grow is bounded, because a program that never pops would otherwise make regions without end.

use crate::aggregate::normalise::Normaliser;
use indexmap::{IndexMap, IndexSet};
use rangescope_model::region::RangeKind;
use rangescope_model::region::display_name;
use rustc_hash::FxBuildHasher;

/// Levels that a tree has at most; deeper ranges count to the region at this level.
pub(crate) const DEEPEST: u32 = 256;
/// Bytes that the names of a path have at most together; what would exceed this counts to the region above.
pub(crate) const LONGEST_PATH: u64 = 256 * 1024;

/// Number of a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct RegionId(pub(crate) u32);

/// Number of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct NameId(u32);

/// What makes a node of the tree the one it is; [`RegionKey`](rangescope_model::region::RegionKey) in numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct NodeKey {
    pub(crate) parent: Option<RegionId>,
    pub(crate) domain: NameId,
    pub(crate) kind: RangeKind,
    pub(crate) name: NameId,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct RegionNode {
    pub(crate) depth: u32,
    path_bytes: u64,
    /// The selector that names this very region.
    pub(crate) named_by: Option<u32>,
    /// The selector that names this region or the nearest one above that any selector names.
    pub(crate) under: Option<u32>,
    pub(crate) is_excluded: bool,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Verdict {
    /// The selector that names it.
    pub(crate) named_by: Option<u32>,
    pub(crate) is_excluded: bool,
}

/// Decides which selectors, if any, name a region with this domain, path and display name.
pub(crate) type Judge<'j> = dyn Fn(&str, &[&str], &str) -> Verdict + 'j;

/// All regions met so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct RegionTree {
    names: IndexSet<Box<str>, FxBuildHasher>,
    regions: IndexMap<NodeKey, RegionNode, FxBuildHasher>,
    /// Names as the program gave them, with what they were folded to; only kept when names are folded at all.
    folded: IndexMap<Box<str>, FoldedName, FxBuildHasher>,
    /// Results whose stack was deeper or longer than the tree may be.
    pub(crate) cut: u64,
}

#[derive(Clone, Debug)]
struct FoldedName {
    name: NameId,
    /// Positions of the rules that changed it.
    rules: Vec<u32>,
}

impl RegionTree {
    /// The number of a text that is not folded, such as a domain.
    pub(crate) fn name_id(&mut self, name: &str) -> NameId {
        let index = match self.names.get_index_of(name) {
            Some(index) => index,
            None => self.names.insert_full(name.into()).0,
        };
        NameId(number(index))
    }

    /// The number of a range name after folding.
    pub(crate) fn range_name_id(&mut self, name: &str, normaliser: &Normaliser) -> NameId {
        if normaliser.is_empty() {
            return self.name_id(name);
        }
        if let Some(known) = self.folded.get(name) {
            return known.name;
        }
        let (folded, rules) = normaliser.fold(name);
        let id = self.name_id(&folded);
        self.folded.insert(name.into(), FoldedName { name: id, rules });
        id
    }

    /// The region of a key, made if it is new; nothing if it would be too deep or its path too long.
    pub(crate) fn region(&mut self, key: NodeKey, judge: Option<&Judge<'_>>) -> Option<RegionId> {
        if let Some(index) = self.regions.get_index_of(&key) {
            return Some(RegionId(number(index)));
        }
        let parent = key.parent.and_then(|parent| self.node(parent)).copied();
        let depth = parent.map_or(0, |parent| parent.depth + 1);
        let path_bytes =
            parent.map_or(0, |parent| parent.path_bytes) + self.text(key.name).len() as u64;
        if parent.is_some() && (depth >= DEEPEST || path_bytes > LONGEST_PATH) {
            return None;
        }
        let verdict = judge.map_or_else(Verdict::default, |judge| self.judge(key, judge));
        let node = RegionNode {
            depth,
            path_bytes,
            named_by: verdict.named_by,
            under: verdict.named_by.or_else(|| parent.and_then(|parent| parent.under)),
            is_excluded: verdict.is_excluded || parent.is_some_and(|parent| parent.is_excluded),
        };
        Some(RegionId(number(self.regions.insert_full(key, node).0)))
    }

    fn judge(&self, key: NodeKey, judge: &Judge<'_>) -> Verdict {
        let mut path = key.parent.map_or_else(Vec::new, |parent| self.path(parent));
        path.push(self.text(key.name));
        let display = display_name(&path);
        judge(self.text(key.domain), &path, &display)
    }

    pub(crate) fn len(&self) -> usize {
        self.regions.len()
    }

    /// All regions in order of first appearance.
    pub(crate) fn ids(&self) -> impl DoubleEndedIterator<Item = RegionId> + use<> {
        (0..number(self.regions.len())).map(RegionId)
    }

    pub(crate) fn node(&self, region: RegionId) -> Option<&RegionNode> {
        self.regions.get_index(region.0 as usize).map(|(_, node)| node)
    }

    pub(crate) fn key(&self, region: RegionId) -> Option<&NodeKey> {
        self.regions.get_index(region.0 as usize).map(|(key, _)| key)
    }

    pub(crate) fn parent(&self, region: RegionId) -> Option<RegionId> {
        self.key(region)?.parent
    }

    pub(crate) fn text(&self, name: NameId) -> &str {
        self.names.get_index(name.0 as usize).map_or("", |name| name)
    }

    /// The own name of a region.
    pub(crate) fn own_name(&self, region: RegionId) -> &str {
        self.key(region).map_or("", |key| self.text(key.name))
    }

    /// The names from the root to a region.
    pub(crate) fn path(&self, region: RegionId) -> Vec<&str> {
        let mut path: Vec<&str> =
            self.and_above(region).map(|region| self.own_name(region)).collect();
        path.reverse();
        path
    }

    /// A region and the regions around it, the innermost first.
    pub(crate) fn and_above(&self, region: RegionId) -> impl Iterator<Item = RegionId> + '_ {
        std::iter::successors(Some(region), |region| self.parent(*region))
    }

    /// For each of `rules` rules: how many distinct names it changed.
    pub(crate) fn names_folded(&self, rules: usize) -> Vec<u64> {
        let mut counts = vec![0; rules];
        for position in self.folded.values().flat_map(|folded| &folded.rules) {
            if let Some(count) = counts.get_mut(*position as usize) {
                *count += 1;
            }
        }
        counts
    }

    /// Takes over the regions of a tree that was made from later results; gives the new number of each.
    pub(crate) fn merge(&mut self, other: &Self) -> Vec<RegionId> {
        let names: Vec<NameId> = other.names.iter().map(|name| self.name_id(name)).collect();
        let renamed = |name: NameId| names.get(name.0 as usize).copied().unwrap_or(name);
        for (name, folded) in &other.folded {
            if !self.folded.contains_key(name) {
                self.folded.insert(
                    name.clone(),
                    FoldedName { name: renamed(folded.name), rules: folded.rules.clone() },
                );
            }
        }
        let mut ids: Vec<RegionId> = Vec::with_capacity(other.regions.len());
        for (key, node) in &other.regions {
            // Parents come first, so theirs is already known.
            let parent = key.parent.and_then(|parent| ids.get(parent.0 as usize).copied());
            let key = NodeKey {
                parent,
                domain: renamed(key.domain),
                kind: key.kind,
                name: renamed(key.name),
            };
            let entry = self.regions.entry(key);
            ids.push(RegionId(number(entry.index())));
            entry.or_insert(*node);
        }
        self.cut += other.cut;
        ids
    }
}

/// Regions and names are counted in 32 bits: a run with more of them does not fit into memory anyway.
fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}
