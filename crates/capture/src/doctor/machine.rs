//! Where the doctor looks: this machine, or what a test has made up.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use nix::unistd::{AccessFlags, access};

use crate::child::{ChildError, QuickOutput, quick};
use crate::ncu::probe::USUAL_FOLDERS;

/// Where the doctor looks; tests put a machine of their own here.
#[derive(Clone, Debug)]
pub struct Machine {
    pub proc: PathBuf,
    pub dev: PathBuf,
    pub temporary: PathBuf,
    pub path: OsString,
    pub library_path: OsString,
    /// `CUDA_VISIBLE_DEVICES`.
    pub visible_devices: Option<OsString>,
    /// Where NVIDIA's installers put ncu, or a folder for each version.
    pub install_folders: Vec<PathBuf>,
    pub free_bytes: fn(&Path) -> io::Result<u64>,
    pub may_write: fn(&Path) -> bool,
    /// For each answer of a tool.
    pub patience: Duration,
}

impl Machine {
    pub fn this() -> Self {
        let variable = |name| std::env::var_os(name).unwrap_or_default();
        let mut path = variable("PATH");
        // `ldconfig` is there, and not on every user's path.
        path.push(":/usr/sbin:/sbin");
        Self {
            proc: PathBuf::from("/proc"),
            dev: PathBuf::from("/dev"),
            temporary: std::env::temp_dir(),
            path,
            library_path: variable("LD_LIBRARY_PATH"),
            visible_devices: std::env::var_os("CUDA_VISIBLE_DEVICES"),
            install_folders: USUAL_FOLDERS.iter().map(PathBuf::from).collect(),
            free_bytes,
            may_write: |path| access(path, AccessFlags::W_OK).is_ok(),
            patience: Duration::from_secs(30),
        }
    }

    /// A path is taken as it is, a name is looked for on the path.
    pub(super) fn program(&self, name: &OsStr) -> Option<PathBuf> {
        let here = std::env::current_dir().unwrap_or_default();
        which::which_in(name, Some(&self.path), here).ok()
    }

    pub(super) fn ask(
        &self,
        program: &Path,
        arguments: &[&str],
    ) -> Result<QuickOutput, ChildError> {
        let argv = [program.as_os_str()].into_iter().chain(arguments.iter().map(OsStr::new));
        quick(argv.map(OsStr::to_owned).collect(), Vec::new(), self.patience)
    }

    /// A file below `/proc`.
    pub(super) fn shown(&self, path: &str) -> Option<String> {
        fs_err::read(self.proc.join(path))
            .ok()
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }
}

fn free_bytes(path: &Path) -> io::Result<u64> {
    let found = nix::sys::statvfs::statvfs(path)?;
    Ok(found.blocks_available().saturating_mul(found.fragment_size()))
}
