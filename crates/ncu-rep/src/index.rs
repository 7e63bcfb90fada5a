//! The index over a report's blocks: where every entry is, all strings, processes and session pieces.
//!
//! Only block headers and entry lengths are read here. No content of a result is touched, so that indexing costs little even for very large files, and nothing is trusted before it is checked against the bytes that are there.

use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::distinct::Distinct;
use crate::error::{Damage, DamageKind, ReadError};
use crate::model::ResultKind;
use crate::strings::StringTable;
use crate::wire::{Fields, Wire};

const MAGIC: [u8; 4] = *b"NVR\0";
const OLDEST_VERSION: u64 = 7;
/// Real headers are at most a few hundred kilobytes (strings and session); this bounds what a damaged length may claim before the header is looked at.
const LARGEST_HEADER: usize = 256 << 20;

/// How much of a file is looked at before its pages are given back.
const STRIDE: usize = 32 << 20;

/// What was met before, so that repetitions are not kept again.
#[derive(Default)]
struct Known {
    processes: FxHashMap<Vec<u8>, u32>,
    session: Distinct<()>,
}

/// Where one result is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ResultEntry {
    pub(crate) kind: ResultKind,
    /// Index into [`Index::processes`].
    pub(crate) process: u32,
    pub(crate) bytes: Range<usize>,
}

/// A byte range of the file.
type Piece = Range<usize>;

/// The index of a report.
#[derive(Debug, Default)]
pub(crate) struct Index {
    pub(crate) version: u64,
    pub(crate) blocks: u64,
    pub(crate) results: Vec<ResultEntry>,
    pub(crate) sources: Vec<Piece>,
    pub(crate) strings: StringTable,
    /// Distinct pieces of the session record.
    pub(crate) session_pieces: Vec<Piece>,
    /// Distinct process messages in order of first appearance; `None` for blocks that name none.
    pub(crate) processes: Vec<Option<Piece>>,
    pub(crate) damage: Vec<Damage>,
    /// Fields of block headers that this reader does not know.
    pub(crate) unknown_header_fields: u64,
}

/// What a block header says.
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
    /// Reads the headers of all blocks. `passed` is told which part of the file is done with for now.
    pub(crate) fn build(bytes: &[u8], passed: impl Fn(Range<usize>)) -> Result<Self, ReadError> {
        let mut index = Self::default();
        let mut at = index.file_start(bytes)?;
        let mut known = Known::default();
        let mut kept_from = 0;
        while at < bytes.len() {
            match index.block(bytes, at, &mut known) {
                Some(next) => at = next,
                None => break,
            }
            if at - kept_from > STRIDE {
                passed(kept_from..at);
                kept_from = at;
            }
        }
        if index.blocks == 0
            && let Some(first) = index.damage.first()
        {
            return Err(ReadError::NothingReadable { first: first.clone() });
        }
        Ok(index)
    }

    fn file_start(&mut self, bytes: &[u8]) -> Result<usize, ReadError> {
        if !bytes.starts_with(&MAGIC) {
            // A known kind of damage is a file that lost its first ten bytes and begins with a block.
            if looks_like_block(bytes, 0) {
                self.version = OLDEST_VERSION;
                self.damage.push(Damage { offset: 0, kind: DamageKind::MissingFileStart });
                return Ok(0);
            }
            return Err(ReadError::NotAReport { found: visible_start(bytes) });
        }
        let cut = || ReadError::NothingReadable {
            first: Damage {
                offset: 4,
                kind: DamageKind::HeaderCut { lost_bytes: bytes.len() as u64 - 4 },
            },
        };
        let (header, next) = prefixed(bytes, MAGIC.len()).ok_or_else(cut)?;
        self.version = Fields::new(&bytes[header])
            .filter(|(n, _)| *n == 1)
            .last()
            .map_or(0, |(_, v)| v.number());
        if self.version < OLDEST_VERSION {
            return Err(ReadError::Version { version: self.version });
        }
        Ok(next)
    }

    /// Reads the block at `at` and returns where the next one begins, or nothing when reading must end.
    fn block(&mut self, bytes: &[u8], at: usize, known: &mut Known) -> Option<usize> {
        let left = (bytes.len() - at) as u64;
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
        if let Some(piece) = header.strings.clone() {
            self.strings.add_piece(bytes, piece);
        }
        if let Some(piece) =
            header.session.clone().filter(|piece| known.session.find(bytes, piece).is_none())
        {
            known.session.remember(piece.clone(), ());
            self.session_pieces.push(piece);
        }
        let process = self.process(bytes, header.process.clone(), &mut known.processes);
        self.entries(bytes, at, payload, &header, process)
    }

    fn process(
        &mut self,
        bytes: &[u8],
        piece: Option<Piece>,
        known: &mut FxHashMap<Vec<u8>, u32>,
    ) -> u32 {
        // An empty key stands for "not stated"; a stated process is never empty.
        let key = piece.clone().map_or(&[][..], |piece| &bytes[piece]);
        if let Some(&id) = known.get(key) {
            return id;
        }
        let id = u32::try_from(self.processes.len()).unwrap_or(u32::MAX);
        known.insert(key.to_vec(), id);
        self.processes.push(piece.filter(|piece| !piece.is_empty()));
        id
    }

    /// Walks the entries of a block and returns where the next block begins.
    fn entries(
        &mut self,
        bytes: &[u8],
        block: usize,
        payload: usize,
        header: &Header,
        process: u32,
    ) -> Option<usize> {
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
            let lost = lost.min((bytes.len() - at) as u64 / 4 + 1);
            let next =
                stated_end.filter(|&end| end > at && end < bytes.len() && starts_block(bytes, end));
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
            Some(end) if end > at && end <= bytes.len() && starts_block(bytes, end) => Some(end),
            _ => {
                let kind = DamageKind::PayloadSize { stated, found: (at - payload) as u64 };
                self.damage.push(Damage { offset: block as u64, kind });
                if starts_block(bytes, at) {
                    Some(at)
                } else {
                    stated_end.filter(|&end| end > at && end <= bytes.len())
                }
            }
        }
    }
}

