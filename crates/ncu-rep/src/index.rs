//! The index over a report's blocks: where every entry is, all strings, processes and session pieces.
//!
//! Only block headers and entry lengths are read here. No content of a result is touched, so that indexing costs little even for very large files, and nothing is trusted before it is checked against the bytes that are there. What is read from headers and needed later is kept.

use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::bytes::Bytes;
use crate::distinct::Distinct;
use crate::error::{Damage, DamageKind, ReadError};
use crate::model::ResultKind;
use crate::strings::StringTable;
use crate::wire::{Fields, Wire, range_in};

const MAGIC: [u8; 4] = *b"NVR\0";
const OLDEST_VERSION: u64 = 7;
/// Real headers are at most a few hundred kilobytes (strings and session); this bounds what a damaged length may claim before the header is looked at.
const LARGEST_HEADER: usize = 256 << 20;

/// Bytes that are read at once: enough for most headers together with the length of the first entry.
const WINDOW: usize = 4 << 10;

/// Processes and pieces that were met before, so that repetitions are not kept again.
#[derive(Default)]
struct Known {
    processes: FxHashMap<Vec<u8>, u32>,
    session: Distinct<()>,
}

/// The part of a file that was read last.
struct Window<'a> {
    file: &'a Bytes,
    start: usize,
    length: usize,
    buffer: Vec<u8>,
}

