//! The header of a file: its fields and entries, and their decoding.

use super::{HEADER_LEN, MAGIC, VERSION, u32_at, u64_at};

/// Positions of the fields in the header.
pub mod field {
    /// `u32`: version.
    pub const VERSION: usize = 8;
    /// `u32`: 1 if the process came from a fork of a process that was recording.
    pub const FORKED: usize = 12;
    /// `u32`: process id.
    pub const PID: usize = 16;
    /// `u32`: process id of the parent.
    pub const PARENT: usize = 20;
    /// `u64`: monotonic clock when recording began; the clock of all events.
    pub const MONOTONIC: usize = 24;
    /// `u64`: real time at that moment, nanoseconds since 1970.
    pub const REALTIME: usize = 32;
    /// `u64`: time since boot at that moment.
    pub const BOOTTIME: usize = 40;
    /// `u64`: handles below this one were registered before the fork, in the file of the parent.
    pub const FIRST_HANDLE: usize = 48;
    /// `u32`: bytes of the entries.
    pub const ENTRIES_LEN: usize = 56;
    /// `u64`: monotonic clock at a regular exit; 0 before and without one.
    pub const ENDED: usize = 64;
    /// `i32`: the system's error number that switched recording off, or one of [`stopped`](super::stopped); 0 if nothing did.
    pub const ERROR: usize = 72;
    /// `u64`: events that were not recorded.
    pub const LOST: usize = 80;
    /// `u64`: events with extended payloads, which are recorded without them.
    pub const EXTENDED: usize = 88;
    /// `u64`: bytes that the file had at least; a shorter one was cut.
    pub const LENGTH: usize = 96;
    /// First of the entries: `key length u16 | value length u16 | key | value`.
    pub const ENTRIES: usize = 256;
}

/// Reasons to switch recording off that are no error of the system.
pub mod stopped {
    /// The file had reached the limit that was set.
    pub const BY_LIMIT: i32 = -1;
    /// Somebody made the file shorter while it was being written.
    pub const BY_TRUNCATION: i32 = -2;
}

/// Keys of entries that are not environment variables.
pub mod key {
    pub const HOST: &str = "host";
    /// The command line, its words ended by zero bytes.
    pub const COMMAND: &str = "command";
    /// File name of the recording of the process that this one was forked from.
    pub const PARENT_FILE: &str = "parent-file";
}

/// A decoded header; see [`field`] for the meaning of its numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header<'a> {
    pub forked: bool,
    pub pid: u32,
    pub parent: u32,
    pub monotonic: u64,
    pub realtime: u64,
    pub boottime: u64,
    pub first_handle: u64,
    pub ended: u64,
    pub error: i32,
    pub lost: u64,
    pub extended: u64,
    pub length: u64,
    entries: &'a [u8],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeaderProblem {
    Short,
    Foreign,
    /// The process ended while it was writing the header.
    Incomplete,
    Newer(u32),
}

impl<'a> Header<'a> {
    pub fn decode(file: &'a [u8]) -> Result<Self, HeaderProblem> {
        let bytes = file.get(..HEADER_LEN).ok_or(HeaderProblem::Short)?;
        let u32_of = |at| u32_at(bytes, at).unwrap_or_default();
        let u64_of = |at| u64_at(bytes, at).unwrap_or_default();
        match u64_of(0) {
            MAGIC => {}
            0 => return Err(HeaderProblem::Incomplete),
            _ => return Err(HeaderProblem::Foreign),
        }
        let version = u32_of(field::VERSION);
        if version > VERSION {
            return Err(HeaderProblem::Newer(version));
        }
        Ok(Self {
            forked: u32_of(field::FORKED) != 0,
            pid: u32_of(field::PID),
            parent: u32_of(field::PARENT),
            monotonic: u64_of(field::MONOTONIC),
            realtime: u64_of(field::REALTIME),
            boottime: u64_of(field::BOOTTIME),
            first_handle: u64_of(field::FIRST_HANDLE),
            ended: u64_of(field::ENDED),
            error: u32_of(field::ERROR).cast_signed(),
            lost: u64_of(field::LOST),
            extended: u64_of(field::EXTENDED),
            length: u64_of(field::LENGTH),
            entries: entry_bytes(bytes, u32_of(field::ENTRIES_LEN)),
        })
    }

    /// Host, command and environment variables as (key, value), in the order of the file.
    pub fn entries(&self) -> impl Iterator<Item = (&'a [u8], &'a [u8])> + use<'a> {
        let mut rest = self.entries;
        core::iter::from_fn(move || {
            let (entry, after) = decode_entry(rest)?;
            rest = after;
            Some(entry)
        })
    }

    pub fn entry(&self, key: &str) -> Option<&'a [u8]> {
        self.entries().find(|(name, _)| *name == key.as_bytes()).map(|(_, value)| value)
    }
}

fn entry_bytes(header: &[u8], len: u32) -> &[u8] {
    let bytes = header.get(field::ENTRIES..).unwrap_or_default();
    bytes.get(..len as usize).unwrap_or(bytes)
}

type Entry<'a> = (&'a [u8], &'a [u8]);

fn decode_entry(bytes: &[u8]) -> Option<(Entry<'_>, &[u8])> {
    let lengths = u32_at(bytes, 0)?.to_le_bytes();
    let key_len = usize::from(u16::from_le_bytes([lengths[0], lengths[1]]));
    let value_len = usize::from(u16::from_le_bytes([lengths[2], lengths[3]]));
    let key = bytes.get(4..4 + key_len)?;
    let value = bytes.get(4 + key_len..4 + key_len + value_len)?;
    Some(((key, value), bytes.get(4 + key_len + value_len..)?))
}
