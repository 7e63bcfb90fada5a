//! The heaviest kernels of a report without regions, each as on ncu's details page: how it was launched, its sections, and what ncu's rules said.

use std::io::{self, Write};

use rangescope_analyze::insight::details::occupancy;
use rangescope_model::document::{
    KernelSummary, ResultSet, RuleSummary, ScopeReport, SectionSummary,
};
use rangescope_model::number::{self, count, dimensions, percentage};
use rangescope_model::text::{
    ELLIPSIS, pad_right, shorten, shorten_kernel, visible, visible_name, width, wrap,
};

use super::HEADING;
use crate::kernel::occupancy_words;
use crate::phrases;
use crate::regions::of_kernel;

/// How much of each kernel is shown, so that all of them together take about two screens.
struct Room {
    kernels: usize,
    sections: usize,
    metrics: usize,
    rules: usize,
    /// Characters of a rule's message.
    message: usize,
}

const ONE_KERNEL: Room = Room { kernels: 1, sections: 5, metrics: 10, rules: 6, message: 220 };
const SEVERAL: Room = Room { kernels: 3, sections: 3, metrics: 6, rules: 2, message: 140 };

/// Sections that say most, in case there are more than there is room for.
const FIRST_SECTIONS: [&str; 7] = [
    "SpeedOfLight",
    "Occupancy",
    "LaunchStats",
    "MemoryWorkloadAnalysis",
    "ComputeWorkloadAnalysis",
    "SchedulerStats",
    "WarpStateStats",
];

/// A screen at least this wide has two metrics in a line.
const TWO_COLUMNS: usize = 88;

/// Writes the heaviest kernels.
pub(super) fn write(report: &ScopeReport, screen: usize, out: &mut dyn Write) -> io::Result<()> {
    let totals = &report.totals;
    let room = if totals.kernels.len() == 1 { ONE_KERNEL } else { SEVERAL };
    for (at, kernel) in totals.kernels.iter().enumerate().take(room.kernels) {
        let Some(details) = of_kernel(totals, at) else { continue };
        let launch = launch(kernel);
        if details.sections.is_empty() && details.rules.is_empty() && launch.is_empty() {
            continue;
        }
        let name = visible_name(&kernel.kernel_name);
        writeln!(out, "\n{HEADING}{}{HEADING:#}", shorten_kernel(&name, screen))?;
        for line in wrap(&launch, screen.saturating_sub(2)) {
            writeln!(out, "  {line}")?;
        }
        write_sections(&details, &room, screen, out)?;
        write_rules(&details, &room, screen, out)?;
    }
    Ok(())
}

/// `grid 64x8x1, block 128x1x1; 5 blocks per SM, limited by registers; occupancy 38.1 % of 41.7 %; 3.01 waves`.
fn launch(kernel: &KernelSummary) -> String {
    let mut parts = Vec::new();
    if let Some(shape) = kernel.launch_shapes.first()
        && (shape.grid.is_some() || shape.block.is_some())
    {
        let mut shapes =
            format!("grid {}, block {}", dimensions(shape.grid), dimensions(shape.block));
        let more = kernel.launch_shapes.len() as u64 - 1;
        if more > 0 {
            shapes.extend([" and ", &count(more, "other launch shape", "other launch shapes")]);
        }
        parts.push(shapes);
    }
    let occupancy = occupancy(&kernel.metrics);
    parts.extend(occupancy.as_ref().into_iter().flat_map(occupancy_words));
    parts.join("; ")
}

fn write_sections(
    details: &ResultSet,
    room: &Room,
    screen: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let has_values = |section: &&SectionSummary| {
        section.metrics.iter().any(|metric| phrases::has_value(&metric.summary))
    };
    let told: Vec<&SectionSummary> = details.sections.iter().filter(has_values).collect();
    let mut by_worth: Vec<usize> = (0..told.len()).collect();
    by_worth.sort_by_key(|at| {
        FIRST_SECTIONS.iter().position(|id| *id == told[*at].id).unwrap_or(usize::MAX)
    });
    by_worth.truncate(room.sections);
    by_worth.sort_unstable();
    for section in by_worth.iter().filter_map(|at| told.get(*at)) {
        let title = if section.name.is_empty() { &section.id } else { &section.name };
        let title = shorten(&visible_name(title), screen.saturating_sub(2)).into_owned();
        writeln!(out, "  {HEADING}{title}{HEADING:#}")?;
        write_metrics(section, room.metrics, screen, out)?;
    }
    if told.len() > room.sections {
        let more = (told.len() - room.sections) as u64;
        let more = count(more, "more section", "more sections");
        writeln!(out, "  … {more}; see --format sections")?;
    }
    Ok(())
}

/// Label, value and unit, in one or two columns.
pub(super) fn write_metrics(
    section: &SectionSummary,
    most: usize,
    screen: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (columns, gap) = if screen >= TWO_COLUMNS { (2, 4) } else { (1, 0) };
    let cell = ((screen - 4 - gap) / columns).min(46);
    let metrics = section.metrics.iter().filter(|metric| phrases::has_value(&metric.summary));
    let cells: Vec<String> = metrics
        .take(most)
        .map(|metric| {
            let (value, unit) = number::metric_scaled(&metric.summary);
            let value = format!("{value} {unit}");
            let is_below = number::is_below_all(&metric.summary);
            let own = if is_below { number::own_values(&metric.summary) } else { String::new() };
            let value = format!("{}{own}", value.trim_end());
            let value = shorten(&value, cell - 8);
            let label = if metric.label.is_empty() { &metric.name } else { &metric.label };
            let left = cell - width(&value) - 1;
            let label = shorten(&visible(label), left).into_owned();
            format!("{} {value}", pad_right(&label, left))
        })
        .collect();
    for line in cells.chunks(columns) {
        writeln!(out, "    {}", line.join(&" ".repeat(gap)))?;
    }
    Ok(())
}

fn write_rules(
    details: &ResultSet,
    room: &Room,
    screen: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let rules = &details.rules;
    if rules.is_empty() {
        return Ok(());
    }
    writeln!(out, "  {HEADING}Rules of ncu{HEADING:#}")?;
    for rule in rules.iter().take(room.rules) {
        for (at, line) in
            wrap(&sentence(rule, room.message), screen.saturating_sub(6)).iter().enumerate()
        {
            writeln!(out, "    {}{line}", if at == 0 { "- " } else { "  " })?;
        }
    }
    if rules.len() > room.rules {
        let more = count((rules.len() - room.rules) as u64, "more rule", "more rules");
        writeln!(out, "    … {more}; see --format markdown")?;
    }
    Ok(())
}

/// Title, estimate and the beginning of the message.
pub(super) fn sentence(rule: &RuleSummary, most: usize) -> String {
    let title = shorten(&visible(phrases::rule_title(rule)), 60).into_owned();
    let gain = rule.max_speedup_pct.map_or_else(String::new, |gain| {
        format!(" (est. speed-up {}{})", percentage(gain), phrases::speedup_kind(rule))
    });
    let message = rule.message.split_whitespace().collect::<Vec<_>>().join(" ");
    format!("{title}{gain}: {}", beginning(&visible(&message), most))
}

/// As many words as fit into so many characters.
fn beginning(text: &str, most: usize) -> String {
    match text.char_indices().nth(most).and_then(|(end, _)| text.get(..end)) {
        Some(head) => {
            let words = head.rfind(' ').and_then(|end| head.get(..end)).unwrap_or(head);
            format!("{words} {ELLIPSIS}")
        }
        None => text.to_owned(),
    }
}
