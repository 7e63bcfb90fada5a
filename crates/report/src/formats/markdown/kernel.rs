//! One kernel in detail as Markdown: everything that is known, the charts as tables.

use std::io::{self, BufWriter, Write};

use rangescope_analyze::insight::kernel::KernelReport;
use rangescope_model::document::NoteLevel;
use rangescope_model::number::{self, count, percent, time};
use rangescope_model::text::{shorten_kernel, visible, visible_name};

use super::escape::{cell_code, list_item, name, text};
use super::{metrics, region};
use crate::kernel as words;

/// Columns of a kernel's name in the title.
const TITLE: usize = 200;
/// Steps into which the time of a launch is cut.
const STEPS: usize = 12;

pub(crate) fn write(report: &KernelReport, out: &mut dyn Write) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(64 * 1024, out);
    let out = &mut out;
    write_head(report, out)?;
    write_durations(report, out)?;
    write_memory(report, out)?;
    write_warps(report, out)?;
    write_pipes(report, out)?;
    write_samples(report, out)?;
    write_roofline(report, out)?;
    write_sections(report, out)?;
    write_missing(report, out)?;
    out.flush()
}

/// A table of cells that are already safe; the first column holds words, the others numbers.
fn write_table(
    heads: &[&str],
    rows: impl IntoIterator<Item = Vec<String>>,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "| {} |", heads.join(" | "))?;
    writeln!(out, "|---|{}", "---:|".repeat(heads.len().saturating_sub(1)))?;
    for row in rows {
        writeln!(out, "| {} |", row.join(" | "))?;
    }
    writeln!(out)
}

fn write_head(report: &KernelReport, out: &mut dyn Write) -> io::Result<()> {
    let title = match report.kernels.as_slice() {
        [kernel] => name(&shorten_kernel(&visible_name(&kernel.name), TITLE)),
        kernels => count(kernels.len() as u64, "kernel", "kernels"),
    };
    writeln!(out, "# {title}\n")?;
    if report.simulated {
        writeln!(
            out,
            "> **Simulated.** These numbers come from a simulated device. They are no measurement.\n"
        )?;
    }
    for note in report.notes.iter().filter(|note| note.level == NoteLevel::Warning) {
        writeln!(out, "> **Warning.** {}\n", text(&visible(&note.message)))?;
    }
    let heaviest = if report.is_heaviest { "; the heaviest kernel" } else { "" };
    writeln!(out, "- {}{heaviest}", list_item(&words::size(report)))?;
    writeln!(out, "- {}", list_item(&words::limit(report)))?;
    if let Some(occupancy) = &report.details.occupancy {
        for fact in words::occupancy_words(occupancy) {
            writeln!(out, "- {}", list_item(&fact))?;
        }
    }
    if let Some(launch) = report.selection.launch {
        writeln!(out, "- result {launch} alone")?;
    }
    writeln!(out)?;
    let kernel_cell = |raw: &str| cell_code(&shorten_kernel(&visible_name(raw), TITLE));
    let mut kernels = |title: &str, list: &[rangescope_analyze::insight::kernel::KernelTime]| {
        writeln!(out, "## {title}\n")?;
        let rows = list.iter().map(|one| {
            vec![
                kernel_cell(&one.name),
                number::thousands(one.launches),
                time(one.total_ms),
                percent(one.share),
            ]
        });
        write_table(&["Kernel", "Launches", "Time", "Share"], rows, out)
    };
    if report.kernels.len() > 1 {
        kernels("Kernels", &report.kernels)?;
    }
    if !report.others.is_empty() {
        kernels("Other kernels", &report.others)?;
    }
    if !report.shapes.is_empty() {
        writeln!(out, "## Launch shapes\n")?;
        let rows = report.shapes.iter().map(|shape| {
            vec![words::shape(shape), number::thousands(shape.calls), time(shape.total_ms)]
        });
        write_table(&["Shape", "Launches", "Time"], rows, out)?;
    }
    if !report.regions.is_empty() {
        writeln!(out, "## Regions\n")?;
        let rows = report.regions.iter().map(|region| {
            vec![name(&region.name), number::thousands(region.launches), time(region.total_ms)]
        });
        write_table(&["Region", "Launches", "Time"], rows, out)?;
    }
    Ok(())
}

fn write_durations(report: &KernelReport, out: &mut dyn Write) -> io::Result<()> {
    let Some(durations) = &report.durations else { return Ok(()) };
    writeln!(out, "## Durations\n")?;
    let spread = words::spread(durations);
    write_table(
        &spread.each_ref().map(|(name, _)| *name),
        [spread.map(|(_, time)| time).into()],
        out,
    )?;
    if durations.histogram.len() > 1 {
        let rows = words::bins(durations).into_iter().zip(&durations.histogram);
        let rows = rows.map(|(ends, bin)| vec![ends, number::thousands(bin.launches)]);
        write_table(&["Duration", "Launches"], rows, out)?;
    }
    Ok(())
}

fn write_memory(report: &KernelReport, out: &mut dyn Write) -> io::Result<()> {
    let Some(chart) = &report.details.memory else { return Ok(()) };
    writeln!(out, "## Memory chart\n")?;
    let links = chart.links.iter().map(|link| {
        vec![
            words::ends(link),
            link.flow.name().to_owned(),
            words::carried(link),
            words::shown(link.rate.as_ref()),
            words::shown(link.peak_pct.as_ref()),
        ]
    });
    write_table(&["Link", "By", "Amount", "Rate", "Of peak"], links, out)?;
    let units = chart.units.iter().filter(|unit| unit.hit_rate.is_some() || unit.busy.is_some());
    let units = units.map(|unit| {
        vec![
            unit.place.name().to_owned(),
            words::shown(unit.hit_rate.as_ref()),
            words::shown(unit.busy.as_ref()),
        ]
    });
    write_table(&["Unit", "Hit rate", "Busy"], units, out)?;
    for table in &report.memory_tables {
        writeln!(out, "### {}\n", table.title)?;
        let heads: Vec<&str> =
            std::iter::once("By").chain(table.columns.iter().map(String::as_str)).collect();
        let rows = table.rows.iter().map(|row| {
            let cells = row.cells.iter().map(|cell| words::shown(cell.as_ref()));
            std::iter::once(row.name.clone()).chain(cells).collect()
        });
        write_table(&heads, rows, out)?;
    }
    Ok(())
}

