//! Which ncu has which option and which value of an option.
//!
//! What an ncu says in its help decides; this list is for telling which version a user needs, and for values that no help names. Many versions are only
//! known as "at the latest", because not every ncu could be asked.

use super::Version;
use super::probe::NcuInfo;

/// An option, or a value of an option, that not every ncu has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Feature {
    /// The option without dashes.
    pub option: &'static str,
    /// The value; none means the option as such.
    pub value: Option<&'static str>,
    /// A version that has it.
    pub since: Version,
    /// Whether it is known that the version before does not have it.
    pub first: bool,
}

const fn option(option: &'static str, since: Version, first: bool) -> Feature {
    Feature { option, value: None, since, first }
}

const fn value(option: &'static str, value: &'static str, since: Version, first: bool) -> Feature {
    Feature { option, value: Some(value), since, first }
}

const V2024_1: Version = Version::new(2024, 1, 0);
const V2025_2: Version = Version::new(2025, 2, 0);
const V2025_3: Version = Version::new(2025, 3, 0);
const V2025_4: Version = Version::new(2025, 4, 0);
const V2026_1: Version = Version::new(2026, 1, 0);
const V2026_3: Version = Version::new(2026, 3, 0);

/// What not every ncu has; 2022.3 has everything else.
pub const FEATURES: &[Feature] = &[
    option("config-file", V2024_1, false),
    option("graph-profiling", V2024_1, false),
    option("range-filter", V2024_1, false),
    option("disable-extra-suffixes", V2024_1, false),
    option("preload-library", V2024_1, false),
    option("source-folders", V2024_1, false),
    option("pm-sampling-interval", V2024_1, false),
    option("pm-sampling-buffer-size", V2024_1, false),
    option("pm-sampling-max-passes", V2024_1, false),
    option("warp-sampling-interval", V2024_1, false),
    option("warp-sampling-max-passes", V2024_1, false),
    option("warp-sampling-buffer-size", V2024_1, false),
    option("nvtx-push-pop-scope", V2025_2, false),
    option("call-stack-type", V2025_2, false),
    option("native-include", V2025_2, false),
    option("native-exclude", V2025_2, false),
    option("python-include", V2025_2, false),
    option("python-exclude", V2025_2, false),
    option("rename-kernels", V2025_2, true),
    option("rename-kernels-export", V2025_2, true),
    option("rename-kernels-path", V2025_2, true),
    option("pipeline-boost-state", V2025_2, false),
    option("import-sass", V2025_3, true),
    option("forward-signals", V2025_4, false),
    option("mps", V2025_4, false),
    option("mps-num-clients", V2025_4, false),
    option("mps-timeout", V2025_4, false),
    option("communicator", V2026_1, true),
    option("communicator-tcp-num-peers", V2026_1, true),
    option("communicator-tcp-hostname", V2026_1, true),
    option("communicator-tcp-port", V2026_1, true),
    option("communicator-shmem-num-peers", V2026_1, true),
    option("lockstep-kernel-launch", V2026_1, true),
    option("lockstep-nvtx-include", V2026_1, true),
    option("lockstep-nvtx-exclude", V2026_1, true),
    option("metric-distribution-groups", V2026_1, true),
    option("warp-samples-per-interval", V2026_1, true),
    option("disable-pm-warp-sampling", V2026_1, true),
    value("replay-mode", "app-range", V2024_1, false),
    value("filter-mode", "per-launch-config", V2024_1, false),
    value("app-replay-mode", "balanced", V2025_2, false),
    value("range-replay-options", "disable-host-save", V2025_4, false),
    value("range-replay-options", "disable-dependent-kernel-detection", V2025_4, false),
    value("clock-control", "boost", V2026_1, true),
    value("clock-control", "force-boost", V2026_1, true),
    value("export", "ncu-repz", V2026_3, true),
];

impl Feature {
    /// The entry for an option, or for one value of it.
    pub fn find(option: &str, value: Option<&str>) -> Option<&'static Self> {
        FEATURES.iter().find(|feature| feature.option == option && feature.value == value)
    }

    /// The version for people.
    pub fn since_text(&self) -> String {
        let Version { year, minor, .. } = self.since;
        if self.first {
            format!("it came with ncu {year}.{minor}")
        } else {
            format!("ncu {year}.{minor} and later have it")
        }
    }
}

/// Whether this ncu takes the option.
pub(super) fn has_option(ncu: &NcuInfo, option: &str) -> bool {
    if !ncu.options.is_empty() {
        return ncu.options.contains_key(option);
    }
    // Without its help only the version is left to go by.
    Feature::find(option, None).is_none_or(|feature| ncu.version >= feature.since)
}

/// Whether this ncu takes the value of an option.
pub(super) fn has_value(ncu: &NcuInfo, option: &str, value: &str) -> bool {
    let Some(feature) = Feature::find(option, Some(value)) else { return true };
    ncu.version >= feature.since
        || ncu.options.get(option).is_some_and(|described| described.names(value))
}

#[cfg(test)]
mod tests {
    use super::{FEATURES, Feature};

    #[test]
    fn each_entry_stands_once() {
        for (index, feature) in FEATURES.iter().enumerate() {
            let twin =
                |other: &Feature| (other.option, other.value) == (feature.option, feature.value);
            assert_eq!(FEATURES.iter().position(twin), Some(index), "{feature:?}");
        }
    }
}
