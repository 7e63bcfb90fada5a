//! A flat Parquet table, read column by column, whoever wrote it.
//!
//! Engines choose types of their own for what they add up; whole numbers of any width are read alike.

use std::fmt::Display;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use fs_err::File;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::file::reader::{FileReader, SerializedFileReader};
use rustc_hash::FxHashMap;

/// Rows that are decoded at a time.
const STEP: usize = 1 << 14;
/// The key under which a writer may state a checksum (BLAKE3) over all column chunks in their order.
const CHECKSUM: &str = "rangescope:pages";
/// What a Parquet file begins with.
const MAGIC: &[u8] = b"PAR1";

#[derive(Debug, thiserror::Error)]
#[error("`{}`: {reason}", path.display())]
pub struct TableError {
    pub path: PathBuf,
    pub reason: String,
}

/// A column; a cell may be empty.
#[derive(Debug)]
pub enum Values {
    /// Numbers of texts, and the texts.
    Text(Vec<Option<u32>>, Vec<String>),
    Whole(Vec<Option<i128>>),
    Number(Vec<Option<f64>>),
}

pub struct ParquetTable {
    path: PathBuf,
    reader: SerializedFileReader<std::fs::File>,
    rows: usize,
}

impl ParquetTable {
    /// Whether a file begins as a Parquet file does.
    pub fn is(path: &Path) -> bool {
        let mut start = [0; MAGIC.len()];
        path.is_file()
            && File::open(path).is_ok_and(|mut file| file.read_exact(&mut start).is_ok())
            && start == MAGIC
    }

    pub fn open(path: &Path) -> Result<Self, TableError> {
        let failed = |reason: String| TableError { path: path.to_owned(), reason };
        let file = File::open(path).map_err(|error| failed(error.to_string()))?;
        let bytes = file.metadata().map_err(|error| failed(error.to_string()))?.len();
        let (file, _) = file.into_parts();
        let reader = guarded(path, || SerializedFileReader::new(file))?;
        let rows = reader.metadata().file_metadata().num_rows();
        // A row takes more than a byte; so many are not there, or are made to fill the memory.
        let rows = usize::try_from(rows)
            .ok()
            .filter(|rows| *rows as u64 <= bytes)
            .ok_or_else(|| failed(format!("it claims {rows} rows in {bytes} bytes")))?;
        let table = Self { path: path.to_owned(), reader, rows };
        match table.is_as_written() {
            Ok(true) => Ok(table),
            Ok(false) => Err(failed(
                "its pages are not those that were written: a byte of it changed; make it again"
                    .to_owned(),
            )),
            Err(error) => Err(failed(error.to_string())),
        }
    }

    /// Whether the pages have the checksum that the file states, if it states one: engines that merge tables state none.
    fn is_as_written(&self) -> std::io::Result<bool> {
        let metadata = self.reader.metadata();
        let stated = metadata.file_metadata().key_value_metadata().into_iter().flatten();
        let stated =
            stated.filter(|pair| pair.key == CHECKSUM).find_map(|pair| pair.value.as_ref());
        let Some(stated) = stated else { return Ok(true) };
        let mut file = File::open(&self.path)?;
        let mut pages = blake3::Hasher::new();
        for column in metadata
            .row_groups()
            .iter()
            .flat_map(parquet::file::metadata::RowGroupMetaData::columns)
        {
            // A damaged footer may state anything.
            let start = column.dictionary_page_offset().unwrap_or(column.data_page_offset());
            let (Ok(start), Ok(length)) =
                (u64::try_from(start), u64::try_from(column.compressed_size()))
            else {
                return Ok(false);
            };
            file.seek(SeekFrom::Start(start))?;
            std::io::copy(&mut (&mut file).take(length), &mut pages)?;
        }
        Ok(pages.finalize().to_hex().as_str() == stated)
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The column of this name; nothing if there is none.
    pub fn column(&self, name: &str) -> Result<Option<Values>, TableError> {
        let schema = self.reader.metadata().file_metadata().schema_descr();
        let Some(position) = schema
            .columns()
            .iter()
            .position(|column| column.path().parts() == [name] && column.max_rep_level() == 0)
        else {
            return Ok(None);
        };
        let mut cells = Cells::default();
        for group in 0..self.reader.num_row_groups() {
            guarded(&self.path, || {
                let reader = self.reader.get_row_group(group)?;
                cells.read(reader.get_column_reader(position)?, self.rows)
            })?;
        }
        let failed = |reason: String| TableError { path: self.path.clone(), reason };
        if cells.len() != self.rows {
            return Err(failed(format!("the column `{name}` has {} rows", cells.len())));
        }
        match cells {
            Cells::Nothing => Ok(Some(Values::Whole(Vec::new()))),
            Cells::Text { list, texts, .. } => Ok(Some(Values::Text(list, texts))),
            Cells::Whole(list) => Ok(Some(Values::Whole(list))),
            Cells::Number(list) => Ok(Some(Values::Number(list))),
            Cells::Other => Err(failed(format!("the column `{name}` is of an unknown type"))),
        }
    }
}

/// What the decoder does with bytes that nobody made on purpose is its own affair; a panic of it is an error in the file.
fn guarded<T, E: Display>(
    path: &Path,
    read: impl FnOnce() -> Result<T, E>,
) -> Result<T, TableError> {
    let failed = |reason: String| TableError { path: path.to_owned(), reason };
    match catch_unwind(AssertUnwindSafe(read)) {
        Ok(read) => read.map_err(|error| failed(error.to_string())),
        Err(_) => Err(failed("it is damaged".to_owned())),
    }
}

#[derive(Default)]
enum Cells {
    #[default]
    Nothing,
    Text {
        list: Vec<Option<u32>>,
        texts: Vec<String>,
        known: FxHashMap<Vec<u8>, u32>,
    },
    Whole(Vec<Option<i128>>),
    Number(Vec<Option<f64>>),
    Other,
}

type Read = Result<(), parquet::errors::ParquetError>;

impl Cells {
    fn len(&self) -> usize {
        match self {
            Self::Nothing | Self::Other => 0,
            Self::Text { list, .. } => list.len(),
            Self::Whole(list) => list.len(),
            Self::Number(list) => list.len(),
        }
    }

