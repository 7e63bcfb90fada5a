//! Ranks of one run as if each were a run of its own, so that two of them, or two sets, can be compared like runs.

use rangescope_model::document::{RegionDocument, Scope, ScopeKind};
use rangescope_model::select::SelectError;
use rangescope_model::select::ranks::RankSelection;

/// A document for each selected rank, with its name, made from the reports of processes. Processes of one rank cannot be put together here.
pub fn of_ranks(
    document: &RegionDocument,
    ranks: &RankSelection,
) -> Result<Vec<(u32, String, RegionDocument)>, SelectError> {
    let scopes = document.reports.iter().map(|report| &report.scope);
    let mut known: Vec<(u32, &Scope)> = scopes
        .filter(|scope| scope.kind == ScopeKind::Process)
        .filter_map(|scope| Some((scope.rank?, scope)))
        .collect();
    known.sort_by_key(|(rank, scope)| (*rank, &scope.id));
    known.dedup_by(|right, left| left.1 == right.1);
    let host = |scope: &Scope| scope.host.clone().unwrap_or_default();
    let with_hosts: Vec<(u32, String)> =
        known.iter().map(|(rank, scope)| (*rank, host(scope))).collect();
    let with_hosts: Vec<(u32, &str)> =
        with_hosts.iter().map(|(rank, host)| (*rank, host.as_str())).collect();
    let mut found = Vec::new();
    for rank in ranks.among(&with_hosts)? {
        let scopes: Vec<&Scope> =
            known.iter().filter(|(known, _)| *known == rank).map(|(_, scope)| *scope).collect();
        let [scope] = scopes.as_slice() else {
            return Err(SelectError::RankProcesses { rank, processes: scopes.len() });
        };
        let mut one = RegionDocument { reports: Vec::new(), ranks: None, ..document.clone() };
        for report in document.reports.iter().filter(|report| report.scope == **scope) {
            let mut report = report.clone();
            report.scope.kind = ScopeKind::Aggregate;
            "aggregate".clone_into(&mut report.scope.id);
            one.reports.push(report);
        }
        let name = match &scope.host {
            Some(host) => format!("rank {rank} ({host})"),
            None => format!("rank {rank}"),
        };
        found.push((rank, name, one));
    }
    Ok(found)
}
