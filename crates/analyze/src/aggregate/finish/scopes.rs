//! The scopes of a run: one per process, one per device, and everything together.

use super::ReportContext;
use rangescope_model::document::{Scope, ScopeKind};
use rangescope_model::launch::ProcessInfo;
use rangescope_model::select::scopes::ScopeRequest;
use rustc_hash::FxHashMap;

/// The scopes that were asked for, each with its buckets: processes in order of first appearance, devices ascending, the aggregate last.
pub(super) fn scopes(context: &ReportContext<'_>) -> Vec<(Scope, Vec<usize>)> {
    let mut wanted = all_scopes(context);
    let requests = &context.analysis.scopes;
    if !requests.is_empty() {
        wanted.retain(|(scope, _)| requests.iter().any(|request| asks_for(request, scope)));
    }
    wanted
}

/// The scopes that were asked for by name and are not in the run.
pub(super) fn not_seen(context: &ReportContext<'_>) -> Vec<String> {
    let all = all_scopes(context);
    let is_missing = |request: &&ScopeRequest| {
        matches!(request, ScopeRequest::One(_))
            && !all.iter().any(|(scope, _)| asks_for(request, scope))
    };
    let missing = context.analysis.scopes.iter().filter(is_missing);
    missing
        .filter_map(
            |request| if let ScopeRequest::One(id) = request { Some(id.clone()) } else { None },
        )
        .collect()
}

fn asks_for(request: &ScopeRequest, scope: &Scope) -> bool {
    match request {
        ScopeRequest::EveryProcess => scope.kind == ScopeKind::Process,
        ScopeRequest::EveryDevice => scope.kind == ScopeKind::Device,
        ScopeRequest::Aggregate => scope.kind == ScopeKind::Aggregate,
        ScopeRequest::One(id) => {
            // `process:7` also names `process:7@host`: the host is only there to tell processes apart.
            let without_host =
                scope.id.split_once('@').map_or(scope.id.as_str(), |(process, _)| process);
            *id == scope.id || (scope.kind == ScopeKind::Process && id == without_host)
        }
    }
}

fn all_scopes(context: &ReportContext<'_>) -> Vec<(Scope, Vec<usize>)> {
    let mut scopes = processes(context);
    scopes.extend(devices(context));
    if context.analysis.options.aggregate {
        let scope = blank("aggregate".to_owned(), ScopeKind::Aggregate);
        scopes.push((scope, (0..context.partial.buckets.len()).collect()));
    }
    scopes
}

fn processes(context: &ReportContext<'_>) -> Vec<(Scope, Vec<usize>)> {
    let mut order: Vec<(u32, Vec<usize>)> = Vec::new();
    let mut positions: FxHashMap<u32, usize> = FxHashMap::default();
    for (bucket, key) in context.partial.buckets.keys().enumerate() {
        let position = *positions.entry(key.process).or_insert_with(|| {
            order.push((key.process, Vec::new()));
            order.len() - 1
        });
        if let Some((_, buckets)) = order.get_mut(position) {
            buckets.push(bucket);
        }
    }
    let processes: Vec<(ProcessInfo, Vec<usize>)> = order
        .into_iter()
        .map(|(process, buckets)| {
            (context.analysis.process_info(process).cloned().unwrap_or_default(), buckets)
        })
        .collect();
    let infos = || processes.iter().map(|(info, _)| info);
    let mut hosts: Vec<&str> =
        infos().map(|info| info.host.as_str()).filter(|host| !host.is_empty()).collect();
    hosts.sort_unstable();
    hosts.dedup();
    // A process without a host may have the number of one with a host; then the one that has a host names it.
    let needs_host = |info: &ProcessInfo| {
        hosts.len() > 1 || infos().filter(|other| other.pid == info.pid).count() > 1
    };
    let ids: Vec<String> = infos().map(|info| process_id(info, needs_host(info))).collect();
    ids.into_iter()
        .zip(processes)
        .map(|(id, (info, buckets))| (process(id, info), buckets))
        .collect()
}

fn process_id(info: &ProcessInfo, with_host: bool) -> String {
    let pid = info.pid.map_or_else(|| "unknown".to_owned(), |pid| pid.to_string());
    if with_host && !info.host.is_empty() {
        format!("process:{pid}@{}", info.host)
    } else {
        format!("process:{pid}")
    }
}

fn process(id: String, info: ProcessInfo) -> Scope {
    let some = |text: String| Some(text).filter(|text| !text.is_empty());
    Scope {
        process_id: info.pid,
        process_name: some(info.name),
        host: some(info.host),
        rank: info.rank,
        ..blank(id, ScopeKind::Process)
    }
}

fn devices(context: &ReportContext<'_>) -> Vec<(Scope, Vec<usize>)> {
    let mut buckets: Vec<(Option<u32>, usize)> = context
        .partial
        .buckets
        .keys()
        .enumerate()
        .map(|(bucket, key)| (key.device, bucket))
        .collect();
    // An unknown device comes last.
    buckets.sort_unstable_by_key(|(device, bucket)| (device.is_none(), *device, *bucket));
    let of_device = |group: &[(Option<u32>, usize)]| {
        let device = group.first().and_then(|(device, _)| *device);
        let id =
            device.map_or_else(|| "device:unknown".to_owned(), |device| format!("device:{device}"));
        (
            Scope { device, ..blank(id, ScopeKind::Device) },
            group.iter().map(|(_, bucket)| *bucket).collect(),
        )
    };
    buckets.chunk_by(|left, right| left.0 == right.0).map(of_device).collect()
}

fn blank(id: String, kind: ScopeKind) -> Scope {
    Scope { id, kind, process_id: None, process_name: None, host: None, rank: None, device: None }
}
