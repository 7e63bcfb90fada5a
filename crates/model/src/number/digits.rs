//! How many digits a number has.

use super::ABSENT;

/// Up to six significant digits and commas between thousands; whole numbers in full.
pub fn plain(value: f64) -> String {
    if !value.is_finite() {
        return ABSENT.to_owned();
    }
    let size = value.abs();
    // Up to 2^53 every whole number is exact; above, digits would be shown that nobody knows.
    if value.fract() == 0.0 && size < 9_007_199_254_740_992.0 {
        return grouped(&format!("{value:.0}"));
    }
    if size >= 1e15 || (size > 0.0 && size < 1e-6) {
        return format!("{value:.5e}");
    }
    let decimals = match size {
        _ if size >= 100_000.0 => 1,
        _ if size >= 1_000.0 => 2,
        _ if size >= 100.0 => 3,
        _ if size >= 10.0 => 4,
        _ if size >= 1.0 => 5,
        _ if size >= 0.1 => 6,
        _ if size >= 0.001 => 8,
        _ => 11,
    };
    grouped(without_zeros(&format!("{value:.decimals$}")))
}

/// Three significant digits, for sentences and drawings.
pub fn three_digits(value: f64) -> String {
    let size = value.abs();
    if size > 0.0 && size < 0.0005 {
        return format!("{value:.1e}");
    }
    let decimals = match size {
        _ if size >= 99.95 => 0,
        _ if size >= 9.995 => 1,
        _ if size >= 0.9995 => 2,
        _ => 3,
    };
    grouped(without_zeros(&format!("{value:.decimals$}")))
}

/// Two decimals as ncu prints them, none for whole numbers, and significant digits where two decimals would show nothing.
pub(super) fn two_decimals(value: f64) -> String {
    if !value.is_finite() || value.fract() == 0.0 || value.abs() < 0.01 {
        plain(value)
    } else {
        grouped(&format!("{value:.2}"))
    }
}

/// The text without zeros at the end of its fraction.
pub(super) fn without_zeros(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

/// Commas between groups of three digits of the whole part.
pub(super) fn grouped(text: &str) -> String {
    let (sign, digits) = text.split_at(usize::from(text.starts_with(['-', '+'])));
    let (whole, fraction) = digits.split_at(digits.find('.').unwrap_or(digits.len()));
    let mut shown = sign.to_owned();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown + fraction
}
