//! The driver: its kernel module, and the library by which programs reach it.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::{Check, Machine};
use crate::environment::driver_version;

const INSTALL: &str = "install the NVIDIA driver; in a container start it with `--gpus all`";
const LIBRARY: &str = "libcuda.so.1";
/// The real library is many times as large; a stub holds nothing but names.
const LARGEST_STUB: u64 = 1024 * 1024;

pub(super) fn module(machine: &Machine) -> (Check, Option<String>) {
    const NAME: &str = "driver";
    let version = driver_version(&machine.proc);
    let check = match &version {
        Some(version) => Check::ok(NAME, format!("NVIDIA driver {version}")),
        None if machine.proc.join("driver/nvidia").exists() => Check::warning(
            NAME,
            "the NVIDIA kernel module is loaded and does not say its version",
            "check `nvidia-smi`",
        ),
        // In WSL the module is that of Windows.
        None if machine.dev.join("dxg").exists() => {
            Check::ok(NAME, "the Windows driver, through WSL")
        }
        None => Check::error(NAME, "the NVIDIA kernel module is not loaded", INSTALL),
    };
    (check, version)
}

pub(super) fn library(module: Option<&str>, machine: &Machine) -> Check {
    const NAME: &str = "libcuda";
    let Some(path) = find_library(machine) else {
        return Check::error(NAME, format!("`{LIBRARY}` is not on the library path"), INSTALL);
    };
    let shown = path.display();
    let Ok(real) = fs_err::canonicalize(&path) else {
        return Check::error(NAME, format!("`{shown}` leads nowhere"), INSTALL);
    };
    let is_small = fs_err::metadata(&real).is_ok_and(|found| found.len() < LARGEST_STUB);
    if is_small || real.components().any(|part| part.as_os_str() == "stubs") {
        return Check::error(
            NAME,
            format!("`{shown}` is a stub, and ncu would end every program"),
            "take its folder off LD_LIBRARY_PATH, so that the driver's own library is found",
        );
    }
    match (version_of(&real), module) {
        (Some(library), Some(module)) if library != module => Check::error(
            NAME,
            format!("`{shown}` belongs to driver {library}, but the kernel module to {module}"),
            "load the module that belongs to the library (restart the machine), or take the other library off LD_LIBRARY_PATH",
        ),
        _ => Check::ok(NAME, shown.to_string()),
    }
}

fn find_library(machine: &Machine) -> Option<PathBuf> {
    let by_path = std::env::split_paths(&machine.library_path)
        .map(|folder| folder.join(LIBRARY))
        // A broken link counts too, because the loader would stop at it.
        .find(|path| path.symlink_metadata().is_ok());
    by_path.or_else(|| {
        let ldconfig = machine.program(OsStr::new("ldconfig"))?;
        in_linker_cache(&machine.ask(&ldconfig, &["-p"]).ok()?.stdout)
    })
}

/// `\tlibcuda.so.1 (libc6,x86-64) => /usr/lib/…/libcuda.so.1`
fn in_linker_cache(text: &str) -> Option<PathBuf> {
    let line = text.lines().find(|line| line.trim_start().starts_with("libcuda.so.1 "))?;
    line.split_once("=> ").map(|(_, path)| PathBuf::from(path.trim()))
}

/// The real library bears the version: `libcuda.so.535.104.05`.
fn version_of(real: &Path) -> Option<&str> {
    let version = real.file_name()?.to_str()?.strip_prefix("libcuda.so.")?;
    version.contains('.').then_some(version)
}
