//! The sets of results that members are compared in, and what each member has of a set.

use super::members::Members;
use crate::aggregate::finish::scopes::everything;
use crate::aggregate::finish::{ReportContext, Shown};
use crate::aggregate::kernels::KernelId;
use crate::aggregate::ranks::{CLOCK, Cell, CounterSum, MOST_COUNTERS, Place, RankTable, What};
use crate::aggregate::tree::RegionId;
use indexmap::IndexMap;
use rangescope_model::document::Basis;
use rangescope_model::imbalance::{RowKind, RowRegion};
use rangescope_model::launch::DeviceId;
use rangescope_model::region::display_name;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use std::cmp::Ordering;

/// One set, with the positions of its cells in the table.
pub(super) struct Set {
    pub(super) kind: RowKind,
    pub(super) basis: Basis,
    pub(super) name: String,
    pub(super) region: Option<RowRegion>,
    pub(super) in_family: bool,
    cells: Vec<usize>,
}

impl Set {
    /// A set that is no region.
    fn bare(kind: RowKind, basis: Basis, name: String, cells: Vec<usize>) -> Self {
        Self { kind, basis, name, region: None, in_family: false, cells }
    }

    /// An order that does not depend on which input came first.
    pub(super) fn order(&self, other: &Self) -> Ordering {
        let key = |set: &Self| (set.basis, set.region.clone(), set.name.clone());
        key(self).cmp(&key(other))
    }
}

/// What one member has of a set.
pub(super) struct OneMember {
    pub(super) member: usize,
    pub(super) cell: Cell,
    counters: [CounterSum; MOST_COUNTERS],
}

impl OneMember {
    /// Nothing if no result has a duration.
    pub(super) fn milliseconds(&self) -> Option<f64> {
        let ms = self.cell.time.value() / 1e6;
        (self.cell.timed > 0 && ms.is_finite()).then_some(ms)
    }

    /// A counter, if all results have it; a clock is that of the results with a duration.
    pub(super) fn counter(&self, at: usize, name: &str) -> Option<f64> {
        let CounterSum { sum, covered } = *self.counters.get(at)?;
        let value = if name == CLOCK {
            (covered == self.cell.timed).then(|| sum.over(self.cell.time)).flatten()? * 1e9
        } else {
            (covered == self.cell.launches).then(|| sum.value())?
        };
        value.is_finite().then_some(value)
    }
}

pub(super) struct Sets<'c> {
    table: &'c RankTable,
    /// By cell.
    members: Vec<Option<usize>>,
    all: Vec<Set>,
    /// What the rows of the heat map are beside the totals.
    pub(super) mapped: RowKind,
}

/// The cells of every region, by basis, and of the totals.
#[derive(Default)]
struct Cells {
    totals: [Vec<usize>; 2],
    regions: [FxHashMap<RegionId, Vec<usize>>; 2],
    kernels: IndexMap<KernelId, Vec<usize>, FxBuildHasher>,
}

const BASES: [Basis; 2] = [Basis::Kernel, Basis::Range];

impl<'c> Sets<'c> {
    pub(super) fn of(context: &ReportContext<'c>, members: &Members) -> Self {
        let table = &context.partial.ranks;
        let mut cells = Cells::of(context, table);
        let mut all = Vec::new();
        for (basis, totals) in BASES.into_iter().zip(cells.totals) {
            if !totals.is_empty() {
                all.push(Set::bare(RowKind::Total, basis, String::new(), totals));
            }
        }
        for (basis, of_regions) in BASES.into_iter().zip(&mut cells.regions) {
            all.extend(regions(context, basis, of_regions));
        }
        let has_regions = all.iter().any(|set| set.kind == RowKind::Region);
        let mapped = if has_regions { RowKind::Region } else { RowKind::Kernel };
        for (kernel, cells) in cells.kernels {
            let Some(key) = context.partial.kernels.key(kernel) else { continue };
            all.push(Set::bare(RowKind::Kernel, Basis::Kernel, key.shown.to_string(), cells));
        }
        let members = table.cells().map(|((process, _), ..)| members.of_process(process)).collect();
        Self { table, members, all, mapped }
    }

    pub(super) fn of_kind(&self, kind: RowKind) -> impl Iterator<Item = &Set> {
        self.all.iter().filter(move |set| set.kind == kind)
    }

