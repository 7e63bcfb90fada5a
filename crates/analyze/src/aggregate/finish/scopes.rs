//! The scopes of a run: one per process, one per device, and everything together.

use super::ReportContext;
use crate::aggregate::analysis::OTHER_PROCESSES;
use crate::aggregate::partial::BucketKey;
use rangescope_model::document::{Basis, Scope, ScopeKind};
use rangescope_model::launch::{DeviceId, ProcessInfo};
use rangescope_model::select::scopes::ScopeRequest;
use rustc_hash::FxHashMap;

/// The scopes that were asked for, each with its buckets: the aggregate, processes in order of first appearance, devices ascending.
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
    let is_missing =
        |request: &&ScopeRequest| !all.iter().any(|(scope, _)| asks_for(request, scope));
    let missing = context.analysis.scopes.iter().filter(is_missing);
    missing
        .filter_map(|request| match request {
            ScopeRequest::One(id) => Some(id.clone()),
            ScopeRequest::Rank(rank) => Some(format!("rank:{rank}")),
            ScopeRequest::EveryProcess | ScopeRequest::EveryDevice | ScopeRequest::Aggregate => {
                None
            }
        })
        .collect()
}

fn asks_for(request: &ScopeRequest, scope: &Scope) -> bool {
    match request {
        ScopeRequest::EveryProcess => scope.kind == ScopeKind::Process,
        ScopeRequest::EveryDevice => scope.kind == ScopeKind::Device,
        ScopeRequest::Aggregate => scope.kind == ScopeKind::Aggregate,
        ScopeRequest::Rank(rank) => scope.rank == Some(*rank),
        ScopeRequest::One(id) => {
            // `process:7` also names `process:7@host`, and `device:0` names `device:0@0000:3b:00`: what follows is only there to tell them apart.
            let rest = scope.id.strip_prefix(id.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('@'))
        }
    }
}

fn all_scopes(context: &ReportContext<'_>) -> Vec<(Scope, Vec<usize>)> {
    let mut scopes = Vec::new();
    if context.analysis.options.aggregate {
        let scope = blank("aggregate".to_owned(), ScopeKind::Aggregate);
        scopes.push((scope, all_buckets(context)));
    }
    scopes.extend(processes(context));
    scopes.extend(devices(context));
    scopes
}

/// The buckets of everything: those that are not brief, and what the brief ones add up to.
fn all_buckets(context: &ReportContext<'_>) -> Vec<usize> {
    let buckets = &context.partial.buckets;
    let is_whole = |(_, key): &(usize, &BucketKey)| !context.analysis.is_brief(key);
    let own = buckets.keys().enumerate().filter(is_whole).map(|(bucket, _)| bucket);
    let of_all = buckets.len()..buckets.len() + context.partial.whole.len();
    own.chain(of_all).collect()
}

/// The buckets of everything of one basis.
pub(super) fn everything(context: &ReportContext<'_>, basis: Basis) -> Vec<usize> {
    let mut buckets = all_buckets(context);
    buckets.retain(|bucket| context.key(*bucket).is_some_and(|key| key.basis == basis));
    buckets
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
    let mut are_others = Vec::new();
    let processes: Vec<(ProcessInfo, Vec<usize>)> = order
        .into_iter()
        .map(|(process, buckets)| {
            let info = context.analysis.process_info(process).cloned().unwrap_or_default();
            are_others.push(process == OTHER_PROCESSES);
            (info, buckets)
        })
        .collect();
    let infos = || processes.iter().map(|(info, _)| info);
    let mut hosts: Vec<&str> =
        infos().map(|info| info.host.as_str()).filter(|host| !host.is_empty()).collect();
    hosts.sort_unstable();
    hosts.dedup();
    let mut same_pid: FxHashMap<Option<u32>, usize> = FxHashMap::default();
    for info in infos() {
        *same_pid.entry(info.pid).or_default() += 1;
    }
    // A process without a host may have the number of one with a host; then the one that has a host names it.
    let needs_host = |info: &ProcessInfo| {
        hosts.len() > 1 || same_pid.get(&info.pid).is_some_and(|&count| count > 1)
    };
    let id = |(info, is_others): (&ProcessInfo, bool)| {
        if is_others { "process:others".to_owned() } else { process_id(info, needs_host(info)) }
    };
    let mut ids: Vec<String> = infos().zip(are_others).map(id).collect();
    let mut times: FxHashMap<String, usize> = FxHashMap::default();
    for id in &ids {
        *times.entry(id.clone()).or_default() += 1;
    }
    // Where host and number are the same, the rank tells processes apart.
    for (id, info) in ids.iter_mut().zip(infos()) {
        if let Some(rank) = info.rank.filter(|_| times.get(id).is_some_and(|&times| times > 1)) {
            id.extend(["@rank:", &rank.to_string()]);
        }
    }
    ids.into_iter()
        .zip(processes)
        .map(|(id, (info, buckets))| (process(id, info), buckets))
        .collect()
}

