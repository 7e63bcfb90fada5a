//! Opening files that somebody else made: regular ones only, and no larger than is reasonable.
//!
//! A pipe would be waited for and a device read for ever; the kind is asked before a path is opened, because opening a pipe waits for its writer already. The errors do not name the path; whoever asked adds it.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Opens a regular file and gives its length.
#[expect(clippy::disallowed_methods, reason = "the caller adds the path to the error")]
pub fn open(path: &Path) -> io::Result<(File, u64)> {
    if let Some(what) = other_kind(&std::fs::metadata(path)?) {
        let message = format!("it is {what} and not a file");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    let file = File::open(path)?;
    let length = file.metadata()?.len();
    Ok((file, length))
}

/// What a path is, where it is no regular file.
pub(crate) fn other_kind(metadata: &std::fs::Metadata) -> Option<&'static str> {
    match (metadata.is_file(), metadata.is_dir()) {
        (true, _) => None,
        (_, true) => Some("a folder"),
        _ => Some("a pipe or a device"),
    }
}

/// Reads a whole regular file of at most `limit` bytes.
pub fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let (file, length) = open(path)?;
    let too_large = |length: u64| {
        let message = format!("it has {length} bytes, and at most {limit} are read");
        io::Error::new(io::ErrorKind::FileTooLarge, message)
    };
    if length > limit {
        return Err(too_large(length));
    }
    let mut bytes = Vec::new();
    // The length is what the file states now; running out of memory is an error like any other.
    let room = usize::try_from(length).ok().and_then(|length| length.checked_add(1));
    room.and_then(|room| bytes.try_reserve_exact(room).ok()).ok_or(io::ErrorKind::OutOfMemory)?;
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit { Err(too_large(bytes.len() as u64)) } else { Ok(bytes) }
}

/// Like [`read`], for text.
pub fn read_text(path: &Path, limit: u64) -> io::Result<String> {
    String::from_utf8(read(path, limit)?)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is no UTF-8 text"))
}
