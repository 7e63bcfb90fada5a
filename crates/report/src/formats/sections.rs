//! Sections of regions, or of kernels where there are no regions, as text, laid out as on ncu's details page: one table per section, and below it what ncu's rules said.
//!
//! A column more than ncu has says how a value was made over the region's results; `~` marks a value that is not exact.
//! Values are scaled for reading as ncu does by default. Text that is not known to be harmless is escaped.

use std::io::{self, BufWriter, Write};

use indexmap::IndexMap;
use rangescope_model::document::{
    Region, RegionDocument, ResultSet, RuleSummary, ScopeReport, SectionSummary,
};

use super::ExportOptions;
use crate::regions::of_kernel;
use crate::tree::Tree;
use crate::{phrases, scopes};
use rangescope_model::number::{self, Milliseconds};
use rangescope_model::text::{
    pad_left, pad_right, shorten, shorten_kernel, visible, visible_name, width, wrap,
};

/// Columns of a name; the JSON holds it in full.
const MAX_NAME: usize = 200;

/// Columns of a metric's label.
const MAX_LABEL: usize = 80;

/// Columns of a rule's title and message before they are wrapped.
const MAX_MESSAGE: usize = 1_000;

/// Columns into which rule messages are wrapped, as wide as ncu's tables usually are.
const MESSAGE_COLUMNS: usize = 110;

/// Writes the sections of every region or kernel of a document.
pub fn write(
    document: &RegionDocument,
    _options: &ExportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    if document.simulated {
        writeln!(
            out,
            "SIMULATED: these numbers come from a simulated device and are no measurement.\n"
        )?;
    }
    let reports = scopes::main_reports(document);
    for report in reports {
        let milliseconds = Milliseconds::for_total(report.totals.total_ms);
        let tree = Tree::of(report);
        for node in tree.groups.iter().flat_map(|group| tree.depth_first(group)) {
            let Region { name, set, domain, kind, .. } = node.region;
            let group = phrases::group(domain, *kind);
            write_set(("Region", name), set, (report, milliseconds), group, &mut out)?;
        }
        if report.regions.is_empty() {
            writeln!(out, "{}\n", phrases::no_regions(report))?;
            let totals = &report.totals;
            for (at, kernel) in totals.kernels.iter().enumerate() {
                let Some(set) = of_kernel(totals, at) else { continue };
                let what = ("Kernel", kernel.kernel_name.as_str());
                write_set(what, &set, (report, milliseconds), None, &mut out)?;
            }
        }
    }
    out.flush()
}

/// The results of a region, or of a kernel where there are no regions.
fn write_set(
    (what, name): (&str, &str),
    set: &ResultSet,
    (report, milliseconds): (&ScopeReport, Milliseconds),
    group: Option<String>,
    out: &mut dyn Write,
) -> io::Result<()> {
    write!(
        out,
        "{what}: {}, {} ms, {}, {}",
        shorten(&visible_name(name), MAX_NAME),
        milliseconds.show(set.total_ms),
        number::count(set.kernel_count, "result", "results"),
        phrases::scope(report),
    )?;
    match group {
        Some(group) => writeln!(out, ", {group}")?,
        None => writeln!(out)?,
    }
    if set.sections.is_empty() {
        writeln!(out, "  No sections were collected.")?;
    }
    let mut rules: IndexMap<&str, Vec<&RuleSummary>> = IndexMap::new();
    for rule in &set.rules {
        rules.entry(rule.section.as_str()).or_default().push(rule);
    }
    for section in &set.sections {
        write_section(section, set.kernel_count, out)?;
        // Rules name their section by identifier in some reports and by title in others.
        let by_id = rules.shift_remove(section.id.as_str());
        let by_name = rules.shift_remove(section.name.as_str());
        for rule in by_id.into_iter().chain(by_name).flatten() {
            write_rule(rule, out)?;
        }
        writeln!(out)?;
    }
    let left: Vec<_> = rules.into_values().flatten().collect();
    if !left.is_empty() {
        writeln!(out, "    Rules of other sections")?;
        for rule in left {
            write_rule(rule, out)?;
        }
        writeln!(out)?;
    }
    if set.sections.is_empty() {
        writeln!(out)?;
    }
    Ok(())
}

/// The heads of the table's columns.
const HEADS: [&str; 4] = ["Metric Name", "Metric Unit", "Metric Value", "Method"];

fn write_section(section: &SectionSummary, results: u64, out: &mut dyn Write) -> io::Result<()> {
    let name = if section.name.is_empty() { &section.id } else { &section.name };
    write!(out, "    Section: {}", shorten(&visible_name(name), MAX_NAME))?;
    if section.covered == results {
        writeln!(out)?;
    } else {
        writeln!(out, " ({} of {})", section.covered, number::count(results, "result", "results"))?;
    }
    if section.metrics.is_empty() {
        return Ok(());
    }
    let rows: Vec<[String; 4]> = section
        .metrics
        .iter()
        .map(|metric| {
            let label = if metric.label.is_empty() { &metric.name } else { &metric.label };
            let (value, unit) = number::metric_scaled(&metric.summary);
            [
                shorten(&visible(label), MAX_LABEL).into_owned(),
                unit,
                value + &number::own_values(&metric.summary),
                number::method(metric.summary.method).to_owned(),
            ]
        })
        .collect();
    let widths: [usize; 4] = std::array::from_fn(|column| {
        rows.iter().map(|row| width(&row[column])).max().unwrap_or(0).max(HEADS[column].len())
    });
    let rule = widths.map(|columns| "-".repeat(columns)).join(" ");
    writeln!(out, "    {rule}")?;
    write_row(HEADS, widths, out)?;
    writeln!(out, "    {rule}")?;
    for row in &rows {
        write_row(row.each_ref().map(String::as_str), widths, out)?;
    }
    writeln!(out, "    {rule}")
}

fn write_row(row: [&str; 4], widths: [usize; 4], out: &mut dyn Write) -> io::Result<()> {
    let [name, unit, value, method] = row;
    writeln!(
        out,
        "    {} {} {} {method}",
        pad_right(name, widths[0]),
        pad_left(unit, widths[1]),
        pad_left(value, widths[2]),
    )
}

/// A rule as ncu prints it: a short mark, then the message beside it.
fn write_rule(rule: &RuleSummary, out: &mut dyn Write) -> io::Result<()> {
    let mark = match rule.kind.as_str() {
        "optimization" => "OPT",
        "warning" => "WRN",
        "error" => "ERR",
        _ => "INF",
    };
    let mut text = String::new();
    if let Some(gain) = rule.region_speedup_pct {
        text = format!("May gain {} of the time here. ", number::percentage(gain));
    }
    if !rule.title.is_empty() {
        text.push_str(&shorten(&visible(&rule.title), MAX_NAME));
        text.push_str(": ");
    }
    // Line breaks of the message become spaces before it is escaped, because it is wrapped anew.
    let message = rule.message.split_whitespace().collect::<Vec<_>>().join(" ");
    text.push_str(&shorten(&visible(&message), MAX_MESSAGE));
    let results = number::count(rule.results, "result", "results");
    let kernel = visible(&rule.kernel_name);
    text.extend([" [", &results, ", heaviest in ", &shorten_kernel(&kernel, 60), "]"]);
    for (index, line) in wrap(&text, MESSAGE_COLUMNS).iter().enumerate() {
        let mark = if index == 0 { mark } else { "" };
        writeln!(out, "    {mark:<5} {line}")?;
    }
    Ok(())
}
