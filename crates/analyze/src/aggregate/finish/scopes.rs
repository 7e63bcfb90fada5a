//! The scopes of a run: one per process, one per device, and everything together.

use super::View;
use rangescope_model::document::{Scope, ScopeKind};
use rangescope_model::launch::ProcessInfo;
use rangescope_model::select::scopes::ScopeRequest;
use rustc_hash::FxHashMap;

/// The scopes that were asked for, each with its places: processes in order of first appearance, devices ascending, the aggregate last.
pub(super) fn scopes(view: &View<'_>) -> Vec<(Scope, Vec<usize>)> {
    let mut wanted = all_scopes(view);
    let requests = &view.analysis.scopes;
    if !requests.is_empty() {
        wanted.retain(|(scope, _)| requests.iter().any(|request| asks_for(request, scope)));
    }
    wanted
}

/// The scopes that were asked for by name and are not in the run.
pub(super) fn not_seen(view: &View<'_>) -> Vec<String> {
    let all = all_scopes(view);
    let is_missing = |request: &&ScopeRequest| {
        matches!(request, ScopeRequest::One(_))
            && !all.iter().any(|(scope, _)| asks_for(request, scope))
    };
    let missing = view.analysis.scopes.iter().filter(is_missing);
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

fn all_scopes(view: &View<'_>) -> Vec<(Scope, Vec<usize>)> {
    let mut scopes = processes(view);
    scopes.extend(devices(view));
    if view.analysis.options.aggregate {
        let scope = blank("aggregate".to_owned(), ScopeKind::Aggregate);
        scopes.push((scope, (0..view.partial.places.len()).collect()));
    }
    scopes
}

fn processes(view: &View<'_>) -> Vec<(Scope, Vec<usize>)> {
    let mut order: Vec<(u32, Vec<usize>)> = Vec::new();
    let mut positions: FxHashMap<u32, usize> = FxHashMap::default();
    for (place, key) in view.partial.places.keys().enumerate() {
        let position = *positions.entry(key.process).or_insert_with(|| {
            order.push((key.process, Vec::new()));
            order.len() - 1
        });
        if let Some((_, places)) = order.get_mut(position) {
            places.push(place);
        }
    }
    let processes: Vec<(ProcessInfo, Vec<usize>)> = order
        .into_iter()
        .map(|(process, places)| {
            (view.analysis.process_info(process).cloned().unwrap_or_default(), places)
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
    ids.into_iter().zip(processes).map(|(id, (info, places))| (process(id, info), places)).collect()
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

fn devices(view: &View<'_>) -> Vec<(Scope, Vec<usize>)> {
    let mut places: Vec<(Option<u32>, usize)> =
        view.partial.places.keys().enumerate().map(|(place, key)| (key.device, place)).collect();
    // An unknown device comes last.
    places.sort_unstable_by_key(|(device, place)| (device.is_none(), *device, *place));
    let of_device = |group: &[(Option<u32>, usize)]| {
        let device = group.first().and_then(|(device, _)| *device);
        let id =
            device.map_or_else(|| "device:unknown".to_owned(), |device| format!("device:{device}"));
        (
            Scope { device, ..blank(id, ScopeKind::Device) },
            group.iter().map(|(_, place)| *place).collect(),
        )
    };
    places.chunk_by(|left, right| left.0 == right.0).map(of_device).collect()
}

fn blank(id: String, kind: ScopeKind) -> Scope {
    Scope { id, kind, process_id: None, process_name: None, host: None, rank: None, device: None }
}
