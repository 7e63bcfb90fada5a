//! One walk over the events of a process: how often and how long each region was open, and which were open together.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use rangescope_model::region::RangeKind;
use rangescope_recorder::format::SIMULATOR_DOMAIN;
use rustc_hash::{FxBuildHasher, FxHashSet};

use super::table::Table;
use crate::recording::process::{Action, Process, Stored};

/// Pairs of regions that are kept at most; ordinary programs have a few dozen.
const MOST_PAIRS: usize = 1_000_000;

#[derive(Debug)]
pub(super) struct Tally {
    /// By the number of the region, in order of first appearance.
    pub(super) regions: IndexMap<usize, RegionTally, FxBuildHasher>,
    /// Smaller number first.
    pub(super) pairs: FxHashSet<(usize, usize)>,
    pub(super) pairs_complete: bool,
    pub(super) marks: u64,
    pub(super) launches: u64,
    pub(super) pops_without_push: u64,
    pub(super) ends_without_start: u64,
    pub(super) too_deep: u64,
}

#[derive(Clone, Debug, Default)]
pub(super) struct RegionTally {
    pub(super) never_closed: u64,
    /// Of every instance, in nanoseconds.
    pub(super) durations: Vec<u64>,
    pub(super) exclusive: u128,
    pub(super) threads: u64,
    pub(super) processes: u64,
    pub(super) most_open: u64,
    open: u64,
    /// Position in the list of open regions while it is in it.
    open_at: usize,
    first_thread: Option<u32>,
}

impl Default for Tally {
    fn default() -> Self {
        Self {
            regions: IndexMap::default(),
            pairs: FxHashSet::default(),
            pairs_complete: true,
            marks: 0,
            launches: 0,
            pops_without_push: 0,
            ends_without_start: 0,
            too_deep: 0,
        }
    }
}

impl Tally {
    pub(super) fn sum(tallies: &[Self]) -> Self {
        let mut sum = Self::default();
        for tally in tallies {
            sum.merge(tally);
        }
        sum
    }

    fn merge(&mut self, other: &Self) {
        for (region, theirs) in &other.regions {
            let ours = self.regions.entry(*region).or_default();
            ours.never_closed += theirs.never_closed;
            ours.durations.extend(&theirs.durations);
            ours.exclusive += theirs.exclusive;
            ours.threads += theirs.threads;
            ours.processes += theirs.processes;
            ours.most_open = ours.most_open.max(theirs.most_open);
        }
        self.pairs.extend(&other.pairs);
        self.pairs_complete &= other.pairs_complete;
        self.marks += other.marks;
        self.launches += other.launches;
        self.pops_without_push += other.pops_without_push;
        self.ends_without_start += other.ends_without_start;
        self.too_deep += other.too_deep;
    }
}

/// When a process ended, as far as is known.
pub(super) fn end_of(process: &Process) -> u64 {
    process.ended_ns.unwrap_or_default().max(process.last_ns())
}

pub(super) fn process(process: &Process, table: &mut Table) -> Tally {
    let mut number = |name: &str| table.name(name);
    let domains = process.domains.iter().map(|name| number(name)).collect();
    let names = process.names.iter().map(|name| number(name)).collect();
    let mut walk = Walk {
        process,
        domains,
        names,
        table,
        tally: Tally::default(),
        stacks: BTreeMap::new(),
        start_end: BTreeMap::new(),
        open: Vec::new(),
        threads: FxHashSet::default(),
    };
    for event in &process.events {
        walk.event(event);
    }
    walk.finish(end_of(process));
    walk.tally
}

struct Walk<'w> {
    process: &'w Process,
    /// The table's numbers of the process's domains and names.
    domains: Vec<usize>,
    names: Vec<usize>,
    table: &'w mut Table,
    tally: Tally,
    stacks: BTreeMap<(u32, u32), Vec<Open>>,
    /// By id.
    start_end: BTreeMap<u64, Open>,
    /// Regions that are open on any thread, as positions in the tally.
    open: Vec<usize>,
    /// Regions with the threads that opened them, without the first of each.
    threads: FxHashSet<(usize, u32)>,
}

#[derive(Clone, Copy, Debug)]
struct Open {
    /// Nothing if it is too deep for a region of its own.
    region: Option<usize>,
    /// Position of the region in the tally.
    at: usize,
    since: u64,
    /// Time that was spent in regions inside of it.
    inside: u64,
}

