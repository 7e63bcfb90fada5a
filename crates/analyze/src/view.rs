//! How people see a document: families in place of their members, down to some depth, siblings in some order.
//!
//! What is seen is a document like any other, so whatever shows regions shows families; it shares the sets of results with the document. Nothing is computed
//! here: what a family adds up to is in the document, and the exact regions stay there.

use rangescope_model::document::{Region, RegionDocument, ScopeReport};
use rangescope_model::number::weight;
use rustc_hash::FxHashMap;
use std::borrow::Cow;

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

    fn of_report(&self, report: &ScopeReport) -> ScopeReport {
        let mut regions = if self.unfold { report.regions.clone() } else { with_families(report) };
        if self.sort != SortKey::Appearance {
            regions = self.sorted(&regions);
        }
        if let Some(deepest) = self.depth {
            let is_shown = |at: &usize| (regions[*at].depth as usize) < deepest.max(1);
            regions = picked(&regions, (0..regions.len()).filter(is_shown));
        }
        if let Some(top) = self.top {
            let weights: Vec<f64> =
                regions.iter().map(|region| weight(region.set.total_ms)).collect();
            let kept = heaviest(&weights, &parents(&regions), top);
            regions = picked(&regions, (0..regions.len()).filter(|at| kept[*at]));
        }
        ScopeReport { regions, families: Vec::new(), ..report.clone() }
    }

    /// Siblings in order, each followed by what is below it.
    fn sorted(&self, regions: &[Region]) -> Vec<Region> {
        let mut order: Vec<usize> = (0..regions.len()).collect();
        let mut heaviest_first = |weight: &dyn Fn(&Region) -> f64| {
            order.sort_by(|left, right| {
                weight(&regions[*right]).total_cmp(&weight(&regions[*left]))
            });
        };
        match self.sort {
            SortKey::Appearance => {}
            SortKey::Time => heaviest_first(&|region| weight(region.set.total_ms)),
            SortKey::Exclusive => heaviest_first(&|region| weight(region.exclusive_ms)),
            SortKey::Launches => heaviest_first(&|region| region.set.kernel_count as f64),
            SortKey::Name => order.sort_by_key(|at| &regions[*at].name),
        }
        let mut places = vec![0; regions.len()];
        for (place, at) in order.iter().enumerate() {
            places[*at] = place;
        }
        let parents: Vec<Option<usize>> = (order.iter())
            .map(|at| regions[*at].parent.and_then(|parent| places.get(parent as usize).copied()))
            .collect();
        picked(regions, depth_first(&parents).into_iter().map(|place| order[place]))
    }
}

/// Some of the regions in another order, parents before their children. What loses its parent is below the region around that.
fn picked(regions: &[Region], order: impl IntoIterator<Item = usize>) -> Vec<Region> {
    let mut places: Vec<Option<u32>> = vec![None; regions.len()];
    let mut picked: Vec<Region> = Vec::new();
    for at in order {
        let around = |at: &usize| regions[*at].parent.map(|parent| parent as usize);
        let parent = std::iter::successors(around(&at), around).find_map(|parent| places[parent]);
        places[at] = u32::try_from(picked.len()).ok();
        picked.push(Region { parent, ..regions[at].clone() });
    }
    picked
}

/// For each region the position of the one around it.
fn parents(regions: &[Region]) -> Vec<Option<usize>> {
    regions.iter().map(|region| region.parent.map(|parent| parent as usize)).collect()
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

/// The regions with families in place of their members.
fn with_families(report: &ScopeReport) -> Vec<Region> {
    // A family stands where its first member stood.
    let mut family_at: FxHashMap<u32, &Region> = FxHashMap::default();
    let mut first_member: FxHashMap<u32, u32> = FxHashMap::default();
    for region in &report.families {
        let members = region.family.as_ref().map_or(&[][..], |family| &family.members);
        if let Some(first) = members.first() {
            family_at.insert(*first, region);
            first_member.extend(members.iter().map(|member| (*member, *first)));
        }
    }
    let mut places: FxHashMap<u32, u32> = FxHashMap::default();
    let mut rows: Vec<Region> = Vec::new();
    for (at, region) in (0..).zip(&report.regions) {
        let row = match (family_at.get(&at), first_member.get(&at)) {
            (Some(family), _) => *family,
            (None, Some(_)) => continue,
            (None, None) => region,
        };
        let around = row.parent.map(|parent| *first_member.get(&parent).unwrap_or(&parent));
        let parent = around.and_then(|parent| places.get(&parent).copied());
        places.extend(u32::try_from(rows.len()).ok().map(|place| (at, place)));
        rows.push(Region { parent, ..row.clone() });
    }
    rows
}
