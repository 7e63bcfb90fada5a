//! nsys: that it is there, runs, and finds the importer without which it leaves no report.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use rangescope_config::Version;

use super::{Check, Machine};
use crate::child::beginning;

const NAME: &str = "nsys";
const INSTALL: &str =
    "install NVIDIA Nsight Systems if you want `pipeline.nsys.enable`; ncu does not need it";
/// The part of nsys that turns a recording into a report.
const IMPORTER: &str = "QdstrmImporter";

pub(super) fn check(executable: &OsStr, machine: &Machine) -> (Check, Option<Version>) {
    let Some(path) = machine.program(executable) else {
        let detail = format!("`{}` is not on the path", executable.display());
        return (Check::warning(NAME, detail, INSTALL), None);
    };
    let said = match machine.ask(&path, &["--version"]) {
        Ok(answer) if answer.outcome.success() => answer.stdout,
        Ok(answer) => {
            let said =
                if answer.stderr.trim().is_empty() { &answer.stdout } else { &answer.stderr };
            let how = if answer.outcome.timed_out.is_some() { "does not answer" } else { "fails" };
            let detail = format!("`{}` {how}: {}", path.display(), beginning(said));
            return (Check::warning(NAME, detail, INSTALL), None);
        }
        Err(error) => return (Check::warning(NAME, error.to_string(), INSTALL), None),
    };
    let Some(version) = version_in(&said) else {
        let detail = format!("`{}` does not say its version: {}", path.display(), beginning(&said));
        return (Check::warning(NAME, detail, INSTALL), None);
    };
    let detail = format!("nsys {version} at {}", path.display());
    let check = match missing_importer(&path) {
        Some(fix) => Check::warning(
            NAME,
            format!("{detail} lacks `{IMPORTER}`: it would record and then leave no report"),
            fix,
        ),
        None => Check::ok(NAME, detail),
    };
    (check, Some(version))
}

/// `NVIDIA Nsight Systems version 2023.4.4.54-234433681190v0`
fn version_in(said: &str) -> Option<Version> {
    let (_, rest) = said.split_once("version ")?;
    let digits = rest.split(|character: char| !(character.is_ascii_digit() || character == '.'));
    digits.into_iter().next()?.parse().ok()
}

/// What to do if the importer is not where nsys looks for it: in the host folder beside nsys' own.
///
/// `None` also where nsys is a script that starts another.
fn missing_importer(path: &Path) -> Option<String> {
    let real = fs_err::canonicalize(path).ok()?;
    let target = real.parent()?;
    let platform = target.file_name()?.to_str()?.strip_prefix("target-linux-")?;
    let host = target.with_file_name(format!("host-linux-{platform}"));
    if host.join(IMPORTER).exists() {
        return None;
    }
    // Debian has it in `/usr/lib/nsight-systems`, and nsys in the folder of the architecture.
    let debian: Option<PathBuf> = target
        .ancestors()
        .nth(3)
        .map(|lib| lib.join("nsight-systems").join(format!("host-linux-{platform}")));
    Some(match debian.filter(|folder| folder.join(IMPORTER).exists()) {
        Some(folder) => format!("`ln -s {} {}`", folder.display(), host.display()),
        None => format!(
            "install all of Nsight Systems, or import by hand with `{IMPORTER} -i FILE.qdstrm`"
        ),
    })
}