impl Walk<'_> {
    fn event(&mut self, event: &Stored) {
        let place = (event.thread, event.domain);
        let time = event.time;
        match event.action {
            Action::Push => {
                let above = self.stacks.get(&place).and_then(|stack| stack.last()).copied();
                let region = match above {
                    Some(Open { region: None, .. }) => None,
                    above => {
                        self.region(above.and_then(|above| above.region), event, RangeKind::PushPop)
                    }
                };
                let open = self.opened(region, event);
                self.stacks.entry(place).or_default().push(open);
            }
            Action::Pop => match self.stacks.get_mut(&place).and_then(Vec::pop) {
                Some(open) => self.popped(place, open, time, false),
                None => self.tally.pops_without_push += 1,
            },
            Action::Start => {
                let region = self.region(None, event, RangeKind::StartEnd);
                let open = self.opened(region, event);
                let before = self.start_end.insert(event.id, open);
                // Ids are never given twice, but a damaged file may say so.
                if let Some(before) = before {
                    self.closed(before, time, true);
                }
            }
            Action::End => match self.start_end.remove(&event.id) {
                Some(open) => self.closed(open, time, false),
                None => self.tally.ends_without_start += 1,
            },
            Action::Mark if self.domain(event) == SIMULATOR_DOMAIN => self.tally.launches += 1,
            Action::Mark => self.tally.marks += 1,
        }
    }

    fn domain(&self, event: &Stored) -> &str {
        self.process.domains.get(event.domain as usize).map_or("", String::as_str)
    }

    fn region(&mut self, above: Option<usize>, event: &Stored, kind: RangeKind) -> Option<usize> {
        let domain = *self.domains.get(event.domain as usize)?;
        self.table.region(above, domain, kind, *self.names.get(event.name as usize)?)
    }

    fn opened(&mut self, region: Option<usize>, event: &Stored) -> Open {
        let mut at = 0;
        match region {
            Some(region) => at = self.count_open(region, event.thread),
            None => self.tally.too_deep += 1,
        }
        Open { region, at, since: event.time, inside: 0 }
    }

    /// Counts a region as open once more, and gives its position in the tally.
    fn count_open(&mut self, region: usize, thread: u32) -> usize {
        let entry = self.tally.regions.entry(region);
        let at = entry.index();
        let tally = entry.or_default();
        tally.open += 1;
        tally.most_open = tally.most_open.max(tally.open);
        tally.processes = 1;
        let first = *tally.first_thread.get_or_insert(thread);
        if tally.threads == 0 || (first != thread && self.threads.insert((region, thread))) {
            tally.threads += 1;
        }
        if tally.open > 1 {
            return at;
        }
        tally.open_at = self.open.len();
        for other in &self.open {
            if self.tally.pairs.len() >= MOST_PAIRS {
                self.tally.pairs_complete = false;
                break;
            }
            let other = self.tally.regions.get_index(*other).map_or(region, |(other, _)| *other);
            self.tally.pairs.insert((region.min(other), region.max(other)));
        }
        self.open.push(at);
        at
    }

    /// A range of a stack was closed: its time is not its parent's own.
    fn popped(&mut self, place: (u32, u32), open: Open, time: u64, never: bool) {
        let parent = self.stacks.get_mut(&place).and_then(|stack| stack.last_mut());
        if let (Some(parent), Some(_)) = (parent, open.region) {
            parent.inside += time.saturating_sub(open.since);
        }
        self.closed(open, time, never);
    }

    fn closed(&mut self, open: Open, time: u64, never: bool) {
        let counted = open.region.and_then(|_| self.tally.regions.get_index_mut(open.at));
        let Some((_, tally)) = counted else { return };
        let duration = time.saturating_sub(open.since);
        tally.durations.push(duration);
        tally.exclusive += u128::from(duration.saturating_sub(open.inside));
        tally.never_closed += u64::from(never);
        tally.open = tally.open.saturating_sub(1);
        let place = tally.open_at;
        if tally.open == 0 && place < self.open.len() {
            self.open.swap_remove(place);
            let moved = self.open.get(place).and_then(|at| self.tally.regions.get_index_mut(*at));
            if let Some((_, moved)) = moved {
                moved.open_at = place;
            }
        }
    }

    fn finish(&mut self, end: u64) {
        let places: Vec<_> = self.stacks.keys().copied().collect();
        for place in places {
            while let Some(open) = self.stacks.get_mut(&place).and_then(Vec::pop) {
                self.popped(place, open, end, true);
            }
        }
        for open in std::mem::take(&mut self.start_end).into_values() {
            self.closed(open, end, true);
        }
    }
}
