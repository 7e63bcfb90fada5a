//! The injection library inside this program, and how it gets to a folder from which other programs can load it.
//!
//! What is loaded into other people's programs must be what was built here. So the folder is the user's own and nobody else can enter it; the file is named by
//! its content, which is compared on every use, and replaced in one step when it is wrong. Links and other people's files are not followed.

use std::ffi::OsString;
use std::fs::{DirBuilder, Metadata, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use nix::sys::statvfs::{FsFlags, statvfs};
use rangescope_recorder::LIBRARY;
pub use rangescope_recorder::format::DEFAULT_LIMIT;
use rangescope_recorder::format::{FOLDER_VARIABLE, INJECTION_VARIABLE, LIMIT_VARIABLE};

use crate::files::write_whole;

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecorderError {
    #[error("cannot put the NVTX recorder at `{}`: {cause}", path.display())]
    Io { path: PathBuf, cause: io::Error },
    /// The folder or file belongs to somebody else, or others could change it.
    #[error("the recorder cannot be put into `{}`: {reason}", path.display())]
    NotPrivate { path: PathBuf, reason: &'static str },
    /// The library would be there, and no program could load it.
    #[error("the recorder cannot be loaded from `{}`: its file system is mounted `noexec`", path.display())]
    NoExec { path: PathBuf },
    #[error("recording NVTX ranges is not supported on this system")]
    Unsupported,
}

impl RecorderError {
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Io { .. } => {
                Some("check the permissions of the folder and the space on its disk")
            }
            Self::NoExec { .. } => {
                Some("set XDG_CACHE_HOME or TMPDIR to a folder from which programs can be executed")
            }
            Self::NotPrivate { .. } => {
                Some("set XDG_CACHE_HOME to a folder of your own that nobody else can write to")
            }
            Self::Unsupported => None,
        }
    }
}

/// The variables that make a child process record into a folder, which must exist.
pub fn environment(folder: &Path, library: &Path) -> Vec<(OsString, OsString)> {
    // The child may change its working folder before it uses NVTX.
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    vec![
        (INJECTION_VARIABLE.into(), absolute(library).into_os_string()),
        (FOLDER_VARIABLE.into(), absolute(folder).into_os_string()),
    ]
}

/// The variable that bounds the file of every process, in bytes.
pub fn limit(bytes: u64) -> (OsString, OsString) {
    (LIMIT_VARIABLE.into(), bytes.to_string().into())
}

/// The injection library of another tool that is set for the programs that this one starts, and that a recording takes the place of.
pub fn replaced() -> Option<OsString> {
    std::env::var_os(INJECTION_VARIABLE).filter(|path| !path.is_empty())
}

/// Puts the library into the user's cache folder, or where there is none into a private temporary folder, and gives its path.
pub fn unpack() -> Result<PathBuf, RecorderError> {
    let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
    let cache = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")));
    let Some(cache) = cache else { return unpack_to_temporary() };
    match unpack_into(&cache.join("rangescope")) {
        // A home that cannot be written to or executed from, as in many containers and on some clusters.
        Err(RecorderError::Io { .. } | RecorderError::NoExec { .. }) => unpack_to_temporary(),
        done => done,
    }
}

fn unpack_to_temporary() -> Result<PathBuf, RecorderError> {
    let temporary = std::env::temp_dir();
    let user = owner_of_new_files().map_err(|cause| failed(&temporary, cause))?;
    unpack_into(&temporary.join(format!("rangescope-{user}")))
}

/// Makes the folder if it is not there; it must be private to the user.
pub fn unpack_into(folder: &Path) -> Result<PathBuf, RecorderError> {
    if LIBRARY.is_empty() {
        return Err(RecorderError::Unsupported);
    }
    let user = owner_of_new_files().map_err(|cause| failed(folder, cause))?;
    make_private(folder, user)?;
    let hash = blake3::hash(LIBRARY).to_hex();
    let path = folder.join(format!("nvtx-recorder-{}.so", &hash[..16]));
    if !is_in_place(&path, user) {
        // Only the user may read it, and loading it takes the right to execute it.
        write_whole(&path, LIBRARY, 0o700).map_err(|cause| failed(&path, cause))?;
        if !is_in_place(&path, user) {
            return Err(not_private(&path, "somebody else keeps changing it"));
        }
    }
    // What cannot be asked is left to the program that loads it.
    if statvfs(&path).is_ok_and(|found| found.flags().contains(FsFlags::ST_NOEXEC)) {
        return Err(RecorderError::NoExec { path });
    }
    Ok(path)
}

fn failed(path: &Path, cause: io::Error) -> RecorderError {
    RecorderError::Io { path: path.to_owned(), cause }
}

fn not_private(path: &Path, reason: &'static str) -> RecorderError {
    RecorderError::NotPrivate { path: path.to_owned(), reason }
}

/// Whether others could write to it, or for a folder even enter it.
fn is_open_to_others(file: &Metadata) -> bool {
    let others = if file.is_dir() { 0o077 } else { 0o022 };
    file.mode() & others != 0
}

/// The user as whom this program makes files. No safe function asks for it, but every file tells.
fn owner_of_new_files() -> io::Result<u32> {
    Ok(tempfile::tempfile()?.metadata()?.uid())
}

/// Makes a folder that only the user can enter, or checks that it is one.
fn make_private(folder: &Path, user: u32) -> Result<(), RecorderError> {
    if let Some(parent) = folder.parent() {
        std::fs::create_dir_all(parent).map_err(|cause| failed(parent, cause))?;
    }
    match DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            return Err(failed(folder, error));
        }
        _ => {}
    }
    let found = std::fs::symlink_metadata(folder).map_err(|cause| failed(folder, cause))?;
    if !found.is_dir() {
        return Err(not_private(folder, "it is not a folder"));
    }
    if found.uid() != user {
        return Err(not_private(folder, "it belongs to another user"));
    }
    if is_open_to_others(&found) {
        let closed = std::fs::set_permissions(folder, Permissions::from_mode(0o700));
        closed.map_err(|cause| failed(folder, cause))?;
    }
    Ok(())
}

/// The content counts, not only the name.
fn is_in_place(path: &Path, user: u32) -> bool {
    let Ok(found) = std::fs::symlink_metadata(path) else { return false };
    found.is_file()
        && found.uid() == user
        && !is_open_to_others(&found)
        && found.len() == LIBRARY.len() as u64
        && fs_err::read(path).is_ok_and(|content| content == LIBRARY)
}
