//! The charts of a kernel as bars and lines of text: memory, stalls, pipes, opcodes, samples over time, roofline.

use std::io::{self, Write};

use anstyle::Style;
use rangescope_analyze::insight::details::model::{MemoryLink, MemoryTable, Place, Reading};
use rangescope_analyze::insight::kernel::{KernelReport, PmSeries};
use rangescope_model::number::{self, ABSENT, percent};
use rangescope_model::text::{pad_left, pad_right, shorten, visible, visible_name, wrap};

use super::table::{Column, Table};
use super::tree::bar;
use super::{HEADING, QUIET};
use crate::kernel::{self as words, LEAST};

/// Stalls, pipes and opcodes that are shown.
const MOST: usize = 12;
/// Links that were not measured are listed as long as they are few.
const MOST_UNKNOWN: usize = 4;

pub(super) fn write(report: &KernelReport, screen: usize, out: &mut dyn Write) -> io::Result<()> {
    write_memory(report, screen, out)?;
    write_stalls(report, screen, out)?;
    write_pipes(report, screen, out)?;
    write_opcodes(report, screen, out)?;
    write_samples(report, screen, out)?;
    write_roofline(report, screen, out)
}

fn write_memory(report: &KernelReport, screen: usize, out: &mut dyn Write) -> io::Result<()> {
    let Some(chart) = &report.details.memory else { return Ok(()) };
    let (mut busy, idle) = words::busy_links(chart);
    let is_known = |link: &&MemoryLink| link.amount.is_some() || link.rate.is_some();
    let unknown = busy.iter().filter(|link| !is_known(link)).count();
    if unknown > MOST_UNKNOWN {
        busy.retain(is_known);
    }
    let cells: Vec<Vec<String>> = busy
        .iter()
        .map(|link| {
            vec![
                words::carried(link),
                link.flow.name().to_owned(),
                link.rate.as_ref().map_or_else(String::new, |rate| words::shown(Some(rate))),
                link.peak_pct.as_ref().map_or_else(String::new, |pct| words::shown(Some(pct))),
            ]
        })
        .collect();
    let columns = vec![
        Column::number("Amount", 0),
        Column::word("By", 3),
        Column::number("Rate", 2),
        Column::number("Of peak", 1),
    ];
    writeln!(out)?;
    let mut table = Table::new("Memory chart", columns, &cells, screen);
    for (link, cells) in busy.iter().zip(cells) {
        let name = format!("  {}", words::ends(link));
        table.row(Style::new(), shorten(&name, table.room).into_owned(), cells);
    }
    if idle > 0 {
        table.text(format!(
            "  … {} nothing",
            number::count(idle as u64, "link carries", "links carry")
        ));
    }
    if unknown > MOST_UNKNOWN {
        table.text(format!(
            "  … {} –: not measured",
            number::count(unknown as u64, "link", "links")
        ));
    }
    table.write(out)?;
    let is_used = |place: Place| busy.iter().any(|link| link.from == place || link.to == place);
    for unit in chart.units.iter().filter(|unit| is_used(unit.place)) {
        let facts: Vec<String> = [("hit rate", &unit.hit_rate), ("busy to", &unit.busy)]
            .into_iter()
            .filter_map(|(what, reading)| {
                Some(format!("{what} {}", words::shown(Some(reading.as_ref()?))))
            })
            .collect();
        if !facts.is_empty() {
            let line = format!("  {}: {}", unit.place.name(), facts.join(", "));
            writeln!(out, "{}", shorten(&line, screen))?;
        }
    }
    for table in &report.memory_tables {
        write_table(table, screen, out)?;
    }
    Ok(())
}

/// One of the memory tables; rows in which nothing happened are left out.
fn write_table(table: &MemoryTable, screen: usize, out: &mut dyn Write) -> io::Result<()> {
    let is_busy = |reading: &Option<Reading>| reading.as_ref().is_some_and(|cell| cell.value > 0.0);
    let rows = table.rows.iter().filter(|row| row.cells.iter().any(is_busy));
    let rows: Vec<(&str, Vec<String>)> = rows
        .map(|row| {
            let cells = row.cells.iter().map(|cell| words::shown(cell.as_ref())).collect();
            (row.name.as_str(), cells)
        })
        .collect();
    if rows.is_empty() {
        return Ok(());
    }
    let columns =
        table.columns.iter().zip(0_u8..).map(|(head, at)| Column::number(head, at.min(4)));
    let cells: Vec<Vec<String>> = rows.iter().map(|(_, cells)| cells.clone()).collect();
    writeln!(out, "\n{HEADING}{}{HEADING:#}", table.title)?;
    let mut shown = Table::new("  by", columns.collect(), &cells, screen);
    for (name, cells) in rows {
        shown.row(Style::new(), shorten(&format!("  {name}"), shown.room).into_owned(), cells);
    }
    shown.write(out)
}

fn write_stalls(report: &KernelReport, screen: usize, out: &mut dyn Write) -> io::Result<()> {
    let Some(stalls) = &report.details.stalls else { return Ok(()) };
    let per = stalls.cycles_per_instruction.as_ref().map_or_else(String::new, |cycles| {
        format!(": {} cycles between two instructions of a warp", words::shown(Some(cycles)))
    });
    let heading = format!("Warp states{per}");
    writeln!(out, "\n{HEADING}{}{HEADING:#}", shorten(&heading, screen))?;
    let states =
        stalls.states.iter().filter(|state| state.share.is_some_and(|share| share >= LEAST));
    for state in states.take(MOST) {
        let share = state.share.unwrap_or_default();
        let cycles =
            state.cycles.as_ref().map(|cycles| format!(" {} cycles", words::shown(Some(cycles))));
        write_bar(
            &state.name,
            share,
            &format!("{}{}", percent(share), cycles.unwrap_or_default()),
            screen,
            out,
        )?;
        for line in wrap(&visible(&state.meaning), screen.saturating_sub(6)) {
            writeln!(out, "      {QUIET}{line}{QUIET:#}")?;
        }
    }
    Ok(())
}

