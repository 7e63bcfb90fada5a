//! Columns of numbers behind one column of names, as every table on the screen has them.

use std::io::{self, Write};

use anstyle::Style;

use super::{HEADING, QUIET};
use rangescope_model::number;
use rangescope_model::text::{pad_left, pad_right, width};

/// The gap between columns.
const GAP: usize = 2;

/// A table with a name on the left and right-aligned cells.
pub(super) struct Table {
    heads: Vec<&'static str>,
    title: &'static str,
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
    /// A table with its heads: `title` above the names, `heads` above the cells.
    pub(super) fn new(title: &'static str, heads: &[&'static str]) -> Self {
        Self { title, heads: heads.to_vec(), lines: Vec::new() }
    }

    /// Adds a row; the name is already cut to what [`Table::name_room`] gave.
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

    /// Columns that remain for names when every cell needs at most as much as these.
    pub(super) fn name_room(&self, screen: usize, widest: &[usize]) -> usize {
        let cells: usize =
            self.heads.iter().zip(widest).map(|(head, &cell)| GAP + width(head).max(cell)).sum();
        screen.saturating_sub(cells).max(12)
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
        let mut name_columns = width(self.title);
        let mut columns: Vec<usize> = self.heads.iter().map(|head| width(head)).collect();
        for line in &self.lines {
            if let Line::Row { name, cells, .. } = line {
                name_columns = name_columns.max(width(name));
                for (column, cell) in columns.iter_mut().zip(cells) {
                    *column = (*column).max(width(cell));
                }
            }
        }
        let cells_of = |cells: &mut dyn Iterator<Item = &str>| -> String {
            cells.zip(&columns).map(|(cell, &column)| pad_left(cell, GAP + column)).collect()
        };
        let head = format!(
            "{}{}",
            pad_right(self.title, name_columns),
            cells_of(&mut self.heads.iter().copied())
        );
        writeln!(out, "{HEADING}{head}{HEADING:#}")?;
        for line in &self.lines {
            match line {
                Line::Row { style, name, cells } => {
                    let name = pad_right(name, name_columns);
                    let cells = cells_of(&mut cells.iter().map(String::as_str));
                    writeln!(out, "{style}{name}{}{style:#}", cells.trim_end())?;
                }
                Line::Text { style, text } => writeln!(out, "{style}{text}{style:#}")?,
            }
        }
        Ok(())
    }
}
