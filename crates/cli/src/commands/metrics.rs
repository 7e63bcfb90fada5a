//! `rangescope metrics`: what metrics measure and how they are combined, from the tables that the analysis uses.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;

use rangescope_analyze::aggregate::{Explanation, explain, parts_of, table};
use rangescope_model::launch::{MetricId, SectionInfo, Vocabulary};
use rangescope_model::number::{FRACTION, count};
use rangescope_model::text::{pad_left, pad_right, visible, width};
use rangescope_read::Input;
use rangescope_read::results::{Numbering, base_unit};
use rangescope_sim::sections_with;

use crate::args::MetricsCommand;
use crate::failure::Failure;
use crate::ui::Ui;

pub(crate) fn run(command: &MetricsCommand) -> Result<(), Failure> {
    match command {
        MetricsCommand::Explain { names, report } => {
            let report = report.as_deref().map(Held::read).transpose()?;
            Ui::print(|out| {
                for (number, name) in names.iter().enumerate() {
                    if number > 0 {
                        writeln!(out)?;
                    }
                    write_explanation(name, report.as_ref(), out)?;
                }
                Ok(())
            })
        }
        MetricsCommand::List { file: Some(file) } => {
            let held = Held::read(file)?;
            Ui::print(|out| write_list(&held, out))
        }
        MetricsCommand::List { file: None } => Ui::print(write_table),
    }
}

/// The metrics and sections of a report.
struct Held {
    vocabulary: Vocabulary,
    /// By metric handle: results that have it.
    results_with: Vec<u64>,
    results: u64,
    sections: Vec<SectionInfo>,
}

impl Held {
    fn read(path: &Path) -> Result<Self, Failure> {
        let input = Input::open(path)?;
        let numbering = Numbering::new(std::iter::once(&*input.source), false);
        let mut results_with = vec![0; numbering.vocabulary.metrics.len()];
        let mut results = 0;
        input.source.read(0..input.source.len(), &numbering.of_source(0), &mut |launch| {
            results += 1;
            let numbers = launch.numbers.iter().map(|(metric, _)| *metric);
            for MetricId(metric) in numbers.chain(launch.texts.iter().map(|(metric, _)| *metric)) {
                if let Some(count) = results_with.get_mut(metric as usize) {
                    *count += 1;
                }
            }
        });
        let mut sections = numbering.sections();
        sections.sort_unstable_by(|one, other| {
            (one.order, &one.id, &one.header).cmp(&(other.order, &other.id, &other.header))
        });
        Ok(Self { vocabulary: numbering.vocabulary, results_with, results, sections })
    }

    fn sections_with(&self, metric: &str) -> Vec<&str> {
        let has = |section: &&SectionInfo| section.header.iter().any(|(name, _)| name == metric);
        let mut ids: Vec<&str> =
            self.sections.iter().filter(has).map(|section| section.id.as_str()).collect();
        ids.dedup();
        ids
    }
}

fn write_explanation(
    name: &str,
    report: Option<&Held>,
    out: &mut dyn Write,
) -> std::io::Result<()> {
    let explanation = explain(name, report.map(|report| &report.vocabulary));
    let unit = base_unit(name);
    writeln!(out, "{}", visible(name))?;
    let parts = parts_of(name);
    let columns = parts.iter().map(|part| width(&visible(part.part))).max().unwrap_or(0);
    for (number, part) in parts.iter().enumerate() {
        let label = if number == 0 { "measures" } else { "" };
        let means = part.means.unwrap_or("this part of the name is not known here");
        writeln!(out, "  {label:<9} {}  {means}", pad_right(&visible(part.part), columns))?;
    }
    let unit = match unit {
        "" => "none, or not known from the name",
        FRACTION => "fraction: a share of 0 to 1, which reports for people show in per cent",
        unit => unit,
    };
    writeln!(out, "  unit      {unit}")?;
    writeln!(out, "  section   {}", collected_by(name, report))?;
    write_rule(&explanation, out)
}

