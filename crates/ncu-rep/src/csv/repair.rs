//! Rows whose cells do not fit the header.
//!
//! Quotes inside a cell may look like the end of one cell and the beginning of the next. The surplus is given back to the column that is known to hold such texts: first to the NVTX
//! columns, whose ends are recognisable, then to the advice of a rule or to the name of the kernel. A row that still does not fit is no row.

use super::columns::{Columns, Page, Role};
use super::note::{NoteKind, Notes};
use super::split::{self, Cell, Dialect};

/// How an NVTX cell ends.
const END_OF_RANGES: &str = "\"\" ";

/// Splits a record and makes its cells fit the header. Gives whether the row can be read.
pub(super) fn fit<'t>(
    record: &'t str,
    line: usize,
    columns: &Columns,
    cells: &mut Vec<Cell<'t>>,
    notes: &mut Notes,
) -> bool {
    let regular = split::split(record, columns.dialect, cells);
    let expected = match columns.page {
        // A metric row of the details page ends with a comma after its value.
        Page::Details if record.ends_with("\",") => columns.fewest_cells(),
        _ => columns.list.len(),
    };
    let found = cells.len();
    if found > expected {
        rejoin(record, line, columns, expected, cells, notes);
    }
    if !regular && columns.dialect == Dialect::Quoted && !record.ends_with(['"', ',']) {
        // The file ends within the last cell, which may be half a number.
        cells.pop();
    }
    let needed = match columns.page {
        Page::Details => columns.fewest_cells(),
        Page::Raw => columns.place(Role::KernelName).map_or(1, |place| place + 1),
    };
    if cells.len() < needed || cells.len() > expected {
        notes.add(line, NoteKind::DamagedRow { found, expected });
        return false;
    }
    if columns.page == Page::Raw && cells.len() < expected {
        notes.add_first(line, NoteKind::ShortRow { found, expected });
    }
    true
}

fn rejoin<'t>(
    record: &'t str,
    line: usize,
    columns: &Columns,
    expected: usize,
    cells: &mut Vec<Cell<'t>>,
    notes: &mut Notes,
) {
    if cells.iter().skip(expected).all(|cell| cell.raw.is_empty()) {
        // A spreadsheet's empty columns at the right.
        cells.truncate(expected);
        return;
    }
    if columns.dialect == Dialect::Plain {
        return;
    }
    let mut joined = |cells: &mut Vec<Cell<'t>>, first: usize, last: usize| {
        split::join(record, cells, first, last);
        let column = columns.list.get(first).map(|(_, name)| name.clone()).unwrap_or_default();
        notes.add_once(line, NoteKind::RejoinedCell { column });
    };
    for place in [Role::PushPop, Role::StartStop].into_iter().filter_map(|role| columns.place(role))
    {
        let surplus = cells.len().saturating_sub(expected);
        let pieces = cells.get(place..=place + surplus).unwrap_or_default();
        let more = match pieces.first() {
            Some(first) if !first.raw.is_empty() => {
                pieces.iter().position(|piece| piece.raw.ends_with(END_OF_RANGES))
            }
            _ => None,
        };
        if let Some(more) = more.filter(|more| *more > 0) {
            joined(cells, place, place + more);
        }
    }
    let surplus = cells.len().saturating_sub(expected);
    // A rule's row has no metric and always some advice; its kernel has the same name as in the metric rows, where the name alone can be at fault.
    let rule = columns
        .place(Role::RuleDescription)
        .filter(|_| columns.cell(Role::MetricName, cells).is_some_and(|cell| cell.raw.is_empty()));
    if surplus > 0
        && let Some(place) = rule.or_else(|| columns.place(Role::KernelName))
    {
        joined(cells, place, place + surplus);
    }
}
