//! How people see a document: families in place of their members, down to some depth, siblings in some order.
//!
//! What is seen is a document like any other, so whatever shows regions shows families. Nothing is computed here: what a family adds up to is in the
//! document, and the exact regions stay there.

use rangescope_model::document::{NCUProfileRegion, NCUProfileRegionReport, RegionDocument};
use rangescope_model::number::weight;
use rangescope_model::region::{RangeKind, RegionRef};
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;
use std::sync::Arc;

/// What is shown of the tree, and in which order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// Members of families one by one.
    pub unfold: bool,
    /// Levels of the tree; all without it.
    pub depth: Option<usize>,
    pub sort: SortKey,
}

rangescope_model::words! {
    SortKey {
        /// Their first result.
        #[default]
        Appearance = "appearance",
        Time = "time",
        Exclusive = "exclusive",
        Launches = "launches",
        Name = "name",
    }
}

/// The document with families folded; itself where there are none.
pub fn folded(document: &RegionDocument) -> Cow<'_, RegionDocument> {
    View::default().of(document)
}

impl View {
    pub fn of<'d>(&self, document: &'d RegionDocument) -> Cow<'d, RegionDocument> {
        let has_families = document.reports.iter().any(|report| !report.families.is_empty());
        let changes_nothing = (self.unfold || !has_families)
            && Self { unfold: self.unfold, ..Self::default() } == *self;
        if changes_nothing {
            return Cow::Borrowed(document);
        }
        let reports = document.reports.iter().map(|report| self.of_report(report)).collect();
        Cow::Owned(RegionDocument { reports, ..document.clone() })
    }

    fn of_report(&self, report: &NCUProfileRegionReport) -> NCUProfileRegionReport {
        let mut regions = if self.unfold { report.regions.clone() } else { with_families(report) };
        if self.sort != SortKey::Appearance {
            regions = self.sorted(regions);
        }
        let deepest = self.depth.unwrap_or(usize::MAX);
        regions.retain(|region| (region.depth as usize) < deepest.max(1));
        NCUProfileRegionReport { regions, families: Vec::new(), ..report.clone() }
    }

    /// Siblings in order, each followed by what is below it.
    fn sorted(&self, mut regions: Vec<Arc<NCUProfileRegion>>) -> Vec<Arc<NCUProfileRegion>> {
        match self.sort {
            SortKey::Appearance => {}
            SortKey::Time => heaviest_first(&mut regions, |region| weight(region.total_ms)),
            SortKey::Exclusive => {
                heaviest_first(&mut regions, |region| weight(region.exclusive_ms));
            }
            SortKey::Launches => heaviest_first(&mut regions, |region| region.kernel_count as f64),
            SortKey::Name => regions.sort_by(|left, right| left.name.cmp(&right.name)),
        }
        let positions: FxHashMap<RegionRef<'_>, usize> =
            regions.iter().enumerate().map(|(at, region)| (region.key(), at)).collect();
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); regions.len()];
        let mut pending = Vec::new();
        for (at, region) in regions.iter().enumerate().rev() {
            let around = region.path.split_last().map_or(&[][..], |(_, around)| around);
            let key = RegionRef { path: around, ..region.key() };
            let parent = positions.get(&key).filter(|_| region.kind == RangeKind::PushPop);
            match parent.and_then(|parent| children.get_mut(*parent)) {
                Some(siblings) => siblings.push(at),
                None => pending.push(at),
            }
        }
        // Both lists are in descending order, so that the last one is the next to be taken.
        let mut ordered = Vec::with_capacity(regions.len());
        while let Some(at) = pending.pop() {
            ordered.extend(regions.get(at).cloned());
            if let Some(below) = children.get_mut(at) {
                pending.append(below);
            }
        }
        ordered
    }
}

fn heaviest_first(
    regions: &mut [Arc<NCUProfileRegion>],
    weight: impl Fn(&NCUProfileRegion) -> f64,
) {
    regions.sort_by(|left, right| weight(right).total_cmp(&weight(left)));
}

/// The regions with families in place of their members.
fn with_families(report: &NCUProfileRegionReport) -> Vec<Arc<NCUProfileRegion>> {
    let families =
        report.families.iter().filter_map(|family| Some((family.family.as_ref()?, family)));
    let hidden: FxHashSet<u32> =
        families.clone().flat_map(|(family, _)| family.members.iter().copied()).collect();
    let single = (0..).zip(&report.regions).filter(|(position, _)| !hidden.contains(position));
    // A family stands where its first member stood.
    let families = families.filter_map(|(family, region)| Some((*family.members.first()?, region)));
    let mut rows: Vec<(u32, &Arc<NCUProfileRegion>)> = single.chain(families).collect();
    rows.sort_by_key(|(position, _)| *position);
    rows.into_iter().map(|(_, region)| Arc::clone(region)).collect()
}
