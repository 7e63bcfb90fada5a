//! The regions of a document over all of its scopes, and one region alone.
//!
//! Orders are those of the document, so that the same document always gives the same bytes.

use std::sync::Arc;

use indexmap::IndexMap;
use rangescope_model::document::{
    NCUProfileRegion, NCUProfileRegionReport, Note, NoteLevel, RegionDocument, Totals,
};
use rangescope_model::region::RegionRef;

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
        reports: found
            .iter()
            .map(|(report, region)| NCUProfileRegionReport {
                scope: report.scope.clone(),
                basis: report.basis,
                regions: vec![Arc::clone(region)],
                families: Vec::new(),
                totals: without_details(&report.totals),
                unlabeled: without_details(&report.unlabeled),
                selection: report.selection.clone(),
            })
            .collect(),
    }
}
