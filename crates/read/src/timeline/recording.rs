//! The timeline of a recording. Times of all processes are those of the clock on the wall, which hosts share.

use indexmap::IndexSet;
use rangescope_model::launch::ProcessInfo;
use rangescope_model::region::{RangeKind, RegionKey};
use rangescope_model::timeline::{Timeline, What};

use super::tracks::Tracks;
use crate::recording::{OpenRange, Process, Recording, State};

pub(super) fn timeline(recording: &Recording) -> Timeline {
    let notes = recording.notes.iter().map(|note| note.message.clone()).collect();
    let mut timeline = Timeline { notes, ..Timeline::default() };
    let mut regions: IndexSet<RegionKey> = IndexSet::new();
    let mut tracks = Tracks::default();
    for (number, process) in recording.processes.iter().enumerate() {
        timeline.processes.push(ProcessInfo {
            pid: Some(process.pid),
            host: process.host.clone(),
            name: process.name().to_owned(),
            rank: process.rank(),
        });
        let mut ranges = Ranges { process, number, regions: &mut regions, tracks: &mut tracks };
        let mut left = process.event_count();
        process.sweep(|event, state| {
            left -= 1;
            if let Some(closed) = state.closed() {
                let around = state.stack(closed.thread, closed.domain);
                ranges.add(closed, around, event.time_ns);
            }
            if left == 0 {
                ranges.never_closed(state);
            }
        });
    }
    timeline.regions = regions.into_iter().collect();
    tracks.into_timeline(&mut timeline);
    timeline
}

struct Ranges<'r, 'p> {
    process: &'p Process,
    number: usize,
    regions: &'r mut IndexSet<RegionKey>,
    tracks: &'r mut Tracks,
}

impl<'p> Ranges<'_, 'p> {
    fn add(&mut self, range: &OpenRange<'p>, around: &[OpenRange<'p>], end: u64) {
        let domain = self.process.domains.get(range.domain).cloned().unwrap_or_default();
        let own = range.name.to_owned();
        let (kind, path, track) = if range.id.is_some() {
            (RangeKind::StartEnd, vec![own], format!("start/end ranges, {domain}"))
        } else {
            let names = around.iter().map(|around| around.name.to_owned());
            let tid = self.process.threads.get(range.thread).map_or(0, |thread| thread.tid);
            let track = format!("thread {tid}, {domain}");
            (RangeKind::PushPop, names.chain([own]).collect(), track)
        };
        let region = self.regions.insert_full(RegionKey { domain, kind, path }).0;
        let began = self.process.began;
        let wall = i128::from(began.realtime_ns) + i128::from(range.since_ns)
            - i128::from(began.monotonic_ns);
        // What a file claims of its clocks changes no length.
        let start = u64::try_from(wall.max(0)).unwrap_or(u64::MAX);
        let times = (start, start.saturating_add(end.saturating_sub(range.since_ns)));
        let nests = kind == RangeKind::PushPop;
        self.tracks.add((self.number, track), times, nests, What::Range { region });
    }

    /// Such a range lasts until its process ends.
    fn never_closed(&mut self, state: &State<'p>) {
        let end = self.process.ended_ns.unwrap_or_else(|| self.process.last_ns());
        for thread in 0..self.process.threads.len() {
            for domain in 0..self.process.domains.len() {
                let stack = state.stack(thread, domain);
                for (depth, range) in stack.iter().enumerate() {
                    self.add(range, stack.get(..depth).unwrap_or_default(), end);
                }
            }
        }
        for range in state.start_end() {
            self.add(range, &[], end);
        }
    }
}
