//! The bytes of a report: a mapped file, a decompressed stream, or a buffer.
//!
//! This is the only place with `unsafe` code in the crate. Decompression goes to an unlinked temporary file that is mapped too, so that private memory stays small, and is bounded, so that a small file cannot fill a disk.

use std::fs::File;
use std::io::{self, Read, Write};
use std::ops::Range;
use std::path::Path;

use memmap2::Mmap;
use ruzstd::decoding::StreamingDecoder;

use crate::error::{Damage, DamageKind, ReadError};

const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// A small stream may grow to this many bytes whatever its ratio.
const ALWAYS_ALLOWED: u64 = 256 << 20;
/// Above that, this many bytes for each compressed byte; repeated results of real reports stay far below.
const MOST_BYTES_PER_BYTE: u64 = 1_000;

/// The bytes of a report.
#[derive(Debug)]
pub(crate) enum Bytes {
    Mapped(Mmap),
    Owned(Vec<u8>),
}

impl std::ops::Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Mapped(map) => map,
            Self::Owned(bytes) => bytes,
        }
    }
}

impl Bytes {
    /// Maps a file and decompresses it if its content is a zstd stream.
    pub(crate) fn open(path: &Path) -> Result<(Self, Option<Damage>), ReadError> {
        let io = |source| ReadError::Io { path: path.to_owned(), source };
        // The kind is asked before opening, because opening a pipe would wait for its writer.
        let kind = std::fs::metadata(path).map_err(io)?;
        if !kind.is_file() {
            let what = if kind.is_dir() { "a folder" } else { "a pipe or a device" };
            return Err(ReadError::NotAFile { path: path.to_owned(), what });
        }
        if kind.len() == 0 {
            return Err(ReadError::Empty);
        }
        let file = fs_open(path).map_err(io)?;
        let map = map(&file).map_err(io)?;
        if map.starts_with(&ZSTD_MAGIC) { decompress(&map) } else { Ok((Self::Mapped(map), None)) }
    }

    /// Takes bytes that are in memory already.
    pub(crate) fn from_vec(bytes: Vec<u8>) -> Result<(Self, Option<Damage>), ReadError> {
        if bytes.is_empty() {
            return Err(ReadError::Empty);
        }
        if bytes.starts_with(&ZSTD_MAGIC) {
            decompress(&bytes)
        } else {
            Ok((Self::Owned(bytes), None))
        }
    }

    /// Lets the system take back the pages of a part that will not be needed soon; they are read again from the file if they are.
    pub(crate) fn release(&self, range: Range<usize>) {
        let Self::Mapped(map) = self else { return };
        let end = range.end.min(map.len());
        if range.start < end {
            release_pages(map, range.start, end - range.start);
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "the caller adds the path to the error")]
fn fs_open(path: &Path) -> io::Result<File> {
    File::open(path)
}

#[expect(unsafe_code, reason = "mapping a file is the point of this module")]
fn map(file: &File) -> io::Result<Mmap> {
    // SAFETY: the map is read-only and private. If another program truncates the file meanwhile, the process gets SIGBUS; that is the known price of mapping, and no memory of ours can be corrupted by it.
    unsafe { Mmap::map(file) }
}

#[expect(unsafe_code, reason = "dropping clean pages of a read-only file mapping loses nothing")]
fn release_pages(map: &Mmap, offset: usize, len: usize) {
    // SAFETY: the mapping is a read-only file mapping, so that MADV_DONTNEED only drops clean pages, whose content is read from the file again on the next access.
    let _ = unsafe { map.unchecked_advise_range(memmap2::UncheckedAdvice::DontNeed, offset, len) };
}

/// Decompresses all frames of a zstd stream. A stream that breaks after its start gives what came before, with the damage.
fn decompress(compressed: &[u8]) -> Result<(Bytes, Option<Damage>), ReadError> {
    let failed = |reason: String| ReadError::Compression { reason };
    let limit = ALWAYS_ALLOWED.max((compressed.len() as u64).saturating_mul(MOST_BYTES_PER_BYTE));
    let mut out = tempfile::tempfile().map_err(|e| failed(format!("no temporary file: {e}")))?;
    let mut written = 0u64;
    let mut damage = None;
    let mut rest = compressed;
    let mut buffer = vec![0; 1 << 18];
    while rest.starts_with(&ZSTD_MAGIC) && damage.is_none() {
        match StreamingDecoder::new(&mut rest) {
            Ok(mut frame) => loop {
                match frame.read(&mut buffer) {
                    Ok(0) => break,
                    Ok(n) => {
                        written += n as u64;
                        if written > limit {
                            return Err(failed(format!(
                                "it grows beyond {limit} bytes, which no real report does"
                            )));
                        }
                        out.write_all(&buffer[..n])
                            .map_err(|e| failed(format!("temporary file: {e}")))?;
                    }
                    Err(error) => {
                        damage = Some(error.to_string());
                        break;
                    }
                }
            },
            Err(error) => damage = Some(error.to_string()),
        }
    }
    if written == 0 {
        return Err(failed(damage.unwrap_or_else(|| "it holds no data".to_owned())));
    }
    let map = map(&out).map_err(|e| failed(format!("temporary file: {e}")))?;
    let damage =
        damage.map(|reason| Damage { offset: written, kind: DamageKind::CompressedCut { reason } });
    Ok((Bytes::Mapped(map), damage))
}
