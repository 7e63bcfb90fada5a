//! Room for reports and temporary files, and ncu's lock file.

use std::path::{Path, PathBuf};

use super::{Check, Machine};

/// Below this a report easily fills the disk.
const ENOUGH_BYTES: u64 = 10 * 1024 * 1024 * 1024;
const LITTLE_BYTES: u64 = 1024 * 1024 * 1024;
const FIX: &str = "make room, or set another folder (`--out` for runs, TMPDIR for temporary files)";

/// The folder need not exist yet.
pub(super) fn room(name: &'static str, folder: &Path, machine: &Machine) -> Check {
    let Some(existing) = folder.ancestors().map(named).find(|folder| folder.exists()) else {
        let detail = format!("`{}` has no folder above it", folder.display());
        return Check::error(name, detail, "choose another folder");
    };
    let shown = existing.display();
    if !existing.is_dir() {
        let detail = format!("`{shown}` is a file, not a folder");
        return Check::error(name, detail, "choose another folder");
    }
    if !(machine.may_write)(existing) {
        let detail = format!("you may not write to `{shown}`");
        return Check::error(name, detail, "choose another folder (`--out` for runs, TMPDIR)");
    }
    match (machine.free_bytes)(existing) {
        Ok(free) => {
            let detail = format!("{:.1} GiB free at {shown}", free as f64 / f64::from(1 << 30));
            match free {
                0..LITTLE_BYTES => Check::error(name, detail, FIX),
                LITTLE_BYTES..ENOUGH_BYTES => Check::warning(name, detail, FIX),
                _ => Check::ok(name, detail),
            }
        }
        Err(error) => {
            let detail = format!("cannot tell how much room there is at `{shown}`: {error}");
            Check::warning(name, detail, "choose another folder")
        }
    }
}

/// Above the first part of a relative path is the working folder.
fn named(folder: &Path) -> &Path {
    if folder.as_os_str().is_empty() { Path::new(".") } else { folder }
}

/// ncu locks by a file in the temporary folder and leaves it there: the first user owns it.
pub(super) fn lock(machine: &Machine) -> Check {
    const NAME: &str = "ncu's lock";
    // The file of versions up to about 2025, and the folder of later ones.
    let locks: [PathBuf; 2] =
        ["nsight-compute-lock", "nvidia/nsight_compute"].map(|name| machine.temporary.join(name));
    match locks.iter().find(|lock| lock.exists() && !(machine.may_write)(lock)) {
        Some(lock) => Check::error(
            NAME,
            format!("`{}` belongs to another user, and ncu cannot lock it", lock.display()),
            "set TMPDIR to a folder of your own, or have the file removed",
        ),
        None => Check::ok(NAME, format!("free in {}", machine.temporary.display())),
    }
}
