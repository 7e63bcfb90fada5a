//! One kernel in detail on the terminal: what it is on the first lines, then its charts as bars, then every section and rule.

use std::io::{self, BufWriter, Write};

use anstyle::Style;
use rangescope_analyze::insight::kernel::KernelReport;
use rangescope_model::document::{LaunchShape, NoteLevel, SectionSummary};
use rangescope_model::number::{self, count, percent, time};
use rangescope_model::text::{
    pad_left, pad_right, shorten, shorten_kernel, shorten_kernels, visible, visible_name, width,
    wrap,
};

use super::table::{Column, Table};
use super::tree::bar;
use super::{ALERT, HEADING, MIN_WIDTH, QUIET, SIMULATED, charts, details, write_quietly};
use crate::kernel as words;
use crate::phrases;

/// Columns of the name, which may be endless.
const NAME: usize = 400;
/// Launch shapes, regions and other kernels that are listed.
const LISTED: usize = 6;
/// Characters of a rule's message.
const MESSAGE: usize = 600;

pub(crate) fn write(report: &KernelReport, columns: usize, out: &mut dyn Write) -> io::Result<()> {
    let screen = columns.max(MIN_WIDTH);
    let mut out = BufWriter::with_capacity(64 * 1024, out);
    let out = &mut out;
    write_head(report, screen, out)?;
    write_shapes(report, screen, out)?;
    charts::write(report, screen, out)?;
    write_sections(report, screen, out)?;
    write_rules(report, screen, out)?;
    write_rest(report, screen, out)?;
    out.flush()
}

fn paragraph(text: &str, screen: usize, out: &mut dyn Write) -> io::Result<()> {
    for (at, line) in wrap(text, screen.saturating_sub(4)).iter().enumerate() {
        writeln!(out, "{}{line}", if at == 0 { "  " } else { "    " })?;
    }
    Ok(())
}

fn write_head(report: &KernelReport, screen: usize, out: &mut dyn Write) -> io::Result<()> {
    if report.simulated {
        for line in wrap(SIMULATED, screen) {
            writeln!(out, "{ALERT}{line}{ALERT:#}")?;
        }
    }
    let name = match report.kernels.as_slice() {
        [kernel] => shorten_kernel(&visible_name(&kernel.name), NAME).into_owned(),
        kernels => count(kernels.len() as u64, "kernel", "kernels"),
    };
    for line in wrap(&name, screen) {
        writeln!(out, "{HEADING}{line}{HEADING:#}")?;
    }
    let mut size = visible(&words::size(report)).into_owned();
    if report.is_heaviest && report.other_kernels > 0 {
        let of = count(report.other_kernels + 1, "kernel", "kernels");
        size = format!("{size}; the heaviest of {of}");
    }
    paragraph(&size, screen, out)?;
    if report.kernels.len() > 1 {
        write_kernels(report, screen, out)?;
    }
    paragraph(&words::limit(report), screen, out)?;
    let has_shape = |shape: &&LaunchShape| shape.grid.is_some() || shape.block.is_some();
    if let Some(shape) = report.shapes.first().filter(has_shape) {
        let more = report.shapes.len() as u64 - 1;
        let more = match more {
            0 => String::new(),
            more => format!(" and {}", count(more, "other launch shape", "other launch shapes")),
        };
        paragraph(&format!("{}{more}", words::shape(shape)), screen, out)?;
    }
    if let Some(occupancy) = &report.details.occupancy {
        paragraph(&words::occupancy_words(occupancy).join("; "), screen, out)?;
    }
    if let Some(launch) = report.selection.launch {
        paragraph(&format!("result {launch} alone"), screen, out)?;
    }
    write_durations(report, screen, out)
}

fn write_kernels(report: &KernelReport, screen: usize, out: &mut dyn Write) -> io::Result<()> {
    let names = report.kernels.iter().take(LISTED).map(|kernel| kernel.name.as_str());
    let names = shorten_kernels(names, screen.saturating_sub(28));
    for (kernel, name) in report.kernels.iter().zip(names) {
        let line = format!("  - {name}: {}", words::other_sizes(kernel));
        writeln!(out, "{}", shorten(&line, screen))?;
    }
    if report.kernels.len() > LISTED {
        writeln!(out, "  … {} more", report.kernels.len() - LISTED)?;
    }
    Ok(())
}

