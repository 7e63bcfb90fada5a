//! The GPUs: device files, and what `nvidia-smi` lists.

use std::ffi::OsStr;

use super::{Check, Machine};

const NAME: &str = "gpu";
const MOST_SHOWN: usize = 8;

pub(super) fn check(machine: &Machine) -> Check {
    let hidden = machine.visible_devices.as_deref().filter(|list| {
        let list = list.to_string_lossy();
        list.trim().is_empty() || list.trim().starts_with("-1")
    });
    let files = device_files(machine);
    match (listed(machine).as_deref(), files) {
        (Some([]) | None, 0) => Check::error(
            NAME,
            "no GPU was found",
            "run on a machine with one; in a container pass it in (`--gpus all`), under Slurm ask for one (`--gpus 1`)",
        ),
        (Some([]), _) => Check::error(
            NAME,
            "there are device files, but `nvidia-smi` lists no GPU",
            "check `nvidia-smi` and the kernel's log",
        ),
        (None, count) => Check::warning(
            NAME,
            format!(
                "{count} device file{}; `nvidia-smi` is not there or does not answer",
                if count == 1 { "" } else { "s" }
            ),
            "check `nvidia-smi`",
        ),
        (Some(_), _) if hidden.is_some() => Check::warning(
            NAME,
            "CUDA_VISIBLE_DEVICES hides every GPU from programs",
            "unset CUDA_VISIBLE_DEVICES, or name a device in it",
        ),
        (Some(names), _) => Check::ok(NAME, shown(names)),
    }
}

/// `None` if `nvidia-smi` does not answer.
fn listed(machine: &Machine) -> Option<Vec<String>> {
    let program = machine.program(OsStr::new("nvidia-smi"))?;
    let answer = machine.ask(&program, &["-L"]).ok().filter(|answer| answer.outcome.success())?;
    let names = answer.stdout.lines().filter(|line| line.starts_with("GPU "));
    Some(names.map(|line| line.split(" (UUID").next().unwrap_or(line).to_owned()).collect())
}

/// `/dev/nvidia0` and so on; in WSL there is one file for all.
fn device_files(machine: &Machine) -> usize {
    let is_device = |name: &str| {
        name == "dxg"
            || name.strip_prefix("nvidia").is_some_and(|number| number.parse::<u32>().is_ok())
    };
    fs_err::read_dir(&machine.dev)
        .into_iter()
        .flatten()
        .filter_map(Result::ok)
        .filter(|entry| entry.file_name().to_str().is_some_and(is_device))
        .count()
}

fn shown(names: &[String]) -> String {
    let mut shown: Vec<String> = names.iter().take(MOST_SHOWN).cloned().collect();
    if names.len() > MOST_SHOWN {
        shown.push(format!("and {} more", names.len() - MOST_SHOWN));
    }
    shown.join(", ")
}
