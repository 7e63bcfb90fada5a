//! The heaviest kernels: of the heaviest regions, or of everything where there are no regions.

use std::io::{self, Write};

use anstyle::Style;
use rangescope_analyze::insight::limited_by;
use rangescope_analyze::insight::model::KernelInsight;
use rangescope_model::document::{Basis, KernelSummary, Region, ScopeReport};

use super::table::{Column, Table};
use super::tree::{metric_column, write_left_out};
use crate::{headline, phrases};
use rangescope_model::number::{self, Milliseconds};
use rangescope_model::text::{shorten, shorten_kernels, visible_name};

/// Regions shown.
const REGIONS: usize = 3;

/// Kernels shown of each region.
const KERNELS: usize = 3;

/// Kernels shown where there are no regions.
const KERNELS_WITHOUT_REGIONS: usize = 12;

/// Writes the kernels of the heaviest regions; tells whether any value is an estimate.
pub(super) fn write(
    reports: &[&ScopeReport],
    screen: usize,
    out: &mut dyn Write,
) -> io::Result<bool> {
    // Without an aggregate, processes and devices show the same results twice; the first kind is enough here.
    let Some(first) = reports.first() else { return Ok(false) };
    let reports: Vec<_> =
        reports.iter().filter(|report| report.scope.kind == first.scope.kind).collect();
    let mut regions: Vec<_> = reports
        .iter()
        .flat_map(|report| report.regions.iter().map(move |region| (report, region)))
        .filter(|(_, region)| !region.set.kernels.is_empty())
        .collect();
    let weight = |region: &Region| number::weight(region.exclusive_ms);
    regions.sort_by(|(_, one), (_, other)| weight(other).total_cmp(&weight(one)));
    regions.truncate(REGIONS);
    // A region without time of its own would only repeat the kernels of those below it.
    if regions.first().is_some_and(|(_, region)| weight(region) > 0.0) {
        regions.retain(|(_, region)| weight(region) > 0.0);
    }
    if regions.is_empty() {
        return Ok(false);
    }
    let list = List::new(&reports, first);
    let cells: Vec<Vec<Vec<String>>> =
        regions.iter().map(|(_, region)| list.cells(&region.set.kernels, &[], KERNELS)).collect();
    let title = if first.basis == Basis::Range { "Top ranges" } else { "Top kernels" };
    let mut table = Table::new(title, list.columns(false), cells.iter().flatten(), screen);
    for ((report, region), cells) in regions.iter().zip(cells) {
        let below = if region.exclusive_ms < region.set.total_ms { " and below" } else { "" };
        let exclusive = list.milliseconds.show(region.exclusive_ms);
        let name = shorten(&visible_name(&region.name), screen / 2).into_owned();
        let mut heading = format!("in {name}{below}, {exclusive} ms exclusive");
        if let Some(group) = phrases::group(&region.domain, region.kind) {
            heading.extend([" (", &group, ")"]);
        }
        if reports.len() > 1 {
            heading.extend([", ", &phrases::scope(report)]);
        }
        table.heading(shorten(&heading, screen).into_owned());
        list.add(&mut table, &region.set.kernels, cells, "  ");
    }
    writeln!(out)?;
    table.write(out)?;
    write_left_out(&table, out)?;
    Ok(table.has_estimates())
}

/// Writes all kernels of a report without regions, with what limits them; tells whether any value is an estimate.
pub(super) fn write_all(
    report: &ScopeReport,
    insight: &[KernelInsight],
    screen: usize,
    out: &mut dyn Write,
) -> io::Result<bool> {
    let kernels = &report.totals.kernels;
    if kernels.is_empty() {
        let is_empty = report.totals.kernel_count == 0;
        let why = if is_empty { "no result is selected" } else { "this report lists no kernels" };
        writeln!(out, "{why}")?;
        return Ok(false);
    }
    let list = List::new(&[&report], report);
    let cells = list.cells(kernels, insight, KERNELS_WITHOUT_REGIONS);
    let title = if report.basis == Basis::Range { "Range" } else { "Kernel" };
    let mut table = Table::new(title, list.columns(true), &cells, screen);
    list.add(&mut table, kernels, cells, "");
    table.write(out)?;
    write_left_out(&table, out)?;
    Ok(table.has_estimates())
}

/// What the rows of one table have in common.
struct List<'r> {
    milliseconds: Milliseconds,
    asked: Vec<&'r str>,
}

impl<'r> List<'r> {
    fn new(reports: &[&&ScopeReport], first: &'r ScopeReport) -> Self {
        let totals = reports.iter().map(|report| number::weight(report.totals.total_ms));
        Self {
            milliseconds: Milliseconds::for_total(totals.fold(0.0, f64::max)),
            asked: headline::asked(first),
        }
    }

    fn columns(&self, with_limits: bool) -> Vec<Column> {
        let mut columns = vec![
            Column::number("Total ms", 0),
            Column::number("Share", 1),
            Column::number("Calls", 3),
            Column::number("SM %", 2),
            Column::number("DRAM %", 2),
        ];
        columns.extend(self.asked.iter().map(|name| metric_column(name)));
        if with_limits {
            columns.push(Column::word("Limited by", 4));
        }
        columns
    }

    /// The cells of the first so many kernels.
    fn cells(
        &self,
        kernels: &[KernelSummary],
        insight: &[KernelInsight],
        most: usize,
    ) -> Vec<Vec<String>> {
        let of_kernel = |(at, kernel): (usize, &KernelSummary)| {
            let [sm, dram] = headline::cells(&kernel.metrics);
            let mut cells = vec![
                self.milliseconds.show(kernel.total_ms),
                super::tree::share(kernel.share),
                number::thousands(kernel.calls),
                sm,
                dram,
            ];
            cells.extend(self.asked.iter().map(|name| headline::cell(&kernel.metrics, name)));
            cells.extend(insight.get(at).map(|kernel| limited_by(&kernel.bound)));
            cells
        };
        kernels.iter().take(most).enumerate().map(of_kernel).collect()
    }

    /// A row for each kernel that has cells, and a line about the others.
    fn add(
        &self,
        table: &mut Table,
        kernels: &[KernelSummary],
        cells: Vec<Vec<String>>,
        indent: &str,
    ) {
        let (shown, rest) = kernels.split_at(cells.len().min(kernels.len()));
        let names = shown.iter().map(|kernel| kernel.kernel_name.as_str());
        let names = shorten_kernels(names, table.room.saturating_sub(indent.len()));
        for (name, cells) in names.into_iter().zip(cells) {
            table.row(Style::new(), format!("{indent}{name}"), cells);
        }
        if !rest.is_empty() {
            let time: f64 = rest.iter().map(|kernel| number::weight(kernel.total_ms)).sum();
            let more = number::count(rest.len() as u64, "more kernel", "more kernels");
            table.text(format!("{indent}… {more}, {} ms", self.milliseconds.show(time)));
        }
    }
}
