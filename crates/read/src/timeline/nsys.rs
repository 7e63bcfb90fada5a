//! The timeline of an export of Nsight Systems.

use indexmap::IndexSet;
use rangescope_model::launch::ProcessInfo;
use rangescope_model::region::{RangeKind, RegionKey};
use rangescope_model::timeline::{KernelName, Timeline, What};
use rustc_hash::FxHashMap;

use super::tracks::Tracks;
use crate::nsys::{GlobalProcess, NsysError, RegionId, StartEndScope, Trace};
use crate::rank_beside::rank_beside;

pub(super) fn timeline(trace: &Trace) -> Result<Timeline, NsysError> {
    let mut timeline = Timeline { notes: trace.notes().to_vec(), ..Timeline::default() };
    let mut processes: IndexSet<Option<GlobalProcess>> = IndexSet::new();
    let mut regions: FxHashMap<RegionId, usize> = FxHashMap::default();
    let mut kernels: IndexSet<KernelName> = IndexSet::new();
    let mut tracks = Tracks::default();
    let mut region = |id: RegionId, known: &mut Vec<RegionKey>| {
        *regions.entry(id).or_insert_with(|| {
            known.extend(trace.region(id));
            known.len() - 1
        })
    };
    for range in trace.ranges() {
        let process = processes.insert_full(Some(range.thread.process())).0;
        let number = region(range.region, &mut timeline.regions);
        let domain = trace.name(range.domain);
        let (name, nests) = match range.kind {
            RangeKind::PushPop => (format!("thread {}, {domain}", range.thread.tid()), true),
            RangeKind::StartEnd => (format!("start/end ranges, {domain}"), false),
        };
        let times = (time(range.start), time(range.end));
        tracks.add((process, name), times, nests, What::Range { region: number });
    }
    let attribution = trace.attribute(StartEndScope::Process)?;
    for (at, kernel) in trace.kernels().iter().enumerate() {
        let process = processes.insert_full(kernel.process).0;
        let name = KernelName {
            demangled: trace.name(kernel.name).to_owned(),
            function: trace.name(kernel.base_name).to_owned(),
        };
        let innermost = attribution.regions(attribution.place(at)).iter();
        let within = innermost.map(|id| region(*id, &mut timeline.regions)).collect();
        let within = kernel.call.is_some().then_some(within);
        let device = kernel.device;
        let what = What::Kernel { kernel: kernels.insert_full(name).0, device, within };
        let track = device.map_or_else(|| "GPU".to_owned(), |device| format!("GPU {device}"));
        tracks.add((process, track), (time(kernel.start), time(kernel.end)), false, what);
    }
    timeline.kernels = kernels.into_iter().collect();
    let beside = rank_beside(&trace.source.path);
    // Of several processes, as where nsys was around the launcher, the export does not tell which has the rank. Whoever started nsys in a rank knows that all of them have.
    let told = trace.origin.rank.filter(|_| processes.iter().flatten().count() == 1);
    let rank = beside.as_ref().map(|beside| beside.rank).or(told);
    let host = Some(&trace.origin.host).filter(|host| !host.is_empty());
    let host = host.or(beside.as_ref().map(|beside| &beside.host)).cloned().unwrap_or_default();
    timeline.processes = processes
        .iter()
        .map(|process| ProcessInfo {
            pid: process.and_then(|process| u32::try_from(process.pid()).ok()),
            host: host.clone(),
            rank: rank.filter(|_| process.is_some()),
            ..ProcessInfo::default()
        })
        .collect();
    tracks.into_timeline(&mut timeline);
    Ok(timeline)
}

fn time(ns: i64) -> u64 {
    u64::try_from(ns).unwrap_or(0)
}
