//! One recorded process: who it was, its threads and domains, and its events in order of time.

use std::collections::BTreeMap;
use std::{fmt, io};

use indexmap::IndexSet;
use rangescope_recorder::format;
use rustc_hash::FxBuildHasher;

#[derive(Debug, Default)]
pub struct Process {
    /// Name of the file, without its folder.
    pub file: String,
    pub pid: u32,
    pub parent: u32,
    /// Forked from a process that was recording. Ranges that were open in the parent are not open here.
    pub forked: bool,
    pub host: String,
    pub command: Vec<String>,
    /// The variables of launchers that were set, in a fixed order.
    pub variables: Vec<(String, String)>,
    /// When recording began, by three clocks.
    pub began: Clocks,
    /// When the process ended in order, by the monotonic clock; absent if it was killed or left with `_exit`.
    pub ended_ns: Option<u64>,
    /// The threads in order of their first event.
    pub threads: Vec<Thread>,
    /// The names of the domains that were created or used; the default domain is the first.
    pub domains: Vec<String>,
    /// Events that could not be recorded.
    pub lost: u64,
    /// What ended recording before the process did.
    pub stopped: Option<Stop>,
    /// Events whose extended payload was left out.
    pub extended_payloads: u64,
    /// Names that were cut because they were longer than the recorder keeps.
    pub cut_names: u64,
    pub(crate) names: IndexSet<Box<str>, FxBuildHasher>,
    pub(crate) categories: BTreeMap<(u32, u32), String>,
    pub(crate) attributes: Vec<Attributes>,
    /// Sorted by time; events of one thread keep their order.
    pub(crate) events: Vec<Stored>,
}

/// What ended recording before the process did: an error number of the system, or one of [`format::stopped`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stop(pub(crate) i32);

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            format::stopped::BY_LIMIT => f.write_str("the limit of its size was reached"),
            format::stopped::BY_TRUNCATION => {
                f.write_str("somebody made the file shorter while it was written")
            }
            error => io::Error::from_raw_os_error(error).fmt(f),
        }
    }
}

/// One moment by three clocks, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clocks {
    /// The clock of all events: it does not count while the machine sleeps and differs between hosts.
    pub monotonic_ns: u64,
    /// Since 1970.
    pub realtime_ns: u64,
    /// Since the machine started.
    pub boottime_ns: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Thread {
    /// The system's id; may be used again after the thread ended.
    pub tid: u32,
    /// The name that the program gave it through NVTX.
    pub name: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    Push,
    /// Popped the innermost range of the thread and domain.
    Pop,
    Start,
    /// Ended the range with that id.
    End,
    Mark,
}

/// One event, borrowed from its process.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event<'p> {
    /// The monotonic clock in nanoseconds.
    pub time_ns: u64,
    /// The thread, as an index into [`Process::threads`].
    pub thread: usize,
    /// The domain, as an index into [`Process::domains`].
    pub domain: usize,
    pub action: Action,
    /// The message; empty for ends, and where the program gave none.
    pub name: &'p str,
    /// The id of a start/end range.
    pub id: Option<u64>,
    /// Category, colour and payload, if any was given.
    pub attributes: Option<&'p Attributes>,
}

/// Category, colour and payload of an event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attributes {
    /// Category number, 0 for none.
    pub category: u32,
    /// Colour as kind (1 is ARGB) and value.
    pub color: Option<(u32, u32)>,
    pub payload: Option<Payload>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Payload {
    /// NVTX's type 1.
    U64(u64),
    /// Type 2.
    I64(i64),
    /// Type 3.
    F64(f64),
    /// Type 4.
    U32(u32),
    /// Type 5.
    I32(i32),
    /// Type 6.
    F32(f32),
    /// Another type, whose value is not recorded.
    Other(u32),
}

