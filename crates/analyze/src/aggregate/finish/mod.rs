//! From buckets to reports: which scopes there are, what each region adds up to, and what the reader should know.
//!
//! Everything here reads the buckets that results were put into; no result is looked at again.

mod different;
mod families;
mod kernel_basis;
mod notes;
mod range_basis;
mod ranks;
mod scopes;
mod selection;
mod size;
mod standing;
mod summaries;
mod wide;

pub(crate) use scopes::process_id;

use crate::aggregate::analysis::Analysis;
use crate::aggregate::partial::{Bucket, BucketKey, Partial};
use crate::aggregate::rollup::Rollup;
use crate::aggregate::same_counters::SaidOfKernels;
use crate::aggregate::tally::plan::ResultValues;
use crate::aggregate::tree::RegionId;
use rangescope_model::document::{Basis, Note, Region, ScopeReport, SharedSet, Unplaced};
use rangescope_model::imbalance::Imbalance;
use rangescope_model::launch::SectionInfo;
use rustc_hash::FxHashMap;
use std::borrow::Cow;

/// The reports of an analysis.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// One report per scope and basis: the aggregate, processes in order of first appearance, devices ascending.
    pub reports: Vec<ScopeReport>,
    pub notes: Vec<Note>,
    /// The ranks beside each other, where there are several.
    pub ranks: Option<Imbalance>,
}

/// Everything that making reports needs to read.
struct ReportContext<'v> {
    analysis: &'v Analysis<'v>,
    partial: &'v Partial,
    sections: &'v [SectionInfo],
    /// By region: the first predicate that selected a result in it, if any.
    by_predicate: Vec<Option<u32>>,
    /// Kernels that a region or scope lists at most.
    most_listed: usize,
    /// What is said of results that cannot be right, and how many results a set has that holds all of them.
    same_counters: Option<SaidOfKernels>,
    all_results: u64,
}

struct Body {
    /// Shared by the scopes that hold the same buckets.
    regions: Vec<Region>,
    families: Vec<Region>,
    totals: SharedSet,
    unlabeled: SharedSet,
    unplaced: Unplaced,
}

/// A region with its number in the tree.
type TreeRegion = (RegionId, Region);

enum Shown<'s> {
    No,
    /// Nothing was selected, so everything appears.
    Yes,
    By(&'s str),
}

impl Body {
    fn of(report: &ScopeReport) -> Self {
        Self {
            regions: report.regions.clone(),
            families: report.families.clone(),
            totals: report.totals.clone(),
            unlabeled: report.unlabeled.clone(),
            unplaced: report.unplaced,
        }
    }
}

impl Analysis<'_> {
    /// Makes the reports. `sections` are the sections that results refer to by their handles.
    pub fn finish(&self, partial: Partial, sections: &[SectionInfo]) -> Outcome {
        let (mut partial, most_listed) = size::within_bounds(self, partial);
        let mut scratch = partial.take_scratch();
        let context = ReportContext {
            analysis: self,
            partial: &partial,
            sections,
            by_predicate: regions_by_predicate(&partial),
            most_listed,
            same_counters: partial.same.said(&partial.kernels),
            all_results: selected(&partial),
        };
        let selection = selection::selection(&context);
        let mut reports: Vec<ScopeReport> = Vec::new();
        // Scopes that hold the same buckets, as in a run of one process on one device, are worked out once.
        let mut known: FxHashMap<Vec<usize>, usize> = FxHashMap::default();
        for (scope, buckets) in scopes::scopes(&context) {
            for basis in [Basis::Kernel, Basis::Range] {
                let buckets: Vec<usize> = buckets
                    .iter()
                    .copied()
                    .filter(|bucket| context.key(*bucket).is_some_and(|key| key.basis == basis))
                    .collect();
                if buckets.is_empty()
                    && !(basis == Basis::Kernel && context.partial.buckets.is_empty())
                {
                    continue;
                }
                let same = known.get(&buckets).and_then(|report| reports.get(*report));
                let Body { regions, families, totals, unlabeled, unplaced } =
                    same.map_or_else(|| context.body(&mut scratch, basis, &buckets), Body::of);
                let selection = selection::of_places(&context, &selection, &buckets);
                known.insert(buckets, reports.len());
                reports.push(ScopeReport {
                    scope: scope.clone(),
                    basis,
                    regions,
                    families,
                    totals,
                    unlabeled,
                    unplaced,
                    selection,
                });
            }
        }
        let notes = notes::notes(&context, &selection, &reports);
        Outcome { reports, notes, ranks: ranks::imbalance(&context) }
    }
}

