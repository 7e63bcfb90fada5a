//! What can be wrong with a report: errors when nothing is readable, and [`Damage`] when a part is lost.

use std::io;
use std::path::PathBuf;

/// Why a report cannot be read at all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    #[error("cannot read `{}`: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("cannot read the report: {source}")]
    Given { source: io::Error },
    #[error("`{}` is {what}, not a report file", path.display())]
    NotAFile { path: PathBuf, what: &'static str },
    #[error("the file is empty (0 bytes)")]
    Empty,
    #[error(
        "this is not an Nsight Compute report: it begins with {found}, expected `NVR\\0` or a zstd stream"
    )]
    NotAReport { found: String },
    /// The file's version is older than any known reader takes.
    #[error("file version {version} is not supported (7 and later are)")]
    Version { version: u64 },
    /// The compressed stream is broken from its start, or larger than allowed.
    #[error("the zstd stream cannot be decompressed: {reason}")]
    Compression { reason: String },
    /// The file begins like a report and nothing in it is readable.
    #[error("no part of the report is readable: {first}")]
    NothingReadable { first: Damage },
    /// The file states more than its size could ever hold.
    #[error(
        "reading the report would take more than {limit} bytes of memory, out of all proportion to its {stored} bytes"
    )]
    OutOfProportion { stored: u64, limit: u64 },
}

impl ReadError {
    /// Advice to the user.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Io { .. } => "check that the file exists and that you may read it",
            Self::Given { .. } => {
                "check that all of it is there, and that it is read where it was asked for"
            }
            Self::NotAFile { .. } => "give the path of a .ncu-rep file, an ncu CSV or a run folder",
            Self::Empty => {
                "the capture may have been interrupted before anything was written; capture again"
            }
            Self::NotAReport { .. } => {
                "give a file written by `ncu -o` or ncu's CSV (`ncu --csv --page raw`)"
            }
            Self::Version { .. } => "open it with the tool that wrote it and save it again",
            Self::Compression { .. } => "the file is damaged; copy it again from where it was made",
            Self::NothingReadable { .. } => {
                "wait until ncu has ended, or copy the file again from where it was made; else capture again"
            }
            Self::OutOfProportion { .. } => {
                "no profiler writes such a file; copy it again from where it was made"
            }
        }
    }
}

/// A part of a report that is lost, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// Byte position in the (decompressed) file.
    pub offset: u64,
    pub kind: DamageKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DamageKind {
    /// The ten bytes at the start are missing; the blocks after them were read all the same.
    MissingFileStart,
    /// Nothing follows the start of the file.
    NoBlocks,
    /// The file ends inside a block header; nothing after this point can be read.
    HeaderCut { lost_bytes: u64 },
    /// There is no valid block header where one should be; nothing after this point can be read.
    HeaderInvalid { lost_bytes: u64 },
    /// There are zeros where a block should be, which no writer makes; `ends` means that no block follows them.
    Zeros { lost_bytes: u64, ends: bool },
    /// The file ends inside an entry, or the entry's length is wrong; `lost` counts the results of its block. Nothing after this point can be read.
    EntryCut { what: &'static str, lost: u64 },
    /// An entry's bytes cannot be decoded; it was skipped with what follows it in its block, `lost` results in all.
    EntryInvalid { what: &'static str, lost: u64 },
    /// The block's stated size and its entries disagree; the entries were followed.
    PayloadSize { stated: u64, found: u64 },
    /// A few bytes after the last block belong to none.
    StrayBytes { count: u64 },
    /// The compressed stream ends early; what was decompressed before was read.
    CompressedCut { reason: String },
    /// The session record lacks what ncu writes after the first result.
    SessionCut,
}

impl Damage {
    /// Results that are known to be lost by this damage.
    pub fn lost_results(&self) -> u64 {
        match self.kind {
            DamageKind::EntryCut { lost, .. } | DamageKind::EntryInvalid { lost, .. } => lost,
            _ => 0,
        }
    }

    /// Nothing in the file says how many results stood in what cannot be read.
    pub fn is_open_ended(&self) -> bool {
        match self.kind {
            DamageKind::MissingFileStart
            | DamageKind::EntryInvalid { .. }
            | DamageKind::PayloadSize { .. } => false,
            DamageKind::NoBlocks
            | DamageKind::HeaderCut { .. }
            | DamageKind::HeaderInvalid { .. }
            | DamageKind::Zeros { .. }
            | DamageKind::EntryCut { .. }
            | DamageKind::StrayBytes { .. }
            | DamageKind::CompressedCut { .. }
            | DamageKind::SessionCut => true,
        }
    }
}

/// Why a file ends too early.
const UNFINISHED: &str =
    "ncu is still writing this report or was killed, or the copy is not complete";
const UNKNOWN_LOSS: &str = "how many results are lost is not known";

impl std::fmt::Display for Damage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let at = self.offset;
        match &self.kind {
            DamageKind::MissingFileStart => f.write_str(
                "the first ten bytes of the file are missing; the blocks after them were read",
            ),
            DamageKind::NoBlocks => {
                write!(f, "the file ends after its first {at} bytes: {UNFINISHED}")
            }
            DamageKind::HeaderCut { lost_bytes } => write!(
                f,
                "the file ends inside a block header at byte {at}; the last {lost_bytes} bytes are lost: {UNFINISHED}; {UNKNOWN_LOSS}"
            ),
            DamageKind::HeaderInvalid { lost_bytes } => write!(
                f,
                "no valid block header at byte {at}; the {lost_bytes} bytes from there on are lost, and {UNKNOWN_LOSS}"
            ),
            DamageKind::Zeros { lost_bytes, ends: true } => write!(
                f,
                "zeros at byte {at}, where a block should begin; the {lost_bytes} bytes from there on are lost: {UNFINISHED}, or its disk was full; {UNKNOWN_LOSS}"
            ),
            DamageKind::Zeros { lost_bytes, ends: false } => write!(
                f,
                "{lost_bytes} zeros at byte {at}, where a block should begin; {UNKNOWN_LOSS}"
            ),
            DamageKind::EntryCut { what, lost } => write!(
                f,
                "the file ends inside a {what} entry at byte {at}; {lost} lost with it: {UNFINISHED}; how many more are lost is not known"
            ),
            DamageKind::EntryInvalid { what, .. } => {
                write!(f, "the {what} entry at byte {at} is damaged and was skipped")
            }
            DamageKind::PayloadSize { stated, found } => write!(
                f,
                "the block at byte {at} states {stated} bytes of content and holds {found}; its entries were followed"
            ),
            DamageKind::StrayBytes { count } => write!(
                f,
                "{count} stray bytes after the last block, at byte {at}, were ignored; if the file is cut there, {UNKNOWN_LOSS}"
            ),
            DamageKind::CompressedCut { reason } => write!(
                f,
                "the compressed stream is damaged after {at} bytes ({reason}); what came before was read, and {UNKNOWN_LOSS}"
            ),
            DamageKind::SessionCut => write!(
                f,
                "the session record ends early, after {at} bytes of the file: {UNFINISHED}; {UNKNOWN_LOSS}"
            ),
        }
    }
}
