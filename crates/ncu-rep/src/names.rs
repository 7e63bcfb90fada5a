//! Names of metrics that the tools treat specially.

/// In nanoseconds.
pub const DURATION: &str = "gpu__time_duration.sum";
pub const DEVICE_INDEX: &str = "device__attribute_device_index";
pub const DEVICE_NAME: &str = "device__attribute_display_name";
pub const CC_MAJOR: &str = "device__attribute_compute_capability_major";
pub const CC_MINOR: &str = "device__attribute_compute_capability_minor";
/// The chip, by which NVIDIA's readers choose their table of units.
pub const CHIP: &str = "device__attribute_implementation";
/// The architecture, likewise.
pub const ARCHITECTURE: &str = "device__attribute_architecture";