/// The bytes behind a little-endian 32-bit length at `at`, and where they end; nothing if the file ends before.
fn prefixed(bytes: &[u8], at: usize) -> Option<(Piece, usize)> {
    let start = at.checked_add(4)?;
    let length = u32::from_le_bytes(bytes.get(at..start)?.try_into().ok()?);
    let end = start.checked_add(usize::try_from(length).ok()?)?;
    (end <= bytes.len()).then_some((start..end, end))
}

/// Whether `at` is the end of the file or the start of something like a block.
fn starts_block(bytes: &[u8], at: usize) -> bool {
    at == bytes.len() || (at < bytes.len() && looks_like_block(bytes, at))
}

fn looks_like_block(bytes: &[u8], at: usize) -> bool {
    let Some((header, payload)) = prefixed(bytes, at) else { return false };
    if header.is_empty() {
        return true;
    }
    read_header(bytes, header).is_some_and(|header| {
        header.payload_size.is_some_and(|size| size <= (bytes.len() - payload) as u64)
            || header.session.is_some()
    })
}

fn read_header(bytes: &[u8], range: Piece) -> Option<Header> {
    if range.len() > LARGEST_HEADER {
        return None;
    }
    let mut header = Header::default();
    let mut fields = Fields::new(&bytes[range]);
    for (number, content) in fields.by_ref() {
        match (number, content) {
            (1, Wire::Varint(n)) => header.counts[0] = n,
            (2, Wire::Varint(n)) => header.counts[2] = n,
            (3, Wire::Bytes(piece)) => header.session = Some(range_in(bytes, piece)),
            (4, Wire::Bytes(piece)) => header.strings = Some(range_in(bytes, piece)),
            (5, Wire::Varint(n)) => header.payload_size = Some(n),
            (6, Wire::Bytes(piece)) => header.process = Some(range_in(bytes, piece)),
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

/// Where a slice of `bytes` stands in it.
fn range_in(bytes: &[u8], piece: &[u8]) -> Piece {
    let start = piece.as_ptr().addr().saturating_sub(bytes.as_ptr().addr());
    start..start + piece.len()
}

/// The first bytes for a message: text as text, the rest as hexadecimal numbers.
fn visible_start(bytes: &[u8]) -> String {
    let head = &bytes[..bytes.len().min(8)];
    if head.iter().all(|b| (0x20..0x7f).contains(b)) {
        return format!("the text `{}`", String::from_utf8_lossy(head));
    }
    let hex: Vec<String> = head.iter().map(|b| format!("{b:02x}")).collect();
    format!("the bytes {}", hex.join(" "))
}
