//! Columns of numbers behind one column of names, as every table on the screen has them.
//!
//! What a screen has no room for is left out column by column, never in the middle of a number.

use std::io::{self, Write};

use anstyle::Style;

use super::{HEADING, QUIET};
use rangescope_model::number;
use rangescope_model::text::{pad_left, pad_right, shorten, width};

/// The gap between columns.
const GAP: usize = 2;

/// A name gets at least this many columns, as long as there is something else to leave out.
const LEAST_NAME: usize = 16;

/// Metrics that were asked for are the first to be left out on a narrow screen.
pub(super) const ASKED_RANK: u8 = 5;

/// A column of cells.
pub(super) struct Column {
    head: String,
    /// Of a narrow screen those with the largest number are left out first; zero always stays.
    rank: u8,
    /// Words stand on the left, numbers on the right.
    is_word: bool,
}

impl Column {
    pub(super) fn number(head: &str, rank: u8) -> Self {
        Self { head: head.to_owned(), rank, is_word: false }
    }

    /// Names get at least so much of the screen, or the column is left out.
    fn least_name(&self) -> usize {
        match self.rank {
            0 => 0,
            ASKED_RANK => LEAST_NAME * 3 / 2,
            _ => LEAST_NAME,
        }
    }

    pub(super) fn word(head: &str, rank: u8) -> Self {
        Self { head: head.to_owned(), rank, is_word: true }
    }
}

/// A table with a name on the left and cells behind it.
pub(super) struct Table {
    title: &'static str,
    screen: usize,
    columns: Vec<Column>,
    /// The widest cell of each column, or nothing for a column that is left out.
    widths: Vec<Option<usize>>,
    /// Columns that remain for names.
    pub(super) room: usize,
    lines: Vec<Line>,
}

/// One line of a table.
enum Line {
    /// A name and its cells.
    Row { style: Style, name: String, cells: Vec<String> },
    /// Text across the table.
    Text { style: Style, text: String },
}

impl Table {
    /// A table for cells like these: `title` above the names, a head above each column.
    pub(super) fn new<'c>(
        title: &'static str,
        columns: Vec<Column>,
        cells: impl IntoIterator<Item = &'c Vec<String>>,
        screen: usize,
    ) -> Self {
        let mut widths: Vec<usize> = columns.iter().map(|column| width(&column.head)).collect();
        for row in cells {
            for (widest, cell) in widths.iter_mut().zip(row) {
                *widest = (*widest).max(width(cell));
            }
        }
        let mut widths: Vec<Option<usize>> = widths.into_iter().map(Some).collect();
        let room = |widths: &[Option<usize>]| {
            screen.saturating_sub(widths.iter().flatten().map(|cell| GAP + cell).sum())
        };
        loop {
            let shown = columns.iter().enumerate().filter(|(at, _)| widths[*at].is_some());
            match shown.max_by_key(|(_, column)| column.rank) {
                Some((at, column)) if room(&widths) < column.least_name() => widths[at] = None,
                _ => break,
            }
        }
        let room = room(&widths).max(LEAST_NAME);
        Self { title, screen, columns, widths, room, lines: Vec::new() }
    }

    /// How many metrics were asked for that the screen has no room for.
    pub(super) fn left_out(&self) -> usize {
        let columns = self.columns.iter().zip(&self.widths);
        columns.filter(|(column, width)| column.rank == ASKED_RANK && width.is_none()).count()
    }

    /// Adds a row; the name is already cut to the room.
    pub(super) fn row(&mut self, style: Style, name: String, cells: Vec<String>) {
        self.lines.push(Line::Row { style, name, cells });
    }

    /// Adds a line of quiet text across the table.
    pub(super) fn text(&mut self, text: String) {
        self.lines.push(Line::Text { style: QUIET, text });
    }

    /// Adds a line of text that heads the rows after it.
    pub(super) fn heading(&mut self, text: String) {
        self.lines.push(Line::Text { style: HEADING, text });
    }

    /// Whether any cell holds an estimate.
    pub(super) fn has_estimates(&self) -> bool {
        self.lines.iter().any(|line| match line {
            Line::Row { cells, .. } => cells.iter().any(|cell| cell.starts_with(number::INEXACT)),
            Line::Text { .. } => false,
        })
    }

    /// Writes the table, no wider than its contents need.
    pub(super) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let names = self.lines.iter().filter_map(|line| match line {
            Line::Row { name, .. } => Some(width(name)),
            Line::Text { .. } => None,
        });
        let name_columns = names.fold(width(self.title), usize::max);
        let line_of = |name: &str, cells: &mut dyn Iterator<Item = &str>| {
            let mut line = pad_right(name, name_columns);
            for ((cell, column), widest) in cells.zip(&self.columns).zip(&self.widths) {
                let Some(widest) = widest else { continue };
                line.push_str(&" ".repeat(GAP));
                let pad = if column.is_word { pad_right } else { pad_left };
                line.push_str(&pad(cell, *widest));
            }
            shorten(line.trim_end(), self.screen).into_owned()
        };
        let head = line_of(self.title, &mut self.columns.iter().map(|column| column.head.as_str()));
        writeln!(out, "{HEADING}{head}{HEADING:#}")?;
        for line in &self.lines {
            match line {
                Line::Row { style, name, cells } => {
                    let line = line_of(name, &mut cells.iter().map(String::as_str));
                    writeln!(out, "{style}{line}{style:#}")?;
                }
                Line::Text { style, text } => {
                    writeln!(out, "{style}{}{style:#}", shorten(text, self.screen))?;
                }
            }
        }
        Ok(())
    }
}
