//! Which of the presets of `profiling/ncu` collect what, cheapest first.
//!
//! A test compares these names with the configuration tree.

/// Sections that tell how busy SMs and memory are.
pub(crate) fn with_speed_of_light() -> Vec<String> {
    owned(&["ncu.default", "ncu.rtx3090", "ncu.high"])
}

/// ncu's roofline sections.
pub(crate) fn with_roofline() -> Vec<String> {
    owned(&["ncu.default", "ncu.rtx3090", "ncu.high"])
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}
