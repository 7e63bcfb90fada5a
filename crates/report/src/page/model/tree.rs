//! Which region is whose parent.
//!
//! The document identifies regions by their paths; the page needs positions. A selection can leave out a region and keep what is below it:
//! then the nearest region that is there counts as the parent, and the names between belong to the child.

use rangescope_model::document::NCUProfileRegion;
use rangescope_model::region::RangeKind;
use rustc_hash::FxHashMap;

/// The place of one region in its tree.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Place<'d> {
    /// Position of the parent in the report.
    pub(crate) parent: Option<usize>,
    /// The names below the parent; mostly one.
    pub(crate) own: &'d [String],
}

/// The places of a report's regions.
pub(crate) fn places(regions: &[std::sync::Arc<NCUProfileRegion>]) -> Vec<Place<'_>> {
    let mut nodes = Nodes::default();
    regions.iter().enumerate().map(|(position, region)| nodes.place(position, region)).collect()
}

/// A node is a prefix of a path, whether or not it is a region itself.
#[derive(Default)]
struct Nodes<'d> {
    roots: FxHashMap<(&'d str, RangeKind), usize>,
    children: FxHashMap<(usize, &'d str), usize>,
    /// By node: the position of the region that it is.
    region: Vec<Option<usize>>,
}

impl<'d> Nodes<'d> {
    fn place(&mut self, position: usize, region: &'d NCUProfileRegion) -> Place<'d> {
        let mut node = *self.roots.entry((&region.domain, region.kind)).or_insert_with(|| {
            self.region.push(None);
            self.region.len() - 1
        });
        let mut parent = None;
        let mut below = 0;
        for (depth, segment) in region.path.iter().enumerate() {
            if let Some(found) = self.region[node] {
                parent = Some(found);
                below = depth;
            }
            node = *self.children.entry((node, segment)).or_insert_with(|| {
                self.region.push(None);
                self.region.len() - 1
            });
        }
        // Start/end regions of one name are one region, so a node is taken at most once; a damaged document may still repeat one.
        if self.region[node].is_none() && !region.path.is_empty() {
            self.region[node] = Some(position);
        }
        Place { parent, own: &region.path[below..] }
    }
}

#[cfg(test)]
mod tests {
    use super::places;
    use rangescope_model::document::{NCUProfileRegion, RegionSelection};
    use rangescope_model::region::RangeKind;

    fn region(path: &[&str], domain: &str, kind: RangeKind) -> NCUProfileRegion {
        NCUProfileRegion {
            name: path.join("::"),
            path: path.iter().map(|&name| name.to_owned()).collect(),
            parent: None,
            depth: 0,
            kind,
            domain: domain.to_owned(),
            process_id: None,
            device: None,
            total_ms: None,
            exclusive_ms: None,
            share: None,
            kernel_count: 0,
            exclusive_kernel_count: 0,
            timed_count: 0,
            metrics: indexmap::IndexMap::default(),
            exclusive_metrics: None,
            sections: Vec::new(),
            kernels: Vec::new(),
            rules: Vec::new(),
            causes: Vec::new(),
            limits: Vec::new(),
            family: None,
            selection: RegionSelection::default(),
        }
    }

    #[test]
    fn parents_are_found_by_path_domain_and_kind() {
        let regions = [
            region(&["a"], "", RangeKind::PushPop),
            region(&["a"], "other", RangeKind::PushPop),
            region(&["a"], "", RangeKind::StartEnd),
            region(&["a", "b"], "other", RangeKind::PushPop),
            region(&["a", "b", "c", "d"], "other", RangeKind::PushPop),
            region(&["x", "y"], "", RangeKind::PushPop),
            region(&["a", "b"], "", RangeKind::PushPop),
            region(&[], "", RangeKind::PushPop),
        ]
        .map(std::sync::Arc::new);
        let found: Vec<(Option<usize>, String)> =
            places(&regions).iter().map(|place| (place.parent, place.own.join("/"))).collect();
        let expected = [
            (None, "a"),
            (None, "a"),
            (None, "a"),
            (Some(1), "b"),
            (Some(3), "c/d"),
            (None, "x/y"),
            (Some(0), "b"),
            (None, ""),
        ];
        assert_eq!(found, expected.map(|(parent, own)| (parent, own.to_owned())));
    }
}
