//! Values with units, both scaled.

use super::digits::{plain, three_digits, two_decimals};

/// A value and its unit as ncu's details page scales and spells them (`1234567 byte` → `1.23 Mbyte`), with two decimals.
pub fn scaled(value: f64, unit: &str) -> (String, String) {
    const DECIMAL: &[(f64, &str)] = &[(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "K")];
    let size = value.abs();
    if unit == "ns" {
        let (factor, name) = match size {
            _ if size >= 1e9 => (1e9, "s"),
            _ if size >= 1e6 => (1e6, "ms"),
            _ if size >= 1e3 => (1e3, "us"),
            _ => (1.0, "ns"),
        };
        return (two_decimals(value / factor), name.to_owned());
    }
    let scales = unit == "hz" || unit == "byte" || unit.starts_with("byte/");
    match DECIMAL.iter().find(|(factor, _)| scales && size >= *factor) {
        Some((factor, prefix)) => (two_decimals(value / factor), format!("{prefix}{unit}")),
        None => (two_decimals(value), unit.to_owned()),
    }
}

/// The same in one text: `1.23 Mbyte`, `45.12 %`; small values keep the digits that tell two of them apart.
pub fn with_unit(value: f64, unit: &str) -> String {
    let is_small = value.abs() < 1.0;
    let (value, unit) =
        if is_small { (plain(value), unit.to_owned()) } else { scaled(value, unit) };
    if unit.is_empty() { value } else { format!("{value} {unit}") }
}

/// A rate in the units that drawings use: `936 GB/s`.
pub fn rate(value: f64, unit: &str) -> String {
    const PREFIXES: [(f64, &str); 6] =
        [(1e18, "E"), (1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")];
    let (factor, prefix) =
        PREFIXES.into_iter().find(|(factor, _)| value >= *factor).unwrap_or((1.0, ""));
    format!("{} {prefix}{unit}", three_digits(value / factor))
}
