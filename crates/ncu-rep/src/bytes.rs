//! The bytes of a report: a file, or a buffer.
//!
//! A file is read piece by piece into buffers of the reader's own and never mapped, so that another program that changes or shortens it meanwhile costs an error and nothing worse. A compressed stream is decompressed to an unlinked temporary file, so that memory stays small, and is bounded, so that a small file cannot fill a disk.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;

use ruzstd::decoding::StreamingDecoder;

use crate::error::{Damage, DamageKind, ReadError};
use crate::file;
use crate::limits::{self, DECOMPRESSED, DECOMPRESSED_PER_BYTE};

const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

#[derive(Debug)]
pub(crate) enum Bytes {
    /// A file with the length that it had when it was opened, and how many bytes it was decompressed from if it was.
    File {
        file: File,
        length: usize,
        compressed: Option<u64>,
    },
    Owned(Vec<u8>),
    /// A file of this length that was closed.
    Closed(usize),
}

impl Bytes {
    /// Opens a file and decompresses it if its content is a zstd stream.
    pub(crate) fn open(path: &Path) -> Result<(Self, Option<Damage>), ReadError> {
        let io = |source| ReadError::Io { path: path.to_owned(), source };
        if let Some(what) = file::other_kind(&std::fs::metadata(path).map_err(io)?) {
            return Err(ReadError::NotAFile { path: path.to_owned(), what });
        }
        let (mut file, stored) = file::open(path).map_err(io)?;
        if stored == 0 {
            return Err(ReadError::Empty);
        }
        let mut start = Vec::new();
        (&file).take(ZSTD_MAGIC.len() as u64).read_to_end(&mut start).map_err(io)?;
        if start == ZSTD_MAGIC {
            file.rewind().map_err(io)?;
            return decompress(BufReader::new(file), stored);
        }
        let length = usize::try_from(stored).map_err(|_| io(io::ErrorKind::FileTooLarge.into()))?;
        Ok((Self::File { file, length, compressed: None }, None))
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
            Self::File { length, .. } | Self::Closed(length) => *length,
            Self::Owned(bytes) => bytes.len(),
        }
    }

    /// Bytes that the file takes on its disk; fewer than its length if it is compressed.
    pub(crate) fn stored(&self) -> u64 {
        match self {
            Self::File { length, compressed, .. } => compressed.unwrap_or(*length as u64),
            Self::Closed(length) => *length as u64,
            Self::Owned(bytes) => bytes.len() as u64,
        }
    }

    /// Closes the file; not one that would have to be decompressed again, nor what is in memory.
    pub(crate) fn close(&mut self) -> bool {
        match *self {
            Self::File { length, compressed: None, .. } => {
                *self = Self::Closed(length);
                true
            }
            _ => false,
        }
    }

    /// Fills `buffer` from `start` on. It fails where the file has been shortened since it was opened.
    pub(crate) fn read_at(&self, start: usize, buffer: &mut [u8]) -> io::Result<()> {
        match self {
            Self::File { file, .. } => file.read_exact_at(buffer, start as u64),
            Self::Owned(bytes) => {
                let from = bytes.get(start..).and_then(|rest| rest.get(..buffer.len()));
                buffer.copy_from_slice(from.ok_or(io::ErrorKind::UnexpectedEof)?);
                Ok(())
            }
            Self::Closed(_) => Err(io::ErrorKind::NotFound.into()),
        }
    }
}

/// Decompresses all frames of a zstd stream. A stream that breaks after its start gives what came before, with the damage.
fn decompress(
    mut compressed: impl Read,
    stored: u64,
) -> Result<(Bytes, Option<Damage>), ReadError> {
    let failed = |reason: String| ReadError::Compression { reason };
    let limit = DECOMPRESSED.max(stored.saturating_mul(DECOMPRESSED_PER_BYTE));
    let window = limits::window(stored);
    let mut out = tempfile::tempfile().map_err(|e| failed(format!("no temporary file: {e}")))?;
    let mut written = 0u64;
    let mut damage = None;
    let mut buffer = vec![0; 1 << 18];
    let mut magic = [0; ZSTD_MAGIC.len()];
    while damage.is_none() && compressed.read_exact(&mut magic).is_ok() && magic == ZSTD_MAGIC {
        match StreamingDecoder::new_with_max_window_size(magic.chain(&mut compressed), window) {
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
    Ok((Bytes::File { file: out, length, compressed: Some(stored) }, damage))
}
