//! Where the time goes, what limits it and what to do about it; and processes and devices side by side.

use std::io::{self, Write};

use rangescope_analyze::insight::model::{Fact, FactKind};
use rangescope_analyze::insight::{Insight, limited_by};
use rangescope_model::document::{MetricSummary, RegionDocument, ResultSet, ScopeReport};

use indexmap::IndexMap;

use super::escape::{NAME_COLUMNS, cell_code, indent, name, prose, text};
use crate::phrases;
use crate::tree::{Group, Tree};
use crate::{headline, scopes};
use rangescope_model::number::{self, Milliseconds};
use rangescope_model::text::shorten_kernels;

/// Findings shown; `rangescope advice` has all.
const MOST_FINDINGS: usize = 5;

/// Writes the section `Summary`.
pub(super) fn write(
    document: &RegionDocument,
    insight: &Insight,
    reports: &[&ScopeReport],
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "## Summary\n")?;
    if reports.is_empty() {
        return writeln!(out, "There are no results.\n");
    }
    let facts = insight.main_report.and_then(|main| insight.reports.get(main));
    let has_regions = reports.iter().any(|report| !report.regions.is_empty());
    // What to do has a part of its own, and that there are no regions is said below.
    let is_told = |fact: &&Fact| match fact.kind {
        FactKind::Advice => false,
        FactKind::Unlabeled => has_regions,
        _ => true,
    };
    for fact in facts.into_iter().flat_map(|found| &found.facts).filter(is_told) {
        writeln!(out, "- {}", prose(&fact.sentence))?;
    }
    writeln!(out)?;
    for report in reports {
        if reports.len() > 1 {
            writeln!(out, "### Scope: {}\n", text(&phrases::scope(report)))?;
        }
        if report.regions.is_empty() {
            writeln!(out, "{}\n", prose(phrases::no_regions(report)))?;
            write_kernels(document, insight, report, out)?;
        } else {
            write_table(report, out)?;
        }
    }
    if has_regions {
        writeln!(out, "{}\n", legend())?;
    }
    write_scopes(document, out)
}

/// What the columns mean.
fn legend() -> String {
    format!(
        "Total ms and the number of results include everything below a region; Exclusive ms is the time of the results whose innermost region it is. \
         Share is of all selected GPU time. Values with {} are estimates: they are weighted means and not what one measurement of the whole region would give.",
        number::INEXACT
    )
}

/// The findings that are worth most, with their reasons.
pub(super) fn write_advice(
    document: &RegionDocument,
    insight: &Insight,
    out: &mut dyn Write,
) -> io::Result<()> {
    let first = insight.worth_doing_first(document, MOST_FINDINGS);
    if first.is_empty() {
        return Ok(());
    }
    writeln!(out, "## Worth doing first\n")?;
    for (region, finding) in first {
        let place = region.map_or_else(|| "the run".to_owned(), |region| name(&region.name));
        writeln!(out, "- **{}** ({place}): {}", text(&finding.title), prose(&finding.text))?;
    }
    writeln!(out)
}

/// The kernels of a report without regions.
fn write_kernels(
    document: &RegionDocument,
    insight: &Insight,
    report: &ScopeReport,
    out: &mut dyn Write,
) -> io::Result<()> {
    let place = document.reports.iter().position(|one| std::ptr::eq(one, report));
    let found = place.and_then(|place| insight.reports.get(place));
    let asked = headline::asked(report);
    let kernels = &report.totals.kernels;
    let milliseconds = Milliseconds::for_total(report.totals.total_ms);
    let heads = further(asked.iter().map(|metric| cell_code(metric)));
    writeln!(
        out,
        "| Kernel | Total ms | Share | Calls | SM % | DRAM % |{heads} Limited by |\n|---|---:|---:|---:|---:|---:|{}---|",
        "---:|".repeat(asked.len())
    )?;
    let names = kernels.iter().map(|kernel| kernel.kernel_name.as_str());
    for (at, (kernel, name)) in kernels.iter().zip(shorten_kernels(names, NAME_COLUMNS)).enumerate()
    {
        let limit = found.and_then(|found| found.totals.kernels.get(at));
        writeln!(
            out,
            "| {} | {} | {} | {} | {} |{} {} |",
            cell_code(&name),
            milliseconds.show(kernel.total_ms),
            number::percent(kernel.share),
            number::thousands(kernel.calls),
            key_metrics(&kernel.metrics),
            asked_cells(&kernel.metrics, &asked),
            limit
                .map_or_else(|| number::ABSENT.to_owned(), |limit| text(&limited_by(&limit.bound))),
        )?;
    }
    writeln!(out)
}