impl<'v> ReportContext<'v> {
    fn key(&self, bucket: usize) -> Option<&'v BucketKey> {
        self.entry(bucket).map(|(key, _)| key)
    }

    fn bucket(&self, bucket: usize) -> Option<&'v Bucket> {
        self.entry(bucket).map(|(_, bucket)| bucket)
    }

    /// The buckets of processes come first, then those of all processes with brief ones.
    fn entry(&self, bucket: usize) -> Option<(&'v BucketKey, &'v Bucket)> {
        let Partial { buckets, whole, .. } = self.partial;
        buckets.get_index(bucket).or_else(|| whole.get_index(bucket.checked_sub(buckets.len())?))
    }

    fn rollup(&self, bucket: usize) -> Option<&'v Rollup> {
        self.bucket(bucket)?.rollup.as_deref()
    }

    fn body(&self, scratch: &mut ResultValues, basis: Basis, buckets: &[usize]) -> Body {
        match basis {
            Basis::Kernel => self.kernel_body(scratch, buckets),
            Basis::Range => self.range_body(scratch, buckets),
        }
    }

    /// The selected results of all these buckets; nothing if there are none.
    fn union(
        &self,
        scratch: &mut ResultValues,
        buckets: impl IntoIterator<Item = usize>,
    ) -> Option<Cow<'v, Rollup>> {
        let mut union: Option<Cow<'v, Rollup>> = None;
        for rollup in buckets.into_iter().filter_map(|bucket| self.rollup(bucket)) {
            match &mut union {
                Some(union) => union.to_mut().merge(&self.analysis.plans, scratch, rollup),
                None => union = Some(Cow::Borrowed(rollup)),
            }
        }
        union
    }

    /// Whether a region appears in the report, and by which selector.
    fn shown_by(&self, region: RegionId) -> Shown<'v> {
        if self.analysis.selectors.is_empty() {
            return Shown::Yes;
        }
        let under = self.partial.tree.node(region).and_then(|node| node.under);
        let selector =
            under.or_else(|| self.by_predicate.get(region.0 as usize).copied().flatten());
        let selector = selector.and_then(|selector| self.analysis.selectors.get(selector as usize));
        selector.map_or(Shown::No, |selector| Shown::By(&selector.text))
    }
}

/// Results that are selected.
fn selected(partial: &Partial) -> u64 {
    let buckets = partial.buckets.iter().filter(|(key, _)| key.basis == Basis::Kernel);
    buckets.filter_map(|(_, bucket)| Some(bucket.rollup.as_ref()?.results)).sum()
}

/// By region: the first predicate that selected a result in it or below.
fn regions_by_predicate(partial: &Partial) -> Vec<Option<u32>> {
    let mut by_predicate: Vec<Option<u32>> = vec![None; partial.tree.len()];
    for (key, bucket) in &partial.buckets {
        let Some(&predicate) = bucket.predicates.first() else { continue };
        for region in key.regions.iter().flat_map(|region| partial.tree.and_above(*region)) {
            if let Some(known) = by_predicate.get_mut(region.0 as usize) {
                *known = Some(known.map_or(predicate, |known| known.min(predicate)));
            }
        }
    }
    by_predicate
}