fn write_rule(explanation: &Explanation, out: &mut dyn Write) -> std::io::Result<()> {
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
            visible(&choice.needs.join(" or "))
        )?;
    }
    Ok(())
}

/// Which sections show a metric, or how to find out.
fn collected_by(metric: &str, report: Option<&Held>) -> String {
    if let Some(report) = report {
        let sections = report.sections_with(metric);
        let is_held = report.vocabulary.metrics.iter().any(|held| held == metric);
        return match (sections.is_empty(), is_held) {
            (false, _) => format!("{} of this report", visible(&sections.join(", "))),
            (true, true) => "in this report, and in the header of none of its sections".to_owned(),
            (true, false) => "not in this report".to_owned(),
        };
    }
    let known: Vec<&str> = sections_with(metric).collect();
    if known.is_empty() {
        "of no section known here; `ncu --metrics NAME` collects it by itself, and `ncu --query-metrics` lists what your GPU has".to_owned()
    } else {
        format!("{} of ncu", known.join(", "))
    }
}

/// The metrics of a report by section, or by unit where no section shows them: name, unit, rule, and how many results have it.
fn write_list(held: &Held, out: &mut dyn Write) -> std::io::Result<()> {
    let handles: BTreeMap<&str, usize> =
        held.vocabulary.metrics.iter().map(String::as_str).zip(0..).collect();
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    let mut shown: BTreeSet<&str> = BTreeSet::new();
    for section in &held.sections {
        let header = section.header.iter().map(|(name, _)| name.as_str());
        let mut metrics: Vec<&str> = header.filter(|name| handles.contains_key(name)).collect();
        metrics.retain(|name| shown.insert(name));
        let title = format!("section {} ({})", section.id, section.name);
        match groups.iter_mut().find(|(known, _)| *known == title) {
            Some((_, known)) => known.extend(metrics),
            None if !metrics.is_empty() => groups.push((title, metrics)),
            None => {}
        }
    }
    let mut by_unit: BTreeMap<(bool, &str), Vec<&str>> = BTreeMap::new();
    for name in handles.keys().filter(|name| !shown.contains(*name)) {
        let unit = unit_of_name(name);
        by_unit.entry((unit.is_none(), unit.unwrap_or_default())).or_default().push(name);
    }
    groups.extend(by_unit.into_iter().map(|((_, unit), metrics)| match unit {
        "" => ("lists, series and metrics without a unit".to_owned(), metrics),
        unit => (format!("unit {unit}"), metrics),
    }));
    let total = held.results.to_string().len();
    writeln!(
        out,
        "{} in {}; the columns are name, unit, rule and results that have it.",
        count(handles.len() as u64, "metric", "metrics"),
        count(held.results, "result", "results")
    )?;
    for (title, metrics) in groups {
        let all = metrics.len() as u64;
        writeln!(out, "\n{}: {}", visible(&title), count(all, "metric", "metrics"))?;
        let names: Vec<_> = metrics.iter().map(|name| visible(name)).collect();
        let columns = names.iter().map(|name| width(name)).max().unwrap_or(0);
        for (name, shown) in metrics.iter().zip(&names) {
            let row = explain(name, Some(&held.vocabulary)).row;
            let with = handles.get(name).and_then(|handle| held.results_with.get(*handle));
            let with = with.copied().unwrap_or(0).to_string();
            let (name, unit) = (pad_right(shown, columns), pad_right(base_unit(name), 15));
            writeln!(out, "  {name}  {unit}  {:<17}  {}", row.id, pad_left(&with, total))?;
        }
    }
    Ok(())
}

/// The hardware unit that a metric is of; none for lists, series and names without one.
fn unit_of_name(metric: &str) -> Option<&str> {
    let (unit, _) = metric.split_once("__")?;
    if unit.contains(':') { None } else { Some(unit.rsplit('.').next().unwrap_or(unit)) }
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
