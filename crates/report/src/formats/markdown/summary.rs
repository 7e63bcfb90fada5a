//! The table that answers where the time goes, and the one that compares processes and devices.

use std::io::{self, Write};

use rangescope_model::document::{MetricSummary, NCUProfileRegionReport, RegionDocument, Totals};

use indexmap::IndexMap;

use super::escape::{indent, name, text};
use crate::phrases;
use crate::tree::{Group, Tree};
use crate::{headline, scopes};
use rangescope_model::number::{self, Milliseconds};

/// Writes the section `Summary`.
pub(super) fn write(
    document: &RegionDocument,
    reports: &[&NCUProfileRegionReport],
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "## Summary\n")?;
    if reports.is_empty() {
        return writeln!(out, "There are no results.\n");
    }
    writeln!(
        out,
        "Total ms and Kernels include everything below a region; Exclusive ms is the time of the results whose innermost region it is. \
         Share is of all selected GPU time. Values with {} are estimates: they are weighted means and not what one measurement of the whole region would give.\n",
        number::INEXACT
    )?;
    for report in reports {
        if reports.len() > 1 {
            writeln!(out, "### Scope: {}\n", text(&phrases::scope(report)))?;
        }
        write_table(report, out)?;
    }
    write_scopes(document, out)
}

fn write_table(report: &NCUProfileRegionReport, out: &mut dyn Write) -> io::Result<()> {
    let milliseconds = Milliseconds::for_total(report.totals.total_ms);
    let tree = Tree::of(report);
    let with_group =
        tree.groups.iter().any(|group| phrases::group(group.domain, group.kind).is_some());
    write!(out, "| Region | Total ms | Kernels | Exclusive ms | Share | SM % | DRAM % |")?;
    writeln!(out, "{}", if with_group { " Ranges |" } else { "" })?;
    writeln!(out, "|---|---:|---:|---:|---:|---:|---:|{}", if with_group { "---|" } else { "" })?;
    for group in &tree.groups {
        write_group(&tree, group, milliseconds, with_group, out)?;
    }
    let mut write_totals = |title: &str, totals: &Totals, share: Option<f64>| {
        writeln!(
            out,
            "| {title} | {} | {} | – | {} | {} |{}",
            milliseconds.show(totals.total_ms),
            totals.kernel_count,
            number::percent(share),
            key_metrics(&totals.metrics),
            if with_group { " – |" } else { "" },
        )
    };
    write_totals("(unlabeled)", &report.unlabeled, report.unlabeled_share())?;
    write_totals("**all**", &report.totals, report.totals.total_ms.map(|_| 1.0))?;
    writeln!(out)
}

fn write_group(
    tree: &Tree<'_>,
    group: &Group<'_>,
    milliseconds: Milliseconds,
    with_group: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    let ranges = match phrases::group(group.domain, group.kind) {
        _ if !with_group => String::new(),
        Some(ranges) => format!(" {} |", text(&ranges)),
        None => " default domain |".to_owned(),
    };
    for node in tree.depth_first(group) {
        let region = node.region;
        writeln!(
            out,
            "| {}{} | {} | {} | {} | {} | {} |{ranges}",
            indent(node.depth),
            name(&region.name),
            milliseconds.show(region.total_ms),
            region.kernel_count,
            milliseconds.show(region.exclusive_ms),
            number::percent(region.share),
            key_metrics(&region.metrics),
        )?;
    }
    Ok(())
}

/// The two cells that say how busy the device was.
pub(super) fn key_metrics(metrics: &IndexMap<String, MetricSummary>) -> String {
    // A lone `~` is harmless, but two in one cell would strike the text between them out.
    headline::cells(metrics).map(|cell| cell.replace('~', "\\~")).join(" | ")
}

/// Processes and devices side by side, where there are several.
fn write_scopes(document: &RegionDocument, out: &mut dyn Write) -> io::Result<()> {
    let scopes = scopes::scope_reports(document);
    if scopes.is_empty() {
        return Ok(());
    }
    writeln!(out, "### Scopes\n")?;
    writeln!(
        out,
        "Processes and devices are two views of the same results and must not be added.\n"
    )?;
    writeln!(
        out,
        "| Scope | Total ms | Kernels | Unlabeled ms | Regions | SM % | DRAM % |\n|---|---:|---:|---:|---:|---:|---:|"
    )?;
    let milliseconds = Milliseconds::for_all(scopes.iter().map(|report| report.totals.total_ms));
    for report in scopes {
        writeln!(
            out,
            "| {} | {} | {} | {} | {} | {} |",
            text(&phrases::scope(report)),
            milliseconds.show(report.totals.total_ms),
            report.totals.kernel_count,
            milliseconds.show(report.unlabeled.total_ms),
            report.regions.len(),
            key_metrics(&report.totals.metrics),
        )?;
    }
    writeln!(out)
}