/// The cells of the metrics that were asked for, each with the bar behind it.
fn asked_cells(metrics: &IndexMap<String, MetricSummary>, asked: &[&str]) -> String {
    further(asked.iter().map(|name| text(&headline::cell(metrics, name))))
}

/// Further cells of a row, each with the bar behind it.
fn further(cells: impl Iterator<Item = String>) -> String {
    cells.flat_map(|cell| [" ".to_owned(), cell, " |".to_owned()]).collect()
}

fn write_table(report: &ScopeReport, out: &mut dyn Write) -> io::Result<()> {
    let milliseconds = Milliseconds::for_total(report.totals.total_ms);
    let tree = Tree::of(report);
    let with_group =
        tree.groups.iter().any(|group| phrases::group(group.domain, group.kind).is_some());
    let asked = headline::asked(report);
    let results = phrases::results(report.basis);
    write!(out, "| Region | Total ms | {results} | Exclusive ms | Share | SM % | DRAM % |")?;
    write!(out, "{}", further(asked.iter().map(|metric| cell_code(metric))))?;
    writeln!(out, "{}", if with_group { " Domain |" } else { "" })?;
    let more = "---:|".repeat(asked.len());
    let domain = if with_group { "---|" } else { "" };
    writeln!(out, "|---|---:|---:|---:|---:|---:|---:|{more}{domain}")?;
    for group in &tree.groups {
        write_group(&tree, group, milliseconds, with_group, &asked, out)?;
    }
    let mut write_totals = |title: &str, totals: &ResultSet, share: Option<f64>| {
        writeln!(
            out,
            "| {title} | {} | {} | – | {} | {} |{}{}",
            milliseconds.show(totals.total_ms),
            number::thousands(totals.kernel_count),
            number::percent(share),
            key_metrics(&totals.metrics),
            asked_cells(&totals.metrics, &asked),
            if with_group { " – |" } else { "" },
        )
    };
    write_totals(report.unlabeled_name(), &report.unlabeled, report.unlabeled_share())?;
    write_totals("(all)", &report.totals, report.totals.total_ms.map(|_| 1.0))?;
    writeln!(out)?;
    let outliers = phrases::outliers(report);
    for outlier in &outliers {
        writeln!(out, "- {}", text(outlier))?;
    }
    if outliers.is_empty() { Ok(()) } else { writeln!(out) }
}

fn write_group(
    tree: &Tree<'_>,
    group: &Group<'_>,
    milliseconds: Milliseconds,
    with_group: bool,
    asked: &[&str],
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
            "| {}{} | {} | {} | {} | {} | {} |{}{ranges}",
            indent(node.depth),
            name(&region.name) + &phrases::members(region),
            milliseconds.show(region.set.total_ms),
            number::thousands(region.set.kernel_count),
            milliseconds.show(region.exclusive_ms),
            number::percent(region.share),
            key_metrics(&region.set.metrics),
            asked_cells(&region.set.metrics, asked),
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
        "| Scope | Total ms | Results | (unlabeled) ms | Regions | SM % | DRAM % |\n|---|---:|---:|---:|---:|---:|---:|"
    )?;
    let milliseconds = Milliseconds::for_all(scopes.iter().map(|report| report.totals.total_ms));
    for report in scopes {
        writeln!(
            out,
            "| {} | {} | {} | {} | {} | {} |",
            text(&phrases::scope(report)),
            milliseconds.show(report.totals.total_ms),
            number::thousands(report.totals.kernel_count),
            milliseconds.show(report.unlabeled.total_ms),
            report.regions.len(),
            key_metrics(&report.totals.metrics),
        )?;
    }
    writeln!(out)
}
