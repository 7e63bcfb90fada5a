//! Differences, which always have a sign.

use super::{ABSENT, with_unit};

/// A relative difference as `+5.2 %`; what is not zero never shows as zero.
pub fn signed_percent(share: Option<f64>) -> String {
    let Some(value) = share.map(|share| share * 100.0) else { return ABSENT.to_owned() };
    let sign = if value > 0.0 { "+" } else { "-" };
    match value.abs() {
        0.0 => "0 %".to_owned(),
        size if !size.is_finite() => format!("{sign}∞ %"),
        size if size < 0.05 => format!("{sign}<0.1 %"),
        size if size < 1000.0 => format!("{value:+.1} %"),
        size if size < 1e7 => format!("{value:+.0} %"),
        _ => format!("{value:+.2e} %"),
    }
}

/// A difference in its unit, both scaled: `+1.23 MB`.
pub fn signed_with_unit(value: Option<f64>, unit: &str) -> String {
    match value {
        None => ABSENT.to_owned(),
        Some(value) if value > 0.0 => format!("+{}", with_unit(value, unit)),
        Some(value) => with_unit(value, unit),
    }
}
