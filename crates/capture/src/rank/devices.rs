//! Which devices a rank may use, as far as that can be known without asking CUDA: from the variables of launchers and from what the driver writes below `/proc`.
//!
//! Numbers mean different things to different counters: those of `CUDA_VISIBLE_DEVICES` follow CUDA's own order, which is the order of the bus only where `CUDA_DEVICE_ORDER` says
//! so, and inside a Slurm job they may count from the first device that the job was given. They are completed by the driver's files only where there is no doubt.

use std::path::Path;

use rangescope_model::rank::RankDevice;
use rangescope_recorder::format::DEVICES_VARIABLE;

/// The variables that name devices, the closest to the process first.
const VARIABLES: [&str; 4] =
    [DEVICES_VARIABLE, "SLURM_STEP_GPUS", "SLURM_JOB_GPUS", "GPU_DEVICE_ORDINAL"];
/// Where the driver describes its devices.
const DRIVER: &str = "proc/driver/nvidia/gpus";
/// A machine does not have more.
const MOST_DEVICES: usize = 1024;
const MOST_BYTES: u64 = 64 * 1024;

/// A device as the driver describes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Gpu {
    uuid: Option<String>,
    pci: Option<String>,
    minor: Option<u32>,
}

/// The devices of this machine in the order of the bus; `root` is the folder that has `proc`.
pub(super) fn gpus(root: &Path) -> Vec<Gpu> {
    let Ok(entries) = fs_err::read_dir(root.join(DRIVER)) else { return Vec::new() };
    let read = |folder: std::path::PathBuf| {
        ncu_rep::file::read_text(&folder.join("information"), MOST_BYTES).ok()
    };
    let files = entries.take(MOST_DEVICES).filter_map(|entry| read(entry.ok()?.path()));
    let mut found: Vec<Gpu> = files.map(|text| Gpu::parse(&text)).collect();
    found.sort_by(|a, b| a.pci.cmp(&b.pci));
    found
}

impl Gpu {
    fn parse(text: &str) -> Self {
        let value = |key: &str| {
            let values = text.lines().filter_map(|line| line.split_once(':'));
            let mut of_key = values.filter(|(name, _)| name.trim() == key);
            // The driver writes question marks where it does not know yet.
            of_key.next().map(|(_, value)| value.trim()).filter(|value| !value.contains('?'))
        };
        Self {
            uuid: value("GPU UUID").map(str::to_owned),
            pci: value("Bus Location").map(str::to_owned),
            minor: value("Device Minor").and_then(|minor| minor.parse().ok()),
        }
    }
}

/// What is known of the devices of this process; `variable` gives the value of an environment variable.
pub(super) fn of(variable: impl Fn(&str) -> Option<String>, gpus: &[Gpu]) -> Vec<RankDevice> {
    let named = VARIABLES.into_iter().find_map(|name| Some((name, variable(name)?)));
    let Some((by, list)) = named else {
        let [only] = gpus else { return Vec::new() };
        return vec![completed(RankDevice::default(), only)];
    };
    let in_bus_order = by == DEVICES_VARIABLE
        && variable("CUDA_DEVICE_ORDER").as_deref() == Some("PCI_BUS_ID")
        && variable("SLURM_JOB_ID").is_none();
    let entries = list.split(',').map(str::trim).filter(|entry| !entry.is_empty());
    let device = |entry: &str| {
        let mut found = RankDevice { known_by: by.to_owned(), ..RankDevice::default() };
        let Ok(index) = entry.parse::<u32>() else {
            // CUDA takes the beginning of a UUID for the whole; `MIG-GPU-UUID/1/0` is a part of the device.
            let of_device = entry.strip_prefix("MIG-").unwrap_or(entry);
            let of_device = of_device.split('/').next().unwrap_or(of_device);
            found.uuid = Some(entry.to_owned());
            let is_it =
                |gpu: &&Gpu| gpu.uuid.as_ref().is_some_and(|uuid| uuid.starts_with(of_device));
            let mut alike = gpus.iter().filter(is_it);
            return match (of_device.starts_with("GPU-"), alike.next(), alike.next()) {
                (true, Some(gpu), None) => completed(found, gpu),
                _ => found,
            };
        };
        found.index = Some(index);
        let at = usize::try_from(index).unwrap_or(usize::MAX);
        let gpu = match (by, gpus) {
            // Slurm's numbers are those of the device files.
            ("SLURM_STEP_GPUS" | "SLURM_JOB_GPUS", _) => {
                gpus.iter().find(|gpu| gpu.minor == Some(index))
            }
            (_, [only]) if index == 0 => Some(only),
            _ if in_bus_order => gpus.get(at),
            _ => None,
        };
        match gpu {
            Some(gpu) => completed(found, gpu),
            None => found,
        }
    };
    // CUDA uses what stands before the first entry that names nothing.
    let names_one = |entry: &&str| {
        entry.parse::<u32>().is_ok() || entry.starts_with("GPU-") || entry.starts_with("MIG-")
    };
    entries.take_while(names_one).take(MOST_DEVICES).map(device).collect()
}

