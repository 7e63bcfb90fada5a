//! Tables of aggregated metrics: each value with how it was made, whether it is exact, and how many results had one.

use std::io::{self, Write};

use indexmap::IndexMap;
use rangescope_model::document::{MetricSummary, Metrics, SectionSummary};

use super::escape::{cell_code, name, text};
use crate::{headline, phrases};
use rangescope_model::number;

/// Metrics that come first, because they are what a reader looks for.
const FIRST_METRICS: &[&str] =
    &["gpu__time_duration.sum", headline::SM[0], headline::DRAM[0], headline::DRAM[1]];

/// Metrics that say nothing of how a kernel ran come last, those of the device behind those of the launch.
const CONSTANTS: &[&str] = &["launch__", "device__attribute_"];

/// Writes the metrics that have a value, at most `limit` of them, and why the others have none.
pub(super) fn write(
    metrics: &Metrics,
    exclusive: Option<&Metrics>,
    level: &str,
    limit: Option<usize>,
    out: &mut dyn Write,
) -> io::Result<()> {
    if metrics.is_empty() {
        return Ok(());
    }
    writeln!(out, "{level} Metrics\n")?;
    let has_value = |metric: &MetricSummary| phrases::has_value(metric);
    let mut in_order: Vec<(&String, &MetricSummary)> =
        metrics.iter().filter(|(_, metric)| has_value(metric)).collect();
    in_order.sort_by_key(|(name, _)| place(name));
    let mut shown = in_order.into_iter().peekable();
    if shown.peek().is_some() {
        write_head(if exclusive.is_some() { (" Exclusive |", "---:|") } else { ("", "") }, out)?;
        for (name, metric) in shown.by_ref().take(limit.unwrap_or(usize::MAX)) {
            let (value, unit) = number::metric_in_base(metric);
            let cells = value_cells(metric, &value, &unit);
            write!(out, "| {} | {cells} |", cell_code(name))?;
            if let Some(exclusive) = exclusive {
                let metric = exclusive.get(name);
                let value = metric.map(|metric| number::metric_in_base(metric).0);
                let value = value.unwrap_or_else(|| number::ABSENT.to_owned());
                write!(out, " {} |", text(&value))?;
            }
            writeln!(out)?;
        }
        writeln!(out)?;
    }
    let more = shown.count();
    if more > 0 {
        let more = number::count(more as u64, "more is", "more are");
        writeln!(out, "… {more} in the region's own report and in `report.json`.\n")?;
    }
    write_reasons(metrics.values().filter(|metric| !has_value(metric)), out)
}

/// What a reader looks for, then what was measured, then what the launch and the device are by themselves.
fn place(name: &str) -> usize {
    let first = FIRST_METRICS.iter().position(|first| *first == name);
    let prefix = CONSTANTS.iter().position(|prefix| name.starts_with(prefix));
    let behind = prefix.map_or(0, |prefix| prefix + 1);
    first.unwrap_or(FIRST_METRICS.len() + behind)
}

/// Writes the header metrics of a section, scaled for reading.
pub(super) fn write_section(
    section: &SectionSummary,
    results: u64,
    level: &str,
    out: &mut dyn Write,
) -> io::Result<()> {
    let title = if section.name.is_empty() { &section.id } else { &section.name };
    writeln!(out, "{level} {}\n", name(title))?;
    if section.covered != results {
        let results = number::count(results, "result", "results");
        writeln!(out, "Held by {} of {results}.\n", section.covered)?;
    }
    if section.metrics.is_empty() {
        return Ok(());
    }
    write_head(("", ""), out)?;
    for metric in &section.metrics {
        let label = if metric.label.is_empty() { &metric.name } else { &metric.label };
        let (value, unit) = number::metric_scaled(&metric.summary);
        writeln!(out, "| {} | {} |", name(label), value_cells(&metric.summary, &value, &unit))?;
    }
    writeln!(out)
}

/// The two lines above the values; `more` is what a further column adds to each.
fn write_head(more: (&str, &str), out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "| Metric | Value | Unit | Method | Exact | Covered |{}", more.0)?;
    writeln!(out, "|---|---:|---|---|---|---:|{}", more.1)
}

/// The cells from the value to the coverage, without the outer bars.
fn value_cells(metric: &MetricSummary, value: &str, unit: &str) -> String {
    format!(
        "{}{} | {} | {} | {} | {} of {}",
        text(value),
        number::own_values(metric),
        text(unit),
        number::method(metric.method),
        if metric.exact { "yes" } else { "no" },
        metric.covered,
        metric.of,
    )
}

/// Why metrics have no value, each reason once with how many metrics it concerns.
fn write_reasons<'a>(
    metrics: impl Iterator<Item = &'a MetricSummary>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut reasons: IndexMap<&str, u64> = IndexMap::new();
    for metric in metrics {
        *reasons.entry(metric.reason.as_deref().unwrap_or("no reason given")).or_default() += 1;
    }
    if reasons.is_empty() {
        return Ok(());
    }
    let metrics = number::count(reasons.values().sum(), "metric has", "metrics have");
    let reasons: Vec<String> =
        reasons.iter().map(|(reason, number)| format!("{number} × {}", text(reason))).collect();
    writeln!(out, "{metrics} no value over the region: {}.\n", reasons.join("; "))
}
