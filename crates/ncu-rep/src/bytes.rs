//! The bytes of a report: a file, or a buffer.
//!
//! A file is read piece by piece into buffers of the reader's own and never mapped, so that another program that changes or shortens it meanwhile costs an error and nothing worse. A compressed stream is decompressed to an unlinked temporary file, so that memory stays small, and is bounded, so that a small file cannot fill a disk.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;

use ruzstd::decoding::StreamingDecoder;

use crate::error::{Damage, DamageKind, ReadError};

const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// A small stream may grow to this many bytes whatever its ratio.
const ALWAYS_ALLOWED: u64 = 256 << 20;
/// Above that, this many bytes for each compressed byte; repeated results of real reports stay far below.
const MOST_BYTES_PER_BYTE: u64 = 1_000;

#[derive(Debug)]
pub(crate) enum Bytes {
    /// A file with the length that it had when it was opened.
    File(File, usize),
    Owned(Vec<u8>),
}

impl Bytes {
    /// Opens a file and decompresses it if its content is a zstd stream.
    pub(crate) fn open(path: &Path) -> Result<(Self, Option<Damage>), ReadError> {
        let io = |source| ReadError::Io { path: path.to_owned(), source };
        // The kind is asked before opening, because opening a pipe would wait for its writer.
        let kind = std::fs::metadata(path).map_err(io)?;
        if !kind.is_file() {
            let what = if kind.is_dir() { "a folder" } else { "a pipe or a device" };
            return Err(ReadError::NotAFile { path: path.to_owned(), what });
        }
        let mut file = fs_open(path).map_err(io)?;
        let length = file.metadata().map_err(io)?.len();
        if length == 0 {
            return Err(ReadError::Empty);
        }
        let mut start = Vec::new();
        (&file).take(ZSTD_MAGIC.len() as u64).read_to_end(&mut start).map_err(io)?;
        if start == ZSTD_MAGIC {
            file.rewind().map_err(io)?;
            return decompress(BufReader::new(file), length);
        }
        let length = usize::try_from(length).map_err(|_| io(io::ErrorKind::FileTooLarge.into()))?;
        Ok((Self::File(file, length), None))
    }

    pub(crate) fn from_vec(bytes: Vec<u8>) -> Result<(Self, Option<Damage>), ReadError> {
        if bytes.is_empty() {
            return Err(ReadError::Empty);
        }
        if bytes.starts_with(&ZSTD_MAGIC) {
            decompress(&bytes[..], bytes.len() as u64)
        } else {
            Ok((Self::Owned(bytes), None))
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Self::File(_, length) => *length,
            Self::Owned(bytes) => bytes.len(),
        }
    }

    /// Fills `buffer` from `start` on. It fails where the file has been shortened since it was opened.
    pub(crate) fn read_at(&self, start: usize, buffer: &mut [u8]) -> io::Result<()> {
        match self {
            Self::File(file, _) => file.read_exact_at(buffer, start as u64),
            Self::Owned(bytes) => {
                let from = bytes.get(start..).and_then(|rest| rest.get(..buffer.len()));
                buffer.copy_from_slice(from.ok_or(io::ErrorKind::UnexpectedEof)?);
                Ok(())
            }
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "the caller adds the path to the error")]
fn fs_open(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// Decompresses all frames of a zstd stream. A stream that breaks after its start gives what came before, with the damage.
fn decompress(
    mut compressed: impl Read,
    length: u64,
) -> Result<(Bytes, Option<Damage>), ReadError> {
    let failed = |reason: String| ReadError::Compression { reason };
    let limit = ALWAYS_ALLOWED.max(length.saturating_mul(MOST_BYTES_PER_BYTE));
    let mut out = tempfile::tempfile().map_err(|e| failed(format!("no temporary file: {e}")))?;
    let mut written = 0u64;
    let mut damage = None;
    let mut buffer = vec![0; 1 << 18];
    let mut magic = [0; ZSTD_MAGIC.len()];
    while damage.is_none() && compressed.read_exact(&mut magic).is_ok() && magic == ZSTD_MAGIC {
        match StreamingDecoder::new(magic.chain(&mut compressed)) {
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
    let length = usize::try_from(written).map_err(|e| failed(e.to_string()))?;
    let damage =
        damage.map(|reason| Damage { offset: written, kind: DamageKind::CompressedCut { reason } });
    Ok((Bytes::File(out, length), damage))
}
