//! The tree of regions as text for a terminal. Names are other people's and go through `visible`; nothing here prints.

use std::fmt::Write as _;

use rangescope_model::document::ScopeKind;
use rangescope_model::region::RangeKind;
use rangescope_model::text::{pad_left, pad_right, shorten, visible, visible_name, wrap};

use crate::phrases;
use rangescope_model::number::{count, time};
use rangescope_model::recorded::{RecordedProcess, RecordedRegion, RecordedRegions, RegionTree};

/// Columns that a table of regions needs at least.
const NARROWEST: usize = 80;
/// Columns of everything but the name.
const NUMBERS: usize = 61;
/// Levels that are shown by indentation; deeper ones would leave no room for the name.
const DEEPEST_INDENT: usize = 10;
/// Processes that are listed at most.
const MOST_PROCESSES: usize = 16;

/// What was recorded: the processes, the regions of all of them together, and what to know about the numbers.
pub fn terminal(document: &RecordedRegions, columns: usize) -> String {
    let columns = columns.max(NARROWEST);
    let mut text = String::new();
    processes(&mut text, &document.processes, columns);
    let aggregate = document.reports.iter().find(|tree| tree.scope.kind == ScopeKind::Aggregate);
    if let Some(tree) = aggregate {
        text.push('\n');
        text.push_str(&table(tree, columns));
    }
    for note in &document.notes {
        let message = visible(&note.message);
        let mut mark = "note: ";
        for line in wrap(&message, columns - mark.len()) {
            let _ = writeln!(text, "{mark}{line}");
            mark = "      ";
        }
    }
    text
}

fn processes(text: &mut String, processes: &[RecordedProcess], columns: usize) {
    for process in processes.iter().take(MOST_PROCESSES) {
        let rank = process.rank.map_or_else(String::new, |rank| format!(" rank {rank}"));
        let head = format!("process {}{rank} on {}: ", process.process_id, visible(&process.host));
        let tail = format!(
            "  {}, {}, {}",
            time(process.duration_ms),
            count(process.events, "event", "events"),
            count(process.threads.len() as u64, "thread", "threads"),
        );
        let command = process.command.join(" ");
        let room = columns.saturating_sub(head.chars().count() + tail.chars().count()).max(20);
        let _ = writeln!(text, "{head}{}{tail}", shorten(&visible(&command), room));
    }
    if let Some(more) = processes.len().checked_sub(MOST_PROCESSES).filter(|more| *more > 0) {
        let _ = writeln!(text, "and {}", count(more as u64, "more process", "more processes"));
    }
}

/// The regions of one scope: one part per domain and kind.
pub fn table(tree: &RegionTree, columns: usize) -> String {
    let name_columns = columns.max(NARROWEST) - NUMBERS;
    let mut text = String::new();
    if tree.regions.is_empty() {
        text.push_str("no NVTX ranges were recorded\n");
    } else {
        let heads = ["calls", "total", "self", "min", "median", "max", "thr", "proc"];
        text.push_str(&row("region", name_columns, &heads.map(str::to_owned)));
    }
    for (domain, kind) in parts(&tree.regions) {
        let what = phrases::range_kind(kind);
        let _ = writeln!(text, "{} ({what})", shorten(&visible(domain), columns - 20));
        for region in tree.regions.iter().filter(|r| r.domain == domain && r.kind == kind) {
            text.push_str(&region_row(region, name_columns));
        }
    }
    if tree.marks > 0 {
        let _ = writeln!(text, "{}", count(tree.marks, "mark", "marks"));
    }
    if tree.simulated_launches > 0 {
        let launches = count(tree.simulated_launches, "kernel launch", "kernel launches");
        let _ = writeln!(text, "{launches} for the simulated device");
    }
    text
}

/// The domains with the kinds of ranges in them, in order of first appearance.
fn parts(regions: &[RecordedRegion]) -> Vec<(&str, RangeKind)> {
    let mut seen = indexmap::IndexSet::new();
    seen.extend(regions.iter().map(|region| (region.domain.as_str(), region.kind)));
    seen.into_iter().collect()
}

fn region_row(region: &RecordedRegion, name_columns: usize) -> String {
    let name = visible_name(region.path.last().map_or("", String::as_str));
    let open = match region.never_closed {
        0 => String::new(),
        open => format!(" ({open} open)"),
    };
    let depth = usize::try_from(region.depth).unwrap_or(DEEPEST_INDENT);
    let indent = "  ".repeat(depth.min(DEEPEST_INDENT) + 1);
    // Room for a few letters stays, however deep the region is.
    let room = name_columns.saturating_sub(indent.len() + open.len()).max(4);
    let name = format!("{indent}{}{open}", shorten(&name, room));
    let numbers = [
        region.instances.to_string(),
        time(region.total_ms),
        time(region.exclusive_ms),
        time(region.min_ms),
        time(region.median_ms),
        time(region.max_ms),
        region.threads.to_string(),
        region.processes.to_string(),
    ];
    row(&name, name_columns, &numbers)
}

fn row(name: &str, name_columns: usize, numbers: &[String; 8]) -> String {
    const WIDTHS: [usize; 8] = [8, 9, 9, 8, 8, 9, 5, 5];
    let mut line = pad_right(name, name_columns);
    for (number, width) in numbers.iter().zip(WIDTHS) {
        line.push_str(&pad_left(number, width));
    }
    format!("{}\n", line.trim_end())
}
