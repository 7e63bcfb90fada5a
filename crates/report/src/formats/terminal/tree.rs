//! The tree of regions: the heaviest with the regions around them, the others in one line.

use std::io::{self, Write};

use anstyle::Style;
use rangescope_model::document::{MetricSummary, Region, ScopeReport};

use indexmap::IndexMap;

use super::QUIET;
use super::table::{ASKED_RANK, Column, Table};
use crate::headline;
use crate::phrases;
use crate::tree::{Group, Node, Tree};
use rangescope_model::number::{self, Milliseconds};
use rangescope_model::text::{pad_left, pad_right, shorten, visible_name, width, wrap};

/// Columns of each level of the tree.
const LEVEL: usize = 2;

/// Columns of a metric's name above its column.
const LONGEST_HEAD: usize = 28;

/// Writes the tree of one report with at most `limit` regions; tells whether any value in it is an estimate.
pub(super) fn write(
    report: &ScopeReport,
    screen: usize,
    limit: usize,
    out: &mut dyn Write,
) -> io::Result<bool> {
    let milliseconds = Milliseconds::for_total(report.totals.total_ms);
    let asked = headline::asked(report);
    // Metrics that were asked for need the room of the bars.
    let bar = if asked.is_empty() { (screen.saturating_sub(84) / 2).min(10) } else { 0 };
    let tree = Tree::of(report);
    let groups: Vec<(&Group<'_>, Vec<Node<'_>>)> =
        tree.groups.iter().map(|group| (group, tree.depth_first(group))).collect();
    let kept = keep_heaviest(&groups, limit);
    let cells = |total: Option<f64>,
                 exclusive: Option<Option<f64>>,
                 share: Option<f64>,
                 count: u64,
                 metrics: &IndexMap<String, MetricSummary>| {
        let [sm, dram] = headline::cells(metrics);
        let mut cells = vec![
            milliseconds.show(total),
            exclusive.map_or_else(String::new, |exclusive| milliseconds.show(exclusive)),
            share_with_bar(share, bar),
            number::thousands(count),
            sm,
            dram,
        ];
        cells.extend(asked.iter().map(|name| headline::cell(metrics, name)));
        cells
    };
    let rows: Vec<Vec<Vec<String>>> = groups
        .iter()
        .zip(&kept)
        .map(|((_, nodes), kept)| {
            let shown = nodes.iter().zip(kept).filter(|(_, kept)| **kept);
            let of_region = |region: &Region| {
                cells(
                    region.set.total_ms,
                    Some(region.exclusive_ms),
                    region.share,
                    region.set.kernel_count,
                    &region.set.metrics,
                )
            };
            shown.map(|(node, _)| of_region(node.region)).collect()
        })
        .collect();
    let unlabeled = &report.unlabeled;
    let outside = cells(
        unlabeled.total_ms,
        None,
        report.unlabeled_share(),
        unlabeled.kernel_count,
        &unlabeled.metrics,
    );
    let mut columns = vec![
        Column::number("Total ms", 0),
        Column::number("Excl. ms", 3),
        Column::number("Share", 1),
        Column::number(phrases::results(report.basis), 4),
        Column::number("SM %", 2),
        Column::number("DRAM %", 2),
    ];
    columns.extend(asked.iter().map(|name| metric_column(name)));
    let all = rows.iter().flatten().chain([&outside]);
    let mut table = Table::new("Region", columns, all, screen);
    let room = table.room;

    for (((group, nodes), kept), rows) in groups.iter().zip(&kept).zip(rows) {
        if !kept.contains(&true) {
            continue;
        }
        if let Some(title) = phrases::group(group.domain, group.kind) {
            table.text(shorten(&title, screen).into_owned());
        } else if groups.len() > 1 {
            table.text("default domain".to_owned());
        }
        for ((branch, node), cells) in branches(nodes, kept, room / 2).into_iter().zip(rows) {
            let region = node.region;
            let members = phrases::members(region);
            let room = room.saturating_sub(width(&branch) + width(&members));
            let name = visible_name(tree.own_name(node.index));
            let name = format!("{branch}{}{members}", shorten(&name, room));
            table.row(Style::new(), name, cells);
        }
    }
    let hidden = hidden_regions(&groups, &kept);
    if hidden.0 > 0 {
        let regions = number::count(hidden.0, "more region", "more regions");
        table.text(format!("… {regions}, {} ms exclusive", milliseconds.show(hidden.1)));
    }
    table.row(QUIET, report.unlabeled_name().to_owned(), outside);
    table.write(out)?;
    write_left_out(&table, out)?;
    for outlier in phrases::outliers(report) {
        for line in wrap(&outlier, screen) {
            writeln!(out, "{QUIET}{line}{QUIET:#}")?;
        }
    }
    Ok(table.has_estimates())
}

