//! Shares and percentages.

use super::ABSENT;
use super::digits::without_zeros;

/// A percentage with one decimal and without its sign, for columns whose head says what it is.
pub fn percent_figure(value: f64) -> String {
    if value > 0.0 && value < 0.05 { "<0.1".to_owned() } else { format!("{value:.1}") }
}

/// A percentage with one decimal: `33.3 %`.
pub fn percentage(value: f64) -> String {
    format!("{} %", percent_figure(value))
}

/// A share of 0 to 1 with one decimal: `33.3 %`.
pub fn percent(share: impl Into<Option<f64>>) -> String {
    share.into().map_or_else(|| ABSENT.to_owned(), |share| percentage(share * 100.0))
}

/// A share of 0 to 1 with about two digits, for sentences.
pub fn rounded_percent(share: f64) -> String {
    rounded_percentage(share * 100.0)
}

/// A percentage with about two digits, for sentences: `7 %`, `0.4 %`, `below 0.1 %`.
pub fn rounded_percentage(value: f64) -> String {
    if value >= 9.95 {
        format!("{value:.0} %")
    } else if value >= 0.095 || value <= 0.0 {
        format!("{} %", without_zeros(&format!("{value:.1}")))
    } else {
        "below 0.1 %".to_owned()
    }
}
