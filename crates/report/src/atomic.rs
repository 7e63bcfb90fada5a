//! Files that appear whole or not at all.
//!
//! The text goes to a temporary file beside the target, which takes the target's name when it is complete: a run that is killed leaves the old file or the new one.
//! The data is not forced to the disk; a power cut may lose it, and a report can always be made again.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use crate::ReportError;

/// Writes a file through a temporary one beside it.
///
/// A symbolic link at `path` is replaced, not followed; folders, devices and pipes are refused.
pub fn write_atomically(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), ReportError> {
    // Following the link here is right: a link to a device must not be replaced by a file either.
    if let Ok(found) = fs_err::metadata(path)
        && !found.is_file()
    {
        return Err(ReportError::NotAFile { path: path.to_owned() });
    }
    write_and_rename(path, write)
        .map_err(|cause| ReportError::Write { path: path.to_owned(), cause })
}

fn write_and_rename(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let folder =
        path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // A plain new file: reports are made to be shared, so only the user's mask limits who may read them, and an error does not name the temporary file.
    let temporary = tempfile::Builder::new()
        .prefix(".rangescope-")
        .suffix(".tmp")
        .make_in(folder, |path| File::options().write(true).create_new(true).open(path))?;
    let mut out = BufWriter::with_capacity(64 * 1024, temporary.as_file());
    write(&mut out)?;
    out.flush()?;
    drop(out);
    temporary.persist(path).map(drop).map_err(|failed| failed.error)
}
