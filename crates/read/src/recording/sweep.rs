//! The ranges that are open at each event of a process.
//!
//! A push/pop range belongs to the thread and domain that pushed it; a start/end range belongs to the process and may end on another thread.

use std::collections::BTreeMap;

use rangescope_model::launch::OpenRanges;

use crate::recording::process::{Action, Attributes, Event, Process};

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OpenRange<'p> {
    pub name: &'p str,
    /// When it was opened, by the monotonic clock.
    pub since_ns: u64,
    /// The thread that opened it, as an index into [`Process::threads`].
    pub thread: usize,
    /// Its domain, as an index into [`Process::domains`].
    pub domain: usize,
    /// The id of a start/end range.
    pub id: Option<u64>,
    /// Its attributes, if any were given.
    pub attributes: Option<&'p Attributes>,
}

/// The open ranges of one domain.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OpenDomain<'p> {
    pub domain: &'p str,
    /// The stack of the thread, outermost first.
    pub push_pop: Vec<OpenRange<'p>>,
    /// The start/end ranges of the process, in order of their ids.
    pub start_end: Vec<OpenRange<'p>>,
}

#[derive(Debug)]
pub struct State<'p> {
    process: &'p Process,
    stacks: BTreeMap<(usize, usize), Vec<OpenRange<'p>>>,
    start_end: BTreeMap<u64, OpenRange<'p>>,
    closed: Option<OpenRange<'p>>,
}

impl Process {
    /// Walks the events in order of time. The state is that after the event: a range that it opens is open, one that it closes is not.
    pub fn sweep<'p>(&'p self, mut visit: impl FnMut(&Event<'p>, &State<'p>)) {
        let mut state = State {
            process: self,
            stacks: BTreeMap::new(),
            start_end: BTreeMap::new(),
            closed: None,
        };
        for event in self.events() {
            state.apply(&event);
            visit(&event, &state);
        }
    }
}

impl<'p> State<'p> {
    /// The range that the event closed; nothing for other events, and for an end that has no beginning.
    pub fn closed(&self) -> Option<&OpenRange<'p>> {
        self.closed.as_ref()
    }

    /// The stack of a thread and domain, outermost first.
    pub fn stack(&self, thread: usize, domain: usize) -> &[OpenRange<'p>] {
        self.stacks.get(&(thread, domain)).map_or(&[], Vec::as_slice)
    }

    /// The open start/end ranges of the process in order of their ids.
    pub fn start_end(&self) -> impl Iterator<Item = &OpenRange<'p>> {
        self.start_end.values()
    }

    /// The domains in which something is open for a thread, in order of [`Process::domains`].
    pub fn open(&self, thread: usize) -> Vec<OpenDomain<'p>> {
        let mut open: BTreeMap<usize, OpenDomain<'p>> = BTreeMap::new();
        for ((_, domain), stack) in self.stacks.range((thread, 0)..=(thread, usize::MAX)) {
            if !stack.is_empty() {
                open.entry(*domain).or_default().push_pop.clone_from(stack);
            }
        }
        for range in self.start_end() {
            open.entry(range.domain).or_default().start_end.push(*range);
        }
        let named = |(index, mut domain): (usize, OpenDomain<'p>)| {
            domain.domain = self.process.domains.get(index).map_or("", String::as_str);
            domain
        };
        open.into_iter().map(named).collect()
    }

    /// The same as [`open`](Self::open), as the analysis of regions takes it.
    pub fn open_ranges(&self, thread: usize) -> Vec<OpenRanges<'p>> {
        let of = |domain: OpenDomain<'p>| OpenRanges {
            nth: 0,
            domain: domain.domain,
            push_pop: domain.push_pop.iter().map(|range| range.name).collect(),
            start_end: domain
                .start_end
                .iter()
                .map(|range| (range.id.unwrap_or_default(), range.name))
                .collect(),
        };
        self.open(thread).into_iter().map(of).collect()
    }

    fn apply(&mut self, event: &Event<'p>) {
        self.closed = None;
        let place = (event.thread, event.domain);
        let range = OpenRange {
            name: event.name,
            since_ns: event.time_ns,
            thread: event.thread,
            domain: event.domain,
            id: event.id,
            attributes: event.attributes,
        };
        match event.action {
            Action::Push => self.stacks.entry(place).or_default().push(range),
            Action::Pop => self.closed = self.stacks.get_mut(&place).and_then(Vec::pop),
            Action::Start => {
                self.start_end.insert(event.id.unwrap_or_default(), range);
            }
            Action::End => self.closed = self.start_end.remove(&event.id.unwrap_or_default()),
            Action::Mark => {}
        }
    }
}
