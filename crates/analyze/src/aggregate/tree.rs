//! The regions of a run: names, domains and the tree that push/pop ranges make.
//!
//! A region is known by a small number; its path is the way to the root and is written out only for a report. Parents always have smaller numbers than
//! their children. How deep and how long a path may grow is bounded, because a program that never pops would otherwise make regions without end.

use crate::aggregate::bounds::{Names, OTHERS};
use crate::aggregate::normalise::Normaliser;
use indexmap::{IndexMap, IndexSet};
use rangescope_model::region::RangeKind;
use rangescope_model::region::display_name;
use rustc_hash::FxBuildHasher;

/// Levels that a tree has at most; deeper ranges count to the region at this level.
pub(crate) const DEEPEST: u32 = 256;
/// Bytes that the names of a path have at most together; what would exceed this counts to the region above.
pub(crate) const LONGEST_PATH: u64 = 256 * 1024;

/// Names that are folded and remembered, for each region of a row of its own.
const FOLDED_PER_REGION: usize = 8;

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
    /// Stands for regions that were too many.
    pub(crate) is_others: bool,
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
    /// Domains that share their name with an earlier one: what they are called here, with the name that the program gave them.
    namesakes: IndexMap<NameId, NameId, FxBuildHasher>,
    /// Results whose stack was deeper or longer than the tree may be.
    pub(crate) cut: u64,
    kept: Names,
    /// Whether there are selectors, so that not every region is shown.
    is_judged: bool,
}

#[derive(Clone, Debug)]
struct FoldedName {
    name: NameId,
    /// Positions of the rules that changed it.
    rules: Vec<u32>,
}

impl RegionTree {
    pub(crate) fn new(kept: Names, is_judged: bool) -> Self {
        Self { kept, is_judged, ..Self::default() }
    }

    /// The number of a text that is not folded, such as a domain.
    pub(crate) fn name_id(&mut self, name: &str) -> NameId {
        self.known_name(name)
            .unwrap_or_else(|| NameId(number(self.names.insert_full(name.into()).0)))
    }

    fn known_name(&self, name: &str) -> Option<NameId> {
        self.names.get_index_of(name).map(|index| NameId(number(index)))
    }

    /// The number of a domain. The second of one name is called `name#2`, and so on.
    pub(crate) fn domain_id(&mut self, name: &str, nth: u32) -> NameId {
        let own = self.name_id(name);
        if nth == 0 {
            return own;
        }
        let shown = self.name_id(&format!("{name}#{}", u64::from(nth) + 1));
        self.namesakes.insert(shown, own);
        shown
    }

    /// What domains that share their name with an earlier one are called, in order of first appearance.
    pub(crate) fn namesakes(&self) -> impl Iterator<Item = &str> {
        self.namesakes.keys().map(|shown| self.text(*shown))
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
        if self.has_room_for_folded() {
            self.folded.insert(name.into(), FoldedName { name: id, rules });
        }
        id
    }

    /// Names that a program numbers are far more than the regions that are left of them.
    fn has_room_for_folded(&self) -> bool {
        self.folded.len() / FOLDED_PER_REGION < self.kept.most()
    }

    /// The region of a key, made if it is new; nothing if it would be too deep or its path too long.
    pub(crate) fn region(&mut self, key: NodeKey, judge: Option<&Judge<'_>>) -> Option<RegionId> {
        if let Some(index) = self.regions.get_index_of(&key) {
            return Some(RegionId(number(index)));
        }
        if let Some(others) = key.parent.filter(|parent| self.is_others(*parent)) {
            return Some(others);
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
            is_others: false,
        };
        if !self.has_room(&node) {
            return Some(self.others(key.parent, key.kind, node));
        }
        Some(RegionId(number(self.regions.insert_full(key, node).0)))
    }

    /// Whether a region that is new gets a row of its own.
    fn has_room(&mut self, node: &RegionNode) -> bool {
        let is_shown = self.is_shown(node);
        !node.is_others && self.kept.admit(is_shown)
    }