pub(crate) fn process_id(info: &ProcessInfo, with_host: bool) -> String {
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

/// One GPU as far as can be told: what the process calls it, where it is, and the host where that matters.
type Gpu<'h> = (Option<DeviceId>, &'h str);

/// The devices ascending, one scope for each GPU. Results that do not say where their GPU is stay together by its index, as there is nothing to tell them apart by.
fn devices(context: &ReportContext<'_>) -> Vec<(Scope, Vec<usize>)> {
    let host =
        |process: u32| context.analysis.process_info(process).map_or("", |info| info.host.as_str());
    let keys = || context.partial.buckets.keys();
    let located = |key: &BucketKey| key.device.is_some_and(|device| device.pci.is_some());
    let gpu = |key: &BucketKey| (key.device, if located(key) { host(key.process) } else { "" });
    let index = |gpu: &Gpu<'_>| gpu.0.map(|device| device.index);
    let several_hosts = {
        let mut hosts: Vec<&str> = keys().map(|key| host(key.process)).collect();
        hosts.sort_unstable();
        hosts.dedup();
        hosts.len() > 1
    };
    let mut buckets: Vec<(Gpu<'_>, usize)> =
        keys().enumerate().map(|(bucket, key)| (gpu(key), bucket)).collect();
    // An unknown device comes last.
    buckets.sort_unstable_by_key(|(gpu, bucket)| (gpu.0.is_none(), *gpu, *bucket));
    let mut scopes = Vec::new();
    for of_index in buckets.chunk_by(|left, right| index(&left.0) == index(&right.0)) {
        let first = of_index.first().and_then(|(gpu, _)| index(gpu));
        let name = first.map_or_else(|| "unknown".to_owned(), |index| index.to_string());
        let gpus = || of_index.chunk_by(|left, right| left.0 == right.0);
        let is_located = |gpu: &Gpu<'_>| gpu.0.is_some_and(|device| device.pci.is_some());
        let is_one = gpus().filter(|gpu| gpu.iter().all(|(gpu, _)| is_located(gpu))).count() < 2;
        let groups: Vec<&[(Gpu<'_>, usize)]> =
            if is_one { vec![of_index] } else { gpus().collect() };
        for group in groups {
            let (gpu, _) = group.first().copied().unwrap_or(((None, ""), 0));
            let place = gpu.0.and_then(|device| device.pci);
            let place = place.map_or_else(|| "unknown".to_owned(), |place| place.to_string());
            let id = match gpu.1 {
                _ if is_one => format!("device:{name}"),
                host if several_hosts && !host.is_empty() => {
                    format!("device:{name}@{place}@{host}")
                }
                _ => format!("device:{name}@{place}"),
            };
            let host = Some(gpu.1).filter(|host| !is_one && !host.is_empty()).map(str::to_owned);
            let scope = Scope { device: first, host, ..blank(id, ScopeKind::Device) };
            let mut buckets: Vec<usize> = group.iter().map(|(_, bucket)| *bucket).collect();
            buckets.sort_unstable();
            scopes.push((scope, buckets));
        }
    }
    scopes
}

/// Indices that stand for several GPUs.
pub(super) fn shared_indices(context: &ReportContext<'_>) -> Vec<u32> {
    let split = devices(context).into_iter().filter(|(scope, _)| scope.id.contains('@'));
    let mut indices: Vec<u32> = split.filter_map(|(scope, _)| scope.device).collect();
    indices.dedup();
    indices
}

fn blank(id: String, kind: ScopeKind) -> Scope {
    Scope { id, kind, process_id: None, process_name: None, host: None, rank: None, device: None }
}
