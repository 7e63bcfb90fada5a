//! Numbers for people.
//!
//! Machine formats write numbers in full; what is here rounds for reading, never to zero when the value is not zero, and never hides that a value is not exact.

pub mod difference;

use crate::document::{Method, MetricSummary, Scalar};

use crate::text::{shorten, visible};

/// Columns of a value that is a text; metrics of that kind are device names and the like.
const MAX_TEXT: usize = 120;

/// What stands for a number that does not exist.
pub const ABSENT: &str = "–";

/// What marks a number that is not exactly what a measurement of the whole region would give.
pub const INEXACT: char = '~';

/// Columns of a unit, which reports may state as any text.
const MAX_UNIT: usize = 40;

/// How many decimals the milliseconds of one report have, so that a column can be compared at a glance.
#[derive(Clone, Copy, Debug)]
pub struct Milliseconds {
    decimals: usize,
}

impl Milliseconds {
    /// The decimals that suit a report of this total: microseconds for ordinary runs, nanoseconds where the whole run lasted less than a millisecond.
    pub fn for_total(total_ms: f64) -> Self {
        Self { decimals: if total_ms > 0.0 && total_ms < 1.0 { 6 } else { 3 } }
    }

    /// The value; `<0.001` for what would round to zero.
    pub fn show(self, ms: f64) -> String {
        let smallest = if self.decimals == 6 { 0.000_001 } else { 0.001 };
        if ms > 0.0 && ms < smallest / 2.0 {
            return format!("<{smallest:.decimals$}", decimals = self.decimals);
        }
        format!("{ms:.decimals$}", decimals = self.decimals)
    }

    /// The value if there is one.
    pub fn show_option(self, ms: Option<f64>) -> String {
        ms.map_or_else(|| ABSENT.to_owned(), |ms| self.show(ms))
    }
}

/// A share of 0 to 1 in per cent with one decimal and without the sign.
pub fn percent(share: f64) -> String {
    let value = share * 100.0;
    if value > 0.0 && value < 0.05 { "<0.1".to_owned() } else { format!("{value:.1}") }
}

/// A percentage metric with one decimal, `~` before it when it is not exact, `–` when there is none.
pub fn percent_metric(metric: Option<&MetricSummary>) -> String {
    match metric.map(|metric| (&metric.value, metric.exact)) {
        Some((Some(Scalar::Number(value)), true)) => format!("{value:.1}"),
        Some((Some(Scalar::Number(value)), false)) => format!("{INEXACT}{value:.1}"),
        _ => ABSENT.to_owned(),
    }
}

/// A number with up to six significant digits and commas between thousands; whole numbers in full.
pub fn plain(value: f64) -> String {
    if !value.is_finite() {
        return ABSENT.to_owned();
    }
    let size = value.abs();
    if value.fract() == 0.0 && size < 1e15 {
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
    let text = format!("{value:.decimals$}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    grouped(text)
}

/// A value with its unit, both scaled as ncu's details page does (`1234567 byte` → `1.23 Mbyte`), with two decimals.
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
    if unit == "hz" || unit == "byte" || unit.starts_with("byte/") {
        for (factor, prefix) in DECIMAL {
            if size >= *factor {
                return (two_decimals(value / factor), format!("{prefix}{unit}"));
            }
        }
    }
    (two_decimals(value), unit.to_owned())
}

/// Two decimals as ncu prints them, none for whole numbers, and significant digits where two decimals would show nothing.
fn two_decimals(value: f64) -> String {
    if !value.is_finite() || value.fract() == 0.0 || (value.abs() < 0.01) {
        plain(value)
    } else {
        grouped(&format!("{value:.2}"))
    }
}

/// Commas between groups of three digits of the whole part.
fn grouped(text: &str) -> String {
    let (sign, digits) = text.strip_prefix('-').map_or(("", text), |digits| ("-", digits));
    let (whole, fraction) =
        digits.split_once('.').map_or((digits, None), |(whole, rest)| (whole, Some(rest)));
    let mut shown = String::with_capacity(text.len() + whole.len() / 3 + 1);
    shown.push_str(sign);
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    if let Some(fraction) = fraction {
        shown.push('.');
        shown.push_str(fraction);
    }
    shown
}

/// The value of a metric in its base unit, `~` before it when it is not exact; extremes where results differ, `–` where there is no value.
pub fn metric_value(metric: &MetricSummary) -> String {
    match &metric.value {
        Some(Scalar::Number(value)) => format!("{}{}", mark(metric), plain(*value)),
        Some(Scalar::Text(text)) => shorten(&visible(text), MAX_TEXT).into_owned(),
        None => match (metric.min, metric.max) {
            (Some(min), Some(max)) => format!("{} … {}", plain(min), plain(max)),
            _ => ABSENT.to_owned(),
        },
    }
}

/// The value and unit of a metric scaled for reading, with the same marks as [`metric_value`].
pub fn metric_scaled(metric: &MetricSummary) -> (String, String) {
    let unit = visible(&metric.unit);
    let unit = shorten(&unit, MAX_UNIT);
    match &metric.value {
        Some(Scalar::Number(value)) => {
            let (value, unit) = scaled(*value, &unit);
            (format!("{}{value}", mark(metric)), unit)
        }
        _ => (metric_value(metric), unit.into_owned()),
    }
}

/// The mark of a value that is not exact.
fn mark(metric: &MetricSummary) -> &'static str {
    if metric.exact { "" } else { "~" }
}

/// How a value was made, in words.
pub fn method(method: Method) -> &'static str {
    match method {
        Method::Sum => "sum",
        Method::Max => "max",
        Method::Min => "min",
        Method::TimeWeighted => "time-weighted",
        Method::CycleWeighted => "cycle-weighted",
        Method::RatioOfSums => "ratio of sums",
        Method::DenominatorWeighted => "denominator-weighted",
        Method::Same => "same in all",
        Method::Varies => "varies",
        Method::NotAggregated => "not aggregated",
    }
}

/// `43 kernels`, `1 kernel`.
pub fn count(number: u64, one: &str, many: &str) -> String {
    if number == 1 {
        format!("1 {one}")
    } else {
        format!("{} {many}", grouped(&number.to_string()))
    }
}

/// A grid or block as `8x4x1`, empty when there is none.
pub fn dimensions(dimensions: Option<[u64; 3]>) -> String {
    dimensions.map_or_else(String::new, |[x, y, z]| format!("{x}x{y}x{z}"))
}
