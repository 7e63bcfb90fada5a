//! The profiled program: finding it, and the interface for running it.

use std::ffi::{OsStr, OsString};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::record::RunRecord;
use super::refusal::Refusal;

#[derive(Clone, Copy, Debug)]
pub struct ProgramLaunch<'a> {
    pub argv: &'a [OsString],
    /// Give it no input.
    pub null_stdin: bool,
    /// Look at its record while it runs.
    pub watched: bool,
}

#[derive(Clone, Debug, Default)]
pub struct ProgramOutcome {
    pub record: RunRecord,
    /// Of the program itself, which may have children.
    pub pid: Option<u32>,
    /// The exit code, or the number of the signal that ended it.
    pub code: i32,
    /// It was ended because everything asked for had happened.
    pub ended: bool,
}

pub trait ProgramRunner {
    /// Runs a program to its end, with the input and output of this one. While a watched program runs, `enough` is asked now and then and may end it.
    fn run(
        &mut self,
        launch: ProgramLaunch<'_>,
        enough: &mut dyn FnMut(u32, &RunRecord) -> bool,
    ) -> Result<ProgramOutcome, String>;
}

pub(super) fn check(program: &[OsString]) -> Result<(), Refusal> {
    let Some(name) = program.first() else {
        return Err(Refusal::new("Missing executable to launch."));
    };
    let shown = name.display();
    match find(name) {
        None => Err(Refusal::new(format!(
            "'{shown}' does not exist or is not an executable. Please make sure to specify the absolute path to '{shown}' if the executable is not in the local directory."
        ))),
        Some(path) if !is_executable(&path) => {
            Err(Refusal::new("The target application is not an executable binary.").and(
                "If the target application is a script, try prepending the full path to the interpreter binary.",
            ))
        }
        Some(_) => Ok(()),
    }
}

/// A path is taken as it is; a name is looked up in the working folder and then on the path.
pub(super) fn find(name: &OsStr) -> Option<PathBuf> {
    let here = Path::new(name);
    if here.is_file() {
        return std::path::absolute(here).ok();
    }
    if name.as_encoded_bytes().contains(&b'/') {
        return None;
    }
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders)
        .map(|folder| folder.join(name))
        .find(|path| path.is_file() && is_executable(path))
}

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| found.permissions().mode() & 0o111 != 0)
}
