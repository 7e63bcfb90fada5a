//! Small files that appear whole or not at all, and what only the user may look into.

use std::fs::{DirBuilder, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::Path;

/// The mode of files that hold commands, variables or what a program printed.
pub const PRIVATE: u32 = 0o600;

/// How the name of a report of nsys ends; nsys adds that itself.
pub(crate) const NSYS_REPORT: &str = "nsys-rep";

/// Makes a folder that nobody else can enter. One that is there stays as it is, and folders around it are made as usual.
pub fn make_private_folder(folder: &Path) -> io::Result<()> {
    if let Some(around) = folder.parent().filter(|around| !around.as_os_str().is_empty()) {
        fs_err::create_dir_all(around)?;
    }
    match DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists || !folder.is_dir() => {
            Err(error)
        }
        _ => Ok(()),
    }
}

/// Takes a file away from everybody but the user: what ncu and nsys write holds the program's environment.
pub fn make_private(file: &Path) {
    // A file system without modes has nobody to hide it from either; and a report that is readable is still a report.
    let _ = fs_err::set_permissions(file, Permissions::from_mode(PRIVATE));
}

/// Writes a file through a temporary one beside it; the user's mask applies to the mode.
pub(crate) fn write_whole(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    let folder =
        path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut temporary = tempfile::Builder::new()
        .prefix(".rangescope-")
        .suffix(".tmp")
        .permissions(Permissions::from_mode(mode))
        .tempfile_in(folder)?;
    temporary.write_all(bytes)?;
    temporary.persist(path).map(drop).map_err(|failed| failed.error)
}

/// Whether a profiler has written a report here. One of nsys is known by its name alone: only nsys can read it.
pub(crate) fn is_report(path: &Path) -> bool {
    if path.extension().is_some_and(|extension| extension == NSYS_REPORT) {
        path.metadata().is_ok_and(|file| file.is_file() && file.len() > 0)
    } else {
        ncu_rep::Report::open(path).is_ok()
    }
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
