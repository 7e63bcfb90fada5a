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
    /// The heaviest so many regions, with those around them; all without it.
    pub top: Option<usize>,
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
        if let Some(top) = self.top {
            let weights: Vec<f64> = regions.iter().map(|region| weight(region.total_ms)).collect();
            let mut kept = heaviest(&weights, &parents(&regions), top).into_iter();
            regions.retain(|_| kept.next() == Some(true));
        }
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
        let ordered = depth_first(&parents(&regions));
        ordered.into_iter().filter_map(|at| regions.get(at).cloned()).collect()
    }
}

/// For each region the position of the one around it.
pub(crate) fn parents(regions: &[Arc<NCUProfileRegion>]) -> Vec<Option<usize>> {
    let positions: FxHashMap<RegionRef<'_>, usize> =
        regions.iter().enumerate().map(|(at, region)| (region.key(), at)).collect();
    let parent = |region: &Arc<NCUProfileRegion>| {
        let around = region.path.split_last().map_or(&[][..], |(_, around)| around);
        let key = RegionRef { path: around, ..region.key() };
        positions.get(&key).copied().filter(|_| region.kind == RangeKind::PushPop)
    };
    regions.iter().map(parent).collect()
}

/// Marks the `limit` heaviest; each is only kept together with those around it.
pub(crate) fn heaviest(weights: &[f64], parents: &[Option<usize>], limit: usize) -> Vec<bool> {
    let mut kept = vec![false; weights.len()];
    let mut by_weight: Vec<(f64, usize)> = weights.iter().copied().zip(0..).collect();
    by_weight.sort_by(|left, right| right.0.total_cmp(&left.0));
    let mut used = 0;
    for (_, at) in by_weight {
        let is_kept = |at: &usize| kept.get(*at) == Some(&true);
        let around = std::iter::successors(Some(at), |at| *parents.get(*at)?);
        let chain: Vec<usize> = around.take_while(|at| !is_kept(at)).collect();
        if used + chain.len() > limit {
            continue;
        }
        used += chain.len();
        for at in chain {
            if let Some(kept) = kept.get_mut(at) {
                *kept = true;
            }
        }
    }
    kept
}

/// Positions such that siblings keep their order and each is followed by what is below it. Parents may come after their children.
pub(crate) fn depth_first(parents: &[Option<usize>]) -> Vec<usize> {
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); parents.len()];
    let mut pending = Vec::new();
    for (at, parent) in parents.iter().enumerate().rev() {
        match parent.and_then(|parent| children.get_mut(parent)) {
            Some(siblings) => siblings.push(at),
            None => pending.push(at),
        }
    }
    // Both lists are in descending order, so that the last one is the next to be taken.
    let mut ordered = Vec::with_capacity(parents.len());
    while let Some(at) = pending.pop() {
        ordered.push(at);
        if let Some(below) = children.get_mut(at) {
            pending.append(below);
        }
    }
    ordered
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