    pub(crate) fn is_shown(&self, node: &RegionNode) -> bool {
        !node.is_excluded && (!self.is_judged || node.under.is_some())
    }

    /// What regions that are too many below one parent are taken together as, with everything below them, apart by whether they are selected.
    fn others(&mut self, parent: Option<RegionId>, kind: RangeKind, node: RegionNode) -> RegionId {
        let name = match self.is_shown(&node) {
            true => OTHERS,
            false if node.is_excluded => "(others, excluded)",
            false => "(others, not selected)",
        };
        let name = self.name_id(name);
        let domain = parent.and_then(|parent| self.key(parent)).map(|key| key.domain);
        let domain = domain.unwrap_or_else(|| self.name_id(OTHERS));
        let entry = self.regions.entry(NodeKey { parent, domain, kind, name });
        let id = RegionId(number(entry.index()));
        entry.or_insert(RegionNode { is_others: true, ..node });
        id
    }

    pub(crate) fn is_others(&self, region: RegionId) -> bool {
        self.node(region).is_some_and(|node| node.is_others)
    }

    /// Regions of which each has a row of its own.
    pub(crate) fn most(&self) -> usize {
        self.kept.most()
    }

    fn judge(&self, key: NodeKey, judge: &Judge<'_>) -> Verdict {
        let mut path = key.parent.map_or_else(Vec::new, |parent| self.path(parent));
        path.push(self.text(key.name));
        let display = display_name(&path);
        let verdict = judge(self.text(key.domain), &path, &display);
        // ncu's filters know domains by their names alone: a selector that names the domain names all of that name.
        let Some(given) = self.namesakes.get(&key.domain) else { return verdict };
        let by_name = judge(self.text(*given), &path, &display);
        Verdict {
            named_by: verdict.named_by.or(by_name.named_by),
            is_excluded: verdict.is_excluded || by_name.is_excluded,
        }
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

    /// Takes over the regions of a tree that was made from later results; gives the new number of each. Of names only those are taken over that are needed.
    pub(crate) fn merge(&mut self, other: &Self) -> Vec<RegionId> {
        for (shown, given) in &other.namesakes {
            if self.namesakes.len() < self.kept.most() {
                let shown = self.name_id(other.text(*shown));
                let given = self.name_id(other.text(*given));
                self.namesakes.insert(shown, given);
            }
        }
        for (name, folded) in &other.folded {
            if !self.folded.contains_key(name) && self.has_room_for_folded() {
                let id = self.name_id(other.text(folded.name));
                let rules = folded.rules.clone();
                self.folded.insert(name.clone(), FoldedName { name: id, rules });
            }
        }
        let mut ids: Vec<RegionId> = Vec::with_capacity(other.regions.len());
        for (key, node) in &other.regions {
            // Parents come first, so theirs is already known.
            let parent = key.parent.and_then(|parent| ids.get(parent.0 as usize).copied());
            let (domain, name) = (other.text(key.domain), other.text(key.name));
            let others = parent.filter(|parent| self.is_others(*parent));
            let known = others.or_else(|| {
                let (domain, name) = (self.known_name(domain)?, self.known_name(name)?);
                let key = NodeKey { parent, domain, kind: key.kind, name };
                self.regions.get_index_of(&key).map(|index| RegionId(number(index)))
            });
            let id = match known {
                Some(known) => known,
                None if self.has_room(node) => {
                    let (domain, name) = (self.name_id(domain), self.name_id(name));
                    let key = NodeKey { parent, domain, kind: key.kind, name };
                    RegionId(number(self.regions.insert_full(key, *node).0))
                }
                None => self.others(parent, key.kind, *node),
            };
            ids.push(id);
        }
        self.cut += other.cut;
        ids
    }
}

/// Regions and names are counted in 32 bits: a run with more of them does not fit into memory anyway.
fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}
