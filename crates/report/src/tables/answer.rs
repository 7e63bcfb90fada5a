//! The answer to a query as a table for people, as CSV and as JSON. CSV and JSON are written row by row.

use super::query::{Answer, Query, QueryError};
use rangescope_model::number::ABSENT;
use rangescope_model::text::{pad_left, pad_right, shorten, visible, width};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use std::io::{self, Write};

/// Columns of a text in the table.
const MOST_COLUMNS: usize = 60;

/// Runs the query and writes the first `most` rows; gives how many more there are.
pub fn write_table(query: &Query, most: usize, out: &mut dyn Write) -> Result<u64, QueryError> {
    let mut heads: Vec<String> = Vec::new();
    let mut rows: Vec<Vec<(String, bool)>> = Vec::new();
    let mut more = 0;
    query.run(
        |columns| {
            heads = columns.iter().map(|name| shown(name)).collect();
            Ok(())
        },
        |row| {
            if rows.len() < most {
                rows.push(row.iter().map(cell).collect());
            } else {
                more += 1;
            }
            Ok(())
        },
    )?;
    lines(&heads, &rows, out).map_err(QueryError::Answer)?;
    Ok(more)
}

fn lines(heads: &[String], rows: &[Vec<(String, bool)>], out: &mut dyn Write) -> io::Result<()> {
    let columns = |at: usize| rows.iter().filter_map(move |row| row.get(at));
    let widths: Vec<usize> = (heads.iter().enumerate())
        .map(|(at, head)| {
            columns(at).map(|(text, _)| width(text)).max().unwrap_or(0).max(width(head))
        })
        .collect();
    // A column of numbers has its head on the right, too.
    let are_numbers: Vec<bool> = (0..heads.len())
        .map(|at| !rows.is_empty() && columns(at).all(|(_, is_number)| *is_number))
        .collect();
    let mut line = |cells: &mut dyn Iterator<Item = (&str, bool)>| {
        let padded = cells.zip(&widths).map(|((text, is_right), columns)| {
            if is_right { pad_left(text, *columns) } else { pad_right(text, *columns) }
        });
        let text = padded.collect::<Vec<_>>().join("  ");
        writeln!(out, "{}", text.trim_end())
    };
    line(&mut heads.iter().map(String::as_str).zip(are_numbers.iter().copied()))?;
    for row in rows {
        line(&mut row.iter().map(|(text, _)| text.as_str()).zip(are_numbers.iter().copied()))?;
    }
    Ok(())
}

/// What a cell shows, and whether it can stand in a column of numbers.
fn cell(value: &Answer) -> (String, bool) {
    match value {
        Answer::Unknown => (ABSENT.to_owned(), true),
        Answer::Integer(value) => (value.to_string(), true),
        Answer::Number(value) => (value.to_string(), true),
        Answer::Text(text) => (shown(text), false),
    }
}

fn shown(text: &str) -> String {
    shorten(&visible(text), MOST_COLUMNS).into_owned()
}

/// Runs the query and writes RFC 4180; what is not known is empty.
pub fn write_csv(query: &Query, out: &mut dyn Write) -> Result<(), QueryError> {
    let writer = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(out);
    let writer = std::cell::RefCell::new(writer);
    query.run(
        |columns| Ok(writer.borrow_mut().write_record(columns)?),
        |row| {
            let field = |value: &Answer| match value {
                Answer::Unknown => String::new(),
                Answer::Integer(value) => value.to_string(),
                Answer::Number(value) => value.to_string(),
                Answer::Text(text) => text.clone(),
            };
            Ok(writer.borrow_mut().write_record(row.iter().map(field))?)
        },
    )?;
    writer.into_inner().flush().map_err(QueryError::Answer)
}

/// Runs the query and writes a list with an object for each row, one a line.
pub fn write_json(query: &Query, out: &mut dyn Write) -> Result<(), QueryError> {
    let out = std::cell::RefCell::new(out);
    let mut names: Vec<String> = Vec::new();
    let mut begun = false;
    let heads = std::cell::RefCell::new(&mut names);
    query.run(
        |columns| {
            **heads.borrow_mut() = columns.iter().map(|name| (*name).to_owned()).collect();
            write!(out.borrow_mut(), "[")
        },
        |row| {
            let start = if std::mem::replace(&mut begun, true) { ",\n" } else { "\n" };
            let mut out = out.borrow_mut();
            write!(out, "{start}")?;
            Ok(serde_json::to_writer(&mut **out, &JsonRow { heads: &heads.borrow(), row })?)
        },
    )?;
    writeln!(out.borrow_mut(), "\n]").map_err(QueryError::Answer)
}

struct JsonRow<'r> {
    heads: &'r [String],
    row: &'r [Answer],
}

impl Serialize for JsonRow<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.row.len()))?;
        for (head, value) in self.heads.iter().zip(self.row) {
            match value {
                Answer::Unknown => map.serialize_entry(head, &())?,
                Answer::Integer(value) => map.serialize_entry(head, value)?,
                Answer::Number(value) => map.serialize_entry(head, value)?,
                Answer::Text(text) => map.serialize_entry(head, text)?,
            }
        }
        map.end()
    }
}
