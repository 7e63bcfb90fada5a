//! From the stretches of a file to a process with its events in order of time.

use rangescope_model::region::DEFAULT_DOMAIN;
use rangescope_recorder::format::{
    Body, DEVICES_VARIABLE, Header, Kind, RANK_VARIABLES, Record, key,
};
use rustc_hash::FxHashMap;

use super::{Definitions, Loaded, Stretch};
use crate::recording::process::{Action, Attributes, Clocks, Process, Stop, Stored, Thread};
use rangescope_model::number::count;

/// Makes a process of what its file holds.
pub(crate) fn process(
    file: &Loaded,
    header: &Header<'_>,
    stretches: &[Stretch<'_>],
    own: &Definitions,
    inherited: &[(u64, &Definitions)],
    damage: &mut Vec<String>,
) -> Process {
    let mut builder = Builder {
        process: of_header(file, header),
        own,
        inherited,
        domains: FxHashMap::default(),
        domain_names: FxHashMap::default(),
        unknown_handles: 0,
        backwards: 0,
    };
    builder.domain(0);
    for domain in sorted_handles(own) {
        builder.domain(domain);
    }
    let mut thread = None;
    for stretch in stretches {
        if thread != Some(stretch.thread) {
            thread = Some(stretch.thread);
            let name = own.threads.get(&stretch.tid).cloned();
            builder.process.threads.push(Thread { tid: stretch.tid, name });
        }
        builder.stretch(stretch);
    }
    builder.name_categories();
    builder.order();
    if builder.unknown_handles > 0 {
        let events = count(builder.unknown_handles, "event refers", "events refer");
        damage.push(format!("{events} to names or domains that were never registered"));
    }
    if builder.backwards > 0 {
        let events = count(builder.backwards, "event is", "events are");
        damage.push(format!("{events} older than the one before on the same thread"));
    }
    builder.process
}

fn of_header(file: &Loaded, header: &Header<'_>) -> Process {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let entry = |key: &str| header.entry(key).map(text);
    let command = header.entry(key::COMMAND).unwrap_or_default();
    let command = command.strip_suffix(&[0]).unwrap_or(command);
    Process {
        file: file.name.clone(),
        pid: header.pid,
        parent: header.parent,
        forked: header.forked,
        host: entry(key::HOST).unwrap_or_default(),
        command: if command.is_empty() {
            Vec::new()
        } else {
            command.split(|&byte| byte == 0).map(text).collect()
        },
        variables: RANK_VARIABLES
            .into_iter()
            .chain([DEVICES_VARIABLE])
            .filter_map(|name| Some((name.to_owned(), entry(name)?)))
            .collect(),
        began: Clocks {
            monotonic_ns: header.monotonic,
            realtime_ns: header.realtime,
            boottime_ns: header.boottime,
        },
        ended_ns: (header.ended != 0).then_some(header.ended),
        lost: header.lost,
        stopped: (header.error != 0).then_some(Stop(header.error)),
        extended_payloads: header.extended,
        ..Process::default()
    }
}

fn sorted_handles(own: &Definitions) -> Vec<u32> {
    let mut handles: Vec<u32> = own.domains.keys().copied().collect();
    handles.sort_unstable();
    handles
}

struct Builder<'d> {
    process: Process,
    own: &'d Definitions,
    inherited: &'d [(u64, &'d Definitions)],
    /// Index of a domain by its handle. Several handles of one name are one domain.
    domains: FxHashMap<u32, u32>,
    domain_names: FxHashMap<String, u32>,
    unknown_handles: u64,
    backwards: u64,
}

impl Builder<'_> {
    fn stretch(&mut self, stretch: &Stretch<'_>) {
        let thread = number(self.process.threads.len().saturating_sub(1));
        for record in stretch.records() {
            let action = match record.kind {
                Kind::Push => Action::Push,
                Kind::Pop => Action::Pop,
                Kind::Start => Action::Start,
                Kind::End => Action::End,
                Kind::Mark => Action::Mark,
                _ => continue,
            };
            // A thread's own order is what nesting depends on, whatever its clock says.
            let before = self.process.events.last().filter(|event| event.thread == thread);
            let floor = before.map_or(0, |event| event.time);
            self.backwards += u64::from(record.time < floor);
            self.process.cut_names += u64::from(record.cut);
            let stored = Stored {
                time: record.time.max(floor),
                id: record.id,
                thread,
                domain: self.domain(record.domain),
                name: self.name(&record),
                attributes: self.attributes(&record),
                action,
            };
            self.process.events.push(stored);
        }
    }

    /// Events of all threads by time. Sorting is stable, so those of one thread stay in order.
    fn order(&mut self) {
        self.process.events.sort_by_key(|event| event.time);
    }

    fn domain(&mut self, handle: u32) -> u32 {
        if let Some(index) = self.domains.get(&handle) {
            return *index;
        }
        let name = match handle {
            0 => DEFAULT_DOMAIN.to_owned(),
            _ => self.domain_name(handle).unwrap_or_else(|| {
                self.unknown_handles += 1;
                format!("<unknown domain {handle}>")
            }),
        };
        let next = number(self.process.domains.len());
        let index = *self.domain_names.entry(name.clone()).or_insert(next);
        if index == next {
            self.process.domains.push(name);
        }
        self.domains.insert(handle, index);
        index
    }

    fn domain_name(&self, handle: u32) -> Option<String> {
        self.own.domains.get(&handle).cloned().or_else(|| {
            let mut older = self.inherited.iter().filter(|(below, _)| u64::from(handle) < *below);
            older.find_map(|(_, definitions)| definitions.domains.get(&handle).cloned())
        })
    }

    fn name(&mut self, record: &Record<'_>) -> u32 {
        match record.body {
            Body::Text(bytes) => self.intern(&String::from_utf8_lossy(bytes)),
            Body::Silent => self.intern(""),
            Body::Handle(handle) => {
                let own = self.own.strings.get(&handle);
                let mut older = self.inherited.iter().filter(|(below, _)| handle < *below);
                let found = own.or_else(|| older.find_map(|(_, all)| all.strings.get(&handle)));
                match found {
                    Some(name) => self.intern(name),
                    None => {
                        self.unknown_handles += 1;
                        self.intern(&format!("<unknown string {handle}>"))
                    }
                }
            }
        }
    }

    fn intern(&mut self, name: &str) -> u32 {
        let names = &mut self.process.names;
        let index = names.get_index_of(name).unwrap_or_else(|| names.insert_full(name.into()).0);
        number(index)
    }

    fn attributes(&mut self, record: &Record<'_>) -> u32 {
        let Some(attributes) = &record.attributes else { return 0 };
        let attributes = Attributes::of(attributes);
        let all = &mut self.process.attributes;
        // Programs tend to give the same ones again and again.
        if all.last() != Some(&attributes) {
            all.push(attributes);
        }
        number(all.len())
    }

    fn name_categories(&mut self) {
        let older = self.inherited.iter().rev().flat_map(|(_, all)| &all.categories);
        for (handle, category, name) in older.chain(&self.own.categories) {
            if let Some(domain) = self.domains.get(handle) {
                self.process.categories.insert((*domain, *category), name.clone());
            }
        }
    }
}

/// Positions in lists of one file fit 32 bits, because a file with more would be larger than anything that can be read here.
fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}
