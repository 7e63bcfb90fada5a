//! The answer on one screen: where the GPU time went, how busy the device was there, which kernels did it, and what to beware of.
//!
//! Colours are written as escape codes, which the caller strips where they are not wanted; none carries a meaning that the text does not.
//! Names are made visible first, so that no other escape code can get out.

use std::io::{self, BufWriter, Write};

use anstyle::{AnsiColor, Style};
use rangescope_model::document::{NCUProfileRegionReport, RegionDocument};

use super::ExportOptions;
use crate::{phrases, scopes as of_document};
use rangescope_model::number::{self, Milliseconds};
use rangescope_model::text::{shorten, visible, wrap};

mod advice;
mod kernels;
mod notes;
mod scopes;
mod table;
mod tree;

/// The narrowest screen that the tables are laid out for.
const MIN_WIDTH: usize = 72;

/// Scopes shown when there is no aggregate.
const MAX_SCOPES: usize = 8;

/// Explains the mark `~`; shown only if a table has one.
const ESTIMATES: &str =
    "~ is an estimate: a weighted mean, not what one measurement of the whole region would give";

/// Points to the formats that show the rest.
const HINTS: &str = "More: `rangescope advice` says why and what else; --format html is a page to explore, --format markdown shows every metric, section and rule; \
    --out DIR writes a folder with a report per region";

/// Headings of tables.
const HEADING: Style = Style::new().bold();
/// Details that most readers can skip.
const QUIET: Style = Style::new().dimmed();
/// Warnings.
const ALERT: Style = AnsiColor::Yellow.on_default().bold();

/// Writes the document for a terminal.
pub fn write(
    document: &RegionDocument,
    options: &ExportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(64 * 1024, out);
    let out = &mut out;
    let document = &*options.view.of(document);
    let width = options.width.max(MIN_WIDTH);
    let reports = of_document::main_reports(document);
    write_title(document, &reports, width, out)?;
    let mut estimates = false;
    // Several reports share the room of one.
    let room = options.max_regions / reports.len().clamp(1, MAX_SCOPES);
    for report in reports.iter().take(MAX_SCOPES) {
        writeln!(out)?;
        if reports.len() > 1 {
            write_scope_heading(report, width, out)?;
        }
        estimates |= tree::write(report, width, room.max(1), out)?;
    }
    if reports.len() > MAX_SCOPES {
        writeln!(out, "\n{QUIET}… {} more scopes{QUIET:#}", reports.len() - MAX_SCOPES)?;
    }
    estimates |= kernels::write(&reports, width, out)?;
    estimates |= scopes::write(document, width, out)?;
    if estimates {
        write_quietly(ESTIMATES, width, out)?;
    }
    notes::write(document, &reports, width, out)?;
    advice::write(document, width, out)?;
    write_quietly(HINTS, width, out)?;
    out.flush()
}

/// A remark below the tables.
fn write_quietly(remark: &str, width: usize, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out)?;
    for line in wrap(remark, width) {
        writeln!(out, "{QUIET}{line}{QUIET:#}")?;
    }
    Ok(())
}

/// One line, or a few where names are long: files, devices, profiler, results, time.
fn write_title(
    document: &RegionDocument,
    reports: &[&NCUProfileRegionReport],
    width: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut facts = Vec::new();
    match document.sources.as_slice() {
        [] => {}
        sources @ ([_] | [_, _]) => {
            facts.extend(
                sources.iter().map(|source| shorten(&visible(&source.file), 40).into_owned()),
            );
        }
        [first, rest @ ..] => {
            facts.push(format!(
                "{} and {} more files",
                shorten(&visible(&first.file), 40),
                rest.len()
            ));
        }
    }
    facts.extend(phrases::devices(document));
    facts.extend(phrases::profilers(document));
    let results: u64 = document.sources.iter().map(|source| source.results).sum();
    facts.push(number::count(results, "result", "results"));
    let lost: u64 = document.sources.iter().map(|source| source.lost).sum();
    if lost > 0 {
        facts.push(format!("{lost} lost"));
    }
    if let [report] = reports {
        if report.totals.kernel_count != results {
            facts.push(format!("{} selected", report.totals.kernel_count));
        }
        facts.push(format!(
            "{} ms GPU time",
            Milliseconds::for_total(report.totals.total_ms).show(report.totals.total_ms)
        ));
    }
    if document.simulated {
        writeln!(
            out,
            "{ALERT}SIMULATED: no measurement, the numbers come from a simulated device{ALERT:#}"
        )?;
    }
    let mut line = String::new();
    for fact in facts {
        let fact = shorten(&fact, width - 4);
        if line.is_empty() {
            line.push_str(&fact);
        } else if rangescope_model::text::width(&line) + 3 + rangescope_model::text::width(&fact)
            <= width
        {
            line.push_str(" · ");
            line.push_str(&fact);
        } else {
            writeln!(out, "{HEADING}{line}{HEADING:#}")?;
            line = format!("  {fact}");
        }
    }
    writeln!(out, "{HEADING}{line}{HEADING:#}")
}

fn write_scope_heading(
    report: &NCUProfileRegionReport,
    width: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let heading = format!(
        "{}: {} ms, {}",
        phrases::scope(report),
        Milliseconds::for_total(report.totals.total_ms).show(report.totals.total_ms),
        number::count(report.totals.kernel_count, "result", "results"),
    );
    writeln!(out, "{HEADING}{}{HEADING:#}", shorten(&heading, width))
}
