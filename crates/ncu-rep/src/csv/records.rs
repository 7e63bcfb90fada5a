//! Records of a table among other lines.
//!
//! A record begins with its number, or with an empty cell in the row of units. Most records are one line, but names and advice may hold line ends. Whatever does not begin a record and is
//! not needed to complete one belongs to the tool or to the program. Every line is looked at once, however the quotes in it stand.

use super::columns::{Columns, Role};
use super::split::Dialect;
use super::text::{self, Line};

/// A piece of a table's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece<'t> {
    Record {
        line: usize,
        text: &'t str,
    },
    /// Lines that are no record; `text` is the first of them.
    Foreign {
        line: usize,
        count: usize,
        text: &'t str,
    },
}

/// Goes over the lines after a header. `first_line` is the number of the first of them.
pub(super) fn pieces<'t>(
    body: &'t str,
    first_line: usize,
    columns: &Columns,
) -> impl Iterator<Item = Piece<'t>> {
    let rules = Rules::new(columns);
    let mut lines = text::lines(body).peekable();
    let mut foreign = None;
    std::iter::from_fn(move || {
        if let Some(foreign) = foreign.take() {
            return Some(foreign);
        }
        let first = lines.next()?;
        let line = first_line + first.number - 1;
        if !rules.begins(first.text) {
            return Some(Piece::Foreign { line, count: 1, text: first.text });
        }
        let mut open = Open::default();
        open.add(first.text);
        let mut more = Vec::new();
        while !rules.is_complete(&open) {
            let Some(next) = lines.next_if(|next| !rules.begins(next.text) && !is_tool(next.text))
            else {
                break;
            };
            open.add(next.text);
            // Only the first and the last are needed later.
            more.truncate(1);
            more.push(next);
        }
        let end = |line: &Line<'_>| line.start + line.text.len();
        if rules.is_complete(&open) {
            let last = more.last().unwrap_or(&first);
            return Some(Piece::Record { line, text: body.get(first.start..end(last))? });
        }
        // The lines did not complete the record, so they were none of it.
        foreign = more.first().zip(more.last()).map(|(first, last)| Piece::Foreign {
            line: first_line + first.number - 1,
            count: last.number - first.number + 1,
            text: first.text,
        });
        Some(Piece::Record { line, text: first.text })
    })
}

pub(super) fn is_tool(line: &str) -> bool {
    line.starts_with("==")
}

struct Rules {
    dialect: Dialect,
    fewest_cells: usize,
    /// The first cell of a record is a number or empty.
    numbered: bool,
}

/// A record while lines are added to it.
#[derive(Default)]
struct Open {
    separators: usize,
    quotes: usize,
    ends_cell: bool,
}

impl Open {
    fn add(&mut self, line: &str) {
        self.separators += line.matches("\",\"").count();
        self.quotes += line.bytes().filter(|byte| *byte == b'"').count();
        self.ends_cell = line.ends_with('"') || line.ends_with("\",");
    }
}

impl Rules {
    fn new(columns: &Columns) -> Self {
        let first = columns.list.first().map(|(role, name)| (*role, name.is_empty()));
        let numbered = matches!(first, Some((Role::Id | Role::ProcessId, _) | (_, true)));
        Self { dialect: columns.dialect, fewest_cells: columns.fewest_cells(), numbered }
    }

    fn begins(&self, line: &str) -> bool {
        if is_tool(line) {
            return false;
        }
        let (line, quoted) = match line.strip_prefix('"') {
            Some(line) => (line, true),
            None if self.dialect == Dialect::Quoted => return false,
            None => (line, false),
        };
        let rest = if self.numbered {
            line.trim_start_matches(|char: char| char.is_ascii_digit())
        } else {
            let end = line.find(if quoted { '"' } else { ',' });
            line.get(end.unwrap_or(line.len())..).unwrap_or_default()
        };
        if quoted { rest.starts_with("\",") } else { rest.starts_with(',') }
    }

    fn is_complete(&self, open: &Open) -> bool {
        match self.dialect {
            Dialect::Quoted => open.ends_cell && open.separators + 1 >= self.fewest_cells,
            Dialect::Plain => open.quotes.is_multiple_of(2),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::columns::Header;
    use super::*;

    /// `line: text` for records, `line+count` for other lines.
    fn described(header: &str, body: &str) -> Vec<String> {
        let Header::Table(columns) = Header::of(header) else { panic!("no header") };
        pieces(body, 2, &columns)
            .map(|piece| match piece {
                Piece::Record { line, text } => format!("{line}: {text}"),
                Piece::Foreign { line, count, .. } => format!("{line}+{count}"),
            })
            .collect()
    }

    const QUOTED: &str = r#""ID","Kernel Name","x""#;

    #[test]
    fn other_lines_are_told_apart() {
        let body = "\"\",\"\",\"ns\"\n==PROF== x\n\"Multi\" took 1 ms\n\"0\",\"k\",\"1\"\r\n42,\n\"1\",\"k\",\"2\"";
        assert_eq!(
            described(QUOTED, body),
            [
                "2: \"\",\"\",\"ns\"",
                "3+1",
                "4+1",
                "5: \"0\",\"k\",\"1\"",
                "6+1",
                "7: \"1\",\"k\",\"2\""
            ]
        );
    }

    #[test]
    fn records_may_have_several_lines() {
        let body = "\"0\",\"a\nb\",\"1\"\n\"1\",\"a\"\n\"b\",\"1\"\n";
        assert_eq!(
            described(QUOTED, body),
            ["2: \"0\",\"a\nb\",\"1\"", "4: \"1\",\"a\"\n\"b\",\"1\""]
        );
        assert_eq!(
            described("ID,Kernel Name,x", "0,\"a\nb\",1\n1,c,2\n"),
            ["2: 0,\"a\nb\",1", "4: 1,c,2"]
        );
    }

    #[test]
    fn a_record_that_is_cut_off_takes_no_other_lines() {
        let body = "\"0\",\"a\nhello\nworld\n\"1\",\"k\",\"2\"\n\"2\",\"k";
        assert_eq!(
            described(QUOTED, body),
            ["2: \"0\",\"a", "3+2", "5: \"1\",\"k\",\"2\"", "6: \"2\",\"k"]
        );
    }
}
