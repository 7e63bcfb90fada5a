//! The answer on one screen: where the GPU time went, how busy the device was there, which kernels did it, and what to beware of.
//!
//! Colours are written as escape codes, which the caller strips where they are not wanted; none carries a meaning that the text does not.
//! Names are made visible first, so that no other escape code can get out.

use std::io::{self, BufWriter, Write};

use anstyle::{AnsiColor, Style};
use rangescope_analyze::insight::Insight;
use rangescope_model::document::{RegionDocument, ScopeReport};

use super::ExportOptions;
use crate::{phrases, scopes as of_document};
use rangescope_model::number::{self, Milliseconds};
use rangescope_model::text::{shorten, visible, wrap};

mod advice;
mod charts;
mod details;
pub(crate) mod kernel;
mod kernels;
mod notes;
mod ranks;
mod scopes;
pub mod source;
mod table;
mod tree;

/// The narrowest screen that the tables are laid out for.
const MIN_WIDTH: usize = 50;

/// Scopes shown when there is no aggregate.
const MAX_SCOPES: usize = 8;

/// Stands above everything where any of the data is simulated.
const SIMULATED: &str = "SIMULATED: no measurement, the numbers come from a simulated device";

/// Explains the mark `~`; shown only if a table has one.
const ESTIMATES: &str =
    "~ is an estimate: a weighted mean, not what one measurement of the whole region would give";

/// Points to the formats that show the rest.
const HINTS: &str = "More: `rangescope advice` says why and what else; --format html is a page to explore, --format markdown shows every metric, section and rule; \
    --out DIR writes a folder with";

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
    let insight = Insight::of(document);
    let mut estimates = false;
    // Several reports share the room of one.
    let room = options.max_regions / reports.len().clamp(1, MAX_SCOPES);
    for report in reports.iter().take(MAX_SCOPES) {
        writeln!(out)?;
        if reports.len() > 1 {
            write_scope_heading(report, width, out)?;
        }
        estimates |= if report.regions.is_empty() {
            let place = document.reports.iter().position(|one| std::ptr::eq(one, *report));
            let found = place.and_then(|place| insight.reports.get(place));
            let kernels = found.map_or(&[][..], |found| &found.totals.kernels);
            kernels::write_all(report, kernels, width, out)?
        } else {
            tree::write(report, width, room.max(1), out)?
        };
    }
    if let Some(more) = reports.len().checked_sub(MAX_SCOPES).filter(|more| *more > 0) {
        let more = number::count(more as u64, "more scope", "more scopes");
        writeln!(out, "\n{QUIET}… {more}{QUIET:#}")?;
    }
    let is_of_kernels = reports.iter().all(|report| report.regions.is_empty());
    let first = reports.first().filter(|_| is_of_kernels);
    if let Some(report) = first {
        details::write(report, width, out)?;
    }
    estimates |= kernels::write(&reports, width, out)?;
    estimates |= scopes::write(document, width, out)?;
    ranks::write(document, &options.view, width, out)?;
    if estimates {
        write_quietly(ESTIMATES, width, out)?;
    }
    notes::write(document, &reports, width, out)?;
    advice::write(document, &insight, width, out)?;
    if let Some(report) = first {
        write_quietly(phrases::no_regions(report), width, out)?;
    }
    let folder = if is_of_kernels { "all of them" } else { "a report per region" };
    write_quietly(&format!("{HINTS} {folder}"), width, out)?;
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
    reports: &[&ScopeReport],
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
        facts.push(format!("at least {lost} lost"));
    }
    if let [report] = reports {
        if report.totals.kernel_count != results {
            facts.push(format!("{} selected", number::thousands(report.totals.kernel_count)));
        }
        facts.push(match report.totals.total_ms {
            Some(ms) => format!("{} ms GPU time", Milliseconds::for_total(ms).show(ms)),
            None => "GPU time unknown".to_owned(),
        });
    }
    if document.simulated {
        for line in wrap(SIMULATED, width) {
            writeln!(out, "{ALERT}{line}{ALERT:#}")?;
        }
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

fn write_scope_heading(report: &ScopeReport, width: usize, out: &mut dyn Write) -> io::Result<()> {
    let heading = format!(
        "{}: {} ms, {}",
        phrases::scope(report),
        Milliseconds::for_total(report.totals.total_ms).show(report.totals.total_ms),
        number::count(report.totals.kernel_count, "result", "results"),
    );
    writeln!(out, "{HEADING}{}{HEADING:#}", shorten(&heading, width))
}
