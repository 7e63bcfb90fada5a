//! The two percentages that every summary shows.

use indexmap::IndexMap;
use rangescope_model::document::MetricSummary;
use rangescope_model::number;

/// SM throughput.
pub(crate) const SM: &[&str] = &["sm__throughput.avg.pct_of_peak_sustained_elapsed"];

/// Throughput of device memory, under its names on different chips.
pub(crate) const DRAM: &[&str] = &[
    "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
    "dram__throughput.avg.pct_of_peak_sustained_elapsed",
];

/// Both as cells of a table.
pub(crate) fn cells(metrics: &IndexMap<String, MetricSummary>) -> [String; 2] {
    [SM, DRAM].map(|names| {
        let metric =
            names.iter().filter_map(|name| metrics.get(*name)).find(|one| one.value.is_some());
        number::percent_metric(metric)
    })
}
