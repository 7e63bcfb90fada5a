//! ncu: that it is there, runs, and how old it is.

use std::ffi::{OsStr, OsString};

use rangescope_config::Version;

use super::{Check, Machine};
use crate::ncu::probe::locate_in;
use crate::ncu::{NcuInfo, ProbeError};
use crate::shell::command_line;

const NAME: &str = "ncu";
/// Older versions lack many of the options.
const OLDEST_GOOD: Version = Version::new(2024, 1, 0);

pub(super) fn check(launcher: &[OsString], machine: &Machine) -> Check {
    match probe(launcher, machine) {
        Ok(ncu) => judge(&ncu),
        Err(error) => Check::error(NAME, error.to_string(), error.hint()),
    }
}

fn probe(launcher: &[OsString], machine: &Machine) -> Result<NcuInfo, ProbeError> {
    let (first, rest) = launcher
        .split_first()
        .map_or((OsStr::new(NAME), &[][..]), |(first, rest)| (first.as_os_str(), rest));
    let found = locate_in(first, Some(&machine.path), &machine.install_folders)?;
    let words: Vec<OsString> =
        std::iter::once(found.into_os_string()).chain(rest.iter().cloned()).collect();
    NcuInfo::probe_within(&words, machine.patience)
}

fn judge(ncu: &NcuInfo) -> Check {
    let detail = format!("ncu {} at {}", ncu.version, command_line(&ncu.launcher));
    if ncu.options.is_empty() {
        return Check::error(
            NAME,
            format!("{detail} does not answer `--help`"),
            "reinstall NVIDIA Nsight Compute",
        );
    }
    if ncu.sections.is_empty() {
        return Check::error(
            NAME,
            format!("{detail} has no sections: its section files are not installed"),
            "install all of Nsight Compute (on Debian the package `nsight-compute`, and not only `nsight-compute-target`)",
        );
    }
    if ncu.version < OLDEST_GOOD {
        return Check::warning(
            NAME,
            format!("{detail}, which has no app-range replay and no range filter"),
            "install a newer Nsight Compute if the driver allows it",
        );
    }
    Check::ok(NAME, detail)
}
