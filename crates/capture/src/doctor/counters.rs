//! The GPU's counters: whether this user may read them, and who else may be reading them.

use super::{Check, Machine};

/// Bits of a process' capabilities.
const SYS_ADMIN: u64 = 1 << 21;
const PERFMON: u64 = 1 << 38;
/// Names of processes that hold the counters; those of DCGM all begin alike.
const HOLDERS: [&str; 3] = ["nv-hostengine", "ncu", "nsys"];
const DCGM: &str = "dcgm";

pub(super) fn permission(machine: &Machine) -> Check {
    const NAME: &str = "counters";
    let Some(parameters) = machine.shown("driver/nvidia/params") else {
        return Check::warning(
            NAME,
            "without a driver there is no telling who may read counters",
            "install the NVIDIA driver; in WSL allow it in the Windows control panel",
        );
    };
    let restricted = parameters
        .lines()
        .find_map(|line| line.strip_prefix("RmProfilingAdminOnly:"))
        .map(|value| value.trim() != "0");
    let capabilities = capabilities(machine);
    match restricted {
        Some(false) => Check::ok(NAME, "every user may read counters"),
        Some(true) if capabilities & SYS_ADMIN != 0 => {
            Check::ok(NAME, "only administrators may read counters, and you are one")
        }
        Some(true) if capabilities & PERFMON != 0 => Check::ok(
            NAME,
            "only administrators may read counters, but this process has CAP_PERFMON, which newer drivers accept",
        ),
        Some(true) => Check::error(
            NAME,
            "only administrators may read counters (ERR_NVGPUCTRPERM)",
            "run as root (in a container with `--cap-add SYS_ADMIN`), or have the driver loaded with `NVreg_RestrictProfilingToAdminUsers=0`",
        ),
        None => Check::warning(
            NAME,
            "the driver does not say who may read counters",
            "if ncu says ERR_NVGPUCTRPERM, run as root",
        ),
    }
}

/// Only the effective capabilities count: root in a container often lacks what root elsewhere has.
fn capabilities(machine: &Machine) -> u64 {
    let status = machine.shown("self/status").unwrap_or_default();
    status
        .lines()
        .find_map(|line| line.strip_prefix("CapEff:"))
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or_default()
}

/// As far as other processes can be seen from here.
pub(super) fn in_use(machine: &Machine) -> Check {
    const NAME: &str = "counters in use";
    let mut found: Vec<String> = fs_err::read_dir(&machine.proc)
        .into_iter()
        .flatten()
        .filter_map(Result::ok)
        .filter_map(|entry| {
            let pid: u32 = entry.file_name().to_str()?.parse().ok()?;
            let name = machine.shown(&format!("{pid}/comm"))?;
            let name = name.trim_end();
            (HOLDERS.contains(&name) || name.starts_with(DCGM))
                .then(|| format!("{name} (process {pid})"))
        })
        .collect();
    found.sort();
    if found.is_empty() {
        return Check::ok(NAME, "no other tool that reads counters was found");
    }
    Check::warning(
        NAME,
        format!(
            "{} may hold the counters, which only one tool at a time can use",
            found.join(", ")
        ),
        "pause DCGM with `dcgmi profile --pause` (and `--resume` afterwards), and end other profilers",
    )
}
