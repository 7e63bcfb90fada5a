//! Which devices results ran on, gathered while results are read.

use std::collections::{BTreeMap, BTreeSet};

use ncu_rep::names;
use rangescope_model::document::DeviceInfo;
use rangescope_model::launch::{Launch, MetricId, ProcessInfo};
use rangescope_read::results::Numbering;

/// Metrics that say what a device is.
pub(crate) struct DeviceMetrics {
    name: Option<MetricId>,
    major: Option<MetricId>,
    minor: Option<MetricId>,
}

impl DeviceMetrics {
    pub(crate) fn new(numbering: &Numbering) -> Self {
        Self {
            name: numbering.metric(names::DEVICE_NAME),
            major: numbering.metric(names::CC_MAJOR),
            minor: numbering.metric(names::CC_MINOR),
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
    by_id: BTreeMap<u32, Device>,
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
