//! The tree of regions as text for a terminal. Names are other people's and go through `visible`; nothing here prints.

use std::fmt::Write as _;

use rangescope_analyze::View;
use rangescope_analyze::recorded::{AtLeast, Row, Rows, rows};
use rangescope_model::document::ScopeKind;
use rangescope_model::region::RangeKind;
use rangescope_model::text::{pad_left, pad_right, shorten, visible, visible_name, width, wrap};

use crate::phrases;
use rangescope_model::number::{count, time};
use rangescope_model::recorded::{RecordedProcess, RecordedRegions, RegionTree};

/// Columns that a table of regions needs at least.
const NARROWEST: usize = 50;
/// A name gets at least this many columns; numbers that leave it less are left out.
const LEAST_NAME: usize = 19;
/// The numbers of a region, with the columns of each and which of them are left out first on a narrow screen.
const HEADS: [(&str, usize, u8); 8] = [
    ("calls", 8, 0),
    ("total", 9, 0),
    ("self", 9, 0),
    ("min", 8, 2),
    ("median", 8, 3),
    ("max", 9, 1),
    ("thr", 5, 4),
    ("proc", 5, 5),
];
/// Levels that are shown by indentation; deeper ones would leave no room for the name.
const DEEPEST_INDENT: usize = 10;
/// Processes that are listed at most.
const MOST_PROCESSES: usize = 16;

/// What is shown of a recording, and in how many columns.
#[derive(Clone, Copy, Debug)]
pub struct Shown {
    pub view: View,
    pub columns: usize,
}

/// Everything, for a terminal of usual width.
impl Default for Shown {
    fn default() -> Self {
        Self { view: View::default(), columns: 100 }
    }
}

/// What was recorded: the processes, the regions of all of them together, and what to know about the numbers.
pub fn terminal(document: &RecordedRegions, shown: &Shown) -> String {
    let columns = shown.columns.max(NARROWEST);
    let mut text = String::new();
    processes(&mut text, &document.processes, columns);
    let aggregate = document.reports.iter().find(|tree| tree.scope.kind == ScopeKind::Aggregate);
    if let Some(tree) = aggregate {
        text.push('\n');
        text.push_str(&table(document, tree, shown));
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
            "{}, {}, {}",
            time(process.duration_ms),
            count(process.events, "event", "events"),
            count(process.threads.len() as u64, "thread", "threads"),
        );
        let command = process.command.join(" ");
        let room = columns.saturating_sub(width(&head) + width(&tail) + 2).max(20);
        let command = shorten(&visible(&command), room).into_owned();
        let line = format!("{head}{command}  {tail}");
        if width(&line) <= columns {
            let _ = writeln!(text, "{line}");
        } else {
            let head = format!("{head}{command}");
            let _ = writeln!(text, "{}\n  {tail}", shorten(&head, columns));
        }
    }
    if let Some(more) = processes.len().checked_sub(MOST_PROCESSES).filter(|more| *more > 0) {
        let _ = writeln!(text, "and {}", count(more as u64, "more process", "more processes"));
    }
}

/// The regions of one scope: one part per domain and kind.
fn table(document: &RecordedRegions, tree: &RegionTree, shown: &Shown) -> String {
    let columns = shown.columns.max(NARROWEST);
    let layout = Layout::of(columns);
    let mut text = String::new();
    if tree.regions.is_empty() {
        text.push_str("no NVTX ranges were recorded\n");
    } else {
        text.push_str(&layout.row("region", &HEADS.map(|(head, _, _)| head.to_owned())));
    }
    let Rows { rows, left_out } = rows(document, tree, &shown.view);
    for (domain, kind) in parts(&rows) {
        let what = phrases::range_kind(kind);
        let _ = writeln!(text, "{} ({what})", shorten(&visible(domain), columns - 20));
        for region in rows.iter().filter(|row| row.domain == domain && row.kind == kind) {
            text.push_str(&region_row(region, &layout));
        }
    }
    if left_out > 0 {
        let _ = writeln!(text, "… {}", count(left_out as u64, "more region", "more regions"));
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
fn parts<'t>(rows: &[Row<'t>]) -> Vec<(&'t str, RangeKind)> {
    let mut seen = indexmap::IndexSet::new();
    seen.extend(rows.iter().map(|row| (row.domain, row.kind)));
    seen.into_iter().collect()
}

fn region_row(region: &Row<'_>, layout: &Layout) -> String {
    let name = visible_name(&region.name);
    let members = region.members.map_or_else(String::new, |members| format!(" ×{members}"));
    let open = match region.never_closed {
        0 => members,
        open => format!("{members} ({open} open)"),
    };
    let indent = "  ".repeat(region.depth.min(DEEPEST_INDENT) + 1);
    // Room for a few letters stays, however deep the region is.
    let room = layout.name_columns.saturating_sub(indent.len() + width(&open)).max(4);
    let name = format!("{indent}{}{open}", shorten(&name, room));
    let numbers = [
        region.instances.to_string(),
        time(region.total_ms),
        time(region.exclusive_ms),
        time(region.min_ms),
        time(region.median_ms),
        time(region.max_ms),
        at_least(region.threads),
        at_least(region.processes),
    ];
    layout.row(&name, &numbers)
}

fn at_least(number: AtLeast) -> String {
    format!("{}{}", if number.is_exact { "" } else { "≥" }, number.count)
}

/// Which numbers a screen has room for.
struct Layout {
    name_columns: usize,
    shown: [bool; 8],
}

impl Layout {
    fn of(columns: usize) -> Self {
        let mut shown = [true; 8];
        let name_columns = |shown: &[bool; 8]| {
            let numbers = HEADS.iter().zip(shown).filter(|(_, shown)| **shown);
            columns.saturating_sub(numbers.map(|((_, width, _), _)| width).sum())
        };
        for rank in (1..=5).rev() {
            if name_columns(&shown) < LEAST_NAME {
                for ((_, _, own), shown) in HEADS.iter().zip(&mut shown) {
                    *shown &= *own != rank;
                }
            }
        }
        Self { name_columns: name_columns(&shown), shown }
    }

    fn row(&self, name: &str, numbers: &[String; 8]) -> String {
        let mut line = pad_right(&shorten(name, self.name_columns), self.name_columns);
        for ((number, (_, columns, _)), shown) in numbers.iter().zip(HEADS).zip(self.shown) {
            if shown {
                line.push_str(&pad_left(number, columns));
            }
        }
        format!("{}\n", line.trim_end())
    }
}