/// The spread in one line, and how launches are spread over it.
fn write_durations(report: &KernelReport, screen: usize, out: &mut dyn Write) -> io::Result<()> {
    let Some(durations) = report.durations.as_ref().filter(|durations| durations.launches > 1)
    else {
        return Ok(());
    };
    writeln!(
        out,
        "\n{HEADING}Durations of {} launches{HEADING:#}",
        number::thousands(durations.launches)
    )?;
    let spread = words::spread(durations).map(|(name, time)| format!("{name} {time}"));
    paragraph(&spread.join(", "), screen, out)?;
    let most = durations.histogram.iter().map(|bin| bin.launches).max().unwrap_or_default();
    if durations.histogram.len() > 1 {
        let edges = words::bins(durations);
        let widest = edges.iter().map(|edge| width(edge)).max().unwrap_or_default();
        let room = screen.saturating_sub(widest + 14).min(40);
        for (bin, edge) in durations.histogram.iter().zip(edges) {
            let part = bin.launches as f64 / most.max(1) as f64;
            let count = pad_left(&number::thousands(bin.launches), 7);
            let line = format!("  {} {count} {}", pad_right(&edge, widest), bar(part, room));
            writeln!(out, "{}", shorten(line.trim_end(), screen))?;
        }
    }
    Ok(())
}

fn write_shapes(report: &KernelReport, screen: usize, out: &mut dyn Write) -> io::Result<()> {
    if report.shapes.len() > 1 {
        let cells: Vec<Vec<String>> = report
            .shapes
            .iter()
            .take(LISTED)
            .map(|shape| vec![number::thousands(shape.calls), time(shape.total_ms)])
            .collect();
        let columns = vec![Column::number("Launches", 0), Column::number("Time", 0)];
        writeln!(out)?;
        let mut table = Table::new("Launch shape", columns, &cells, screen);
        for (shape, cells) in report.shapes.iter().zip(cells) {
            let name = format!("  {}", words::shape(shape));
            table.row(Style::new(), shorten(&name, table.room).into_owned(), cells);
        }
        if report.shapes.len() > LISTED {
            table.text(format!("  … {} more; --shape selects one", report.shapes.len() - LISTED));
        }
        table.write(out)?;
    }
    if report.regions.len() > 1 {
        writeln!(out, "\n{HEADING}Where it runs{HEADING:#}")?;
        for region in report.regions.iter().take(LISTED) {
            let size = format!(
                "{}, {}",
                time(region.total_ms),
                phrases::counted(region.launches, report.basis)
            );
            let room = screen.saturating_sub(width(&size) + 4);
            writeln!(out, "  {}: {size}", shorten(&visible_name(&region.name), room))?;
        }
    }
    Ok(())
}

fn write_sections(report: &KernelReport, screen: usize, out: &mut dyn Write) -> io::Result<()> {
    let has_values = |section: &&SectionSummary| {
        section.metrics.iter().any(|metric| phrases::has_value(&metric.summary))
    };
    for section in report.sections.iter().filter(has_values) {
        let title = if section.name.is_empty() { &section.id } else { &section.name };
        writeln!(out, "\n{HEADING}{}{HEADING:#}", shorten(&visible_name(title), screen))?;
        details::write_metrics(section, usize::MAX, screen, out)?;
    }
    Ok(())
}

fn write_rules(report: &KernelReport, screen: usize, out: &mut dyn Write) -> io::Result<()> {
    if report.rules.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{HEADING}Rules of ncu{HEADING:#}")?;
    for rule in &report.rules {
        let sentence = details::sentence(rule, MESSAGE);
        for (at, line) in wrap(&sentence, screen.saturating_sub(4)).iter().enumerate() {
            writeln!(out, "  {}{line}", if at == 0 { "- " } else { "  " })?;
        }
    }
    Ok(())
}

/// What was not collected, what to beware of, and who else there is.
fn write_rest(report: &KernelReport, screen: usize, out: &mut dyn Write) -> io::Result<()> {
    if !report.details.not_collected.is_empty() {
        writeln!(out, "\n{HEADING}Not collected{HEADING:#}")?;
        for missing in &report.details.not_collected {
            let sections = missing.sections.join(" or --section ");
            paragraph(&format!("{}: ncu --section {sections}", missing.what), screen, out)?;
        }
    }
    let warnings = report.notes.iter().filter(|note| note.level == NoteLevel::Warning);
    for (at, note) in warnings.take(LISTED).enumerate() {
        if at == 0 {
            writeln!(out)?;
        }
        for line in wrap(&format!("warning: {}", visible(&note.message)), screen) {
            writeln!(out, "{ALERT}{line}{ALERT:#}")?;
        }
    }
    if !report.others.is_empty() {
        let shown = report.others.len().min(LISTED);
        writeln!(out, "\n{HEADING}Other kernels{HEADING:#}")?;
        let names = report.others.iter().take(shown).map(|kernel| kernel.name.as_str());
        let names = shorten_kernels(names, screen.saturating_sub(24));
        for (kernel, name) in report.others.iter().zip(names) {
            let sizes = [pad_left(&time(kernel.total_ms), 10), pad_left(&percent(kernel.share), 8)];
            writeln!(out, "  {} {}  {name}", sizes[0], sizes[1])?;
        }
        let more = report.other_kernels.saturating_sub(shown as u64);
        if more > 0 {
            writeln!(out, "  {QUIET}… {more} more{QUIET:#}")?;
        }
    }
    if report.launches > 1 {
        write_quietly(super::ESTIMATES, screen, out)?;
    }
    Ok(())
}