fn write_warps(report: &KernelReport, out: &mut dyn Write) -> io::Result<()> {
    let Some(stalls) = &report.details.stalls else { return Ok(()) };
    writeln!(out, "## Warp states\n")?;
    if let Some(cycles) = &stalls.cycles_per_instruction {
        let cycles = words::shown(Some(cycles));
        writeln!(out, "{cycles} cycles between two instructions of a warp.\n")?;
    }
    writeln!(
        out,
        "| State | Share | Cycles | Samples | What it means |\n|---|---:|---:|---:|---|"
    )?;
    for state in &stalls.states {
        writeln!(
            out,
            "| {} | {} | {} | {} | {} |",
            name(&state.name),
            percent(state.share),
            words::shown(state.cycles.as_ref()),
            words::shown(state.samples.as_ref()),
            text(&state.meaning)
        )?;
    }
    writeln!(out)
}

fn write_pipes(report: &KernelReport, out: &mut dyn Write) -> io::Result<()> {
    if !report.details.pipes.is_empty() {
        writeln!(out, "## Pipes\n")?;
        let rows = report.details.pipes.iter().map(|pipe| {
            let cells = [&pipe.cycles_pct, &pipe.instructions_pct];
            let cells = cells.map(|cell| words::shown(cell.as_ref()));
            std::iter::once(name(&pipe.name)).chain(cells).collect()
        });
        write_table(&["Pipe", "Busy cycles", "Instructions of peak"], rows, out)?;
    }
    if !report.opcodes.is_empty() {
        writeln!(out, "## Executed instructions by opcode\n")?;
        let rows = report.opcodes.iter().map(|opcode| {
            let count = number::plain(opcode.instructions);
            vec![cell_code(&visible_name(&opcode.opcode)), count, percent(opcode.share)]
        });
        write_table(&["Opcode", "Instructions", "Share"], rows, out)?;
    }
    Ok(())
}

/// Each sampled counter in a few steps of time; the JSON has every sample.
fn write_samples(report: &KernelReport, out: &mut dyn Write) -> io::Result<()> {
    let Some(sampled) = &report.pm_sampling else { return Ok(()) };
    writeln!(
        out,
        "## Over the time of result {} ({})\n",
        sampled.launch,
        time(sampled.duration_ms)
    )?;
    if !sampled.has_numbers() {
        return writeln!(out, "{}\n", words::NO_SAMPLE);
    }
    writeln!(out, "Means over steps of its time, from its beginning to its end.\n")?;

    let heads: Vec<String> = (1..=STEPS).map(|step| step.to_string()).collect();
    let heads: Vec<&str> =
        std::iter::once("Counter").chain(heads.iter().map(String::as_str)).collect();
    let rows = sampled.series.iter().map(|series| {
        let means = crate::plot::columns_of(series, STEPS);
        let shown = |at: usize| {
            let mean = means.get(at).copied().flatten();
            mean.map_or_else(
                || number::ABSENT.to_owned(),
                |mean| words::in_unit(mean, &series.unit),
            )
        };
        std::iter::once(name(&series.label)).chain((0..STEPS).map(shown)).collect()
    });
    write_table(&heads, rows, out)?;
    for reason in sampled.unknown() {
        writeln!(out, "{}\n", list_item(&reason))?;
    }
    Ok(())
}

fn write_roofline(report: &KernelReport, out: &mut dyn Write) -> io::Result<()> {
    if report.roofline.points.is_empty() {
        return Ok(());
    }
    writeln!(out, "## Roofline\n")?;
    let rows = report.roofline.points.iter().flat_map(|point| {
        let work = number::rate(point.work, "op/s");
        let of_peak = percent(point.peak.map(|peak| point.work / peak));
        words::roof_rows(point).into_iter().map(move |cells| {
            let first = [name(&point.precision), work.clone(), of_peak.clone()];
            first.into_iter().chain(cells).collect()
        })
    });
    let heads =
        ["Precision", "Work", "Of peak", "Level", "Operations per byte", "Traffic", "Of its roof"];
    write_table(&heads, rows, out)
}

fn write_sections(report: &KernelReport, out: &mut dyn Write) -> io::Result<()> {
    if !report.sections.is_empty() {
        writeln!(out, "## Sections\n")?;
    }
    for section in &report.sections {
        metrics::write_section(section, report.launches, "###", out)?;
    }
    if !report.rules.is_empty() {
        writeln!(out, "## Rules of ncu\n")?;
        let own = match report.kernels.as_slice() {
            [kernel] => kernel.name.as_str(),
            _ => "",
        };
        for rule in &report.rules {
            region::write_rule(rule, own, out)?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn write_missing(report: &KernelReport, out: &mut dyn Write) -> io::Result<()> {
    if report.details.not_collected.is_empty() {
        return Ok(());
    }
    writeln!(out, "## Not collected\n")?;
    for missing in &report.details.not_collected {
        let sections = missing.sections.join(" or --section ");
        writeln!(out, "- {}: `ncu --section {sections}`", missing.what)?;
    }
    writeln!(out)
}
