//! The region tree as bars of text, for a terminal.
//!
//! A bar is as long as the region's inclusive share of the time: first the exclusive part, then what is in the regions below. No colours; the caller prints.

use rangescope_model::number::weight;
use std::fmt::Write as _;

use rangescope_model::document::{RegionDocument, ScopeReport};
use rangescope_model::text::{pad_left, pad_right, shorten};

use crate::phrases;
use crate::plot::chosen::{Chosen, full_name};
use crate::tree::{Node, Tree};
use rangescope_model::number;

/// Regions that are shown, heaviest first.
const MOST: usize = 60;

/// Levels that are indented; deeper ones stay there.
const MOST_INDENT: usize = 12;

/// Columns of share and time with the spaces before them.
const NUMBERS: usize = 20;

/// The fewest columns in which anything can be read.
const LEAST: usize = 40;

const EXCLUSIVE: char = '█';
const BELOW: char = '░';

/// The regions of the scope that answers for the whole run, one line each, none longer than the columns (40 at least).
pub fn bars(document: &RegionDocument, columns: usize) -> String {
    let columns = columns.max(LEAST);
    let mut out = String::new();
    let Ok(chosen) = Chosen::find(document, None, None) else {
        return "no results\n".to_owned();
    };
    if !(chosen.total_ms() > 0.0 && chosen.total_ms().is_finite()) {
        return "no result has a duration\n".to_owned();
    }
    let report = chosen.report;
    let total = weight(report.totals.total_ms);
    let tree = Tree::of(report);
    let rows = rows(report, &tree);
    let name_columns = (columns * 2 / 5).min(48);
    let bar_columns = columns - name_columns - NUMBERS - 1;
    let simulated = if document.simulated { ", simulated" } else { "" };
    let head = format!("{}{simulated}", chosen.summary());
    let _ = writeln!(out, "{}", shorten(&head, columns));
    let put = |out: &mut String, name: &str, exclusive: f64, inclusive: Option<f64>| {
        let name = pad_right(&shorten(name, name_columns), name_columns);
        let bar = bar(exclusive / total, weight(inclusive) / total, bar_columns);
        let share = pad_left(&number::percent(inclusive.map(|ms| ms / total)), 9);
        let time = pad_left(&number::time(inclusive), 11);
        let _ = writeln!(out, "{name} {bar}{share}{time}");
    };
    for row in &rows {
        match row {
            Row::Group(label) => {
                let _ = writeln!(out, "{}", shorten(label, columns));
            }
            Row::Region(node) => {
                let indent = "  ".repeat(node.depth.min(MOST_INDENT));
                let name = format!("{indent}{}", full_name(tree.own_name(node.index)));
                let region = node.region;
                put(&mut out, &name, weight(region.exclusive_ms), region.set.total_ms);
            }
        }
    }
    let unlabeled = report.unlabeled.total_ms;
    if weight(unlabeled) > 0.0 || rows.is_empty() {
        put(&mut out, report.unlabeled_name(), weight(unlabeled), unlabeled);
    }
    let shown = rows.iter().filter(|row| matches!(row, Row::Region(_))).count();
    if shown < report.regions.len() {
        let more = number::count(
            (report.regions.len() - shown) as u64,
            "lighter region",
            "lighter regions",
        );
        let _ = writeln!(out, "{more} not shown");
    }
    let key = format!("{EXCLUSIVE} in the region itself  {BELOW} in regions below");
    let _ = writeln!(out, "{}", shorten(&key, columns));
    out
}

enum Row<'a> {
    Group(String),
    Region(Node<'a>),
}

/// The heaviest regions in the order of the tree.
fn rows<'a>(report: &ScopeReport, tree: &Tree<'a>) -> Vec<Row<'a>> {
    let mut heaviest: Vec<usize> = (0..report.regions.len()).collect();
    // Stable, so that of equal times the outer region stays first.
    heaviest.sort_by(|&left, &right| {
        let time = |at: usize| weight(report.regions[at].set.total_ms);
        time(right).total_cmp(&time(left))
    });
    let mut shown = vec![false; report.regions.len()];
    for &index in heaviest.iter().take(MOST) {
        shown[index] = true;
    }
    let mut rows = Vec::new();
    for group in &tree.groups {
        if let Some(label) = phrases::group(group.domain, group.kind)
            && group.roots.iter().any(|&root| shown[root])
        {
            rows.push(Row::Group(label));
        }
        let nodes = tree.depth_first(group).into_iter();
        rows.extend(nodes.filter(|node| shown[node.index]).map(Row::Region));
    }
    rows
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "columns of a terminal"
)]
fn bar(exclusive: f64, inclusive: f64, columns: usize) -> String {
    let length = |share: f64| (share.clamp(0.0, 1.0) * columns as f64).round() as usize;
    let all = if inclusive > 0.0 { length(inclusive).max(1) } else { 0 };
    // Of a short bar the larger part decides.
    let part = if inclusive > 0.0 { (exclusive / inclusive).clamp(0.0, 1.0) } else { 0.0 };
    let own = ((part * all as f64).round() as usize).min(all);
    let mut bar: String = std::iter::repeat_n(EXCLUSIVE, own).collect();
    bar.extend(std::iter::repeat_n(BELOW, all - own));
    pad_right(&bar, columns)
}