fn completed(mut device: RankDevice, gpu: &Gpu) -> RankDevice {
    // A part of a device keeps its own.
    if !device.uuid.as_ref().is_some_and(|uuid| uuid.starts_with("MIG-")) {
        device.uuid = gpu.uuid.clone().or(device.uuid);
    }
    device.pci.clone_from(&gpu.pci);
    let by = if device.known_by.is_empty() { "" } else { ", " };
    device.known_by = format!("{}{by}/{DRIVER}", device.known_by);
    device
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The files of a machine with two devices, made up after those of a driver.
    fn machine() -> (tempfile::TempDir, Vec<Gpu>) {
        let root = tempfile::tempdir().unwrap();
        for (bus, uuid, minor) in
            [("0000:07:00.0", "GPU-aaaa-1", 1), ("0000:0a:00.0", "GPU-aabb-2", 0)]
        {
            let folder = root.path().join(DRIVER).join(bus);
            fs_err::create_dir_all(&folder).unwrap();
            let text = format!(
                "Model: \t\t NVIDIA A100-SXM4-40GB\nIRQ:   \t\t 16\nGPU UUID: \t {uuid}\nVideo BIOS: \t ??.??\nBus Location: \t {bus}\nDevice Minor: \t {minor}\n"
            );
            fs_err::write(folder.join("information"), text).unwrap();
        }
        fs_err::create_dir(root.path().join(DRIVER).join("strange")).unwrap();
        let found = gpus(root.path());
        (root, found)
    }

    /// `INDEX UUID PCI` for each, with `-` for what is absent.
    fn known(gpus: &[Gpu], variables: &[(&str, &str)]) -> String {
        let get = |name: &str| {
            variables.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
        };
        let text = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
        let one = |device: RankDevice| {
            let index = device.index.map(|index| index.to_string());
            format!("{} {} {}", text(index), text(device.uuid), text(device.pci))
        };
        of(get, gpus).into_iter().map(one).collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn devices_are_completed_only_where_there_is_no_doubt() {
        let (_root, two) = machine();
        assert_eq!(two.len(), 2);
        for (variables, expected) in [
            (&[][..], ""),
            (&[("CUDA_VISIBLE_DEVICES", "")], ""),
            (&[("CUDA_VISIBLE_DEVICES", "1,0")], "1 - -; 0 - -"),
            (&[("CUDA_VISIBLE_DEVICES", "1,-1,0")], "1 - -"),
            (
                &[("CUDA_VISIBLE_DEVICES", "1"), ("CUDA_DEVICE_ORDER", "PCI_BUS_ID")],
                "1 GPU-aabb-2 0000:0a:00.0",
            ),
            (
                &[
                    ("CUDA_VISIBLE_DEVICES", "1"),
                    ("CUDA_DEVICE_ORDER", "PCI_BUS_ID"),
                    ("SLURM_JOB_ID", "7"),
                ],
                "1 - -",
            ),
            (&[("CUDA_VISIBLE_DEVICES", "GPU-aaa")], "- GPU-aaaa-1 0000:07:00.0"),
            (&[("CUDA_VISIBLE_DEVICES", "GPU-aa")], "- GPU-aa -"),
            (&[("CUDA_VISIBLE_DEVICES", "MIG-1234")], "- MIG-1234 -"),
            (
                &[("CUDA_VISIBLE_DEVICES", "MIG-GPU-aabb-2/1/0")],
                "- MIG-GPU-aabb-2/1/0 0000:0a:00.0",
            ),
            (&[("SLURM_STEP_GPUS", "0")], "0 GPU-aabb-2 0000:0a:00.0"),
            (&[("SLURM_JOB_GPUS", "5")], "5 - -"),
            (&[("GPU_DEVICE_ORDINAL", "0")], "0 - -"),
        ] {
            assert_eq!(known(&two, variables), expected, "{variables:?}");
        }
        let one = &two[..1];
        assert_eq!(known(one, &[]), "- GPU-aaaa-1 0000:07:00.0");
        assert_eq!(known(one, &[("CUDA_VISIBLE_DEVICES", "0")]), "0 GPU-aaaa-1 0000:07:00.0");
        assert_eq!(of(|_| None, one)[0].known_by, "/proc/driver/nvidia/gpus");
        assert!(gpus(Path::new("/no/such/folder")).is_empty());
    }
}
