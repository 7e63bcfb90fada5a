//! A cursor over protobuf's wire format: fields one after another, borrowed, skipped by length.
//!
//! It knows nothing of reports and allocates nothing. A malformed field ends the iteration and leaves [`Fields::is_malformed`] true; what came before it stays good.

use std::borrow::Cow;
use std::ops::Range;

/// The longest field that is no message, text or group: tag and number as varints of ten bytes.
pub(crate) const LONGEST_NUMBER: usize = 20;

/// One field's content as it stands on the wire.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Wire<'a> {
    Varint(u64),
    Fixed64(u64),
    Bytes(&'a [u8]),
    Fixed32(u32),
    /// A group, which no known message uses; passed over whole.
    Group,
}

impl<'a> Wire<'a> {
    /// The number of a varint or fixed field; 0 for anything else, as protobuf's default.
    pub(crate) fn number(self) -> u64 {
        match self {
            Self::Varint(v) | Self::Fixed64(v) => v,
            Self::Fixed32(v) => u64::from(v),
            Self::Bytes(_) | Self::Group => 0,
        }
    }

    /// The number cut to 32 bits, as protobuf does for 32-bit fields.
    #[expect(clippy::cast_possible_truncation, reason = "protobuf truncates 32-bit fields too")]
    pub(crate) fn number32(self) -> u32 {
        self.number() as u32
    }

    pub(crate) fn float64(self) -> f64 {
        f64::from_bits(self.number())
    }

    pub(crate) fn float32(self) -> f32 {
        f32::from_bits(self.number32())
    }

    pub(crate) fn bytes(self) -> &'a [u8] {
        match self {
            Self::Bytes(bytes) => bytes,
            _ => &[],
        }
    }

    pub(crate) fn text(self) -> Cow<'a, str> {
        // Checking first is several times faster than the lossy conversion, and nearly every text passes.
        let bytes = self.bytes();
        str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
    }

    pub(crate) fn message(self) -> Fields<'a> {
        Fields::new(self.bytes())
    }
}

/// The place of a slice in `bytes`.
pub(crate) fn range_in(bytes: &[u8], piece: &[u8]) -> Range<usize> {
    let start = piece.as_ptr().addr().saturating_sub(bytes.as_ptr().addr());
    start..start + piece.len()
}

/// The bytes before the first field whose number `ends` picks; nothing where there is none. Of that field only the tag needs to be there.
pub(crate) fn before(bytes: &[u8], mut ends: impl FnMut(u32) -> bool) -> Option<&[u8]> {
    let mut fields = Fields::new(bytes);
    loop {
        let end = bytes.len() - fields.left();
        if ends(fields.clone().tag()?.0) {
            return bytes.get(..end);
        }
        fields.next()?;
    }
}

/// The fields of one message, in stored order.
#[derive(Clone, Debug)]
pub(crate) struct Fields<'a> {
    rest: &'a [u8],
    malformed: bool,
}

