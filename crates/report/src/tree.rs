//! The regions of one report as trees, one group per domain and kind of range.
//!
//! Names decide the depth, so nothing here recurses. Orders are those of the report.

use indexmap::IndexMap;
use rangescope_model::document::{Region, ScopeReport};
use rangescope_model::region::RangeKind;

/// The trees of a report.
#[derive(Debug)]
pub(crate) struct Tree<'a> {
    regions: &'a [Region],
    /// For each region the positions of those directly below.
    pub(crate) children: Vec<Vec<usize>>,
    /// The groups, in order of first appearance.
    pub(crate) groups: Vec<Group<'a>>,
}

/// The trees of one domain and kind of range.
#[derive(Debug)]
pub(crate) struct Group<'a> {
    pub(crate) domain: &'a str,
    pub(crate) kind: RangeKind,
    /// The regions whose parent is not in the report.
    pub(crate) roots: Vec<usize>,
}

/// A region in the depth-first order of its group.
#[derive(Debug)]
pub(crate) struct Node<'a> {
    /// Position of the region in the report.
    pub(crate) index: usize,
    pub(crate) region: &'a Region,
    /// Position of the parent among the nodes.
    pub(crate) parent: Option<usize>,
    /// Ancestors that the report holds.
    pub(crate) depth: usize,
}

impl<'a> Tree<'a> {
    pub(crate) fn of(report: &'a ScopeReport) -> Self {
        let regions = &report.regions;
        let mut children = vec![Vec::new(); regions.len()];
        let mut roots: IndexMap<(&str, RangeKind), Vec<usize>> = IndexMap::new();
        for (index, region) in regions.iter().enumerate() {
            match region.parent {
                Some(parent) => children[parent as usize].push(index),
                None => roots.entry((&region.domain, region.kind)).or_default().push(index),
            }
        }
        let groups = roots.into_iter().map(|((domain, kind), roots)| Group { domain, kind, roots });
        Self { regions, children, groups: groups.collect() }
    }

    /// The regions of a group: each parent directly before its subtree.
    pub(crate) fn depth_first(&self, group: &Group<'_>) -> Vec<Node<'a>> {
        let mut nodes = Vec::new();
        let mut waiting: Vec<(usize, Option<usize>, usize)> =
            group.roots.iter().rev().map(|&root| (root, None, 0)).collect();
        while let Some((index, parent, depth)) = waiting.pop() {
            let position = nodes.len();
            nodes.push(Node { index, region: &self.regions[index], parent, depth });
            let below = self.children[index].iter().rev();
            waiting.extend(below.map(|&child| (child, Some(position), depth + 1)));
        }
        nodes
    }

    /// The name of a region without that of its parent, which a tree shows by its shape.
    pub(crate) fn own_name(&self, index: usize) -> &'a str {
        let region = &self.regions[index];
        let below = |parent: &str| region.name.strip_prefix(parent)?.strip_prefix("::");
        let parent = region.parent.and_then(|parent| self.regions.get(parent as usize));
        parent.and_then(|parent| below(&parent.name)).unwrap_or(&region.name)
    }
}
