//! The program that is profiled: whether it is one, and how it is run.

use std::ffi::{OsStr, OsString};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::record::RunRecord;
use super::refusal::Refusal;

/// How to run a program.
#[derive(Clone, Copy, Debug)]
pub struct ProgramLaunch<'a> {
    /// The program and its arguments.
    pub argv: &'a [OsString],
    /// Whether it gets no input.
    pub null_stdin: bool,
    /// Whether what it has done so far is to be looked at while it runs.
    pub watched: bool,
}

/// How a program ended.
#[derive(Clone, Debug, Default)]
pub struct ProgramOutcome {
    /// What it did.
    pub record: RunRecord,
    /// Process id of the program itself.
    pub pid: Option<u32>,
    /// Its exit code, or the number of the signal that ended it.
    pub code: i32,
    /// Whether it was ended because nothing more was wanted of it.
    pub ended: bool,
}

/// Runs programs and records what they do.
pub trait ProgramRunner {
    /// Runs a program to its end, with this program's input and output. `enough` is asked now and then, if wanted, and ends the program.
    fn run(
        &mut self,
        launch: ProgramLaunch<'_>,
        enough: &mut dyn FnMut(u32, &RunRecord) -> bool,
    ) -> Result<ProgramOutcome, String>;
}

/// Refuses what cannot be run.
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

/// Where a program is: a path as it is, a name in the working folder and then on the path.
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
