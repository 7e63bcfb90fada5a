//! Tracks on which no two spans cross: what overlaps without lying inside goes to a further track.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use indexmap::IndexMap;
use rangescope_model::timeline::{Span, Timeline, Track, What};

/// Who a span belongs to: the process and the name of a track.
pub(super) type Owner = (usize, String);

/// Spans before they have tracks.
#[derive(Default)]
pub(super) struct Tracks {
    owners: IndexMap<Owner, Vec<Placed>>,
}

struct Placed {
    start: u64,
    end: u64,
    /// It lies inside of the spans around it on its track, as ranges of one stack do.
    nests: bool,
    what: What,
}

impl Tracks {
    pub(super) fn add(&mut self, owner: Owner, times: (u64, u64), nests: bool, what: What) {
        let (start, end) = times;
        let placed = Placed { start, end: end.max(start), nests, what };
        self.owners.entry(owner).or_default().push(placed);
    }

    /// Gives all spans tracks, those of one process together.
    pub(super) fn into_timeline(self, timeline: &mut Timeline) {
        let mut owners: Vec<(Owner, Vec<Placed>)> = self.owners.into_iter().collect();
        owners.sort_by_key(|((process, _), _)| *process);
        for ((process, name), mut spans) in owners {
            spans.sort_by_key(|span| (span.start, Reverse(span.end)));
            let mut lanes = BTreeMap::new();
            // By lane: when its last span ends.
            let mut free: BinaryHeap<Reverse<(u64, usize)>> = BinaryHeap::new();
            for span in spans {
                let lane = match free.peek() {
                    _ if span.nests => 0,
                    Some(Reverse((end, _))) if *end <= span.start => {
                        free.pop().map_or(0, |Reverse((_, lane))| lane)
                    }
                    _ => free.len(),
                };
                if !span.nests {
                    free.push(Reverse((span.end, lane)));
                }
                lanes.entry(lane).or_insert_with(Vec::new).push(span);
            }
            for (lane, spans) in lanes {
                let track = timeline.tracks.len();
                let number = if lane == 0 { String::new() } else { format!(" ({})", lane + 1) };
                timeline.tracks.push(Track { process, name: format!("{name}{number}") });
                timeline.spans.extend(spans.into_iter().map(|span| Span {
                    track,
                    start_ns: span.start,
                    end_ns: span.end,
                    what: span.what,
                }));
            }
        }
    }
}
