//! The file format of a recording: constants, and the encoding and decoding of headers and records.
//!
//! A file is a header of fixed length followed by chunks. A chunk belongs to one thread at a time and holds records back to back; a record whose first word is
//! zero was never committed and ends its chunk. All numbers are little-endian. Nothing here touches files, and decoding never trusts a length.
//!
//! ```text
//! file    header (64 KiB) | chunk | chunk | …           chunks begin at multiples of 4 KiB
//! chunk   magic 8 | length 8 | records …
//! record  word 4 | domain 4 | time 8 | [id 8] | [attributes 24] | text, handle or nothing, padded to 8
//! word    units of 8 bytes 16 bits | kind 8 | padding 3 | flags 5
//! ```

mod header;
mod launcher;
mod record;

pub use header::{Header, HeaderProblem, field, key, stopped};
pub use launcher::{
    ALPS, DEVICES_VARIABLE, FLUX, JSM, LAUNCHERS, Launcher, OPEN_MPI, PMI, RANK_VARIABLES, SLURM,
    TORCHRUN, number_of,
};
pub use record::{Attributes, Body, Found, Kind, Record, Word, decode_record, flag};

/// Name of the environment variable with the folder that recordings go to.
pub const FOLDER_VARIABLE: &str = "RANGESCOPE_RECORDING";
/// Name of the environment variable with the bytes that the file of a process may have.
pub const LIMIT_VARIABLE: &str = "RANGESCOPE_RECORDING_LIMIT";
/// The limit where the variable is not set.
pub const DEFAULT_LIMIT: u64 = 1 << 30;
/// Name of the environment variable by which NVTX finds the library.
pub const INJECTION_VARIABLE: &str = "NVTX_INJECTION64_PATH";
/// Extension of a recording, which is named by the process id and a number.
pub const EXTENSION: &str = "nvtx";
/// The domain whose marks stand for kernel launches of a simulated device.
pub const SIMULATOR_DOMAIN: &str = "rangescope.sim";
/// Name of the environment variable that asks a program to announce its launches in that domain; set, and neither empty nor `0`.
pub const SIMULATE_VARIABLE: &str = "RANGESCOPE_SIMULATE";

/// The first eight bytes of a file; written last, so that a header without it is not complete.
pub const MAGIC: u64 = u64::from_le_bytes(*b"RSNVTX\r\n");
/// The first eight bytes of a chunk, written last as well.
pub const CHUNK_MAGIC: u64 = u64::from_le_bytes(*b"RSCHUNK\n");
/// Version of the format; a reader refuses what is newer. In version 1, chunks were multiples of 64 KiB.
pub const VERSION: u32 = 2;

/// Length of a file's header in bytes.
pub const HEADER_LEN: usize = 64 << 10;
/// Chunks begin at multiples of this and are multiples of it, and of the pages of the machine that they were written on.
pub const CHUNK_ALIGN: usize = 4 << 10;
/// Length of a thread's first chunk at least; every further one is [`CHUNK_GROWTH`] times as long as the one before. Most threads write little.
pub const FIRST_CHUNK: usize = CHUNK_ALIGN;
pub const CHUNK_GROWTH: usize = 4;
/// Length that chunks grow to.
pub const CHUNK: usize = 1 << 20;
/// Bytes before the records of a chunk.
pub const CHUNK_HEADER_LEN: usize = 16;
/// Bytes of a record before its body.
pub const RECORD_HEADER_LEN: usize = 16;
/// Bytes of the attributes of a record.
pub const ATTRIBUTES_LEN: usize = 24;
/// Longest text that is kept of a message or name, in bytes.
pub const LONGEST_TEXT: usize = 16 << 10;

/// The length of the chunk at the beginning of `bytes`, if one was begun there and fits.
pub fn chunk_len(bytes: &[u8]) -> Option<usize> {
    if u64_at(bytes, 0)? != CHUNK_MAGIC {
        return None;
    }
    let len = usize::try_from(u64_at(bytes, 8)?).ok()?;
    let fits = len >= CHUNK_ALIGN && len % CHUNK_ALIGN == 0;
    fits.then_some(len)
}

/// The number at a place, if the bytes reach that far.
pub fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    let found = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes(found.try_into().ok()?))
}

pub fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    let found = bytes.get(at..at.checked_add(8)?)?;
    Some(u64::from_le_bytes(found.try_into().ok()?))
}
