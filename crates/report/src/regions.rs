//! The regions of a document over all of its scopes, and one region alone.
//!
//! Orders are those of the document, so that the same document always gives the same bytes.

use std::borrow::Cow;

use indexmap::IndexMap;
use rangescope_model::document::{
    Note, NoteLevel, Region, RegionDocument, ResultSet, ScopeReport, SectionMetricSummary,
    SectionSummary,
};
use rangescope_model::region::RegionRef;

/// A region together with the report that holds it.
pub(crate) type Found<'a> = (&'a ScopeReport, &'a Region);

/// Each different region with every report it is in, in order of first appearance.
pub(crate) fn in_all_scopes(document: &RegionDocument) -> IndexMap<RegionRef<'_>, Vec<Found<'_>>> {
    let mut found: IndexMap<RegionRef<'_>, Vec<Found<'_>>> = IndexMap::new();
    for report in &document.reports {
        for region in &report.regions {
            found.entry(region.key()).or_default().push((report, region));
        }
    }
    found
}

/// The results of one kernel of a set that has no regions: its own numbers in the sections of the set, and what rules said of it.
pub(crate) fn of_kernel(totals: &ResultSet, at: usize) -> Option<Cow<'_, ResultSet>> {
    let kernel = totals.kernels.get(at)?;
    if totals.kernels.len() == 1 {
        return Some(Cow::Borrowed(totals));
    }
    let own = |metric: &SectionMetricSummary| {
        let summary = kernel.metrics.get(&metric.name)?.clone();
        Some(SectionMetricSummary { summary, ..metric.clone() })
    };
    let sections = totals.sections.iter().map(|section| SectionSummary {
        covered: kernel.calls,
        metrics: section.metrics.iter().filter_map(own).collect(),
        ..section.clone()
    });
    Some(Cow::Owned(ResultSet {
        total_ms: kernel.total_ms,
        kernel_count: kernel.calls,
        timed_count: if kernel.total_ms.is_some() { kernel.calls } else { 0 },
        metrics: kernel.metrics.clone(),
        sections: sections.filter(|section| !section.metrics.is_empty()).collect(),
        kernels: vec![kernel.clone()],
        rules: kernel.rules.clone(),
        causes: Vec::new(),
        limits: kernel.limits.clone(),
    }))
}

/// A document that holds one region in all its scopes.
///
/// The scopes' totals keep their time and counts; their metrics and kernels are left to the document of the whole run, because thousands of regions
/// would otherwise each carry a copy of them. A note says so.
pub(crate) fn only(document: &RegionDocument, found: &[Found<'_>]) -> RegionDocument {
    let without_details = |totals: &ResultSet| ResultSet {
        total_ms: totals.total_ms,
        kernel_count: totals.kernel_count,
        timed_count: totals.timed_count,
        ..ResultSet::default()
    };
    let mut notes = document.notes.clone();
    notes.push(Note {
        level: NoteLevel::Info,
        code: "one-region".to_owned(),
        message: "This document holds one region; metrics and kernels of the whole run are in the run's own report."
            .to_owned(),
    });
    RegionDocument {
        schema_version: document.schema_version.clone(),
        generated_at: document.generated_at.clone(),
        config_fingerprint: document.config_fingerprint.clone(),
        tool: document.tool.clone(),
        simulated: document.simulated,
        sources: document.sources.clone(),
        devices: document.devices.clone(),
        notes,
        ranks: None,
        reports: found
            .iter()
            .map(|(report, region)| ScopeReport {
                scope: report.scope.clone(),
                basis: report.basis,
                regions: vec![Region { parent: None, ..(*region).clone() }],
                families: Vec::new(),
                totals: without_details(&report.totals).into(),
                unlabeled: without_details(&report.unlabeled).into(),
                unplaced: report.unplaced,
                selection: report.selection.clone(),
            })
            .collect(),
    }
}
