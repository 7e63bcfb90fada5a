//! Metrics: a name's handle, a value, and instances that are decoded only when asked for.

use crate::model::{Instance, Value};
use crate::wire::{Fields, Wire, before};

/// A metric of a result, its instances not yet decoded.
#[derive(Clone, Debug)]
pub struct MetricView<'a> {
    /// Handle of the name in the report's string table.
    pub name_id: u32,
    /// The value over all instances.
    pub value: Option<Value<'a>>,
    /// The message with the instances, empty if they were not read.
    instances: &'a [u8],
}

/// Takes the metrics of a result, each by the handle of its name. In three ways, because a value that may be anything is much slower to hand over than a number.
pub trait MetricSink<'a> {
    fn number(&mut self, name_id: u32, number: f64);
    fn counter(&mut self, name_id: u32, counter: u64);
    /// Any value, or none.
    fn other(&mut self, name_id: u32, value: Option<Value<'a>>);
}

/// Decodes the metric in the first `length` of these bytes without its instances.
#[inline]
pub(crate) fn give<'a>(bytes: &'a [u8], length: usize, to: &mut impl MetricSink<'a>) {
    match plain(bytes, length) {
        Some(Plain { name_id, is_counter: false, bits }) => {
            to.number(name_id, f64::from_bits(bits));
        }
        Some(Plain { name_id, is_counter: true, bits }) => to.counter(name_id, bits),
        None => {
            let (name_id, value) = general(bytes.get(..length).unwrap_or_default());
            to.other(name_id, value);
        }
    }
}

impl<'a> MetricView<'a> {
    /// Decodes name and value of a metric. Its instances are left alone, and are none where they were not read for all metrics.
    pub(crate) fn new(bytes: &'a [u8], has_instances: bool) -> Self {
        let instances = if has_instances { bytes } else { &[] };
        let mut view = Self { name_id: u32::MAX, value: None, instances };
        give(bytes, bytes.len(), &mut view);
        view
    }

    /// Whether the device sampled it over time; said behind the instances, and so only where they were read.
    pub fn is_sampled(&self) -> bool {
        const SAMPLER: u64 = 1;
        let mut kinds = Fields::new(self.instances).filter(|(number, _)| *number == 4);
        kinds.any(|(_, kind)| kind.number() == SAMPLER)
    }

    pub fn instances(&self) -> impl Iterator<Item = Instance<'a>> + use<'a> {
        Fields::new(self.instances)
            .filter(|(n, _)| *n == 3)
            .map(|(_, content)| instance(content.message()))
    }
}

impl<'a> MetricSink<'a> for MetricView<'a> {
    fn number(&mut self, name_id: u32, number: f64) {
        self.other(name_id, Some(Value::F64(number)));
    }

    fn counter(&mut self, name_id: u32, counter: u64) {
        self.other(name_id, Some(Value::U64(counter)));
    }

    fn other(&mut self, name_id: u32, value: Option<Value<'a>>) {
        (self.name_id, self.value) = (name_id, value);
    }
}

/// A name and one number, as it is stored.
struct Plain {
    name_id: u32,
    is_counter: bool,
    bits: u64,
}

/// The encoding of nearly every metric: a name of at most three bytes and one number. A report holds a million of them, so that it is worth a path of its own, with few branches that depend on the numbers.
#[inline]
fn plain(bytes: &[u8], length: usize) -> Option<Plain> {
    let head = u32::from_le_bytes(*bytes.first_chunk()?);
    if head & 0xff != 0x08 {
        return None;
    }
    // Seven bits of each byte, up to the first byte below 0x80.
    let [one, two, three] = [head >> 8 & 0x7f, head >> 9 & 0x3f80, head >> 10 & 0x1f_c000];
    let (name_id, at) = match head {
        _ if head & 0x8000 == 0 => (one, 2),
        _ if head & 0x80_0000 == 0 => (one | two, 3),
        _ if head & 0x8000_0000 == 0 => (one | two | three, 4),
        _ => return None,
    };
    let &[0x12, size, kind] = bytes.get(at..)?.first_chunk()? else { return None };
    let size = usize::from(size);
    if at + 2 + size > length {
        return None;
    }
    let bits = u64::from_le_bytes(*bytes.get(at + 3..)?.first_chunk()?);
    match (kind, size) {
        (0x19, 9) => Some(Plain { name_id, is_counter: false, bits }),
        (0x28, 2..=9) => Some(Plain { name_id, is_counter: true, bits: varint(bits, size - 1)? }),
        _ => None,
    }
}

/// The varint in the first of these eight bytes; nothing if it has not just this length.
#[inline]
fn varint(bytes: u64, length: usize) -> Option<u64> {
    const TOPS: u64 = 0x8080_8080_8080_8080;
    let bytes = bytes << (64 - 8 * length);
    // Every byte but the last has its top bit set.
    let tops = (TOPS << (64 - 8 * length)) & !(1 << 63);
    if bytes & TOPS != tops {
        return None;
    }
    let bytes = bytes >> (64 - 8 * length);
    // Seven bits of each byte, brought together in pairs, in fours, in eights.
    let pairs = (bytes & 0x007f_007f_007f_007f) | (bytes & 0x7f00_7f00_7f00_7f00) >> 1;
    let fours = (pairs & 0x0000_3fff_0000_3fff) | (pairs & 0x3fff_0000_3fff_0000) >> 2;
    Some((fours & 0x0fff_ffff) | (fours & 0x0fff_ffff_0000_0000) >> 4)
}

#[cold]
fn general(bytes: &[u8]) -> (u32, Option<Value<'_>>) {
    let (mut name_id, mut found) = (u32::MAX, None);
    for (number, content) in Fields::new(head(bytes).unwrap_or(bytes)) {
        match number {
            1 => name_id = content.number32(),
            2 => found = value(content.bytes()),
            _ => {}
        }
    }
    (name_id, found)
}

/// All that [`MetricView::new`] looks at of a metric that begins with these bytes, or nothing if that does not end in them. Fields are written in ascending order; instances come last and can be many.
pub(crate) fn head(bytes: &[u8]) -> Option<&[u8]> {
    let mut named = false;
    before(bytes, |number| {
        let instance = named && number == 3;
        named |= number == 1;
        instance
    })
}

fn instance(fields: Fields<'_>) -> Instance<'_> {
    let mut instance = Instance { correlation: None, value: None };
    for (number, content) in fields {
        match number {
            1 => instance.correlation = value(content.bytes()),
            2 => instance.value = value(content.bytes()),
            _ => {}
        }
    }
    instance
}

/// The value of a message in which the lowest field number that is set wins.
fn value(bytes: &[u8]) -> Option<Value<'_>> {
    let mut lowest = u32::MAX;
    let mut value = None;
    for (number, content) in Fields::new(bytes) {
        if number > lowest {
            continue;
        }
        let decoded = match (number, content) {
            (1, Wire::Bytes(_)) => Value::Text(content.text()),
            (2, Wire::Fixed32(_)) => Value::F32(content.float32()),
            (3, Wire::Fixed64(_)) => Value::F64(content.float64()),
            (4, Wire::Varint(_)) => Value::U32(content.number32()),
            (5, Wire::Varint(v)) => Value::U64(v),
            _ => continue,
        };
        lowest = number;
        value = Some(decoded);
    }
    value
}
