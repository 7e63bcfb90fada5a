//! A comparison as Markdown, for people.

use super::escape::{markdown, name};
use super::rows::{self, Row};
use crate::formats::ExportOptions;
use rangescope_model::comparison::{Comparison, GateReport, MetricDelta, ScopeComparison, Verdict};
use rangescope_model::document::RegionDocument;
use std::io::{self, Write};

/// Writes the comparison.
pub(crate) fn write(
    comparison: &Comparison,
    _new: &[RegionDocument],
    options: &ExportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "# Comparison")?;
    writeln!(out)?;
    let side = |side| markdown(&rows::side(side));
    writeln!(out, "{} → {}", side(&comparison.base), side(&comparison.new))?;
    write_notes(comparison, out)?;
    writeln!(out)?;
    writeln!(out, "**{}**", markdown(&rows::overall(comparison)))?;
    if let Some(gates) = &comparison.gates {
        writeln!(out)?;
        writeln!(out, "## Gates")?;
        writeln!(out)?;
        writeln!(out, "{}", rows::gate_verdict(gates))?;
        writeln!(out)?;
        write_gates(gates, out)?;
    }
    for scope in &comparison.scopes {
        writeln!(out)?;
        writeln!(out, "## Regions of {}", markdown(&rows::scope_name(scope)))?;
        writeln!(out)?;
        write_regions(scope, options, out)?;
        write_kernels(scope, options, out)?;
        write_all_metrics(scope, options, out)?;
    }
    for scope in &comparison.unmatched_scopes {
        writeln!(out)?;
        writeln!(out, "Only in the {}: {}.", scope.side, markdown(&scope.scope))?;
    }
    writeln!(out)?;
    writeln!(out, "{}", markdown(&comparison.noise_rule))
}

pub(super) fn write_notes(comparison: &Comparison, out: &mut dyn Write) -> io::Result<()> {
    if !comparison.notes.is_empty() {
        writeln!(out)?;
    }
    for note in &comparison.notes {
        writeln!(out, "- **{}**: {}", rows::severity(note.severity), markdown(&note.message))?;
    }
    Ok(())
}

pub(super) fn write_gates(report: &GateReport, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "| Gate | Result | Where | What |")?;
    writeln!(out, "|---|---|---|---|")?;
    for outcome in &report.gates {
        let status = rows::gate_status(outcome, report);
        let gate = name(&outcome.gate);
        let shown: Vec<_> =
            outcome.checks.iter().filter(|check| check.status == outcome.status).take(10).collect();
        if shown.is_empty() {
            let why = markdown(&rows::without_checks(outcome));
            writeln!(out, "| {gate} | {status} | | {why} |")?;
        }
        for check in shown {
            let place = check.region.as_deref().map_or_else(|| "(all)".to_owned(), name);
            writeln!(out, "| {gate} | {status} | {place} | {} |", markdown(&check.message))?;
        }
    }
    Ok(())
}

pub(super) fn write_regions(
    scope: &ScopeComparison,
    options: &ExportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let regions = rows::regions(scope, options.max_regions, options.view.unfold);
    write_table("Region", &regions.rows, out)?;
    for line in rows::not_shown(&regions) {
        writeln!(out)?;
        writeln!(out, "{line}")?;
    }
    Ok(())
}

pub(super) fn write_kernels(
    scope: &ScopeComparison,
    options: &ExportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (kernels, left_out) = rows::kernels(scope, options.max_changed_kernels);
    if kernels.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    writeln!(out, "### Kernels that changed")?;
    writeln!(out)?;
    write_table("Kernel", &kernels, out)?;
    write_left_out(left_out, ["kernel", "kernels"], out)
}

fn write_table(head: &str, rows: &[Row], out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "| {head} | Base ms | New ms | Difference ms | Difference | Interval | Calls | Per call | Verdict |"
    )?;
    writeln!(out, "|---|--:|--:|--:|--:|--:|--:|--:|---|")?;
    for row in rows {
        let shown = name(&row.name);
        let remark = match row.remark.as_str() {
            "" => String::new(),
            remark => format!(" ({})", name(remark)),
        };
        writeln!(
            out,
            "| {shown} | {} | {} | {} | {} | {} | {} | {} | {}{remark} |",
            row.base,
            row.new,
            row.difference,
            row.relative.replace('<', "&lt;"),
            row.interval.replace('<', "&lt;"),
            row.calls,
            row.per_call.replace('<', "&lt;"),
            verdict(row.verdict),
        )?;
    }
    Ok(())
}

/// What matters is bold, so that it is found without colour.
fn verdict(verdict: Verdict) -> String {
    let word = rows::verdict(verdict);
    match verdict {
        Verdict::Slower | Verdict::MoreCalls | Verdict::New => format!("**{word}**"),
        _ => word.to_owned(),
    }
}

fn write_all_metrics(
    scope: &ScopeComparison,
    options: &ExportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let all = std::iter::once(("(all)", &scope.totals.metrics));
    let both = scope.regions.iter().filter(|region| rows::is_on_both_sides(region));
    let regions = both.map(|region| (region.name.as_str(), &region.metrics));
    let mut is_first = true;
    for (region, metrics) in all.chain(regions.take(options.max_regions)) {
        if rows::changed(metrics).next().is_none() {
            continue;
        }
        if is_first {
            writeln!(out)?;
            writeln!(out, "### Metrics of what changed")?;
            writeln!(out)?;
            writeln!(out, "| Region | Metric | Base | New | Difference | Difference | |")?;
            writeln!(out, "|---|---|--:|--:|--:|--:|---|")?;
            is_first = false;
        }
        for metric in metrics {
            write_metric(region, metric, out)?;
        }
    }
    Ok(())
}

fn write_metric(region: &str, metric: &MetricDelta, out: &mut dyn Write) -> io::Result<()> {
    let [base, new, difference, relative] = rows::metric_cells(metric).map(|cell| markdown(&cell));
    writeln!(
        out,
        "| {} | {} | {base} | {new} | {difference} | {relative} | {} |",
        name(region),
        name(&metric.name),
        rows::change(metric.delta.change)
    )
}

fn write_left_out(left_out: usize, what: [&str; 2], out: &mut dyn Write) -> io::Result<()> {
    if left_out == 0 {
        return Ok(());
    }
    writeln!(out)?;
    let [one, many] = what;
    writeln!(out, "… and {}; the JSON has all of them.", rows::more(left_out, one, many))
}