impl<'a> Fields<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes, malformed: false }
    }

    /// The message with one field after another set.
    #[inline]
    pub(crate) fn fill<T>(self, mut message: T, set: impl Fn(&mut T, u32, Wire<'a>)) -> T {
        for (number, content) in self {
            set(&mut message, number, content);
        }
        message
    }

    /// A message of two fields of one type, numbered 1 and 2.
    pub(crate) fn pair<T: Default>(self, read: impl Fn(Wire<'a>) -> T) -> (T, T) {
        self.fill(<(T, T)>::default(), |pair, number, content| match number {
            1 => pair.0 = read(content),
            2 => pair.1 = read(content),
            _ => {}
        })
    }

    /// The messages in a repeated field.
    pub(crate) fn repeated(self, field: u32) -> impl Iterator<Item = Self> {
        self.filter(move |(number, _)| *number == field).map(|(_, content)| content.message())
    }

    /// True once the iteration has ended on bytes that are no field.
    pub(crate) fn is_malformed(&self) -> bool {
        self.malformed
    }

    pub(crate) fn left(&self) -> usize {
        self.rest.len()
    }

    /// The number and length of a message or text of which only the beginning is there, and that beginning.
    pub(crate) fn cut_bytes(mut self) -> Option<(u32, usize, &'a [u8])> {
        let (number, kind) = self.tag()?;
        let length = self.varint().filter(|_| kind == 2)?;
        Some((number, usize::try_from(length).ok()?, self.rest))
    }

    /// Whether a group begins here, whose end nobody knows before it is read.
    pub(crate) fn begins_group(mut self) -> bool {
        self.tag().is_some_and(|(_, kind)| kind == 3)
    }

    #[inline]
    fn varint(&mut self) -> Option<u64> {
        let (&first, rest) = self.rest.split_first()?;
        if first < 0x80 {
            self.rest = rest;
            return Some(u64::from(first));
        }
        self.long_varint()
    }

    fn long_varint(&mut self) -> Option<u64> {
        let mut value = 0u64;
        for (i, &byte) in self.rest.iter().take(10).enumerate() {
            value |= u64::from(byte & 0x7f) << (7 * i);
            if byte < 0x80 {
                self.rest = &self.rest[i + 1..];
                return Some(value);
            }
        }
        None
    }

    #[inline]
    fn take(&mut self, len: u64) -> Option<&'a [u8]> {
        let len = usize::try_from(len).ok()?;
        let (taken, rest) = self.rest.split_at_checked(len)?;
        self.rest = rest;
        Some(taken)
    }

    /// Takes the next field if it is a message or text of this number with a tag of one byte; repeated fields come in long runs.
    #[inline]
    pub(crate) fn next_bytes_of(&mut self, number: u32) -> Option<&'a [u8]> {
        let (&tag, rest) = self.rest.split_first()?;
        if number >= 16 || u32::from(tag) != number << 3 | 2 {
            return None;
        }
        let before = std::mem::replace(&mut self.rest, rest);
        let taken = self.varint().and_then(|length| self.take(length));
        if taken.is_none() {
            // What is wrong here is for the general way to find.
            self.rest = before;
        }
        taken
    }

    /// A field's number and the kind of its content.
    #[inline]
    fn tag(&mut self) -> Option<(u32, u64)> {
        let tag = self.varint()?;
        let number = u32::try_from(tag >> 3).ok().filter(|&n| n != 0)?;
        Some((number, tag & 7))
    }

    #[inline]
    fn field(&mut self) -> Option<(u32, Wire<'a>)> {
        let (number, kind) = self.tag()?;
        let content = match kind {
            0 => Wire::Varint(self.varint()?),
            1 => Wire::Fixed64(u64::from_le_bytes(self.take(8)?.try_into().ok()?)),
            2 => {
                let len = self.varint()?;
                Wire::Bytes(self.take(len)?)
            }
            3 => self.skip_group()?,
            5 => Wire::Fixed32(u32::from_le_bytes(self.take(4)?.try_into().ok()?)),
            _ => return None,
        };
        Some((number, content))
    }

    /// Passes over a group without recursion, so that hostile nesting costs no stack.
    #[cold]
    fn skip_group(&mut self) -> Option<Wire<'a>> {
        let mut depth = 1u32;
        while depth > 0 {
            match self.varint()? & 7 {
                0 => drop(self.varint()?),
                1 => drop(self.take(8)?),
                2 => {
                    let len = self.varint()?;
                    self.take(len)?;
                }
                3 => depth += 1,
                4 => depth -= 1,
                5 => drop(self.take(4)?),
                _ => return None,
            }
        }
        Some(Wire::Group)
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = (u32, Wire<'a>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let field = self.field();
        if field.is_none() {
            self.malformed = true;
            self.rest = &[];
        }
        field
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_come_in_order_and_unknown_wire_types_end_the_message() {
        let bytes = [0x08, 0x96, 0x01, 0x12, 0x02, b'h', b'i', 0x1d, 1, 0, 0, 0, 0x0f];
        let mut fields = Fields::new(&bytes);
        assert_eq!(fields.next(), Some((1, Wire::Varint(150))));
        assert_eq!(fields.next(), Some((2, Wire::Bytes(b"hi"))));
        assert_eq!(fields.next(), Some((3, Wire::Fixed32(1))));
        assert!(!fields.is_malformed());
        assert_eq!(fields.next(), None);
        assert!(fields.is_malformed());
    }

    #[test]
    fn groups_are_passed_over_however_deep() {
        let mut bytes = vec![0x0b; 100_000];
        bytes.extend(vec![0x0c; 100_000]);
        bytes.extend([0x10, 7]);
        let fields: Vec<_> = Fields::new(&bytes).collect();
        assert_eq!(fields, [(1, Wire::Group), (2, Wire::Varint(7))]);
    }

    #[test]
    fn a_length_beyond_the_end_is_malformed_and_reads_nothing() {
        let mut fields = Fields::new(&[0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f, 1, 2]);
        assert_eq!(fields.next(), None);
        assert!(fields.is_malformed());
    }
}