fn write_pipes(report: &KernelReport, screen: usize, out: &mut dyn Write) -> io::Result<()> {
    let pipes = report.details.pipes.iter().filter(|pipe| pipe.busiest() >= 100.0 * LEAST);
    let pipes: Vec<_> = pipes.take(MOST).collect();
    if pipes.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{HEADING}Pipes: busy cycles, instructions of peak{HEADING:#}")?;
    for pipe in pipes {
        let cells =
            [&pipe.cycles_pct, &pipe.instructions_pct].map(|cell| words::shown(cell.as_ref()));
        write_bar(&pipe.name, pipe.busiest() / 100.0, &cells.join(", "), screen, out)?;
    }
    Ok(())
}

fn write_opcodes(report: &KernelReport, screen: usize, out: &mut dyn Write) -> io::Result<()> {
    if report.opcodes.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{HEADING}Executed instructions by opcode{HEADING:#}")?;
    for opcode in report.opcodes.iter().take(MOST) {
        let numbers = format!("{} {}", percent(opcode.share), words::amount(opcode.instructions));
        write_bar(&opcode.opcode, opcode.share, &numbers, screen, out)?;
    }
    if report.opcodes.len() > MOST {
        writeln!(out, "  {QUIET}… {} more{QUIET:#}", report.opcodes.len() - MOST)?;
    }
    Ok(())
}

/// A name, a bar and what the bar shows.
fn write_bar(
    name: &str,
    part: f64,
    numbers: &str,
    screen: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let names = (screen / 3).clamp(16, 30);
    let room = screen.saturating_sub(names + 4 + 24).min(40);
    let bar = pad_right(&bar(part, room), room);
    let name = pad_right(&shorten(&visible_name(name), names), names);
    let line = format!("  {name} {bar} {numbers}");
    writeln!(out, "{}", shorten(&line, screen))
}

const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

fn write_samples(report: &KernelReport, screen: usize, out: &mut dyn Write) -> io::Result<()> {
    let Some(sampled) = &report.pm_sampling else { return Ok(()) };
    let heading = format!(
        "Over the time of result {} ({})",
        sampled.launch,
        number::time(sampled.duration_ms)
    );
    writeln!(out, "\n{HEADING}{}{HEADING:#}", shorten(&heading, screen))?;
    if !sampled.has_numbers() {
        return writeln!(out, "  {}", words::NO_SAMPLE);
    }
    let names = (screen / 3).clamp(14, 28);
    let room = screen.saturating_sub(names + 4 + 20).clamp(10, 60);
    for series in &sampled.series {
        let Some((line, largest)) = sparkline(series, room) else { continue };
        let name = pad_right(&shorten(&visible_name(&series.label), names), names);
        let largest = format!("max {}", words::in_unit(largest, &series.unit));
        let line = format!("  {name} {line} {largest}");
        writeln!(out, "{}", shorten(&line, screen))?;
    }
    for reason in sampled.unknown() {
        for line in wrap(&visible(&reason), screen.saturating_sub(2)) {
            writeln!(out, "  {line}")?;
        }
    }
    Ok(())
}

/// The series in so many columns, each as high as the mean of its samples, and the largest sample; nothing if there is no number in it.
pub(super) fn sparkline(series: &PmSeries, columns: usize) -> Option<(String, f64)> {
    let means = crate::plot::columns_of(series, columns);
    let largest = series.values.iter().flatten().copied().reduce(f64::max)?;
    let highest = means.iter().flatten().copied().fold(0.0, f64::max);
    let letter = |mean: &Option<f64>| match mean {
        None => ' ',
        Some(mean) => {
            let part = if highest > 0.0 { (mean / highest).clamp(0.0, 1.0) } else { 0.0 };
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a part of eight"
            )]
            let at = (part * 7.0).round() as usize;
            LEVELS.get(at).copied().unwrap_or(' ')
        }
    };
    Some((means.iter().map(letter).collect(), largest))
}

fn write_roofline(report: &KernelReport, screen: usize, out: &mut dyn Write) -> io::Result<()> {
    for point in &report.roofline.points {
        let work = number::rate(point.work, "op/s");
        let of_peak =
            point.peak.map(|peak| format!(", {} of the peak", percent(point.work / peak)));
        let heading = format!(
            "Roofline, {}: {work}{}",
            visible(&point.precision),
            of_peak.unwrap_or_default()
        );
        writeln!(out, "\n{HEADING}{}{HEADING:#}", shorten(&heading, screen))?;
        for [level, intensity, traffic, reached] in words::roof_rows(point) {
            let line = format!(
                "  {} {} operations per byte, {} {}",
                pad_right(&level, 5),
                pad_left(&intensity, 6),
                pad_left(&traffic, 10),
                if reached == ABSENT { String::new() } else { format!("{reached} of its roof") }
            );
            writeln!(out, "{}", shorten(line.trim_end(), screen))?;
        }
    }
    Ok(())
}
