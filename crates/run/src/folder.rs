//! The folder of a run: where everything in it lies, and that only the user can look into it.

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use rangescope_capture::files::make_private_folder;
use rangescope_report::{sweep, write_privately};

use crate::RunError;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunFolder {
    root: PathBuf,
}

impl RunFolder {
    /// A folder, which need not exist.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// A folder that a run has left; an error if it is none.
    pub fn open(root: &Path) -> Result<Self, RunError> {
        let folder = Self::new(root);
        if folder.is_run() {
            Ok(folder)
        } else {
            Err(RunError::NotARunFolder { path: root.into() })
        }
    }

    pub fn is_run(&self) -> bool {
        self.config().is_file() && self.inputs().is_file()
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    pub fn config(&self) -> PathBuf {
        self.root.join("config.yaml")
    }

    pub fn inputs(&self) -> PathBuf {
        self.root.join("inputs.yaml")
    }

    pub fn environment(&self) -> PathBuf {
        self.root.join("env.json")
    }

    pub fn ncu(&self) -> PathBuf {
        self.root.join("ncu")
    }

    pub fn nsys(&self) -> PathBuf {
        self.root.join("nsys")
    }

    /// Kept for later reports.
    pub fn diagnosis(&self) -> PathBuf {
        self.ncu().join("diagnosis.json")
    }

    /// What was decided about the captures, for later reports.
    pub fn capture_notes(&self) -> PathBuf {
        self.ncu().join("notes.json")
    }

    /// Makes the folder; one with files in it is refused unless it may be reused.
    pub(crate) fn make(&self, may_exist: bool) -> Result<(), RunError> {
        let fail = |cause| RunError::Write { path: self.root.clone(), cause };
        make_private_folder(&self.root).map_err(fail)?;
        for folder in [&self.root, &self.ncu(), &self.nsys()] {
            sweep(folder);
        }
        let mut entries = fs_err::read_dir(&self.root).map_err(fail)?;
        if !may_exist && entries.next().is_some() {
            return Err(RunError::FolderInUse { path: self.root.clone() });
        }
        Ok(())
    }

    /// Writes a text file of the run as a whole.
    pub(crate) fn write(path: &Path, text: &str) -> Result<(), RunError> {
        if let Some(folder) = path.parent() {
            make_private_folder(folder)
                .map_err(|cause| RunError::Write { path: folder.to_owned(), cause })?;
        }
        Ok(write_privately(path, |out: &mut dyn Write| out.write_all(text.as_bytes()))?)
    }

    /// Removes a file that an earlier attempt may have left.
    pub(crate) fn remove(path: &Path) -> Result<(), RunError> {
        match fs_err::remove_file(path) {
            Err(cause) if cause.kind() != ErrorKind::NotFound => {
                Err(RunError::Write { path: path.to_owned(), cause })
            }
            _ => Ok(()),
        }
    }
}