impl Window<'_> {
    /// Some bytes of the file; nothing if it ends before, or has come to end before since it was opened.
    fn get(&mut self, range: Range<usize>) -> Option<&[u8]> {
        if range.start < self.start || range.end > self.start + self.length {
            let left =
                self.file.len().checked_sub(range.start).filter(|&left| left >= range.len())?;
            let length = range.len().max(WINDOW).min(left);
            self.length = 0;
            if self.buffer.len() < length {
                self.buffer.resize(length, 0);
            }
            self.file.read_at(range.start, &mut self.buffer[..length]).ok()?;
            (self.start, self.length) = (range.start, length);
        }
        self.buffer.get(range.start - self.start..range.end - self.start)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ResultEntry {
    pub(crate) kind: ResultKind,
    /// Index into [`Index::processes`].
    pub(crate) process: u32,
    pub(crate) bytes: Range<usize>,
}

/// A byte range, of the file or of [`Index::kept`].
type Piece = Range<usize>;

#[derive(Debug, Default)]
pub(crate) struct Index {
    pub(crate) version: u64,
    pub(crate) blocks: u64,
    pub(crate) results: Vec<ResultEntry>,
    pub(crate) sources: Vec<Piece>,
    pub(crate) strings: StringTable,
    /// The bytes of session pieces and process messages.
    pub(crate) kept: Vec<u8>,
    /// Distinct pieces of the session record, in `kept`.
    pub(crate) session_pieces: Vec<Piece>,
    /// Distinct process messages in order of first appearance, in `kept`; `None` for blocks that name none.
    pub(crate) processes: Vec<Option<Piece>>,
    pub(crate) damage: Vec<Damage>,
    /// Fields of block headers that this reader does not know.
    pub(crate) unknown_header_fields: u64,
}

#[derive(Default)]
struct Header {
    /// Sources, graph topologies, then results in the order of [`RESULT_KINDS`].
    counts: [u64; 6],
    payload_size: Option<u64>,
    session: Option<Piece>,
    strings: Option<Piece>,
    process: Option<Piece>,
    unknown: u64,
}

const SOURCES: usize = 0;
const ENTRY_NAMES: [&str; 6] = [
    "source",
    "graph topology",
    "kernel result",
    "range result",
    "command list result",
    "graph result",
];
const RESULT_KINDS: [(usize, ResultKind); 4] = [
    (2, ResultKind::Kernel),
    (3, ResultKind::Range),
    (4, ResultKind::Cmdlist),
    (5, ResultKind::Graph),
];

impl Index {
    pub(crate) fn build(file: &Bytes) -> Result<Self, ReadError> {
        let mut index = Self::default();
        let bytes = &mut Window { file, start: 0, length: 0, buffer: Vec::new() };
        let mut at = index.file_start(bytes)?;
        let mut known = Known::default();
        while at < file.len() {
            match index.block(bytes, at, &mut known) {
                Some(next) => at = next,
                None => break,
            }
        }
        if index.blocks == 0
            && let Some(first) = index.damage.first()
        {
            return Err(ReadError::NothingReadable { first: first.clone() });
        }
        Ok(index)
    }

    fn file_start(&mut self, bytes: &mut Window<'_>) -> Result<usize, ReadError> {
        let length = bytes.file.len();
        let head = bytes.get(0..length.min(8)).unwrap_or_default();
        if !head.starts_with(&MAGIC) {
            let found = visible(head);
            // A known kind of damage is a file that lost its first ten bytes and begins with a block.
            if looks_like_block(bytes, 0) {
                self.version = OLDEST_VERSION;
                self.damage.push(Damage { offset: 0, kind: DamageKind::MissingFileStart });
                return Ok(0);
            }
            return Err(ReadError::NotAReport { found });
        }
        let cut = || ReadError::NothingReadable {
            first: Damage {
                offset: 4,
                kind: DamageKind::HeaderCut { lost_bytes: length as u64 - 4 },
            },
        };
        let (header, next) = prefixed(bytes, MAGIC.len()).ok_or_else(cut)?;
        // A real one has two bytes; this bounds what a damaged length may claim.
        let header = bytes.get(header.start..header.end.min(header.start + WINDOW));
        self.version = Fields::new(header.ok_or_else(cut)?)
            .filter(|(n, _)| *n == 1)
            .last()
            .map_or(0, |(_, v)| v.number());
        if self.version < OLDEST_VERSION {
            return Err(ReadError::Version { version: self.version });
        }
        Ok(next)
    }

    /// Reads the block at `at` and returns where the next one begins, or nothing when reading must end.
    fn block(&mut self, bytes: &mut Window<'_>, at: usize, known: &mut Known) -> Option<usize> {
        let left = (bytes.file.len() - at) as u64;
        let Some((header, payload)) = prefixed(bytes, at) else {
            let kind = if left < 4 && self.blocks > 0 {
                DamageKind::StrayBytes { count: left }
            } else {
                DamageKind::HeaderCut { lost_bytes: left }
            };
            self.damage.push(Damage { offset: at as u64, kind });
            return None;
        };
        let Some(header) = read_header(bytes, header) else {
            self.damage.push(Damage {
                offset: at as u64,
                kind: DamageKind::HeaderInvalid { lost_bytes: left },
            });
            return None;
        };
        self.blocks += 1;
        self.unknown_header_fields += header.unknown;
        // The window holds the whole header still.
        if let Some(strings) = header.strings.clone().and_then(|piece| bytes.get(piece)) {
            self.strings.add_piece(strings);
        }
        if let Some(session) = header.session.clone().and_then(|piece| bytes.get(piece))
            && known.session.find(&self.kept, session).is_none()
        {
            let place = self.keep(session);
            known.session.remember(place.clone(), ());
            self.session_pieces.push(place);
        }
        let process = header.process.clone().and_then(|piece| bytes.get(piece)).unwrap_or_default();
        let process = self.process(process, &mut known.processes);
        self.entries(bytes, at, payload, &header, process)
    }

    fn keep(&mut self, bytes: &[u8]) -> Piece {
        let start = self.kept.len();
        self.kept.extend_from_slice(bytes);
        start..self.kept.len()
    }

    /// The number of a process; no bytes stand for one that is not stated.
    fn process(&mut self, message: &[u8], known: &mut FxHashMap<Vec<u8>, u32>) -> u32 {
        if let Some(&id) = known.get(message) {
            return id;
        }
        let id = u32::try_from(self.processes.len()).unwrap_or(u32::MAX);
        let piece = (!message.is_empty()).then(|| self.keep(message));
        self.processes.push(piece);
        known.insert(message.to_vec(), id);
        id
    }

    /// Walks the entries of a block and returns where the next block begins.
    fn entries(
        &mut self,
        bytes: &mut Window<'_>,
        block: usize,
        payload: usize,
        header: &Header,
        process: u32,
    ) -> Option<usize> {
        let length = bytes.file.len();
        let stated = header.payload_size.unwrap_or(0);
        let stated_end = usize::try_from(stated).ok().and_then(|size| payload.checked_add(size));
        let mut at = payload;
        let mut fault = None;
        // Asked at most once a block: a header there may be large, and entries may be many.
        let mut block_follows = None;
        'walk: for (slot, &count) in header.counts.iter().enumerate() {
            for done in 0..count {
                let Some((entry, next)) = prefixed(bytes, at) else {
                    fault = Some((slot, count - done));
                    break 'walk;
                };
                // An entry that leaves the block is either itself damaged or the block's size is. The size is right if another block follows where it says.
                if stated_end.is_some_and(|end| {
                    next > end && *block_follows.get_or_insert_with(|| starts_block(bytes, end))
                }) {
                    fault = Some((slot, count - done));
                    break 'walk;
                }
                if slot == SOURCES {
                    self.sources.push(entry);
                } else if let Some((_, kind)) =
                    RESULT_KINDS.iter().find(|(kind_slot, _)| *kind_slot == slot)
                {
                    self.results.push(ResultEntry { kind: *kind, process, bytes: entry });
                }
                at = next;
            }
        }
        if let Some((slot, lost)) = fault {
            let (what, offset) = (ENTRY_NAMES[slot], at as u64);
            // The counts come from the file; only as many entries can be lost as there was room for.
            let lost = lost.min((length - at) as u64 / 4 + 1);
            let next =
                stated_end.filter(|&end| end > at && end < length && starts_block(bytes, end));
            let kind = match next {
                Some(_) if lost == 1 => DamageKind::EntryInvalid { what },
                _ => DamageKind::EntryCut { what, lost },
            };
            self.damage.push(Damage { offset, kind });
            return next;
        }
        match stated_end {
            Some(end) if end == at => Some(at),
            // Content that this reader does not know may follow the entries.
            Some(end) if end > at && end <= length && starts_block(bytes, end) => Some(end),
            _ => {
                let kind = DamageKind::PayloadSize { stated, found: (at - payload) as u64 };
                self.damage.push(Damage { offset: block as u64, kind });
                if starts_block(bytes, at) {
                    Some(at)
                } else {
                    stated_end.filter(|&end| end > at && end <= length)
                }
            }
        }
    }
}

