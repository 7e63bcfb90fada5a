//! The regions of a document over all of its scopes, and one region alone.
//!
//! Orders are those of the document, so that the same document always gives the same bytes.

use std::sync::Arc;

use indexmap::IndexMap;
use rangescope_model::document::{
    NCUProfileRegion, NCUProfileRegionReport, Note, NoteLevel, RegionDocument, RegionSelection,
    RuleSummary, SectionMetricSummary, SectionSummary, Totals,
};
use rangescope_model::region::{RangeKind, RegionRef};

/// A region together with the report that holds it.
pub(crate) type Found<'a> = (&'a NCUProfileRegionReport, &'a Arc<NCUProfileRegion>);

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

/// A set of results that is no region, to be shown as one.
pub(crate) fn of_totals(name: &str, totals: &Totals, share: Option<f64>) -> NCUProfileRegion {
    let Totals {
        total_ms,
        kernel_count,
        timed_count,
        metrics,
        sections,
        kernels,
        rules,
        causes,
        limits,
    } = totals.clone();
    NCUProfileRegion {
        name: name.to_owned(),
        path: Vec::new(),
        parent: None,
        depth: 0,
        kind: RangeKind::PushPop,
        domain: String::new(),
        process_id: None,
        device: None,
        total_ms,
        exclusive_ms: total_ms,
        share,
        kernel_count,
        exclusive_kernel_count: kernel_count,
        timed_count,
        metrics,
        exclusive_metrics: None,
        sections,
        kernels,
        rules,
        causes,
        limits,
        family: None,
        selection: RegionSelection::default(),
    }
}

/// One kernel of a set that has no regions, to be shown as one: its own numbers in the sections of the set, and the rules that concern it.
pub(crate) fn of_kernel(totals: &Totals, at: usize) -> Option<NCUProfileRegion> {
    let kernel = totals.kernels.get(at)?;
    let region = |totals: &Totals| of_totals(&kernel.kernel_name, totals, kernel.share);
    if totals.kernels.len() == 1 {
        return Some(region(totals));
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
    let concerns = |rule: &&RuleSummary| rule.kernels.iter().any(|place| *place as usize == at);
    let mut rules: Vec<RuleSummary> = totals.rules.iter().filter(concerns).cloned().collect();
    // A message that was made for this kernel says more about it than one of another.
    rules.sort_by_key(|rule| rule.kernel_name != kernel.kernel_name);
    let has_duration = kernel.total_ms.is_some();
    Some(region(&Totals {
        total_ms: kernel.total_ms,
        kernel_count: kernel.calls,
        timed_count: if has_duration { kernel.calls } else { 0 },
        metrics: kernel.metrics.clone(),
        sections: sections.filter(|section| !section.metrics.is_empty()).collect(),
        kernels: vec![kernel.clone()],
        rules,
        causes: Vec::new(),
        limits: kernel.limits.clone(),
    }))
}

/// A document that holds one region in all its scopes.
///
/// The scopes' totals keep their time and counts; their metrics and kernels are left to the document of the whole run, because thousands of regions
/// would otherwise each carry a copy of them. A note says so.
pub(crate) fn only(document: &RegionDocument, found: &[Found<'_>]) -> RegionDocument {
    let without_details = |totals: &Totals| Totals {
        total_ms: totals.total_ms,
        kernel_count: totals.kernel_count,
        timed_count: totals.timed_count,
        ..Totals::default()
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
            .map(|(report, region)| NCUProfileRegionReport {
                scope: report.scope.clone(),
                basis: report.basis,
                regions: vec![Arc::clone(region)],
                families: Vec::new(),
                totals: without_details(&report.totals).into(),
                unlabeled: without_details(&report.unlabeled).into(),
                unplaced: report.unplaced,
                selection: report.selection.clone(),
            })
            .collect(),
    }
}
