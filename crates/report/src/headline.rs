//! The percentages that every summary shows, and the metrics that were asked for besides.

use indexmap::IndexMap;
use rangescope_model::document::{MetricSummary, ScopeReport};
use rangescope_model::number;

/// SM throughput.
pub(crate) const SM: &[&str] = &["sm__throughput.avg.pct_of_peak_sustained_elapsed"];

/// Throughput of device memory, under its names on different chips.
pub(crate) const DRAM: &[&str] = &[
    "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
    "dram__throughput.avg.pct_of_peak_sustained_elapsed",
];

/// Metrics that were asked for and get a column; more make no table.
const MOST_ASKED: usize = 6;

/// Both as cells of a table.
pub(crate) fn cells(metrics: &IndexMap<String, MetricSummary>) -> [String; 2] {
    [SM, DRAM].map(|names| {
        let metric =
            names.iter().filter_map(|name| metrics.get(*name)).find(|one| one.value.is_some());
        number::percent_metric(metric)
    })
}

/// The metrics that a report was asked for, besides the two; none where everything was.
pub(crate) fn asked(report: &ScopeReport) -> Vec<&str> {
    if report.selection.metrics.is_empty() {
        return Vec::new();
    }
    let names = report.totals.metrics.keys().map(String::as_str);
    names.filter(|name| !SM.contains(name) && !DRAM.contains(name)).take(MOST_ASKED).collect()
}

/// A metric as a cell of a table: its value with its unit, both scaled.
pub(crate) fn cell(metrics: &IndexMap<String, MetricSummary>, name: &str) -> String {
    let Some(metric) = metrics.get(name) else { return number::ABSENT.to_owned() };
    let (value, unit) = number::metric_scaled(metric);
    if unit.is_empty() || value == number::ABSENT { value } else { format!("{value} {unit}") }
}
