//! What families add up to: the same numbers as of a region, made from the results of all members.

use super::different::{Different, different};
use super::kernel_basis::{Exclusive, Identity, RegionNumbers};
use super::range_basis::Lane;
use super::summaries::milliseconds;
use super::{ReportContext, TreeRegion};
use crate::aggregate::families::{Fold, Sibling, families};
use crate::aggregate::tally::plan::ResultValues;
use crate::aggregate::tree::RegionId;
use rangescope_model::document::{Family, Region};
use rangescope_model::region::RangeKind;
use rustc_hash::{FxHashMap, FxHashSet};

/// The buckets of a family.
#[derive(Default)]
struct Buckets {
    inclusive: Vec<usize>,
    exclusive: Vec<usize>,
}

impl ReportContext<'_> {
    /// The families among the regions of a scope. `measured` are the ranges that were measured as a whole: what lies inside one is part of it.
    pub(super) fn families(
        &self,
        scratch: &mut ResultValues,
        buckets: &[usize],
        regions: &[TreeRegion],
        measured: &FxHashSet<(Lane, RegionId)>,
        total_time: f64,
    ) -> Vec<Region> {
        let ids: Vec<RegionId> = regions.iter().map(|(id, _)| *id).collect();
        let folds = self.folds(&ids, buckets);
        let buckets = self.buckets_of(&folds, buckets, regions, measured);
        let families = folds.iter().zip(&buckets).filter_map(|(fold, buckets)| {
            self.family(scratch, fold, buckets, regions, measured.is_empty(), total_time)
        });
        families.collect()
    }

    /// The families among some regions, parents first, by their names and by what these buckets launched in them.
    pub(super) fn folds(&self, regions: &[RegionId], buckets: &[usize]) -> Vec<Fold> {
        let tree = &self.partial.tree;
        let positions: FxHashMap<RegionId, usize> = regions.iter().copied().zip(0..).collect();
        let sibling = |id: &RegionId| {
            let key = tree.key(*id)?;
            let parent = key.parent.and_then(|parent| positions.get(&parent).copied());
            Some(Sibling::new(parent, (tree.text(key.domain), key.kind), tree.text(key.name)))
        };
        // A region without a key would move all others.
        let Some(mut siblings) = regions.iter().map(sibling).collect::<Option<Vec<_>>>() else {
            return Vec::new();
        };
        for &bucket in buckets {
            let (Some(key), Some(rollup)) = (self.key(bucket), self.rollup(bucket)) else {
                continue;
            };
            for &innermost in &key.regions {
                // What is not shown is part of the region around it.
                let shown = tree.and_above(innermost).find_map(|region| positions.get(&region));
                let Some(sibling) = shown.and_then(|at| siblings.get_mut(*at)) else { continue };
                for (kernel, tally) in &rollup.kernels {
                    if let Some(kernel) = self.partial.kernels.key(*kernel) {
                        sibling.launches(kernel, tally.shapes.keys().map(|(shape, _)| shape));
                    }
                }
            }
        }
        families(siblings)
    }

    /// By family: the buckets in its members, each once.
    fn buckets_of(
        &self,
        folds: &[Fold],
        buckets: &[usize],
        regions: &[TreeRegion],
        measured: &FxHashSet<(Lane, RegionId)>,
    ) -> Vec<Buckets> {
        let mut family_of: FxHashMap<RegionId, usize> = FxHashMap::default();
        for (family, fold) in folds.iter().enumerate() {
            let ids = fold.members.iter().filter_map(|member| regions.get(*member));
            family_of.extend(ids.map(|(id, _)| (*id, family)));
        }
        let mut found: Vec<Buckets> = folds.iter().map(|_| Buckets::default()).collect();
        if folds.is_empty() {
            return found;
        }
        for &bucket in buckets.iter().filter(|bucket| self.rollup(**bucket).is_some()) {
            let Some(key) = self.key(bucket) else { continue };
            let lane = (key.process, key.device);
            for &innermost in &key.regions {
                for region in self.partial.tree.and_above(innermost) {
                    if region != innermost && measured.contains(&(lane, region)) {
                        break;
                    }
                    let family = family_of.get(&region).and_then(|family| found.get_mut(*family));
                    let Some(Buckets { inclusive, exclusive }) = family else { continue };
                    // Several start/end ranges of a family may be open at once.
                    if inclusive.last() != Some(&bucket) {
                        inclusive.push(bucket);
                    }
                    if region == innermost && exclusive.last() != Some(&bucket) {
                        exclusive.push(bucket);
                    }
                }
            }
        }
        found
    }

    fn family(
        &self,
        scratch: &mut ResultValues,
        fold: &Fold,
        buckets: &Buckets,
        regions: &[TreeRegion],
        of_kernels: bool,
        total_time: f64,
    ) -> Option<Region> {
        let members: Vec<&Region> = fold
            .members
            .iter()
            .filter_map(|member| regions.get(*member))
            .map(|(_, region)| region)
            .collect();
        let first = members.first()?;
        let inclusive = self.union(scratch, buckets.inclusive.iter().copied())?;
        let own = self.union(scratch, buckets.exclusive.iter().copied());
        let own = own.as_deref();
        let has_children = members.iter().any(|member| member.exclusive_metrics.is_some());
        let is_disjoint = first.kind == RangeKind::PushPop;
        let numbers = RegionNumbers {
            inclusive: &inclusive,
            exclusive_ms: match own {
                _ if !is_disjoint => milliseconds(&inclusive),
                own if of_kernels => own.map_or(Some(0.0), milliseconds),
                _ => members.iter().map(|member| member.exclusive_ms).sum(),
            },
            exclusive_count: own.map_or(0, |own| own.results),
            exclusive: match own {
                _ if !has_children => Exclusive::SameAsInclusive,
                Some(own) if of_kernels => Exclusive::Of(own),
                _ => Exclusive::Nothing,
            },
            results_seen: buckets
                .inclusive
                .iter()
                .filter_map(|bucket| self.bucket(*bucket))
                .map(|bucket| bucket.in_regions)
                .sum(),
        };
        let path: Vec<&str> = fold.path.iter().map(String::as_str).collect();
        let identity = Identity {
            path,
            kind: first.kind,
            domain: &first.domain,
            selector: first.selection.selector.as_deref(),
        };
        let region = self.described(scratch, identity, &numbers, total_time);
        Some(Region { family: Some(spread(fold, &members)), parent: first.parent, ..region })
    }
}

fn spread(fold: &Fold, members: &[&Region]) -> Family {
    let times: Vec<f64> = members.iter().filter_map(|member| member.set.total_ms).collect();
    let mean_ms = (!times.is_empty()).then(|| times.iter().sum::<f64>() / times.len() as f64);
    let Different { usual_limit, outliers, more_outliers } = different(members);
    Family {
        members: fold.members.iter().filter_map(|member| u32::try_from(*member).ok()).collect(),
        min_ms: times.iter().copied().reduce(f64::min),
        mean_ms,
        max_ms: times.iter().copied().reduce(f64::max),
        usual_limit,
        outliers,
        more_outliers,
    }
}
