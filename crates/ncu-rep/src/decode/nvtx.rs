//! The NVTX state of a result: which ranges were open in which domain when it was launched.

use rustc_hash::FxHashMap;

use crate::model::{
    NvtxAttributes, NvtxDomain, NvtxMessage, NvtxRange, NvtxState, PayloadValue, Text,
};
use crate::wire::{Fields, Wire};

/// Scope of push/pop ranges in which the stacks of all threads count.
const PROCESS_SCOPE: u64 = 1;

/// Payload type of JSON that is stored as a handle of a registered string.
const REGISTERED_JSON: u32 = 8;

/// What is stored, before the ranges that count are picked.
#[derive(Default)]
struct Stored<'a> {
    domains: Vec<StoredDomain<'a>>,
    /// Position in `domains` by domain id; ids are the file's.
    by_id: FxHashMap<u64, usize>,
    threads: Vec<&'a [u8]>,
    start_end: Vec<&'a [u8]>,
    process_scope: bool,
}

#[derive(Default)]
struct StoredDomain<'a> {
    id: u64,
    name: Text<'a>,
    strings: FxHashMap<u64, Text<'a>>,
}

/// Decodes the state for a result that thread `thread` launched.
pub(crate) fn state(bytes: &[u8], thread: u32) -> NvtxState<'_> {
    let mut stored = Stored::default();
    for (number, content) in Fields::new(bytes) {
        match number {
            1 => stored.domain(content.message()),
            2 => stored.threads.push(content.bytes()),
            3 => stored.start_end.push(content.bytes()),
            5 => stored.process_scope = content.number() == PROCESS_SCOPE,
            _ => {}
        }
    }
    let mut domains: Vec<OrderedDomain<'_>> = stored
        .domains
        .iter()
        .map(|d| OrderedDomain {
            domain: NvtxDomain { name: d.name.clone(), ..NvtxDomain::default() },
            id: d.id,
            process_stack: Vec::new(),
            place: usize::MAX,
        })
        .collect();
    let mut used = 0;
    for &bytes in &stored.threads {
        let mut tid = None;
        for (number, content) in Fields::new(bytes) {
            match number {
                1 => tid = Some(content.number32()),
                2 if stored.process_scope || tid == Some(thread) => {
                    stored.ranges(content.message(), push_pop_range, |domain, range| {
                        let Some(entry) = domains.get_mut(domain) else { return };
                        if stored.process_scope {
                            entry.process_stack.push(NvtxRange { thread: tid, ..range.clone() });
                        }
                        if tid == Some(thread) {
                            entry.domain.push_pop.push(range);
                            if entry.place == usize::MAX {
                                entry.place = used;
                                used += 1;
                            }
                        }
                    });
                }
                _ => {}
            }
        }
    }
    for &bytes in &stored.start_end {
        stored.ranges(Fields::new(bytes), start_end_range, |domain, range| {
            if let Some(entry) = domains.get_mut(domain) {
                entry.domain.start_end.push(range);
            }
        });
    }
    if used > 1 {
        domains.sort_by_key(|entry| entry.place);
    }
    let domains = order_same_names(domains);
    let (domains, stacks) =
        domains.into_iter().map(|entry| (entry.domain, entry.process_stack)).unzip();
    NvtxState { domains, process_stacks: stored.process_scope.then_some(stacks) }
}

/// Counts what [`state`] would make of these bytes.
pub(crate) fn items(bytes: &[u8]) -> usize {
    let of_part = |(number, content): (u32, Wire<'_>)| match number {
        1 | 3 => 1 + content.message().repeated(3).count(),
        2 => {
            let domains = content.message().repeated(2);
            1 + domains.map(|domain| 1 + domain.repeated(3).count()).sum::<usize>()
        }
        _ => 0,
    };
    Fields::new(bytes).map(of_part).sum()
}

/// A domain with its place among the others: ncu lists the domains of a thread in the order of the thread's own list.
struct OrderedDomain<'a> {
    domain: NvtxDomain<'a>,
    id: u64,
    process_stack: Vec<NvtxRange<'a>>,
    place: usize,
}

