//! Processes and devices side by side, where there are several.

use std::io::{self, Write};

use anstyle::Style;
use rangescope_model::document::RegionDocument;

use super::table::{Column, Table};
use crate::{headline, phrases, scopes};
use rangescope_model::number::{Milliseconds, count, thousands, weight};
use rangescope_model::text::shorten;

/// Scopes shown; the reader of a run with hundreds of ranks needs the other formats.
const MAX_ROWS: usize = 16;

/// Writes the table; tells whether any value in it is an estimate.
pub(super) fn write(
    document: &RegionDocument,
    screen: usize,
    out: &mut dyn Write,
) -> io::Result<bool> {
    let scopes = scopes::scope_reports(document);
    if scopes.is_empty() {
        return Ok(false);
    }
    let longest = scopes.iter().map(|report| weight(report.totals.total_ms)).fold(0.0, f64::max);
    let milliseconds = Milliseconds::for_total(longest);
    let cells: Vec<Vec<String>> = scopes
        .iter()
        .take(MAX_ROWS)
        .map(|report| {
            let [sm, dram] = headline::cells(&report.totals.metrics);
            vec![
                milliseconds.show(report.totals.total_ms),
                milliseconds.show(report.unlabeled.total_ms),
                report.regions.len().to_string(),
                thousands(report.totals.kernel_count),
                sm,
                dram,
            ]
        })
        .collect();
    let columns = vec![
        Column::number("Total ms", 0),
        Column::number("(unlabeled) ms", 3),
        Column::number("Regions", 4),
        Column::number("Results", 2),
        Column::number("SM %", 1),
        Column::number("DRAM %", 1),
    ];
    let mut table = Table::new("Scope", columns, &cells, screen);
    let room = table.room;
    for (report, cells) in scopes.iter().zip(cells) {
        let name = shorten(&phrases::scope(report), room).into_owned();
        table.row(Style::new(), name, cells);
    }
    if scopes.len() > MAX_ROWS {
        let more = (scopes.len() - MAX_ROWS) as u64;
        table.text(format!("… {}", count(more, "more scope", "more scopes")));
    }
    writeln!(out)?;
    table.write(out)?;
    Ok(table.has_estimates())
}
