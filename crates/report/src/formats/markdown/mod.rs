//! The report for people who read files: Markdown with a summary table and one section per region.
//!
//! What the reader must know before the numbers (simulated data, warnings) stands at the top, then where the time goes, what limits it and what to do.
//! What was selected and read comes after that; without regions, kernels have the place of regions.
//! Values are in ncu's base units except in section tables, which scale as ncu's details page does; `~` marks what is not exact.

use std::io::{self, BufWriter, Write};

use indexmap::IndexMap;
use rangescope_analyze::insight::Insight;
use rangescope_model::document::{NoteLevel, RegionDocument, Selection};

use super::ExportOptions;
use crate::phrases;
use crate::regions::Found;
use crate::scopes;
use crate::tree::Tree;
use rangescope_model::number;
use rangescope_model::region::RegionRef;

pub(crate) mod escape;
pub(crate) mod kernel;
mod metrics;
mod ranks;
mod region;
mod summary;

pub use escape::text;
use escape::{cell_code, list_item, name};

/// Writes the document as Markdown.
pub fn write(
    document: &RegionDocument,
    options: &ExportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(64 * 1024, out);
    let document = &*options.view.of(document);
    writeln!(out, "# NCU Region Reports\n")?;
    write_origin(document, &mut out)?;
    write_notes(document, NoteLevel::Warning, &mut out)?;
    let reports = scopes::main_reports(document);
    let insight = Insight::of(document);
    summary::write(document, &insight, &reports, &mut out)?;
    ranks::write(document, &options.view, &mut out)?;
    summary::write_advice(document, &insight, &mut out)?;
    let nothing = Selection::default();
    let selection = reports.first().map_or(&nothing, |report| &report.selection);
    write_selection(selection, &mut out)?;
    write_regions(document, options, &mut out)?;
    for report in &reports {
        if report.regions.is_empty() {
            region::write_kernels(report, reports.len() > 1, options, &mut out)?;
        }
        region::write_rest(report, reports.len() > 1, options, &mut out)?;
    }
    write_drawings(&options.drawings, &mut out)?;
    write_sources(document, &mut out)?;
    out.flush()
}

/// The devices and the tool behind the numbers.
fn write_origin(document: &RegionDocument, out: &mut dyn Write) -> io::Result<()> {
    if document.simulated {
        writeln!(
            out,
            "> **Simulated.** Some or all of these numbers come from a simulated device. They are no measurement.\n"
        )?;
    }
    write!(out, "Written by {} {}", text(&document.tool.name), text(&document.tool.version))?;
    if let Some(captured) = &document.generated_at {
        write!(out, "; captured {}", text(captured))?;
    }
    let devices = phrases::devices(document);
    if !devices.is_empty() {
        write!(out, "; on {}", text(&devices.join(", ")))?;
    }
    writeln!(out, ".\n")
}

/// The files behind the numbers, and what is good to know about them.
fn write_sources(document: &RegionDocument, out: &mut dyn Write) -> io::Result<()> {
    let has_notes = document.notes.iter().any(|note| note.level == NoteLevel::Info);
    if !document.sources.is_empty() || has_notes {
        writeln!(out, "## Sources\n")?;
    }
    if !document.sources.is_empty() {
        writeln!(out, "| Source | Format | Profiler | Results | Lost |\n|---|---|---|---:|---:|")?;
        for source in &document.sources {
            writeln!(
                out,
                "| {} | {} | {} | {} | {} |",
                name(&source.file),
                text(&source.format),
                source.profiler.as_deref().map_or_else(|| number::ABSENT.to_owned(), text),
                source.results,
                source.lost,
            )?;
        }
        writeln!(out)?;
    }
    write_notes(document, NoteLevel::Info, out)
}

fn write_notes(document: &RegionDocument, level: NoteLevel, out: &mut dyn Write) -> io::Result<()> {
    let word = match level {
        NoteLevel::Warning => "**Warning**",
        NoteLevel::Info => "Note",
    };
    let mut notes = document.notes.iter().filter(|note| note.level == level).peekable();
    if notes.peek().is_none() {
        return Ok(());
    }
    for note in notes {
        writeln!(out, "- {word} ({}): {}", text(&note.code), text(&note.message))?;
    }
    writeln!(out)
}