/// Puts the domains that share a name in the order of their ids, in the places that they have together: by that they are told apart from result to result.
fn order_same_names(domains: Vec<OrderedDomain<'_>>) -> Vec<OrderedDomain<'_>> {
    let mut places: Vec<usize> = (0..domains.len()).collect();
    let name = |place: &usize| domains.get(*place).map(|entry| &entry.domain.name);
    places.sort_by(|one, other| name(one).cmp(&name(other)));
    if places.windows(2).all(|pair| name(&pair[0]) != name(&pair[1])) {
        return domains;
    }
    // By place: the position in `domains` of what belongs there.
    let mut belongs: Vec<usize> = (0..domains.len()).collect();
    for same in places.chunk_by(|one, other| name(one) == name(other)) {
        let mut by_id = same.to_vec();
        by_id.sort_by_key(|place| domains.get(*place).map(|entry| entry.id));
        for (place, position) in same.iter().zip(by_id) {
            belongs[*place] = position;
        }
    }
    let mut domains: Vec<Option<OrderedDomain<'_>>> = domains.into_iter().map(Some).collect();
    belongs.into_iter().filter_map(|position| domains.get_mut(position)?.take()).collect()
}

impl<'a> Stored<'a> {
    fn domain(&mut self, fields: Fields<'a>) {
        let mut domain = StoredDomain::default();
        for (number, content) in fields {
            match number {
                1 => domain.id = content.number(),
                2 => domain.name = content.text(),
                3 => {
                    let (mut handle, mut text) = (0, Text::default());
                    for (number, content) in content.message() {
                        match number {
                            1 => handle = content.number(),
                            2 => text = content.text(),
                            _ => {}
                        }
                    }
                    domain.strings.insert(handle, text);
                }
                _ => {}
            }
        }
        self.by_id.insert(domain.id, self.domains.len());
        self.domains.push(domain);
    }

    /// Reads the ranges of one domain. Ranges in a domain that was not declared are invisible, as in every reader of NVIDIA's.
    fn ranges(
        &self,
        fields: Fields<'a>,
        decode: impl Fn(Fields<'a>) -> NvtxRange<'a>,
        mut add: impl FnMut(usize, NvtxRange<'a>),
    ) {
        let mut domain = None;
        for (number, content) in fields {
            match number {
                1 => domain = self.by_id.get(&content.number()).copied(),
                3 => {
                    if let Some((index, stored)) =
                        domain.and_then(|index| Some((index, self.domains.get(index)?)))
                    {
                        let mut range = decode(content.message());
                        stored.complete(&mut range);
                        add(index, range);
                    }
                }
                _ => {}
            }
        }
    }
}

impl<'a> StoredDomain<'a> {
    /// Fills in registered texts and, for a range without a name, the name that its message gives it.
    fn complete(&self, range: &mut NvtxRange<'a>) {
        let Some(attributes) = range.attributes.as_mut() else { return };
        if let Some((REGISTERED_JSON, Some(value))) = attributes.payload.as_mut()
            && let PayloadValue::U64(handle) = *value
            && let Some(text) = self.strings.get(&handle)
        {
            *value = PayloadValue::Text(text.clone());
        }
        let Some(message) = attributes.message.as_mut() else { return };
        if message.text.is_none() {
            message.text = message.handle.and_then(|handle| self.strings.get(&handle)).cloned();
        }
        if range.name.is_empty() {
            range.name = message.text.clone().unwrap_or_default();
        }
    }
}

fn push_pop_range(fields: Fields<'_>) -> NvtxRange<'_> {
    fields.fill(NvtxRange::default(), |range, number, content| match number {
        1 => range.name = content.text(),
        2 => range.attributes = Some(attributes(content.message())),
        4 => range.id = Some(content.number()),
        _ => {}
    })
}

fn start_end_range(fields: Fields<'_>) -> NvtxRange<'_> {
    fields.fill(NvtxRange::default(), |range, number, content| match number {
        1 => range.id = Some(content.number()),
        2 => range.name = content.text(),
        3 => range.attributes = Some(attributes(content.message())),
        5 => range.thread = Some(content.number32()),
        _ => {}
    })
}

fn attributes(fields: Fields<'_>) -> NvtxAttributes<'_> {
    fields.fill(NvtxAttributes::default(), |attributes, number, content| match number {
        1 => attributes.version = content.number32(),
        2 => attributes.category = content.number32(),
        3 => attributes.color = Some(content.message().pair(Wire::number32)),
        4 => attributes.payload = Some(payload(content.message())),
        5 => attributes.message = Some(message(content.message())),
        _ => {}
    })
}

fn payload(fields: Fields<'_>) -> (u32, Option<PayloadValue<'_>>) {
    let (mut kind, mut value) = (0, None);
    for (number, content) in fields {
        match number {
            1 => kind = content.number32(),
            2 => value = Some(PayloadValue::U64(content.number())),
            3 => value = Some(PayloadValue::I64(content.number().cast_signed())),
            4 => value = Some(PayloadValue::F64(content.float64())),
            5 => value = Some(PayloadValue::U32(content.number32())),
            6 => value = Some(PayloadValue::I32(content.number32().cast_signed())),
            7 => value = Some(PayloadValue::F32(content.float32())),
            8 => value = Some(PayloadValue::Text(content.text())),
            _ => {}
        }
    }
    (kind, value)
}

fn message(fields: Fields<'_>) -> NvtxMessage<'_> {
    fields.fill(NvtxMessage::default(), |message, number, content| match number {
        1 => message.kind = content.number32(),
        2 => message.text = Some(content.text()),
        3 => message.handle = Some(content.number()),
        _ => {}
    })
}
