//! Files that appear whole or not at all.
//!
//! The text goes to a file without a name, which gets one beside the target and then the target's own when it is complete: a run that is killed leaves the old file or the new one,
//! and nothing else. Where the system has no files without names, a named one stands in for it; [`sweep`] removes those that stayed.
//! The data is not forced to the disk; a power cut may lose it, and a report can always be made again.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Seek, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

use crate::ReportError;

/// Reports are made to be shared, so only the user's mask limits who may read them.
const SHARED: u32 = 0o666;
const PRIVATE: u32 = 0o600;

const PREFIX: &str = ".rangescope-";
const SUFFIX: &str = ".tmp";
/// Of the simulated ncu.
const SIMULATED: &str = ".simulated-";
/// No file is being written for so long.
const STALE: Duration = Duration::from_secs(60 * 60);

/// Writes a file through a temporary one.
///
/// A symbolic link at `path` is replaced, not followed; folders, devices and pipes are refused.
pub fn write_atomically(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), ReportError> {
    write_with_mode(path, SHARED, write)
}

/// Like [`write_atomically`], for a file that only the user may read.
pub fn write_privately(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), ReportError> {
    write_with_mode(path, PRIVATE, write)
}

/// Removes temporary files that were left in a folder long ago by a process that was killed.
pub fn sweep(folder: &Path) {
    // What cannot be removed is in nobody's way.
    let Ok(entries) = fs_err::read_dir(folder) else { return };
    for entry in entries.filter_map(Result::ok) {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let is_ours =
            (name.starts_with(PREFIX) && name.ends_with(SUFFIX)) || name.starts_with(SIMULATED);
        let is_stale = || {
            let found = entry.metadata().ok().filter(|found| found.file_type().is_file());
            let age = found
                .and_then(|found| SystemTime::now().duration_since(found.modified().ok()?).ok());
            age.is_some_and(|age| age > STALE)
        };
        if is_ours && is_stale() {
            let _ = fs_err::remove_file(entry.path());
        }
    }
}

fn write_with_mode(
    path: &Path,
    mode: u32,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), ReportError> {
    // Following the link here is right: a link to a device must not be replaced by a file either.
    if let Ok(found) = fs_err::metadata(path)
        && !found.is_file()
    {
        return Err(ReportError::NotAFile { path: path.to_owned() });
    }
    write_and_rename(path, mode, write)
        .map_err(|cause| ReportError::Write { path: path.to_owned(), cause })
}

fn write_and_rename(
    path: &Path,
    mode: u32,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let folder =
        path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut names = tempfile::Builder::new();
    names.prefix(PREFIX).suffix(SUFFIX);
    // A plain new file, so that an error does not name the temporary one.
    let create =
        |name: &Path| OpenOptions::new().write(true).create_new(true).mode(mode).open(name);
    let temporary = match unnamed(folder, mode) {
        Some(mut file) => {
            fill(&file, write)?;
            if let Ok(linked) = names.make_in(folder, |name| name_it(&file, name)) {
                return linked.persist(path).map(drop).map_err(|failed| failed.error);
            }
            // Some systems have such files and cannot name them.
            let temporary = names.make_in(folder, create)?;
            file.rewind()?;
            io::copy(&mut file, &mut temporary.as_file())?;
            temporary
        }
        None => {
            let temporary = names.make_in(folder, create)?;
            fill(temporary.as_file(), write)?;
            temporary
        }
    };
    temporary.persist(path).map(drop).map_err(|failed| failed.error)
}

fn fill(file: &File, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(64 * 1024, file);
    write(&mut out)?;
    out.flush()
}

/// A file that goes with this process unless it gets a name.
#[cfg(target_os = "linux")]
fn unnamed(folder: &Path, mode: u32) -> Option<File> {
    let flags = nix::fcntl::OFlag::O_TMPFILE.bits();
    OpenOptions::new().read(true).write(true).custom_flags(flags).mode(mode).open(folder).ok()
}

#[cfg(not(target_os = "linux"))]
fn unnamed(_: &Path, _: u32) -> Option<File> {
    None
}

#[cfg(target_os = "linux")]
fn name_it(file: &File, name: &Path) -> io::Result<()> {
    use nix::fcntl::{AT_FDCWD, AtFlags};
    use std::os::fd::AsRawFd;
    let open = format!("/proc/self/fd/{}", file.as_raw_fd());
    let flags = AtFlags::AT_SYMLINK_FOLLOW;
    Ok(nix::unistd::linkat(AT_FDCWD, open.as_str(), AT_FDCWD, name, flags)?)
}

#[cfg(not(target_os = "linux"))]
fn name_it(_: &File, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;
    use std::time::{Duration, SystemTime};

    use super::{PRIVATE, sweep, unnamed, write_atomically, write_privately};

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs_err::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn nothing_bears_a_name_while_it_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let has_unnamed_files = unnamed(folder.path(), PRIVATE).is_some();
        let path = folder.path().join("file");
        let mut meanwhile = Vec::new();
        write_atomically(&path, |out| {
            out.write_all(b"new")?;
            meanwhile = names(folder.path());
            Ok(())
        })
        .unwrap();
        assert_eq!(
            (fs_err::read(&path).unwrap(), names(folder.path())),
            (b"new".to_vec(), vec!["file".to_owned()])
        );
        assert_eq!(meanwhile.is_empty(), has_unnamed_files, "{meanwhile:?}");
        // A failure leaves what was there.
        let failed = write_atomically(&path, |_| Err(io::ErrorKind::StorageFull.into()));
        assert!(failed.is_err());
        assert_eq!(
            (fs_err::read(&path).unwrap(), names(folder.path())),
            (b"new".to_vec(), vec!["file".to_owned()])
        );
    }

    #[test]
    fn a_private_file_is_the_users_alone_also_where_a_shared_one_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        write_atomically(&path, |out| out.write_all(b"a")).unwrap();
        write_privately(&path, |out| out.write_all(b"b")).unwrap();
        assert_eq!(fs_err::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn only_old_temporary_files_are_swept_away() {
        let folder = tempfile::tempdir().unwrap();
        let old = SystemTime::now() - Duration::from_secs(2 * 60 * 60);
        for name in
            [".rangescope-a.tmp", ".simulated-b", ".rangescope-new.tmp", "old.tmp", ".rangescope-c"]
        {
            let file = fs_err::File::create(folder.path().join(name)).unwrap();
            if !name.contains("new") {
                file.file().set_modified(old).unwrap();
            }
        }
        std::os::unix::fs::symlink("/nowhere", folder.path().join(".rangescope-link.tmp")).unwrap();
        sweep(folder.path());
        assert_eq!(
            names(folder.path()),
            [".rangescope-c", ".rangescope-link.tmp", ".rangescope-new.tmp", "old.tmp"]
        );
    }
}