/// The bytes behind a little-endian 32-bit length at `at`, and where they end; nothing if the file ends before.
fn prefixed(bytes: &mut Window<'_>, at: usize) -> Option<(Piece, usize)> {
    let start = at.checked_add(4)?;
    let length = u32::from_le_bytes(bytes.get(at..start)?.try_into().ok()?);
    let end = start.checked_add(usize::try_from(length).ok()?)?;
    (end <= bytes.file.len()).then_some((start..end, end))
}

/// A block may end where the file does, or where something like a block begins.
fn starts_block(bytes: &mut Window<'_>, at: usize) -> bool {
    at == bytes.file.len() || looks_like_block(bytes, at)
}

fn looks_like_block(bytes: &mut Window<'_>, at: usize) -> bool {
    let Some((header, payload)) = prefixed(bytes, at) else { return false };
    if header.is_empty() {
        return true;
    }
    read_header(bytes, header).is_some_and(|header| {
        header.payload_size.is_some_and(|size| size <= (bytes.file.len() - payload) as u64)
            || header.session.is_some()
    })
}

fn read_header(bytes: &mut Window<'_>, range: Piece) -> Option<Header> {
    if range.len() > LARGEST_HEADER {
        return None;
    }
    let base = range.start;
    let bytes = bytes.get(range)?;
    let place = |piece: &[u8]| {
        let place = range_in(bytes, piece);
        Some(base + place.start..base + place.end)
    };
    let mut header = Header::default();
    let mut fields = Fields::new(bytes);
    for (number, content) in fields.by_ref() {
        match (number, content) {
            (1, Wire::Varint(n)) => header.counts[0] = n,
            (2, Wire::Varint(n)) => header.counts[2] = n,
            (3, Wire::Bytes(piece)) => header.session = place(piece),
            (4, Wire::Bytes(piece)) => header.strings = place(piece),
            (5, Wire::Varint(n)) => header.payload_size = Some(n),
            (6, Wire::Bytes(piece)) => header.process = place(piece),
            (7, Wire::Varint(n)) => header.counts[3] = n,
            (8, Wire::Varint(n)) => header.counts[4] = n,
            (9, Wire::Varint(n)) => header.counts[5] = n,
            (10, Wire::Varint(n)) => header.counts[1] = n,
            // A known field of another type: these bytes are no block header.
            (1..=10, _) => return None,
            _ => header.unknown += 1,
        }
    }
    (!fields.is_malformed()).then_some(header)
}

/// The first bytes for a message: text as text, the rest as hexadecimal numbers.
fn visible(head: &[u8]) -> String {
    if head.iter().all(|b| (0x20..0x7f).contains(b)) {
        return format!("the text `{}`", String::from_utf8_lossy(head));
    }
    let hex: Vec<String> = head.iter().map(|b| format!("{b:02x}")).collect();
    format!("the bytes {}", hex.join(" "))
}