/// An event as it is kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stored {
    pub(crate) time: u64,
    pub(crate) id: u64,
    pub(crate) thread: u32,
    pub(crate) domain: u32,
    pub(crate) name: u32,
    /// Position in the list of attributes plus one; 0 for none.
    pub(crate) attributes: u32,
    pub(crate) action: Action,
}

impl Process {
    /// Gives ranges other names; what `rename` has none for keeps its own.
    pub fn rename(&mut self, rename: crate::Rename<'_>) {
        let mut names = IndexSet::default();
        let mut number = |name: &str| {
            let renamed = rename(name).map_or_else(|| name.into(), String::into_boxed_str);
            u32::try_from(names.insert_full(renamed).0).unwrap_or(u32::MAX)
        };
        let numbers: Vec<u32> = self.names.iter().map(|name| number(name)).collect();
        for event in &mut self.events {
            event.name = numbers.get(event.name as usize).copied().unwrap_or(event.name);
        }
        self.names = names;
    }

    /// All events in order of time.
    pub fn events(&self) -> impl Iterator<Item = Event<'_>> {
        self.events.iter().map(|stored| self.event(stored))
    }

    pub fn event_count(&self) -> usize {
        self.events.len()
    }

    /// When the last event happened, or when recording began if there was none.
    pub fn last_ns(&self) -> u64 {
        self.events.last().map_or(self.began.monotonic_ns, |event| event.time)
    }

    /// The name of a category of a domain, if the program gave one.
    pub fn category_name(&self, domain: usize, category: u32) -> Option<&str> {
        let domain = u32::try_from(domain).ok()?;
        self.categories.get(&(domain, category)).map(String::as_str)
    }

    /// The rank that a launcher gave the process.
    pub fn rank(&self) -> Option<u32> {
        self.number_of(|launcher| Some(launcher.rank))
    }

    /// The rank among the processes of its host.
    pub fn local_rank(&self) -> Option<u32> {
        self.number_of(|launcher| launcher.local_rank)
    }

    pub fn world_size(&self) -> Option<u32> {
        self.number_of(|launcher| launcher.size)
    }

    /// The name of the executable without its folder.
    pub fn name(&self) -> &str {
        let path = self.command.first().map_or("", String::as_str);
        path.rsplit('/').next().unwrap_or(path)
    }

    fn number_of(&self, which: impl Fn(&format::Launcher) -> Option<&'static str>) -> Option<u32> {
        format::number_of(which, |name| {
            let (_, value) = self.variables.iter().find(|(variable, _)| variable == name)?;
            value.parse().ok()
        })
    }

    fn event(&self, stored: &Stored) -> Event<'_> {
        let ranged = matches!(stored.action, Action::Start | Action::End);
        Event {
            time_ns: stored.time,
            thread: stored.thread as usize,
            domain: stored.domain as usize,
            action: stored.action,
            name: self.names.get_index(stored.name as usize).map_or("", |name| name),
            id: ranged.then_some(stored.id),
            attributes: (stored.attributes as usize)
                .checked_sub(1)
                .and_then(|index| self.attributes.get(index)),
        }
    }
}

impl Attributes {
    pub(crate) fn of(stored: &format::Attributes) -> Self {
        let color = (stored.color_type != 0).then_some((stored.color_type, stored.color));
        Self { category: stored.category, color, payload: Payload::of(stored) }
    }
}

impl Payload {
    fn of(stored: &format::Attributes) -> Option<Self> {
        let [low, _] = [stored.payload & u64::from(u32::MAX), stored.payload >> 32];
        let low = u32::try_from(low).unwrap_or_default();
        Some(match stored.payload_type {
            0 => return None,
            1 => Self::U64(stored.payload),
            2 => Self::I64(stored.payload.cast_signed()),
            3 => Self::F64(f64::from_bits(stored.payload)),
            4 => Self::U32(low),
            5 => Self::I32(low.cast_signed()),
            6 => Self::F32(f32::from_bits(low)),
            other => Self::Other(other),
        })
    }
}
