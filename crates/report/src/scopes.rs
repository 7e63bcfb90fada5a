//! Which reports of a document a format shows.

use indexmap::IndexSet;
use rangescope_model::document::{RegionDocument, ScopeKind, ScopeReport};

/// The reports that answer for the whole run: the aggregate if there is one, else each scope.
///
/// There can be two aggregates, because kernel results and range results are never mixed.
pub(crate) fn main_reports(document: &RegionDocument) -> Vec<&ScopeReport> {
    let aggregates: Vec<_> = document
        .reports
        .iter()
        .filter(|report| report.scope.kind == ScopeKind::Aggregate)
        .collect();
    if aggregates.is_empty() { document.reports.iter().collect() } else { aggregates }
}

/// The reports of single processes and devices, where there is more to see in them than in the aggregate: more than one process or more than one device.
pub(crate) fn scope_reports(document: &RegionDocument) -> Vec<&ScopeReport> {
    let mut scopes = Vec::new();
    for kind in [ScopeKind::Process, ScopeKind::Device] {
        let of_kind = || document.reports.iter().filter(move |report| report.scope.kind == kind);
        let different: IndexSet<&str> = of_kind().map(|report| report.scope.id.as_str()).collect();
        if different.len() > 1 {
            scopes.extend(of_kind());
        }
    }
    scopes
}
