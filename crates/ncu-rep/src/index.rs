//! The index over a report's blocks: where every entry is, all strings, processes and session pieces.
//!
//! Only block headers and entry lengths are read here. No content of a result is touched, so that indexing costs little even for very large files, and nothing is trusted before it is checked against the bytes that are there. What is read from headers and needed later is kept.

use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::bytes::Bytes;
use crate::distinct::Distinct;
use crate::error::{Damage, DamageKind, ReadError};
use crate::limits::{self, Beyond, Budget};
use crate::model::ResultKind;
use crate::session::Session;
use crate::strings::StringTable;
use crate::wire::{Fields, Wire, range_in};

const MAGIC: [u8; 4] = *b"NVR\0";
const OLDEST_VERSION: u64 = 7;
/// What a block costs whatever is in it: its places in the lists and tables of the index, and its damage.
const BLOCK: u64 = 128;
/// Zeros that are passed over to find out whether a block follows them.
const ZEROS: usize = 4 << 10;

/// Bytes that are read at once: enough for most headers together with the length of the first entry.
const WINDOW: usize = 4 << 10;
/// Where the headers before were shorter or longer, about as many bytes as they had are read at once, within these bounds.
const NARROWEST: usize = 256;
const WIDEST: usize = 32 << 10;

/// Processes and pieces that were met before, so that repetitions are not kept again; and what may still be kept.
struct Known {
    budget: Budget,
    processes: FxHashMap<Vec<u8>, u32>,
    session: Distinct<()>,
}

/// The part of a file that was read last.
struct Window<'a> {
    file: &'a Bytes,
    start: usize,
    length: usize,
    /// Bytes that the next block is likely to need: about as many as the blocks before it.
    block: usize,
    /// Bytes that may be asked for at once.
    most: usize,
    buffer: Vec<u8>,
}

