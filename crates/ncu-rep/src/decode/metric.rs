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

impl<'a> MetricView<'a> {
    /// Decodes name and value of a metric. Its instances are left alone, and are none where they were not read for all metrics.
    #[inline]
    pub(crate) fn new(bytes: &'a [u8], has_instances: bool) -> Self {
        let instances = if has_instances { bytes } else { &[] };
        Self::plain(bytes, instances).unwrap_or_else(|| Self::general(bytes, instances))
    }

    /// The encoding of nearly every metric: a name of at most three bytes and one number. A report holds a million of them, so that it is worth a path of its own.
    #[inline]
    fn plain(bytes: &'a [u8], instances: &'a [u8]) -> Option<Self> {
        let (name_id, rest) = short_varint(bytes.strip_prefix(&[0x08])?)?;
        let (&length, rest) = rest.strip_prefix(&[0x12])?.split_first()?;
        let content = rest.get(..usize::from(length)).filter(|_| length < 0x80)?;
        let value = match *content {
            [0x19, ref number @ ..] => Value::F64(f64::from_le_bytes(number.try_into().ok()?)),
            [0x28, ref number @ ..] => match short_varint(number)? {
                (number, []) => Value::U64(u64::from(number)),
                _ => return None,
            },
            _ => return None,
        };
        Some(Self { name_id, value: Some(value), instances })
    }

    fn general(bytes: &'a [u8], instances: &'a [u8]) -> Self {
        let mut view = Self { name_id: u32::MAX, value: None, instances };
        for (number, content) in Fields::new(head(bytes).unwrap_or(bytes)) {
            match number {
                1 => view.name_id = content.number32(),
                2 => view.value = value(content.bytes()),
                _ => {}
            }
        }
        view
    }

    pub fn instances(&self) -> impl Iterator<Item = Instance<'a>> + use<'a> {
        Fields::new(self.instances)
            .filter(|(n, _)| *n == 3)
            .map(|(_, content)| instance(content.message()))
    }
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

/// A varint of at most three bytes and what follows it.
#[inline]
fn short_varint(bytes: &[u8]) -> Option<(u32, &[u8])> {
    match *bytes {
        [a @ ..0x80, ref rest @ ..] => Some((u32::from(a), rest)),
        [a, b @ ..0x80, ref rest @ ..] => Some((u32::from(a & 0x7f) | u32::from(b) << 7, rest)),
        [a, b, c @ ..0x80, ref rest @ ..] => {
            Some((u32::from(a & 0x7f) | u32::from(b & 0x7f) << 7 | u32::from(c) << 14, rest))
        }
        _ => None,
    }
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
