//! Small files that appear whole or not at all.

use std::io::{self, Write};
use std::path::Path;

/// Writes a file through a temporary one beside it; the user's mask applies to the mode.
pub(crate) fn write_whole(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let folder =
        path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut temporary = tempfile::Builder::new()
        .prefix(".rangescope-")
        .suffix(".tmp")
        .permissions(std::fs::Permissions::from_mode(mode))
        .tempfile_in(folder)?;
    temporary.write_all(bytes)?;
    temporary.persist(path).map(drop).map_err(|failed| failed.error)
}

/// The beginning and the end of a file that may be very long, as text.
pub(crate) fn read_ends(path: &Path, most: u64) -> io::Result<String> {
    use std::io::{Read, Seek, SeekFrom};
    let mut file = fs_err::File::open(path)?;
    let length = file.metadata()?.len();
    let mut bytes = Vec::new();
    if length <= most {
        file.read_to_end(&mut bytes)?;
        return Ok(String::from_utf8_lossy(&bytes).into_owned());
    }
    let half = most / 2;
    Read::by_ref(&mut file).take(half).read_to_end(&mut bytes)?;
    bytes.extend(b"\n");
    file.seek(SeekFrom::Start(length - half))?;
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::{read_ends, write_whole};

    #[test]
    fn a_long_file_is_read_at_both_ends() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        write_whole(&path, b"begin------------------------------end", 0o666).unwrap();
        assert_eq!(read_ends(&path, 100).unwrap().len(), 38);
        assert_eq!(read_ends(&path, 10).unwrap(), "begin\n--end");
        assert_eq!(fs_err::read_dir(folder.path()).unwrap().count(), 1);
    }
}
