//! Results and reports as tables, for databases and data frames.
//!
//! What a table has is in [`schema`], how a kind of file is written in a file of its own. Rows come in a stream: no sink keeps more than a batch of them.
//! Names and types of columns are a contract, written down in docs/exports.md.

pub mod answer;
mod arrow;
mod csv;
mod document;
mod parquet;
pub mod query;
pub mod schema;
mod sqlite;

use std::borrow::Cow;
use std::io;
use std::path::Path;
use std::sync::Arc;

use fs_err::File;
use indexmap::IndexMap;

pub use document::{document_rows, path_text, timeline_rows};

/// A table: its columns are what every row of it has.
#[derive(Debug)]
pub struct Table {
    pub name: &'static str,
    pub about: &'static str,
    pub columns: &'static [Column],
    /// It is only written when it is asked for by name, because it can be larger than everything else.
    pub on_demand: bool,
}

#[derive(Debug)]
pub struct Column {
    pub name: &'static str,
    pub kind: Kind,
    /// What it is, with its unit.
    pub about: &'static str,
}

/// What a column holds; every cell can be empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Text,
    /// A whole number that is not negative.
    Integer,
    /// A whole number of up to 38 digits.
    Whole,
    Number,
    Flag,
}

impl Kind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Integer => "integer",
            Self::Whole => "decimal(38)",
            Self::Number => "number",
            Self::Flag => "flag",
        }
    }
}

/// A cell; what is not known is empty, never zero.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell<'a> {
    Empty,
    Text(Cow<'a, str>),
    Integer(u64),
    Whole(i128),
    Number(f64),
    Flag(bool),
}

impl Cell<'_> {
    fn kind(&self) -> Option<Kind> {
        match self {
            Self::Empty => None,
            Self::Text(_) => Some(Kind::Text),
            Self::Integer(_) => Some(Kind::Integer),
            Self::Whole(_) => Some(Kind::Whole),
            Self::Number(_) => Some(Kind::Number),
            Self::Flag(_) => Some(Kind::Flag),
        }
    }
}

macro_rules! cell_from {
    ($($from:ty => $make:expr),* $(,)?) => {$(
        impl<'a> From<$from> for Cell<'a> {
            fn from(value: $from) -> Self {
                let make: fn($from) -> Self = $make;
                make(value)
            }
        }
    )*};
}

cell_from! {
    &'a str => |text| Self::Text(Cow::Borrowed(text)),
    String => |text| Self::Text(Cow::Owned(text)),
    u64 => Self::Integer,
    i128 => Self::Whole,
    u32 => |number| Self::Integer(number.into()),
    f64 => |number| if number.is_finite() { Self::Number(number) } else { Self::Empty },
    bool => Self::Flag,
}

impl<T: Into<Self>> From<Option<T>> for Cell<'_> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Empty, Into::into)
    }
}

/// The cells of a column in several rows.
#[derive(Debug)]
pub enum Cells {
    /// The same text in every row.
    Same(Arc<str>),
    /// For each row the number of one of these texts.
    Among(Arc<[Box<str>]>, Vec<u32>),
    Texts(Vec<Option<Box<str>>>),
    /// Numbers, each for so many rows.
    Runs(Vec<(u64, usize)>),
    Integers(Vec<Option<u64>>),
    Numbers(Vec<Option<f64>>),
}

impl Cells {
    fn at(&self, row: usize) -> Cell<'_> {
        match self {
            Self::Same(text) => Cell::from(&**text),
            Self::Among(texts, numbers) => {
                let text = numbers.get(row).and_then(|number| texts.get(*number as usize));
                text.map(|text| &**text).into()
            }
            Self::Texts(list) => list.get(row).and_then(Option::as_deref).into(),
            Self::Runs(runs) => {
                let mut end = 0;
                let run = runs.iter().find(|(_, rows)| {
                    end += rows;
                    row < end
                });
                run.map(|(number, _)| *number).into()
            }
            Self::Integers(list) => list.get(row).copied().flatten().into(),
            Self::Numbers(list) => list.get(row).copied().flatten().into(),
        }
    }

    fn kind(&self) -> Kind {
        match self {
            Self::Same(_) | Self::Among(..) | Self::Texts(_) => Kind::Text,
            Self::Runs(_) | Self::Integers(_) => Kind::Integer,
            Self::Numbers(_) => Kind::Number,
        }
    }
}

/// Many rows of a table by columns, which is how some files want them.
#[derive(Debug)]
pub struct Batch {
    pub rows: usize,
    pub columns: Vec<Cells>,
}

