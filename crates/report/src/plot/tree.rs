//! The regions of a report as trees, one group per domain and kind of range.
//!
//! Names decide the depth, so nothing here recurses.

use indexmap::IndexMap;
use rangescope_model::document::{NCUProfileRegion, NCUProfileRegionReport};
use rangescope_model::region::RangeKind;
use rangescope_model::text::visible;
use rustc_hash::FxHashMap;

/// The trees of a report.
#[derive(Debug)]
pub(crate) struct Tree {
    /// For each region of the report the positions of those directly below.
    pub(crate) children: Vec<Vec<usize>>,
    /// For each region the one around it.
    pub(crate) parents: Vec<Option<usize>>,
    /// The groups, in order of first appearance.
    pub(crate) groups: Vec<Group>,
}

/// The trees of one domain and kind of range.
#[derive(Debug)]
pub(crate) struct Group {
    /// What the group is called; nothing for push/pop ranges of the default domain, which need no words.
    pub(crate) label: Option<String>,
    /// The regions that no other is around.
    pub(crate) roots: Vec<usize>,
}

impl Tree {
    pub(crate) fn of(report: &NCUProfileRegionReport) -> Self {
        let regions = &report.regions;
        let positions: FxHashMap<(&str, RangeKind, &[String]), usize> = regions
            .iter()
            .enumerate()
            .map(|(index, region)| {
                ((region.domain.as_str(), region.kind, region.path.as_slice()), index)
            })
            .collect();
        let mut children = vec![Vec::new(); regions.len()];
        let mut parents = vec![None; regions.len()];
        let mut roots: IndexMap<(&str, RangeKind), Vec<usize>> = IndexMap::new();
        for (index, region) in regions.iter().enumerate() {
            let around = region.path.split_last().map_or(&[][..], |(_, around)| around);
            let parent = (region.kind == RangeKind::PushPop && !around.is_empty())
                .then(|| positions.get(&(region.domain.as_str(), region.kind, around)).copied())
                .flatten();
            parents[index] = parent;
            match parent {
                Some(parent) => children[parent].push(index),
                None => roots.entry((&region.domain, region.kind)).or_default().push(index),
            }
        }
        let groups = roots
            .into_iter()
            .map(|((domain, kind), roots)| Group { label: group_label(domain, kind), roots })
            .collect();
        Self { children, parents, groups }
    }

    /// The name without that of the parent, which a tree shows by its shape.
    pub(crate) fn own_name<'r>(&self, index: usize, region: &'r NCUProfileRegion) -> &'r str {
        let name = region.name.as_str();
        self.parents
            .get(index)
            .copied()
            .flatten()
            .and(region.parent.as_deref())
            .and_then(|parent| name.strip_prefix(parent)?.strip_prefix("::"))
            .unwrap_or(name)
    }
}

fn group_label(domain: &str, kind: RangeKind) -> Option<String> {
    let domain = if domain.is_empty() || domain == "<default domain>" {
        None
    } else {
        Some(format!("domain {}", visible(domain)))
    };
    match (domain, kind) {
        (domain, RangeKind::PushPop) => domain,
        (None, RangeKind::StartEnd) => Some("start/end ranges".to_owned()),
        (Some(domain), RangeKind::StartEnd) => Some(format!("{domain}, start/end ranges")),
    }
}
