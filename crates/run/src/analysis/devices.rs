//! Which devices results ran on, gathered while results are read.

use std::collections::{BTreeMap, BTreeSet};

use ncu_rep::names;
use rangescope_model::document::{DeviceInfo, Note, NoteLevel};
use rangescope_model::launch::{DeviceId, Launch, MetricId, PciAddress, ProcessInfo};

/// Metrics that say what a device is.
pub(crate) struct DeviceMetrics {
    name: Option<MetricId>,
    major: Option<MetricId>,
    minor: Option<MetricId>,
}

impl DeviceMetrics {
    pub(crate) fn new(metric: impl Fn(&str) -> Option<MetricId>) -> Self {
        Self {
            name: metric(names::DEVICE_NAME),
            major: metric(names::CC_MAJOR),
            minor: metric(names::CC_MINOR),
        }
    }
}

/// The first result that names a device decides.
#[derive(Clone, Debug, Default)]
struct Device {
    name: Option<String>,
    compute_capability: Option<String>,
    hosts: BTreeSet<String>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Devices {
    by_id: BTreeMap<DeviceId, Device>,
}

impl Devices {
    /// Notes where a result ran.
    pub(crate) fn see(
        &mut self,
        launch: &Launch<'_>,
        process: Option<&ProcessInfo>,
        metrics: &DeviceMetrics,
    ) {
        let Some(id) = launch.device else { return };
        let host = process.map_or("", |process| &process.host);
        // The metrics are looked for once per device and host only: a result has thousands of them.
        if self.by_id.get(&id).is_some_and(|device| device.hosts.contains(host)) {
            return;
        }
        let number = |metric: Option<MetricId>| {
            launch.numbers.iter().find(|(found, _)| Some(*found) == metric).map(|(_, value)| *value)
        };
        let name = launch.texts.iter().find(|(found, _)| Some(*found) == metrics.name);
        let device = self.by_id.entry(id).or_default();
        device.hosts.insert(host.to_owned());
        if device.name.is_none() {
            device.name = name.map(|(_, name)| (*name).to_owned());
        }
        if device.compute_capability.is_none() {
            let capability = number(metrics.major).zip(number(metrics.minor));
            device.compute_capability = capability.map(|(major, minor)| format!("{major}.{minor}"));
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

    /// What was written down before.
    pub(crate) fn of_infos(infos: &[DeviceInfo]) -> Self {
        let device = |info: &DeviceInfo| {
            let pci = info.pci.as_deref().and_then(PciAddress::parse);
            let device = Device {
                name: info.name.clone(),
                compute_capability: info.compute_capability.clone(),
                hosts: info.hosts.iter().cloned().collect(),
            };
            (DeviceId { index: info.id, pci }, device)
        };
        Self { by_id: infos.iter().map(device).collect() }
    }

    pub(crate) fn into_infos(self) -> Vec<DeviceInfo> {
        let info = |(id, device): (DeviceId, Device)| DeviceInfo {
            id: id.index,
            pci: id.pci.map(|pci| pci.to_string()),
            name: device.name,
            compute_capability: device.compute_capability,
            hosts: device.hosts.into_iter().filter(|host| !host.is_empty()).collect(),
        };
        self.by_id.into_iter().map(info).collect()
    }
}

/// What several kinds of GPUs mean for numbers over all of them.
pub(crate) fn mixed(devices: &[DeviceInfo]) -> Option<Note> {
    let kind = |device: &DeviceInfo| match (&device.name, &device.compute_capability) {
        (Some(name), Some(capability)) => Some(format!("{name} ({capability})")),
        (Some(one), None) | (None, Some(one)) => Some(one.clone()),
        (None, None) => None,
    };
    let kinds: BTreeSet<String> = devices.iter().filter_map(kind).collect();
    (kinds.len() > 1).then(|| {
        let kinds: Vec<String> = kinds.into_iter().collect();
        let message = format!(
            "The results ran on different kinds of GPUs: {}. Numbers over all of them are true as sums but describe none of them; the `device` scopes keep them apart.",
            kinds.join(", ")
        );
        Note::new(NoteLevel::Warning, "mixed-devices", message)
    })
}
