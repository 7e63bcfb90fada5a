//! A comparison on one screen: what makes it doubtful, what changed by how much, and what the gates say.
//!
//! Colours are written as escape codes, which the caller strips where they are not wanted.

use super::rows::{self, Row};
use crate::formats::ExportOptions;
use anstyle::{AnsiColor, Style};
use rangescope_model::comparison::{Comparison, GateReport, ScopeComparison, Verdict};
use rangescope_model::document::RegionDocument;
use rangescope_model::text::{
    pad_left, pad_right, shorten, shorten_kernels, visible, visible_name, width, wrap,
};
use std::io::{self, Write};

const HEADING: Style = Style::new().bold();
const WORSE: Style = AnsiColor::Red.on_default();
const BETTER: Style = AnsiColor::Green.on_default();

/// A name gets at least this many columns.
const LEAST_NAME: usize = 16;

/// Writes the comparison.
pub(crate) fn write(
    comparison: &Comparison,
    _new: &[RegionDocument],
    options: &ExportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let columns = options.width.max(40);
    let side = |side| shorten(&visible(&rows::side(side)), (columns - 3) / 2).into_owned();
    writeln!(out, "{} → {}", side(&comparison.base), side(&comparison.new))?;
    for note in &comparison.notes {
        let text = format!("{}: {}", rows::severity(note.severity), visible(&note.message));
        write_wrapped(&text, columns, out)?;
    }
    for scope in &comparison.scopes {
        writeln!(out)?;
        write_scope(scope, options, columns, out)?;
    }
    for scope in &comparison.unmatched_scopes {
        writeln!(out)?;
        write_wrapped(
            &format!("only in the {}: {}", scope.side, visible(&scope.scope)),
            columns,
            out,
        )?;
    }
    writeln!(out)?;
    write_wrapped(&comparison.noise_rule, columns, out)?;
    if let Some(gates) = &comparison.gates {
        writeln!(out)?;
        write_gates(gates, columns, out)?;
    }
    writeln!(out)?;
    write_wrapped(&rows::overall(comparison), columns, out)
}

fn write_scope(
    scope: &ScopeComparison,
    options: &ExportOptions,
    columns: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let regions = rows::regions(scope, options.max_regions, options.view.unfold);
    let head = rows::scope_name(scope);
    let table = Table { head: &head, rows: &regions.rows, shorten: shorten_regions };
    table.write(columns, out)?;
    for line in rows::not_shown(&regions) {
        writeln!(out, "{line}")?;
    }

    let (kernels, left_out) = rows::kernels(scope, options.max_changed_kernels);
    if !kernels.is_empty() {
        writeln!(out)?;
        let shorten = |names: &[&str], limit| shorten_kernels(names.iter().copied(), limit);
        let table = Table { head: "Kernels that changed", rows: &kernels, shorten };
        table.write(columns, out)?;
        write_left_out(left_out, ["kernel", "kernels"], out)?;
    }
    write_metrics(scope, options.max_regions, columns, out)
}

/// A table of times.
struct Table<'r> {
    head: &'r str,
    rows: &'r [Row],
    /// Regions and kernels are shortened differently.
    shorten: fn(&[&str], usize) -> Vec<String>,
}

/// The columns beside the name; the verdict is the last and a word.
const HEADS: [&str; 8] =
    ["Base ms", "New ms", "Diff. ms", "Diff.", "Interval", "Calls", "Per call", "Verdict"];
const INTERVAL: usize = 4;
const CALLS: usize = 5;
const PER_CALL: usize = 6;
const VERDICT: usize = 7;

impl Table<'_> {
    fn write(self, columns: usize, out: &mut dyn Write) -> io::Result<()> {
        let mut cells: Vec<[String; 8]> = vec![HEADS.map(str::to_owned)];
        // Of a narrow screen a third has to do for the verdict, which is words and can be cut.
        cells.extend(self.rows.iter().map(|row| cells_of(row, (columns / 3).max(18))));
        let widths: [usize; 8] = std::array::from_fn(|column| {
            cells.iter().map(|row| width(&row[column])).max().unwrap_or(0)
        });
        let room = |shown: &[usize]| {
            columns.saturating_sub(shown.iter().map(|column| widths[*column] + 2).sum())
        };
        // Columns that are empty or do not fit are left out: first the times, of which the share says enough.
        let has_calls = self.rows.iter().any(|row| !row.calls.is_empty());
        let mut shown: Vec<usize> = (0..HEADS.len()).collect();
        shown.retain(|column| has_calls || !matches!(*column, CALLS | PER_CALL));
        let has_intervals = self.rows.iter().any(|row| !row.interval.is_empty());
        shown.retain(|column| has_intervals || *column != INTERVAL);
        for dropped in [2, 0, 1, CALLS, PER_CALL, INTERVAL] {
            if room(&shown) < LEAST_NAME {
                shown.retain(|column| *column != dropped);
            }
        }
        let raw: Vec<&str> = self.rows.iter().map(|row| row.name.as_str()).collect();
        let widest = (self.shorten)(&raw, columns).iter().map(|name| width(name)).max();
        let widest = widest.unwrap_or(0).max(width(self.head));
        let name_columns = widest.min(room(&shown).max(LEAST_NAME));
        let head = shorten(self.head, name_columns).into_owned();
        let names = std::iter::once(head).chain((self.shorten)(&raw, name_columns));
        let verdicts = std::iter::once(None).chain(self.rows.iter().map(|row| Some(row.verdict)));
        for ((name, cells), verdict) in names.zip(&cells).zip(verdicts) {
            let mut line = pad_right(&name, name_columns);
            for &column in &shown {
                let is_word = column == VERDICT;
                let cell = cells[column].as_str();
                line.push_str("  ");
                line.push_str(&if is_word {
                    cell.to_owned()
                } else {
                    pad_left(cell, widths[column])
                });
            }
            let line = shorten(line.trim_end(), columns).into_owned();
            let style = verdict.map_or(HEADING, style);
            writeln!(out, "{style}{line}{style:#}")?;
        }
        Ok(())
    }
}

