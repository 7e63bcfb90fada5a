//! Metrics: their values with the mark of what is not exact, and how they were made.

use super::unit::{FRACTION, scales};
use super::{ABSENT, plain, scaled, thousands};
use crate::document::{Method, MetricSummary, Scalar};
use crate::text::{shorten, visible};

/// What marks a number that is not exactly what a measurement of the whole region would give.
pub const INEXACT: char = '~';

/// Columns of a value that is a text; metrics of that kind are device names and the like.
const MAX_TEXT: usize = 120;

/// Columns of a unit, which reports may state as any text.
const MAX_UNIT: usize = 40;

/// A percentage metric with one decimal, `~` before it when it is not exact, `–` when there is none.
pub fn percent_metric(metric: Option<&MetricSummary>) -> String {
    match metric {
        Some(metric @ MetricSummary { value: Some(Scalar::Number(value)), .. }) => {
            let figure = if value.abs() < 1e6 { format!("{value:.1}") } else { plain(*value) };
            let own = if is_below_all(metric) { own_values(metric) } else { String::new() };
            format!("{}{figure}{own}", mark(metric))
        }
        _ => ABSENT.to_owned(),
    }
}

/// What one decimal of a percentage tells apart.
const TOLD_APART: f64 = 0.05;

/// Whether no single result had as little, so that the value would be read wrongly without [`own_values`].
pub fn is_below_all(metric: &MetricSummary) -> bool {
    let value = metric.value.as_ref().and_then(Scalar::number);
    let own = value.zip(metric.min).filter(|_| metric.method == Method::LargestPart);
    own.is_some_and(|(value, least)| value < least - TOLD_APART)
}

/// What the results themselves had, where the value is the largest of means over them: ` (launches 44.0–96.0)`; nothing where they all had the same.
pub fn own_values(metric: &MetricSummary) -> String {
    let (Method::LargestPart, Some(min), Some(max)) = (metric.method, metric.min, metric.max)
    else {
        return String::new();
    };
    let figure = |value: f64| if value.abs() < 1e6 { format!("{value:.1}") } else { plain(value) };
    let (least, most) = (figure(min), figure(max));
    if least == most { String::new() } else { format!(" (launches {least}–{most})") }
}

/// The value of a metric in its base unit, `~` before it when it is not exact; extremes where results differ, `–` where there is no value.
pub fn metric_value(metric: &MetricSummary) -> String {
    match &metric.value {
        Some(Scalar::Number(value)) => format!("{}{}", mark(metric), plain(*value)),
        Some(Scalar::Integer(value)) => format!("{}{}", mark(metric), thousands(*value)),
        Some(Scalar::Text(text)) => shorten(&visible(text), MAX_TEXT).into_owned(),
        None => match (metric.min, metric.max) {
            (Some(min), Some(max)) => format!("{} … {}", plain(min), plain(max)),
            _ => ABSENT.to_owned(),
        },
    }
}

/// The value and unit of a metric in its base unit, with the same marks; a share of 0 to 1 in per cent.
pub fn metric_in_base(metric: &MetricSummary) -> (String, String) {
    if metric.unit == FRACTION {
        metric_scaled(metric)
    } else {
        (metric_value(metric), metric.unit.clone())
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
        // Scaled to a few digits it is the number that it would be otherwise; in its own unit every digit is shown.
        Some(Scalar::Integer(value)) if scales(&unit) => {
            let (value, unit) = scaled(*value as f64, &unit);
            (format!("{}{value}", mark(metric)), unit)
        }
        _ => (metric_value(metric), unit.into_owned()),
    }
}

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
        Method::LargestPart => "largest of its parts",
        Method::Same => "same in all",
        Method::Varies => "varies",
        Method::NotAggregated => "not aggregated",
    }
}
