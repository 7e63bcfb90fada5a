//! The heaviest kernels of the heaviest regions.

use std::io::{self, Write};

use anstyle::Style;
use rangescope_model::document::{KernelSummary, NCUProfileRegion, NCUProfileRegionReport};

use super::table::Table;
use crate::{headline, phrases};
use rangescope_model::number::{self, Milliseconds};
use rangescope_model::text::{shorten, shorten_kernels, visible_name};

/// Regions shown.
const REGIONS: usize = 3;

/// Kernels shown of each region.
const KERNELS: usize = 3;

/// Kernels shown where there are no regions, so that the screen answers something.
const KERNELS_WITHOUT_REGIONS: usize = 8;

/// Writes the table; tells whether any value in it is an estimate.
pub(super) fn write(
    reports: &[&NCUProfileRegionReport],
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
        .filter(|(_, region)| !region.kernels.is_empty())
        .collect();
    let weight = |region: &NCUProfileRegion| number::weight(region.exclusive_ms);
    regions.sort_by(|(_, one), (_, other)| weight(other).total_cmp(&weight(one)));
    regions.truncate(REGIONS);
    // A region without time of its own would only repeat the kernels of those below it.
    if regions.first().is_some_and(|(_, region)| weight(region) > 0.0) {
        regions.retain(|(_, region)| weight(region) > 0.0);
    }

    let longest =
        reports.iter().map(|report| number::weight(report.totals.total_ms)).fold(0.0, f64::max);
    let milliseconds = Milliseconds::for_total(longest);
    let mut table = Table::new("Top kernels", &["Total ms", "Share", "Calls", "SM %", "DRAM %"]);
    let room = table.name_room(screen, &[milliseconds.show(longest).len(), 6, 7, 6, 6]);
    for (report, region) in &regions {
        let below = if region.exclusive_ms < region.total_ms { " and below" } else { "" };
        let exclusive = milliseconds.show(region.exclusive_ms);
        let name = shorten(&visible_name(&region.name), screen / 2).into_owned();
        let mut heading = format!("in {name}{below}, {exclusive} ms exclusive");
        if let Some(group) = phrases::group(&region.domain, region.kind) {
            heading.extend([" (", &group, ")"]);
        }
        if reports.len() > 1 {
            heading.extend([", ", &phrases::scope(report)]);
        }
        table.heading(shorten(&heading, screen).into_owned());
        add_kernels(&mut table, &region.kernels, KERNELS, room, milliseconds);
    }
    if regions.is_empty() {
        let kernels = reports
            .iter()
            .map(|report| &report.unlabeled.kernels)
            .find(|kernels| !kernels.is_empty());
        let Some(kernels) = kernels else { return Ok(false) };
        table.heading("outside of all regions".to_owned());
        add_kernels(&mut table, kernels, KERNELS_WITHOUT_REGIONS, room, milliseconds);
    }
    writeln!(out)?;
    table.write(out)?;
    Ok(table.has_estimates())
}

fn add_kernels(
    table: &mut Table,
    kernels: &[KernelSummary],
    limit: usize,
    room: usize,
    milliseconds: Milliseconds,
) {
    let shown = &kernels[..kernels.len().min(limit)];
    let names = shorten_kernels(
        shown.iter().map(|kernel| kernel.kernel_name.as_str()),
        room.saturating_sub(2),
    );
    for (kernel, name) in shown.iter().zip(names) {
        let [sm, dram] = headline::cells(&kernel.metrics);
        table.row(
            Style::new(),
            format!("  {name}"),
            vec![
                milliseconds.show(kernel.total_ms),
                super::tree::share(kernel.share),
                kernel.calls.to_string(),
                sm,
                dram,
            ],
        );
    }
    if kernels.len() > limit {
        let rest: f64 = kernels[limit..].iter().map(|kernel| number::weight(kernel.total_ms)).sum();
        let more = number::count((kernels.len() - limit) as u64, "more kernel", "more kernels");
        table.text(format!("  … {more}, {} ms", milliseconds.show(rest)));
    }
}
