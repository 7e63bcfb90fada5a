//! Processes and devices side by side, where there are several.

use std::io::{self, Write};

use anstyle::Style;
use rangescope_model::document::RegionDocument;

use super::table::Table;
use crate::{headline, phrases, scopes};
use rangescope_model::number::{Milliseconds, weight};
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
    let mut table =
        Table::new("Scope", &["Total ms", "Unlabeled ms", "Regions", "Kernels", "SM %", "DRAM %"]);
    let time = milliseconds.show(longest).len();
    let room = table.name_room(screen, &[time, time, 7, 7, 6, 6]);
    for report in scopes.iter().take(MAX_ROWS) {
        let [sm, dram] = headline::cells(&report.totals.metrics);
        table.row(
            Style::new(),
            shorten(&phrases::scope(report), room).into_owned(),
            vec![
                milliseconds.show(report.totals.total_ms),
                milliseconds.show(report.unlabeled.total_ms),
                report.regions.len().to_string(),
                report.totals.kernel_count.to_string(),
                sm,
                dram,
            ],
        );
    }
    if scopes.len() > MAX_ROWS {
        table.text(format!("… {} more scopes", scopes.len() - MAX_ROWS));
    }
    writeln!(out)?;
    table.write(out)?;
    Ok(table.has_estimates())
}
