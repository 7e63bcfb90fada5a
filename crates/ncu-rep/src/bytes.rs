//! The bytes of a report: a file, a buffer, or something of the caller's.
//!
//! A file is read piece by piece into buffers of the reader's own and never mapped, so that another program that changes or shortens it meanwhile costs an error and nothing worse. A compressed stream is decompressed to an unlinked temporary file, so that memory stays small, and is bounded, so that a small file cannot fill a disk.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, Write};
use std::path::Path;

use ruzstd::decoding::StreamingDecoder;

use crate::error::{Damage, DamageKind, ReadError};
use crate::file;
use crate::limits::{self, DECOMPRESSED, DECOMPRESSED_PER_BYTE};

const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Something of the caller's that can be read at any position, such as a slice of a file in a browser.
pub trait ReadAt: std::fmt::Debug + Send + Sync {
    /// How many bytes there are.
    fn length(&self) -> u64;

    /// Fills the buffer with the bytes from `start` on; fails where there are fewer.
    fn read_exact_at(&self, buffer: &mut [u8], start: u64) -> io::Result<()>;
}

#[derive(Debug)]
pub(crate) enum Bytes {
    /// A file with the length that it had when it was opened, and how many bytes it was decompressed from if it was.
    File {
        file: File,
        length: usize,
        compressed: Option<u64>,
    },
    Owned(Vec<u8>),
    Given {
        bytes: Box<dyn ReadAt>,
        length: usize,
    },
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

    pub(crate) fn given(bytes: Box<dyn ReadAt>) -> Result<(Self, Option<Damage>), ReadError> {
        let failed = |reason: io::Error| ReadError::Given { source: reason };
        let stored = bytes.length();
        if stored == 0 {
            return Err(ReadError::Empty);
        }
        let mut start = [0; ZSTD_MAGIC.len()];
        if stored >= ZSTD_MAGIC.len() as u64 {
            bytes.read_exact_at(&mut start, 0).map_err(failed)?;
        }
        if start == ZSTD_MAGIC {
            return decompress(BufReader::new(FromStart { bytes: &*bytes, at: 0 }), stored);
        }
        let length =
            usize::try_from(stored).map_err(|_| failed(io::ErrorKind::FileTooLarge.into()))?;
        Ok((Self::Given { bytes, length }, None))
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Self::File { length, .. } | Self::Given { length, .. } | Self::Closed(length) => {
                *length
            }
            Self::Owned(bytes) => bytes.len(),
        }
    }

    /// Bytes that the file takes on its disk; fewer than its length if it is compressed.
    pub(crate) fn stored(&self) -> u64 {
        match self {
            Self::File { length, compressed, .. } => compressed.unwrap_or(*length as u64),
            Self::Given { length, .. } | Self::Closed(length) => *length as u64,
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
            Self::File { file, .. } => read_exact_at(file, buffer, start as u64),
            Self::Given { bytes, .. } => bytes.read_exact_at(buffer, start as u64),
            Self::Owned(bytes) => {
                let from = bytes.get(start..).and_then(|rest| rest.get(..buffer.len()));
                buffer.copy_from_slice(from.ok_or(io::ErrorKind::UnexpectedEof)?);
                Ok(())
            }
            Self::Closed(_) => Err(io::ErrorKind::NotFound.into()),
        }
    }
}

/// What the caller gave, byte after byte.
struct FromStart<'b> {
    bytes: &'b dyn ReadAt,
    at: u64,
}

impl Read for FromStart<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.bytes.length().saturating_sub(self.at));
        let length = buffer.len().min(left.unwrap_or(usize::MAX));
        if let Some(buffer) = buffer.get_mut(..length) {
            self.bytes.read_exact_at(buffer, self.at)?;
        }
        self.at += length as u64;
        Ok(length)
    }
}

/// The one place that knows how a system reads a file at a position.
#[cfg(unix)]
fn read_exact_at(file: &File, buffer: &mut [u8], start: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, buffer, start)
}

#[cfg(windows)]
fn read_exact_at(file: &File, mut buffer: &mut [u8], mut start: u64) -> io::Result<()> {
    while !buffer.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, buffer, start) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(read) => {
                buffer = &mut buffer[read..];
                start += read as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// A system without files: reports come as bytes, or as something of the caller's.
#[cfg(not(any(unix, windows)))]
fn read_exact_at(_: &File, _: &mut [u8], _: u64) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
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
