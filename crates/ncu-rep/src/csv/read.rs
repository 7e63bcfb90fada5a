//! A whole text, read into results.
//!
//! The header is looked for first, because the tool and the program may print before it. Then the table is gone through twice: once for what its numbers say about the locale, once for the
//! results. Nothing is refused that can be read in part; what was skipped or guessed is noted with its line.

use crate::model::ResultData;

use super::columns::{Columns, Header, Role};
use super::details::Details;
use super::note::{self, CsvError, CsvNote, NoteKind, Notes};
use super::number::Evidence;
use super::raw::Units;
use super::records::{self, Piece};
use super::repair;
use super::row::Row;
use super::split::{self, Cell};
use super::text;

pub use super::columns::Page;

#[derive(Clone, Debug, PartialEq)]
pub struct CsvReport {
    /// If the text holds several tables, that of the first.
    pub page: Page,
    /// The results in the order of their rows. Values are in base units. On the details page, a metric that is known only by its label is named `label:<section>/<label>`.
    pub results: Vec<ResultData<'static>>,
    /// In the order of lines.
    pub notes: Vec<CsvNote>,
}

/// Reads what `ncu --csv` printed on the raw or the details page.
///
/// Lines of the tool and of the program may stand anywhere between the rows. Several tables in one text are read one after the other. Bytes that are not UTF-8 are replaced.
pub fn read(text: &[u8]) -> Result<CsvReport, CsvError> {
    let mut results = Vec::new();
    let (page, notes) = read_each(text, &mut |result| results.push(result))?;
    Ok(CsvReport { page, results, notes })
}

/// The same, and hands the results out one by one: together they take many times the memory of the text.
pub fn read_each(
    text: &[u8],
    take: &mut dyn FnMut(ResultData<'static>),
) -> Result<(Page, Vec<CsvNote>), CsvError> {
    let text = text::decode(text);
    let mut notes = Notes::default();
    let tables = tables(&text, &mut notes)?;
    let page = tables.first().map_or(Page::Raw, |table| table.columns.page);
    for table in &tables {
        if table.columns.page != page {
            notes.add(table.line, NoteKind::OtherPage);
        }
        table.read(take, &mut notes);
    }
    Ok((page, notes.into_vec()))
}

/// A header and the text up to the next.
struct Table<'t> {
    columns: Columns,
    /// The header's line.
    line: usize,
    body: &'t str,
}

fn tables<'t>(text: &'t str, notes: &mut Notes) -> Result<Vec<Table<'t>>, CsvError> {
    let mut headers = Vec::new();
    let mut foreign = Foreign::default();
    let mut summary = None;
    let mut last = 0;
    for line in text::lines(text) {
        last = line.number;
        match Header::of(line.text) {
            Header::Table(columns) => headers.push((columns, line)),
            Header::Summary => summary = summary.or(Some(line.number)),
            Header::None if headers.is_empty() => foreign.add(line.number, 1, line.text, notes),
            Header::None => {}
        }
    }
    if headers.is_empty() {
        return Err(
            summary.map_or(CsvError::NoHeader { lines: last }, |line| CsvError::Summary { line })
        );
    }
    foreign.note(notes);
    // From the end, so that each header knows where the next one begins.
    let mut end = text.len();
    let mut tables = Vec::with_capacity(headers.len());
    for (mut columns, header) in headers.into_iter().rev() {
        columns.drop_unusable(header.number, notes);
        let body = text.get(header.start + header.text.len()..end).unwrap_or_default();
        let body = body.strip_prefix('\r').unwrap_or(body);
        tables.push(Table {
            columns,
            line: header.number,
            body: body.strip_prefix('\n').unwrap_or(body),
        });
        end = header.start;
    }
    tables.reverse();
    Ok(tables)
}

impl Table<'_> {
    fn read(&self, take: &mut dyn FnMut(ResultData<'static>), notes: &mut Notes) {
        let evidence = self.evidence();
        if evidence.conflicts() {
            notes.add(self.line, NoteKind::ConflictingSeparators);
        }
        let mut units = Units::default();
        let mut details = Details::default();
        let mut foreign = Foreign::default();
        let mut cells = Vec::new();
        for piece in self.pieces() {
            let (line, record) = match piece {
                Piece::Record { line, text } => (line, text),
                Piece::Foreign { line, count, text } => {
                    foreign.add(line, count, text, notes);
                    continue;
                }
            };
            if !repair::fit(record, line, &self.columns, &mut cells, notes) {
                continue;
            }
            let row = Row { line, columns: &self.columns, cells: &cells };
            match self.columns.page {
                Page::Details => details.add(&row, evidence, notes),
                Page::Raw if Units::is_unit_row(&row) => units.read(&row, notes),
                Page::Raw => take(units.result(&row, evidence, notes)),
            }
        }
        details.finish().for_each(take);
        foreign.note(notes);
    }

    fn evidence(&self) -> Evidence {
        let mut evidence = Evidence::default();
        let mut cells: Vec<Cell<'_>> = Vec::new();
        for piece in self.pieces() {
            let Piece::Record { text, .. } = piece else { continue };
            // A row that breaks the rules of CSV may have its cells in the wrong places.
            if !split::split(text, self.columns.dialect, &mut cells) {
                continue;
            }
            for (cell, (role, _)) in cells.iter().zip(&self.columns.list) {
                if matches!(role, Role::Metric | Role::MetricValue) {
                    evidence.observe(cell.raw);
                }
            }
        }
        evidence
    }

    fn pieces(&self) -> impl Iterator<Item = Piece<'_>> {
        records::pieces(self.body, self.line + 1, &self.columns)
    }
}

/// Lines that are not part of a table, counted together.
#[derive(Default)]
struct Foreign {
    first: usize,
    count: usize,
}

impl Foreign {
    fn add(&mut self, line: usize, count: usize, text: &str, notes: &mut Notes) {
        if text.starts_with("==WARNING==") || text.starts_with("==ERROR==") {
            notes.add(line, NoteKind::ToolMessage(note::excerpt(text)));
        } else if count > 1 || !text.trim().is_empty() {
            if self.count == 0 {
                self.first = line;
            }
            self.count += count;
        }
    }

    fn note(&self, notes: &mut Notes) {
        if self.count > 0 {
            notes.add(self.first, NoteKind::ForeignLines { count: self.count });
        }
    }
}
