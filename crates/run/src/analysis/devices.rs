//! Which devices results ran on, gathered while results are read.

use std::collections::{BTreeMap, BTreeSet};

use rangescope_model::document::DeviceInfo;

/// What is known of a device: the first result that names it decides.
#[derive(Clone, Debug, Default)]
struct Device {
    name: Option<String>,
    compute_capability: Option<String>,
    hosts: BTreeSet<String>,
}

/// The devices seen so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Devices {
    by_id: BTreeMap<u32, Device>,
}

impl Devices {
    /// Whether the device is known to have run for this host already.
    pub(crate) fn knows(&self, id: u32, host: &str) -> bool {
        self.by_id.get(&id).is_some_and(|device| device.hosts.contains(host))
    }

    pub(crate) fn add(
        &mut self,
        id: u32,
        host: &str,
        name: Option<&str>,
        compute_capability: Option<(f64, f64)>,
    ) {
        let device = self.by_id.entry(id).or_default();
        device.hosts.insert(host.to_owned());
        if device.name.is_none() {
            device.name = name.map(str::to_owned);
        }
        if device.compute_capability.is_none() {
            device.compute_capability =
                compute_capability.map(|(major, minor)| format!("{major}.{minor}"));
        }
    }

    pub(crate) fn merge(&mut self, later: Self) {
        for (id, device) in later.by_id {
            let known = self.by_id.entry(id).or_default();
            known.hosts.extend(device.hosts);
            known.name = known.name.take().or(device.name);
            known.compute_capability =
                known.compute_capability.take().or(device.compute_capability);
        }
    }

    pub(crate) fn into_infos(self) -> Vec<DeviceInfo> {
        let info = |(id, device): (u32, Device)| DeviceInfo {
            id,
            name: device.name,
            compute_capability: device.compute_capability,
            hosts: device.hosts.into_iter().filter(|host| !host.is_empty()).collect(),
        };
        self.by_id.into_iter().map(info).collect()
    }
}
