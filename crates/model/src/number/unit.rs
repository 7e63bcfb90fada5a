//! Values with units, both scaled.

use super::digits::{plain, three_digits, two_decimals};

/// The unit of a share of 0 to 1, which people read in per cent. ncu has such a metric under a name that says per cent.
pub const FRACTION: &str = "fraction";

/// What scales a value down, with the letter before its unit.
const PREFIXES: [(f64, &str); 6] =
    [(1e18, "E"), (1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")];

/// A value and its unit scaled as on ncu's details page and spelled as everywhere here (`1234567 byte` → `1.23 MB`), with two decimals.
pub fn scaled(value: f64, unit: &str) -> (String, String) {
    let size = value.abs();
    if unit == FRACTION {
        return (two_decimals(value * 100.0), "%".to_owned());
    }
    if unit == "ns" {
        let (factor, name) = match size {
            _ if size >= 1e9 => (1e9, "s"),
            _ if size >= 1e6 => (1e6, "ms"),
            _ if size >= 1e3 => (1e3, "µs"),
            _ => (1.0, "ns"),
        };
        return (two_decimals(value / factor), name.to_owned());
    }
    let Some(unit) = short(unit) else { return (two_decimals(value), unit.to_owned()) };
    match PREFIXES.into_iter().find(|(factor, _)| size >= *factor) {
        Some((factor, prefix)) => (two_decimals(value / factor), format!("{prefix}{unit}")),
        None => (two_decimals(value), unit),
    }
}

/// Whether values of a unit are shown in multiples of it.
pub(super) fn scales(unit: &str) -> bool {
    unit == "ns" || short(unit).is_some()
}

/// The short form of a unit that takes prefixes: `byte/s` → `B/s`, `hz` → `Hz`.
fn short(unit: &str) -> Option<String> {
    match unit.strip_prefix("byte") {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => Some(format!("B{rest}")),
        _ => (unit == "hz").then(|| "Hz".to_owned()),
    }
}

/// The same in one text: `1.23 MB`, `45.12 %`; small values keep the digits that tell two of them apart.
pub fn with_unit(value: f64, unit: &str) -> String {
    let is_small = value.abs() < 1.0 && unit != FRACTION;
    let (value, unit) =
        if is_small { (plain(value), scaled(value, unit).1) } else { scaled(value, unit) };
    if unit.is_empty() { value } else { format!("{value} {unit}") }
}

/// A rate in the units that drawings use: `936 GB/s`.
pub fn rate(value: f64, unit: &str) -> String {
    let (factor, prefix) =
        PREFIXES.into_iter().find(|(factor, _)| value >= *factor).unwrap_or((1.0, ""));
    format!("{} {prefix}{unit}", three_digits(value / factor))
}