/// The selection, including what was asked for but not found.
fn write_selection(selection: &Selection, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "## Selected Sections\n")?;
    if selection.sections.is_empty() {
        writeln!(out, "All sections that the results hold.")?;
    }
    write_list(&selection.sections, &selection.sections_not_found, "in no result", out)?;
    writeln!(out, "\n## Selected Metrics\n")?;
    if selection.metrics.is_empty() {
        writeln!(out, "All metrics that the results hold.")?;
    }
    write_list(&selection.metrics, &selection.metrics_not_found, "in no result", out)?;
    writeln!(out)?;
    if !selection.regions.is_empty() {
        writeln!(out, "## Selected Regions\n")?;
        write_list(&selection.regions, &selection.regions_not_seen, "not seen", out)?;
        writeln!(out)?;
    }
    if !selection.kernel_include.is_empty() || !selection.kernel_exclude.is_empty() {
        writeln!(out, "## Selected Kernels\n")?;
        writeln!(out, "Matched against the {} name.\n", text(&selection.kernel_name_base))?;
        for pattern in &selection.kernel_include {
            writeln!(out, "- include {}", escape::code(pattern))?;
        }
        for pattern in &selection.kernel_exclude {
            writeln!(out, "- exclude {}", escape::code(pattern))?;
        }
        writeln!(out)?;
    }
    if !selection.normalisation.is_empty() {
        writeln!(
            out,
            "## Folded Names\n\n| Pattern | Replacement | Names folded |\n|---|---|---:|"
        )?;
        for rule in &selection.normalisation {
            writeln!(
                out,
                "| {} | {} | {} |",
                cell_code(&rule.pattern),
                cell_code(&rule.replacement),
                rule.names_folded
            )?;
        }
        writeln!(out)?;
    }
    if selection.results_selected != selection.results_seen {
        writeln!(
            out,
            "{} of {} selected.\n",
            number::thousands(selection.results_selected),
            number::count(selection.results_seen, "result", "results"),
        )?;
    }
    Ok(())
}

/// A list of what was asked for, with a remark at what was not there.
fn write_list(
    wanted: &[String],
    missing: &[String],
    remark: &str,
    out: &mut dyn Write,
) -> io::Result<()> {
    for item in wanted {
        let shown = list_item(item);
        if missing.contains(item) {
            writeln!(out, "- {shown} (**{remark}**)")?;
        } else {
            writeln!(out, "- {shown}")?;
        }
    }
    for item in missing.iter().filter(|item| !wanted.contains(item)) {
        writeln!(out, "- {} (**{remark}**)", list_item(item))?;
    }
    Ok(())
}

/// One section per region, in the order of the trees.
fn write_regions(
    document: &RegionDocument,
    options: &ExportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut main: IndexMap<RegionRef<'_>, Vec<Found<'_>>> = IndexMap::new();
    for report in scopes::main_reports(document) {
        let tree = Tree::of(report);
        for node in tree.groups.iter().flat_map(|group| tree.depth_first(group)) {
            main.entry(node.region.key()).or_default().push((report, node.region));
        }
    }
    let mut others: IndexMap<RegionRef<'_>, Vec<Found<'_>>> = IndexMap::new();
    let has_aggregate = document.reports.len() != scopes::main_reports(document).len();
    if has_aggregate {
        for report in scopes::scope_reports(document) {
            for region in &report.regions {
                others.entry(region.key()).or_default().push((report, region));
            }
        }
    }
    for (identity, found) in &main {
        let scopes = others.get(identity).map_or(&[][..], Vec::as_slice);
        region::write(found, scopes, options, out)?;
    }
    Ok(())
}

/// The drawings that lie beside the report, each called as its file.
fn write_drawings(paths: &[String], out: &mut dyn Write) -> io::Result<()> {
    if !paths.is_empty() {
        writeln!(out, "## Plots\n")?;
    }
    for path in paths {
        let name = path.rsplit('/').next().unwrap_or(path).trim_end_matches(".svg");
        writeln!(out, "![{name}]({path})\n")?;
    }
    Ok(())
}