    /// What every member has of a set, in order of members.
    pub(super) fn summed(&self, set: &Set) -> Vec<OneMember> {
        let of_member = |cell: &usize| Some((self.members.get(*cell).copied().flatten()?, *cell));
        let mut cells: Vec<(usize, usize)> = set.cells.iter().filter_map(of_member).collect();
        cells.sort_unstable();
        let mut summed: Vec<OneMember> = Vec::new();
        for (member, at) in cells {
            let Some((_, cell, counters)) = self.table.cell(at) else { continue };
            if summed.last().is_none_or(|last| last.member != member) {
                let counters = [CounterSum::default(); MOST_COUNTERS];
                summed.push(OneMember { member, cell: Cell::default(), counters });
            }
            if let Some(last) = summed.last_mut() {
                last.cell.merge(cell);
                for (sum, counter) in last.counters.iter_mut().zip(counters) {
                    sum.merge(*counter);
                }
            }
        }
        summed
    }
}

impl Cells {
    fn of(context: &ReportContext<'_>, table: &RankTable) -> Self {
        let tree = &context.partial.tree;
        let measured = measured(table);
        let mut found = Self::default();
        for (at, ((process, what), ..)) in table.cells().enumerate() {
            let place = match what {
                What::Kernel(kernel) => {
                    found.kernels.entry(kernel).or_default().push(at);
                    continue;
                }
                What::Place(place) => table.place(place),
            };
            let Some(Place { basis, device, regions }) = place else { continue };
            let of_basis = usize::from(*basis == Basis::Range);
            let mut is_outermost = true;
            for &innermost in regions {
                // As in reports of ranges: what lies inside a range that was measured itself is in that measurement already.
                let is_whole = |region: &RegionId| {
                    *basis == Basis::Range
                        && *region != innermost
                        && measured.contains(&(process, *device, *region))
                };
                for region in tree.and_above(innermost).take_while(|region| !is_whole(region)) {
                    found.regions[of_basis].entry(region).or_default().push(at);
                }
                is_outermost &= !tree.and_above(innermost).any(|region| is_whole(&region));
            }
            if is_outermost {
                found.totals[of_basis].push(at);
            }
        }
        found
    }
}

/// The ranges that were measured as a whole, by process and device.
fn measured(table: &RankTable) -> FxHashSet<(u32, Option<DeviceId>, RegionId)> {
    let mut measured = FxHashSet::default();
    for ((process, what), ..) in table.cells() {
        let What::Place(place) = what else { continue };
        if let Some(place) = table.place(place).filter(|place| place.basis == Basis::Range) {
            let regions = place.regions.iter();
            measured.extend(regions.map(|region| (process, place.device, *region)));
        }
    }
    measured
}

/// The regions that are shown, and their families.
fn regions(
    context: &ReportContext<'_>,
    basis: Basis,
    cells: &mut FxHashMap<RegionId, Vec<usize>>,
) -> Vec<Set> {
    let tree = &context.partial.tree;
    let is_shown = |region: &RegionId| !matches!(context.shown_by(*region), Shown::No);
    let ids: Vec<RegionId> =
        tree.ids().filter(|region| cells.contains_key(region)).filter(is_shown).collect();
    let mut sets: Vec<Set> = Vec::new();
    for &id in &ids {
        let Some(key) = tree.key(id) else { continue };
        let (domain, path) = (tree.text(key.domain), tree.path(id));
        sets.push(Set {
            kind: RowKind::Region,
            basis,
            name: display_name(&path),
            region: Some(RowRegion {
                domain: domain.to_owned(),
                kind: key.kind,
                path: path.into_iter().map(str::to_owned).collect(),
            }),
            in_family: false,
            cells: cells.remove(&id).unwrap_or_default(),
        });
    }
    let mut folded: Vec<Set> = Vec::new();
    for fold in context.folds(&ids, &everything(context, basis)) {
        let members = || fold.members.iter().filter_map(|member| sets.get(*member));
        let Some(first) = members().find_map(|set| set.region.as_ref()) else { continue };
        // Several start/end ranges of a family may be open at once.
        let mut cells: Vec<usize> = members().flat_map(|set| set.cells.iter().copied()).collect();
        cells.sort_unstable();
        cells.dedup();
        let path: Vec<&str> = fold.path.iter().map(String::as_str).collect();
        folded.push(Set {
            kind: RowKind::Family,
            basis,
            name: display_name(&path),
            region: Some(RowRegion { path: fold.path.clone(), ..first.clone() }),
            in_family: false,
            cells,
        });
        for member in &fold.members {
            if let Some(set) = sets.get_mut(*member) {
                set.in_family = true;
            }
        }
    }
    sets.extend(folded);
    sets
}
