//! The view that people get first: families in place of their members.
//!
//! A folded report is a report like any other, so whatever shows regions shows families. Nothing is computed here: what a family adds up to is in the
//! document, and the exact regions stay there.

use rangescope_model::document::{NCUProfileRegion, NCUProfileRegionReport, RegionDocument};
use rustc_hash::FxHashSet;
use std::borrow::Cow;
use std::sync::Arc;

/// The document with families folded; itself where there are none.
pub fn folded(document: &RegionDocument) -> Cow<'_, RegionDocument> {
    if document.reports.iter().all(|report| report.families.is_empty()) {
        return Cow::Borrowed(document);
    }
    let reports = document.reports.iter().map(folded_report).collect();
    Cow::Owned(RegionDocument { reports, ..document.clone() })
}

fn folded_report(report: &NCUProfileRegionReport) -> NCUProfileRegionReport {
    let members = |family: &NCUProfileRegion| family.family.clone().unwrap_or_default().members;
    let hidden: FxHashSet<u32> =
        report.families.iter().flat_map(|family| members(family)).collect();
    let single = (0..).zip(&report.regions).filter(|(position, _)| !hidden.contains(position));
    // A family stands where its first member stood.
    let families = report
        .families
        .iter()
        .filter_map(|family| Some((members(family).first().copied()?, family)));
    let mut rows: Vec<(u32, &Arc<NCUProfileRegion>)> = single.chain(families).collect();
    rows.sort_by_key(|(position, _)| *position);
    NCUProfileRegionReport {
        regions: rows.into_iter().map(|(_, region)| Arc::clone(region)).collect(),
        families: Vec::new(),
        ..report.clone()
    }
}
