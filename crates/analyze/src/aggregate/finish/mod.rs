//! From places to reports: which scopes there are, what each region adds up to, and what the reader should know.
//!
//! Everything here reads the places that results were put at; no result is looked at again.

mod kernel_basis;
mod notes;
mod range_basis;
mod scopes;
mod selection;
mod summaries;

use crate::aggregate::analysis::Analysis;
use crate::aggregate::gathered::Gathered;
use crate::aggregate::partial::{Partial, Place, PlaceKey};
use crate::aggregate::tally::plan::Bench;
use crate::aggregate::tree::RegionId;
use rangescope_model::document::{Basis, NCUProfileRegion, NCUProfileRegionReport, Note, Totals};
use rangescope_model::launch::SectionInfo;
use std::borrow::Cow;
use std::sync::Arc;

/// The reports of an analysis.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// One report per scope and basis: processes in order of first appearance, devices ascending, then the aggregate.
    pub reports: Vec<NCUProfileRegionReport>,
    /// What the reader should know before trusting the numbers.
    pub notes: Vec<Note>,
}

/// Everything that making reports needs to read.
struct View<'v> {
    analysis: &'v Analysis<'v>,
    partial: &'v Partial,
    sections: &'v [SectionInfo],
    /// By region: the first predicate that selected a result in it, if any.
    by_predicate: Vec<Option<u32>>,
}

/// What the places of one scope and basis add up to.
struct Body {
    /// Shared by the scopes that hold the same places.
    regions: Vec<Arc<NCUProfileRegion>>,
    totals: Totals,
    unlabeled: Totals,
}

/// Whether a region appears in the report.
enum Shown<'s> {
    No,
    /// Nothing was selected, so everything appears.
    Yes,
    By(&'s str),
}

impl Body {
    fn of(report: &NCUProfileRegionReport) -> Self {
        Self {
            regions: report.regions.clone(),
            totals: report.totals.clone(),
            unlabeled: report.unlabeled.clone(),
        }
    }
}

impl Analysis<'_> {
    /// Makes the reports. `sections` are the sections that results refer to by their handles.
    pub fn finish(&self, mut partial: Partial, sections: &[SectionInfo]) -> Outcome {
        let mut bench = partial.take_bench();
        let view = View {
            analysis: self,
            partial: &partial,
            sections,
            by_predicate: regions_by_predicate(&partial),
        };
        let selection = selection::selection(&view);
        let mut reports: Vec<NCUProfileRegionReport> = Vec::new();
        // Scopes that hold the same places, as in a run of one process on one device, are worked out once.
        let mut known: Vec<(Vec<usize>, usize)> = Vec::new();
        for (scope, places) in scopes::scopes(&view) {
            for basis in [Basis::Kernel, Basis::Range] {
                let places: Vec<usize> = places
                    .iter()
                    .copied()
                    .filter(|place| view.key(*place).is_some_and(|key| key.basis == basis))
                    .collect();
                if places.is_empty() && !(basis == Basis::Kernel && view.partial.places.is_empty())
                {
                    continue;
                }
                let same = known
                    .iter()
                    .find(|(same, _)| *same == places)
                    .and_then(|(_, report)| reports.get(*report));
                let Body { regions, totals, unlabeled } =
                    same.map_or_else(|| view.body(&mut bench, basis, &places), Body::of);
                let selection = selection::of_places(&view, &selection, &places);
                known.push((places, reports.len()));
                reports.push(NCUProfileRegionReport {
                    scope: scope.clone(),
                    basis,
                    regions,
                    totals,
                    unlabeled,
                    selection,
                });
            }
        }
        let notes = notes::notes(&view, &selection, &reports);
        Outcome { reports, notes }
    }
}

impl<'v> View<'v> {
    fn key(&self, place: usize) -> Option<&'v PlaceKey> {
        self.partial.places.get_index(place).map(|(key, _)| key)
    }

    fn place(&self, place: usize) -> Option<&'v Place> {
        self.partial.places.get_index(place).map(|(_, place)| place)
    }

    fn gathered(&self, place: usize) -> Option<&'v Gathered> {
        self.place(place)?.gathered.as_deref()
    }

    fn body(&self, bench: &mut Bench, basis: Basis, places: &[usize]) -> Body {
        match basis {
            Basis::Kernel => self.kernel_body(bench, places),
            Basis::Range => self.range_body(bench, places),
        }
    }

    /// The selected results of all these places; nothing if there are none.
    fn union(
        &self,
        bench: &mut Bench,
        places: impl IntoIterator<Item = usize>,
    ) -> Option<Cow<'v, Gathered>> {
        let mut union: Option<Cow<'v, Gathered>> = None;
        for gathered in places.into_iter().filter_map(|place| self.gathered(place)) {
            match &mut union {
                Some(union) => union.to_mut().merge(&self.analysis.plans, bench, gathered),
                None => union = Some(Cow::Borrowed(gathered)),
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

/// By region: the first predicate that selected a result in it or below.
fn regions_by_predicate(partial: &Partial) -> Vec<Option<u32>> {
    let mut by_predicate: Vec<Option<u32>> = vec![None; partial.tree.len()];
    for (key, place) in &partial.places {
        let Some(&predicate) = place.predicates.first() else { continue };
        for region in key.regions.iter().flat_map(|region| partial.tree.and_above(*region)) {
            if let Some(known) = by_predicate.get_mut(region.0 as usize) {
                *known = Some(known.map_or(predicate, |known| known.min(predicate)));
            }
        }
    }
    by_predicate
}