impl Window<'_> {
    /// Some bytes of the file; nothing if it ends before, or has come to end before since it was opened.
    fn get(&mut self, range: Range<usize>) -> Option<&[u8]> {
        self.get_with(range, WINDOW)
    }

    /// The same, with so many bytes read if it has to be read.
    fn get_with(&mut self, range: Range<usize>, ahead: usize) -> Option<&[u8]> {
        if range.start < self.start || range.end > self.start + self.length {
            let left =
                self.file.len().checked_sub(range.start).filter(|&left| left >= range.len())?;
            let length = Some(range.len()).filter(|&length| length <= self.most)?;
            let length = length.max(ahead).min(left);
            self.length = 0;
            if let Some(more) = length.checked_sub(self.buffer.len()) {
                self.buffer.try_reserve(more).ok()?;
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
        let stored = file.stored();
        let most = limits::held(stored);
        let mut index = Self::default();
        let bytes =
            &mut Window { file, start: 0, length: 0, block: WINDOW, most, buffer: Vec::new() };
        let mut at = index.file_start(bytes)?;
        let mut known = Known {
            budget: Budget::of_index(stored),
            processes: FxHashMap::default(),
            session: Distinct::default(),
        };
        if at == file.len() {
            index.damage.push(Damage { offset: at as u64, kind: DamageKind::NoBlocks });
        }
        while at < file.len() {
            let next = index.block(bytes, at, &mut known);
            match next.map_err(|Beyond(limit)| ReadError::OutOfProportion { stored, limit })? {
                Some(next) => at = next,
                None => break,
            }
        }
        if index.results.is_empty()
            && let Some(first) = index.damage.iter().find(|damage| damage.is_open_ended())
        {
            return Err(ReadError::NothingReadable { first: first.clone() });
        }
        Ok(index)
    }

    pub(crate) fn session(&self) -> Session<'_> {
        let mut session = Session::default();
        for piece in self.session_pieces() {
            session.merge(piece);
        }
        session
    }

    pub(crate) fn session_pieces(&self) -> impl Iterator<Item = &[u8]> {
        self.session_pieces.iter().map(|piece| &self.kept[piece.clone()])
    }

    /// Every ncu names its own machine first, and after the first result that of the program and its own command line.
    pub(crate) fn session_is_cut(&self) -> bool {
        let session = self.session();
        session.host.is_some()
            && session.target.is_none()
            && session.command_line.is_empty()
            && !self.damage.iter().any(Damage::is_open_ended)
    }

    /// About how many bytes it takes.
    pub(crate) fn kept_bytes(&self) -> usize {
        size_of_val(&*self.results)
            + size_of_val(&*self.sources)
            + self.strings.kept_bytes()
            + self.kept.len()
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
    fn block(
        &mut self,
        bytes: &mut Window<'_>,
        at: usize,
        known: &mut Known,
    ) -> Result<Option<usize>, Beyond> {
        let left = (bytes.file.len() - at) as u64;
        let Some((header, payload)) = block_start(bytes, at) else {
            let kind = if left < 4 && self.blocks > 0 {
                DamageKind::StrayBytes { count: left }
            } else {
                DamageKind::HeaderCut { lost_bytes: left }
            };
            self.damage.push(Damage { offset: at as u64, kind });
            return Ok(None);
        };
        let likely = (header.len() + 8).max(bytes.block - bytes.block / 4);
        bytes.block = likely.clamp(NARROWEST, WIDEST);
        // What is kept of a header is in two places at most.
        known.budget.take(BLOCK + 2 * header.len() as u64)?;
        if header.is_empty() {
            return Ok(self.zeros(bytes, at));
        }
        let Some(header) = read_header(bytes, header) else {
            self.damage.push(Damage {
                offset: at as u64,
                kind: DamageKind::HeaderInvalid { lost_bytes: left },
            });
            return Ok(None);
        };
        self.blocks += 1;
        self.unknown_header_fields += header.unknown;
        // The window holds the whole header still.
        if let Some(strings) = header.strings.clone().and_then(|piece| bytes.get(piece)) {
            self.strings.add_piece(strings, &mut known.budget)?;
        }
        if let Some(session) = header.session.clone().and_then(|piece| bytes.get(piece))
            && known.session.find(&self.kept, session).is_none()
        {
            known.budget.take(limits::SESSION * session.len() as u64)?;
            let place = self.keep(session);
            known.session.remember(place.clone(), ());
            self.session_pieces.push(place);
        }
        let process = header.process.clone().and_then(|piece| bytes.get(piece)).unwrap_or_default();
        let process = self.process(process, &mut known.processes);
        self.entries(bytes, at, payload, &header, process, &mut known.budget)
    }

    /// Passes over zeros in the place of a block. No writer makes a block without a header: zeros are left where pages were lost, or never written.
    fn zeros(&mut self, bytes: &mut Window<'_>, at: usize) -> Option<usize> {
        let length = bytes.file.len();
        let end = length.min(at.saturating_add(ZEROS));
        let mut next = at;
        while next < end && bytes.get(next..next + 4) == Some(&[0; 4]) {
            next += 4;
        }
        let follows = looks_like_block(bytes, next);
        let lost = if follows { next } else { length } - at;
        let kind = DamageKind::Zeros { lost_bytes: lost as u64, ends: !follows };
        self.damage.push(Damage { offset: at as u64, kind });
        follows.then_some(next)
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
        budget: &mut Budget,
    ) -> Result<Option<usize>, Beyond> {
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
                    budget.push(&mut self.sources, entry)?;
                } else if let Some((_, kind)) =
                    RESULT_KINDS.iter().find(|(kind_slot, _)| *kind_slot == slot)
                {
                    let result = ResultEntry { kind: *kind, process, bytes: entry };
                    budget.push(&mut self.results, result)?;
                }
                at = next;
            }
        }
        if let Some((slot, missing)) = fault {
            let (what, offset) = (ENTRY_NAMES[slot], at as u64);
            // The counts come from the file; only as many entries can be lost as there was room for.
            let room = (length - at) as u64 / 4 + 1;
            let results = RESULT_KINDS.iter().filter(|(kind_slot, _)| *kind_slot >= slot);
            let lost = results.fold(0_u64, |lost, &(kind_slot, _)| {
                let all = header.counts.get(kind_slot).copied().unwrap_or_default();
                lost.saturating_add(if kind_slot == slot { missing } else { all })
            });
            let lost = lost.min(room);
            let next =
                stated_end.filter(|&end| end > at && end < length && starts_block(bytes, end));
            let kind = match next {
                Some(_) => DamageKind::EntryInvalid { what, lost },
                None => DamageKind::EntryCut { what, lost },
            };
            self.damage.push(Damage { offset, kind });
            return Ok(next);
        }
        match stated_end {
            Some(end) if end == at => Ok(Some(at)),
            // Content that this reader does not know may follow the entries.
            Some(end) if end > at && end <= length && starts_block(bytes, end) => Ok(Some(end)),
            _ => {
                let kind = DamageKind::PayloadSize { stated, found: (at - payload) as u64 };
                self.damage.push(Damage { offset: block as u64, kind });
                // Where neither leads to a block, the next step says what is lost.
                let end = stated_end.filter(|&end| end > at && end <= length);
                Ok(Some(end.filter(|_| !starts_block(bytes, at)).unwrap_or(at)))
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

/// The header of a block, and where its entries begin. It is read together with the lengths before and after it.
fn block_start(bytes: &mut Window<'_>, at: usize) -> Option<(Piece, usize)> {
    bytes.get_with(at..at.checked_add(4)?, bytes.block)?;
    prefixed(bytes, at)
}

/// A block may end where the file does, or where something like a block begins.
fn starts_block(bytes: &mut Window<'_>, at: usize) -> bool {
    at == bytes.file.len() || looks_like_block(bytes, at)
}

fn looks_like_block(bytes: &mut Window<'_>, at: usize) -> bool {
    let Some((header, payload)) = block_start(bytes, at) else { return false };
    read_header(bytes, header).is_some_and(|header| {
        header.payload_size.is_some_and(|size| size <= (bytes.file.len() - payload) as u64)
            || header.session.is_some()
    })
}

fn read_header(bytes: &mut Window<'_>, range: Piece) -> Option<Header> {
    let (base, length) = (range.start, range.len());
    // With the length of the first entry.
    let bytes = bytes.get_with(range, WINDOW.max(length + 4))?;
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
    if head.iter().all(|&b| b == 0) {
        return "zeros".to_owned();
    }
    if head.iter().all(|b| (0x20..0x7f).contains(b)) {
        return format!("the text `{}`", String::from_utf8_lossy(head));
    }
    let hex: Vec<String> = head.iter().map(|b| format!("{b:02x}")).collect();
    format!("the bytes {}", hex.join(" "))
}
