//! Records: their kinds, their first word, and their decoding.

use super::{ATTRIBUTES_LEN, RECORD_HEADER_LEN, u32_at, u64_at};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// From here on the chunk belongs to this thread: thread id in place of the domain, then the thread's number and the number of this stretch of records.
    Thread = 1,
    Push = 2,
    /// The innermost range of the thread and domain was popped.
    Pop = 3,
    /// A range was started, with its id.
    Start = 4,
    /// The range of that id ended.
    End = 5,
    Mark = 6,
    /// A domain has this name; the handle is in place of the domain.
    Domain = 7,
    /// A string was registered; its handle is the id.
    String = 8,
    /// A category of the domain has this name; the category is the id.
    Category = 9,
    /// The thread whose system id is the id has this name.
    ThreadName = 10,
}

impl Kind {
    pub const fn of(number: u8) -> Option<Self> {
        Some(match number {
            1 => Self::Thread,
            2 => Self::Push,
            3 => Self::Pop,
            4 => Self::Start,
            5 => Self::End,
            6 => Self::Mark,
            7 => Self::Domain,
            8 => Self::String,
            9 => Self::Category,
            10 => Self::ThreadName,
            _ => return None,
        })
    }

    /// An id of eight bytes follows the record's header.
    pub const fn has_id(self) -> bool {
        matches!(
            self,
            Self::Thread
                | Self::Start
                | Self::End
                | Self::String
                | Self::Category
                | Self::ThreadName
        )
    }
}

/// Flags in the first word of a record.
pub mod flag {
    /// Category, colour and payload follow.
    pub const ATTRIBUTES: u8 = 1;
    /// The body ends with the handle of a registered string instead of a text.
    pub const HANDLE: u8 = 2;
    /// The program gave no message at all.
    pub const SILENT: u8 = 4;
    /// The text was longer than [`LONGEST_TEXT`](crate::format::LONGEST_TEXT).
    pub const CUT: u8 = 8;
}

/// The first word of a record, which commits it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    /// Length of the record in units of eight bytes.
    pub units: u16,
    /// Number of a [`Kind`].
    pub kind: u8,
    /// Bytes at the end that only fill the last unit, at most seven.
    pub padding: u8,
    /// See [`flag`].
    pub flags: u8,
}

impl Word {
    /// The word as it is stored; never zero for a real record.
    #[inline]
    pub const fn encode(self) -> u32 {
        self.units as u32
            | (self.kind as u32) << 16
            | ((self.padding & 7) as u32) << 24
            | ((self.flags & 31) as u32) << 27
    }

    pub const fn decode(word: u32) -> Self {
        let [low, high, kind, rest] = word.to_le_bytes();
        Self { units: u16::from_le_bytes([low, high]), kind, padding: rest & 7, flags: rest >> 3 }
    }
}

/// Category, colour and payload of an event, as NVTX has them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Attributes {
    /// Category number, 0 for none.
    pub category: u32,
    /// Kind of colour: 0 none, 1 ARGB.
    pub color_type: u32,
    pub color: u32,
    /// Kind of payload: 0 none, 1 `u64`, 2 `i64`, 3 `f64`, 4 `u32`, 5 `i32`, 6 `f32`; others are not understood.
    pub payload_type: u32,
    /// The bits of the payload; the low half for kinds of 32 bits.
    pub payload: u64,
}

impl Attributes {
    #[inline]
    pub fn encode(&self) -> [u64; 3] {
        [
            u64::from(self.category) | u64::from(self.color_type) << 32,
            u64::from(self.color) | u64::from(self.payload_type) << 32,
            self.payload,
        ]
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        Some(Self {
            category: u32_at(bytes, 0)?,
            color_type: u32_at(bytes, 4)?,
            color: u32_at(bytes, 8)?,
            payload_type: u32_at(bytes, 12)?,
            payload: u64_at(bytes, 16)?,
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body<'a> {
    Text(&'a [u8]),
    /// The handle of a registered string.
    Handle(u64),
    Silent,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record<'a> {
    pub kind: Kind,
    /// The domain's handle, 0 for the default one.
    pub domain: u32,
    /// Monotonic clock in nanoseconds.
    pub time: u64,
    /// Id of kinds that have one, else 0.
    pub id: u64,
    pub attributes: Option<Attributes>,
    pub body: Body<'a>,
    /// The text is only the beginning of the program's.
    pub cut: bool,
}

/// The content of a place in a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found<'a> {
    /// A record and the bytes that it takes.
    Record(Record<'a>, usize),
    /// A whole record of a kind that this reader does not know, and the bytes that it takes.
    Unknown(usize),
    /// Nothing was committed here.
    End,
    /// The lengths do not fit together.
    Damaged,
}

/// Decodes the record at the beginning of `bytes`, which end where the chunk ends.
pub fn decode_record(bytes: &[u8]) -> Found<'_> {
    let Some(word) = u32_at(bytes, 0) else { return Found::End };
    if word == 0 {
        return Found::End;
    }
    let word = Word::decode(word);
    let len = usize::from(word.units) * 8;
    let Some(record) = bytes.get(..len).filter(|_| len >= RECORD_HEADER_LEN) else {
        return Found::Damaged;
    };
    let Some(kind) = Kind::of(word.kind) else { return Found::Unknown(len) };
    match decode_whole(record, word, kind) {
        Some(record) => Found::Record(record, len),
        None => Found::Damaged,
    }
}

fn decode_whole(record: &[u8], word: Word, kind: Kind) -> Option<Record<'_>> {
    let domain = u32_at(record, 4)?;
    let time = u64_at(record, 8)?;
    let mut rest = record.get(RECORD_HEADER_LEN..)?;
    let mut id = 0;
    if kind.has_id() {
        id = u64_at(rest, 0)?;
        rest = rest.get(8..)?;
    }
    let mut attributes = None;
    if word.flags & flag::ATTRIBUTES != 0 {
        attributes = Some(Attributes::decode(rest)?);
        rest = rest.get(ATTRIBUTES_LEN..)?;
    }
    let body = if word.flags & flag::HANDLE != 0 {
        Body::Handle(u64_at(rest, 0)?)
    } else if word.flags & flag::SILENT != 0 {
        Body::Silent
    } else {
        Body::Text(rest.get(..rest.len().checked_sub(usize::from(word.padding))?)?)
    };
    Some(Record { kind, domain, time, id, attributes, body, cut: word.flags & flag::CUT != 0 })
}