/// The column of a metric that was asked for; long names are cut where they say least.
pub(super) fn metric_column(name: &str) -> Column {
    Column::number(&shorten(&visible_name(name), LONGEST_HEAD), ASKED_RANK)
}

/// Says that metrics were asked for and have no column.
pub(super) fn write_left_out(table: &Table, out: &mut dyn Write) -> io::Result<()> {
    match table.left_out() {
        0 => Ok(()),
        more => {
            let more = number::count(more as u64, "metric", "metrics");
            writeln!(out, "{QUIET}no room for {more}; see --format markdown{QUIET:#}")
        }
    }
}

/// Marks the `limit` heaviest regions over all groups; a region is only kept together with those around it.
fn keep_heaviest(groups: &[(&Group<'_>, Vec<Node<'_>>)], limit: usize) -> Vec<Vec<bool>> {
    let mut kept: Vec<Vec<bool>> =
        groups.iter().map(|(_, nodes)| vec![false; nodes.len()]).collect();
    let mut by_weight: Vec<(usize, usize)> = groups
        .iter()
        .enumerate()
        .flat_map(|(at, (_, nodes))| (0..nodes.len()).map(move |node| (at, node)))
        .collect();
    // Equal times keep the order of the trees, in which parents come before their children.
    let weight =
        |&(group, node): &(usize, usize)| number::weight(groups[group].1[node].region.set.total_ms);
    by_weight.sort_by(|one, other| weight(other).total_cmp(&weight(one)));
    let mut used = 0;
    for (group, node) in by_weight {
        if used >= limit {
            break;
        }
        let mut chain = Vec::new();
        let mut next = Some(node);
        while let Some(at) = next.filter(|&at| !kept[group][at]) {
            chain.push(at);
            next = groups[group].1[at].parent;
        }
        if used + chain.len() <= limit {
            used += chain.len();
            for at in chain {
                kept[group][at] = true;
            }
        }
    }
    kept
}

/// The number of regions left out, and their exclusive time; inclusive times cannot be added up.
fn hidden_regions(groups: &[(&Group<'_>, Vec<Node<'_>>)], kept: &[Vec<bool>]) -> (u64, f64) {
    let mut number = 0;
    let mut exclusive_ms = 0.0;
    for ((_, nodes), kept) in groups.iter().zip(kept) {
        for (node, _) in nodes.iter().zip(kept).filter(|(_, kept)| !**kept) {
            number += 1;
            exclusive_ms += number::weight(node.region.exclusive_ms);
        }
    }
    (number, exclusive_ms)
}

/// The kept nodes with the lines that lead to them, at most `room` columns of those.
fn branches<'a>(nodes: &'a [Node<'a>], kept: &[bool], room: usize) -> Vec<(String, &'a Node<'a>)> {
    let mut last_child = vec![true; nodes.len()];
    let mut has_later_sibling = vec![false; nodes.len()];
    for (at, node) in nodes.iter().enumerate().rev().filter(|(at, _)| kept[*at]) {
        if let Some(parent) = node.parent {
            last_child[at] = !std::mem::replace(&mut has_later_sibling[parent], true);
        }
    }
    let deepest = room / LEVEL;
    let mut below: Vec<String> = vec![String::new(); nodes.len()];
    let mut shown = Vec::new();
    for (at, node) in nodes.iter().enumerate().filter(|(at, _)| kept[*at]) {
        let branch = match node.parent {
            None => String::new(),
            // Too deep to draw: the level as a number.
            Some(_) if node.depth > deepest => format!("⋯{} ", node.depth),
            Some(parent) => {
                let (own, children) =
                    if last_child[at] { ("└ ", "  ") } else { ("├ ", "│ ") };
                below[at] = format!("{}{children}", below[parent]);
                format!("{}{own}", below[parent])
            }
        };
        shown.push((branch, node));
    }
    shown
}

/// `█████▎   66.2%`: the number says it, the bar shows it.
fn share_with_bar(known: Option<f64>, columns: usize) -> String {
    let percent = pad_left(&share(known), 6);
    if columns == 0 {
        return percent;
    }
    format!("{} {percent}", pad_right(&bar(number::weight(known), columns), columns))
}

/// `66.2%`, or `–` where it is not known.
pub(super) fn share(known: Option<f64>) -> String {
    let percent = |share| format!("{}%", number::percent_figure(100.0 * share));
    known.map_or_else(|| number::ABSENT.to_owned(), percent)
}

/// A bar of at most so many columns, in eighths.
pub(super) fn bar(share: f64, columns: usize) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share between 0 and 1 of a small number; a share that is no number becomes 0"
    )]
    let filled = (share.clamp(0.0, 1.0) * (columns * 8) as f64).round() as usize;
    format!("{}{}", "█".repeat(filled / 8), EIGHTHS[filled % 8])
}