    fn read(&mut self, reader: ColumnReader, most: usize) -> Read {
        match reader {
            ColumnReader::ByteArrayColumnReader(reader) => {
                if let Self::Nothing = self {
                    let known = FxHashMap::default();
                    *self = Self::Text { list: Vec::new(), texts: Vec::new(), known };
                }
                let Self::Text { list, texts, known } = self else { return Ok(()) };
                each(reader, most, |text| {
                    list.push(text.map(|text: &parquet::data_type::ByteArray| {
                        let bytes = text.data();
                        if let Some(number) = known.get(bytes) {
                            return *number;
                        }
                        let number = u32::try_from(texts.len()).unwrap_or(u32::MAX);
                        texts.push(String::from_utf8_lossy(bytes).into_owned());
                        known.insert(bytes.to_vec(), number);
                        number
                    }));
                })
            }
            ColumnReader::Int64ColumnReader(reader) => {
                each(reader, most, |number: Option<&i64>| self.whole(number.copied()))
            }
            ColumnReader::Int32ColumnReader(reader) => {
                each(reader, most, |number: Option<&i32>| self.whole(number.copied()))
            }
            ColumnReader::FixedLenByteArrayColumnReader(reader) => {
                each(reader, most, |number: Option<&parquet::data_type::FixedLenByteArray>| {
                    self.whole(number.map(|number| signed(number.data())));
                })
            }
            ColumnReader::DoubleColumnReader(reader) => {
                if let Self::Nothing = self {
                    *self = Self::Number(Vec::new());
                }
                let Self::Number(list) = self else { return Ok(()) };
                each(reader, most, |number: Option<&f64>| list.push(number.copied()))
            }
            _ => {
                *self = Self::Other;
                Ok(())
            }
        }
    }

    fn whole(&mut self, number: Option<impl Into<i128>>) {
        if let Self::Nothing = self {
            *self = Self::Whole(Vec::new());
        }
        if let Self::Whole(list) = self {
            list.push(number.map(Into::into));
        }
    }
}

/// A whole number in the bytes of a decimal, the highest first.
fn signed(bytes: &[u8]) -> i128 {
    let is_negative = bytes.first().is_some_and(|first| *first >= 0x80);
    let start = if is_negative { -1 } else { 0 };
    bytes.iter().fold(start, |number: i128, byte| number.wrapping_shl(8) | i128::from(*byte))
}

fn each<T: DataType>(
    mut reader: ColumnReaderImpl<T>,
    most: usize,
    mut take: impl FnMut(Option<&T::T>),
) -> Read {
    let (mut values, mut levels) = (Vec::new(), Vec::new());
    let mut done = 0;
    while done < most {
        values.clear();
        levels.clear();
        let (rows, found, _) = reader.read_records(STEP, Some(&mut levels), None, &mut values)?;
        if rows == 0 {
            break;
        }
        done += rows;
        let mut next = values.iter();
        // Without levels every cell has a value.
        if levels.is_empty() || found == rows {
            for value in next.by_ref() {
                take(Some(value));
            }
        } else {
            for level in &levels {
                take(if *level > 0 { next.next() } else { None });
            }
        }
    }
    Ok(())
}