impl Batch {
    fn each_row(&self, mut take: impl FnMut(&[Cell<'_>]) -> io::Result<()>) -> io::Result<()> {
        (0..self.rows).try_for_each(|row| {
            let cells: Vec<Cell<'_>> = self.columns.iter().map(|column| column.at(row)).collect();
            take(&cells)
        })
    }
}

/// Where tables are written to.
pub trait Sink {
    /// Adds a row, whose cells are those of the columns of the table.
    fn row(&mut self, table: &'static Table, cells: &[Cell<'_>]) -> io::Result<()>;

    /// Adds many rows.
    fn batch(&mut self, table: &'static Table, batch: Batch) -> io::Result<()> {
        batch.each_row(|cells| self.row(table, cells))
    }

    /// Writes what is left. Only then are the files complete.
    fn finish(&mut self) -> io::Result<()>;
}

/// The file of one table.
trait TableFile: Sized {
    const ENDING: &'static str;

    fn create(file: File, table: &Table) -> io::Result<Self>;

    fn row(&mut self, cells: &[Cell<'_>]) -> io::Result<()>;

    fn batch(&mut self, batch: Batch) -> io::Result<()> {
        batch.each_row(|cells| self.row(cells))
    }

    fn finish(&mut self) -> io::Result<()>;
}

/// A file for each table.
struct Folder<F>(IndexMap<&'static str, F>);

impl<F: TableFile + 'static> Folder<F> {
    fn open(folder: &Path, tables: &[&'static Table]) -> io::Result<Box<dyn Sink>> {
        let mut files = IndexMap::new();
        for table in tables {
            let file = File::create(folder.join(format!("{}.{}", table.name, F::ENDING)))?;
            files.insert(table.name, F::create(file, table)?);
        }
        Ok(Box::new(Self(files)))
    }
}

impl<F: TableFile> Sink for Folder<F> {
    fn row(&mut self, table: &'static Table, cells: &[Cell<'_>]) -> io::Result<()> {
        checked(table, cells)?;
        self.0.get_mut(table.name).map_or(Ok(()), |file| file.row(cells))
    }

    fn batch(&mut self, table: &'static Table, batch: Batch) -> io::Result<()> {
        let kinds = table.columns.iter().map(|column| column.kind);
        if !batch.columns.iter().map(Cells::kind).eq(kinds) {
            return Err(does_not_fit(table));
        }
        self.0.get_mut(table.name).map_or(Ok(()), |file| file.batch(batch))
    }

    fn finish(&mut self) -> io::Result<()> {
        self.0.values_mut().try_for_each(F::finish)
    }
}

/// One table as a Parquet file.
pub fn parquet_file(file: File, table: &'static Table) -> io::Result<impl Sink> {
    Ok(Folder(IndexMap::from([(table.name, parquet::ParquetFile::create(file, table)?)])))
}

type Open = fn(&Path, &[&'static Table]) -> io::Result<Box<dyn Sink>>;

/// A kind of file that tables are written to.
#[derive(Debug)]
pub struct TableFormat {
    pub name: &'static str,
    pub about: &'static str,
    pub ending: Ending,
    /// Opens a file or an empty folder, with a file for each of the tables.
    pub open: Open,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// One file with all tables, with this ending.
    OneFile(&'static str),
    /// A folder.
    FileForEach,
}

/// All of them, in the order in which they are offered.
pub static TABLE_FORMATS: &[TableFormat] = &[
    TableFormat {
        name: "parquet",
        about: "tables as Parquet files in a folder",
        ending: Ending::FileForEach,
        open: Folder::<parquet::ParquetFile>::open,
    },
    TableFormat {
        name: "arrow",
        about: "tables as streams of Arrow record batches in a folder",
        ending: Ending::FileForEach,
        open: Folder::<arrow::ArrowFile>::open,
    },
    TableFormat {
        name: "sqlite",
        about: "tables in one SQLite database",
        ending: Ending::OneFile("sqlite"),
        open: sqlite::open,
    },
    TableFormat {
        name: "csv",
        about: "tables as CSV files in a folder",
        ending: Ending::FileForEach,
        open: Folder::<csv::CsvFile>::open,
    },
];

/// Whether the row fits the table; a sink refuses one that does not.
fn checked(table: &Table, cells: &[Cell<'_>]) -> io::Result<()> {
    let fits =
        |(cell, column): (&Cell<'_>, &Column)| cell.kind().is_none_or(|kind| kind == column.kind);
    if cells.len() == table.columns.len() && cells.iter().zip(table.columns).all(fits) {
        return Ok(());
    }
    Err(does_not_fit(table))
}

fn does_not_fit(table: &Table) -> io::Error {
    io::Error::other(format!("a row does not fit the table `{}`", table.name))
}

#[cfg(test)]
mod tests;
