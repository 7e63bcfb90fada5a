//! Names of metrics that the tools treat specially.

/// In nanoseconds.
pub const DURATION: &str = "gpu__time_duration.sum";
pub const DEVICE_INDEX: &str = "device__attribute_device_index";
pub const DEVICE_NAME: &str = "device__attribute_display_name";
pub const CC_MAJOR: &str = "device__attribute_compute_capability_major";
pub const CC_MINOR: &str = "device__attribute_compute_capability_minor";
/// Domain, bus and device of the GPU's address on its host.
pub const PCI_ADDRESS: [&str; 3] = [
    "device__attribute_pci_domain_id",
    "device__attribute_pci_bus_id",
    "device__attribute_pci_device_id",
];
/// The chip, by which NVIDIA's readers choose their table of units.
pub const CHIP: &str = "device__attribute_implementation";
/// The architecture, likewise.
pub const ARCHITECTURE: &str = "device__attribute_architecture";