fn shorten_regions(names: &[&str], limit: usize) -> Vec<String> {
    names.iter().map(|name| shorten(&visible_name(name), limit).into_owned()).collect()
}

fn cells_of(row: &Row, verdict_columns: usize) -> [String; 8] {
    let verdict = match row.remark.as_str() {
        "" => rows::verdict(row.verdict).to_owned(),
        remark => format!("{} ({})", rows::verdict(row.verdict), shorten(&visible(remark), 32)),
    };
    let verdict = shorten(&verdict, verdict_columns).into_owned();
    let Row { base, new, difference, relative, interval, calls, per_call, .. } = row.clone();
    [base, new, difference, relative, interval, calls, per_call, verdict]
}

/// The metrics that changed, in a line per region.
fn write_metrics(
    scope: &ScopeComparison,
    limit: usize,
    columns: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let all = std::iter::once(("(all)", &scope.totals.metrics));
    let regions = scope
        .regions
        .iter()
        .filter(|region| rows::is_on_both_sides(region))
        .take(limit)
        .map(|region| (region.name.as_str(), &region.metrics));
    let mut is_first = true;
    for (name, metrics) in all.chain(regions) {
        let phrases: Vec<String> = rows::changed(metrics).map(rows::metric_phrase).collect();
        if phrases.is_empty() {
            continue;
        }
        if is_first {
            writeln!(out)?;
            writeln!(out, "Metrics that changed")?;
            is_first = false;
        }
        let name = shorten(&visible_name(name), columns / 2).into_owned();
        write_wrapped(&format!("{name}: {}", visible(&phrases.join(", "))), columns, out)?;
    }
    Ok(())
}

fn write_gates(report: &GateReport, columns: usize, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "Gates")?;
    for outcome in &report.gates {
        let status = rows::gate_status(outcome, report);
        let style = if report.fails(outcome) { WORSE } else { Style::new() };
        let gate = visible(&outcome.gate);
        let gate = shorten(&gate, columns.saturating_sub(4 + width(status)));
        writeln!(out, "{style}  {status}  {gate}{style:#}")?;
        if outcome.checks.is_empty() {
            for line in wrap(&visible(&rows::without_checks(outcome)), columns.saturating_sub(10)) {
                writeln!(out, "          {line}")?;
            }
        }
        let shown = outcome.checks.iter().filter(|check| check.status == outcome.status).take(5);
        for check in shown {
            let name = check.region.as_deref().map_or("(all)".into(), visible_name);
            let text = format!("{}: {}", shorten(&name, columns / 2), visible(&check.message));
            for line in wrap(&text, columns.saturating_sub(10)) {
                writeln!(out, "          {line}")?;
            }
        }
    }
    write_wrapped(&rows::gate_verdict(report), columns, out)
}

fn write_left_out(left_out: usize, what: [&str; 2], out: &mut dyn Write) -> io::Result<()> {
    let [one, many] = what;
    match left_out {
        0 => Ok(()),
        more => writeln!(out, "… and {}", rows::more(more, one, many)),
    }
}

/// Lines after the first are indented.
fn write_wrapped(text: &str, columns: usize, out: &mut dyn Write) -> io::Result<()> {
    for (at, line) in wrap(text, columns.saturating_sub(2)).iter().enumerate() {
        writeln!(out, "{}{line}", if at == 0 { "" } else { "  " })?;
    }
    Ok(())
}

/// Colours repeat what the word beside them says.
fn style(verdict: Verdict) -> Style {
    match verdict {
        Verdict::Slower | Verdict::MoreCalls => WORSE,
        Verdict::Faster | Verdict::FewerCalls => BETTER,
        Verdict::HigherNotJudged | Verdict::LowerNotJudged | Verdict::New | Verdict::Gone => {
            Style::new().bold()
        }
        Verdict::Unknown | Verdict::Undecided | Verdict::Same => Style::new(),
    }
}
