//! `rangescope metrics`: how metrics are combined, from the one table that the analysis uses.

use std::io::Write;
use std::path::Path;

use ncu_rep::units::unit_of;
use rangescope_analyze::aggregate::{Explanation, explain, table};
use rangescope_model::launch::Vocabulary;
use rangescope_model::text::{pad_right, visible};
use rangescope_read::Input;

use crate::args::MetricsCommand;
use crate::failure::Failure;
use crate::ui::Ui;

pub(crate) fn run(command: &MetricsCommand) -> Result<(), Failure> {
    match command {
        MetricsCommand::Explain { names, report } => {
            let vocabulary = report.as_deref().map(vocabulary).transpose()?;
            Ui::print(|out| {
                for (number, name) in names.iter().enumerate() {
                    if number > 0 {
                        writeln!(out)?;
                    }
                    write_explanation(&explain(name, vocabulary.as_ref()), out)?;
                }
                Ok(())
            })
        }
        MetricsCommand::List { file: Some(file) } => {
            let vocabulary = vocabulary(file)?;
            Ui::print(|out| write_list(&vocabulary, out))
        }
        MetricsCommand::List { file: None } => Ui::print(write_table),
    }
}

fn write_explanation(explanation: &Explanation, out: &mut dyn Write) -> std::io::Result<()> {
    let unit = unit_of(&explanation.metric);
    writeln!(out, "{}", visible(&explanation.metric))?;
    writeln!(
        out,
        "  unit      {}",
        if unit.is_empty() { "none, or not known from the name" } else { unit }
    )?;
    writeln!(out, "  rule      {}", explanation.row.applies_to)?;
    writeln!(out, "  combined  {}", explanation.row.combined)?;
    writeln!(out, "  exact     {}", explanation.row.exact)?;
    writeln!(out, "  why       {}", explanation.row.why)?;
    for (number, choice) in explanation.choices.iter().enumerate() {
        let label = if number == 0 { "weights" } else { "" };
        let exact = if choice.exact { "exact" } else { "not exact" };
        let state = match (explanation.taken == Some(number), choice.collected) {
            (true, _) => ", taken for this report",
            (false, Some(false)) => ", not collected in this report",
            _ => "",
        };
        writeln!(
            out,
            "  {label:<9} {}. {} ({exact}{state})",
            number + 1,
            choice.needs.join(" or ")
        )?;
    }
    Ok(())
}

/// The metrics of a report: name, unit, rule.
fn write_list(vocabulary: &Vocabulary, out: &mut dyn Write) -> std::io::Result<()> {
    let mut names: Vec<&str> = vocabulary.metrics.iter().map(String::as_str).collect();
    names.sort_unstable();
    let width = names.iter().map(|name| visible(name).chars().count()).max().unwrap_or(0);
    for name in names {
        let row = explain(name, Some(vocabulary)).row;
        writeln!(out, "{}  {:<10}  {}", pad_right(&visible(name), width), unit_of(name), row.id)?;
    }
    Ok(())
}

/// The table of rules.
fn write_table(out: &mut dyn Write) -> std::io::Result<()> {
    for row in table() {
        writeln!(out, "{}", row.id)?;
        writeln!(out, "  for       {}", row.applies_to)?;
        writeln!(out, "  combined  {}", row.combined)?;
        writeln!(out, "  exact     {}", row.exact)?;
    }
    Ok(())
}

/// The metric names of a file.
fn vocabulary(path: &Path) -> Result<Vocabulary, Failure> {
    let input = Input::open(path)?;
    let names = input.source.metric_names().into_iter().flatten();
    let mut metrics: Vec<String> = names.map(str::to_owned).collect();
    metrics.sort_unstable();
    metrics.dedup();
    let units = metrics.iter().map(|name| unit_of(name).to_owned()).collect();
    Ok(Vocabulary { metrics, units, ..Vocabulary::default() })
}
