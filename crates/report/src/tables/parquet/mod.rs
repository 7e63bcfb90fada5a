//! Tables as Parquet: a row group at a time, texts by dictionary, compressed with Snappy, which every reader knows.
//!
//! The columns of a row group are encoded at the same time, each into memory, and written one after the other: the file does not depend on the number of threads.

mod dictionary;

use std::io;
use std::sync::Arc;

use bytes::Bytes;
use fs_err::File;
use parquet::basic::{Compression, ConvertedType, LogicalType, Repetition, Type as Physical};
use parquet::column::writer::{
    ColumnCloseResult, ColumnWriter, ColumnWriterImpl, get_column_writer,
};
use parquet::data_type::{ByteArray, DataType, FixedLenByteArray};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedFileWriter, SerializedPageWriter, TrackedWrite};
use parquet::schema::types::{ColumnPath, Type};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::tables::schema::PARTIALS;
use crate::tables::{Batch, Cell, Cells, Column, Kind, Table, TableFile};

/// The key of the checksum over all pages in the order in which they stand: of tables that are read again, because a changed byte of a page is mostly a
/// number like any other.
const CHECKSUM: &str = "rangescope:pages";

/// Rows of a row group.
const GROUP: usize = 1 << 17;

pub(super) struct ParquetFile {
    file: SerializedFileWriter<File>,
    columns: Vec<Values>,
    /// Rows that came by columns. They are not mixed with others in a row group.
    batches: Vec<Batch>,
    rows: usize,
    pages: Option<blake3::Hasher>,
}

/// The cells of a column that are not empty, and which ones are.
struct Values {
    known: Vec<i16>,
    list: List,
}

enum List {
    /// With the texts of the row group, so that one that comes again is not copied.
    Text(Vec<ByteArray>, FxHashMap<String, ByteArray>),
    Integer(Vec<i64>),
    Whole(Vec<FixedLenByteArray>),
    Number(Vec<f64>),
    Flag(Vec<bool>),
}

fn field(column: &Column) -> Result<Arc<Type>, parquet::errors::ParquetError> {
    let (digits, bytes) = if column.kind == Kind::Whole { (38, 16) } else { (-1, -1) };
    let (physical, logical) = match column.kind {
        Kind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        Kind::Integer => (Physical::INT64, Some(LogicalType::integer(64, false))),
        Kind::Whole => (Physical::FIXED_LEN_BYTE_ARRAY, Some(LogicalType::decimal(0, digits))),
        Kind::Number => (Physical::DOUBLE, None),
        Kind::Flag => (Physical::BOOLEAN, None),
    };
    let field = Type::primitive_type_builder(column.name, physical)
        .with_repetition(Repetition::OPTIONAL)
        .with_converted_type(ConvertedType::NONE)
        .with_logical_type(logical)
        .with_length(bytes)
        .with_precision(digits)
        .with_scale(if column.kind == Kind::Whole { 0 } else { -1 })
        .build()?;
    Ok(Arc::new(field))
}

impl Values {
    fn of(column: &Column) -> Self {
        let list = match column.kind {
            Kind::Text => List::Text(Vec::new(), FxHashMap::default()),
            Kind::Integer => List::Integer(Vec::new()),
            Kind::Whole => List::Whole(Vec::new()),
            Kind::Number => List::Number(Vec::new()),
            Kind::Flag => List::Flag(Vec::new()),
        };
        Self { known: Vec::new(), list }
    }

    fn push(&mut self, cell: &Cell<'_>) {
        self.known.push(i16::from(*cell != Cell::Empty));
        match (cell, &mut self.list) {
            (Cell::Text(text), List::Text(list, seen)) => {
                let known = seen.get(&**text).cloned();
                list.push(known.unwrap_or_else(|| {
                    let new = ByteArray::from(text.as_bytes().to_vec());
                    seen.insert(text.to_string(), new.clone());
                    new
                }));
            }
            // The column says that it is unsigned.
            (Cell::Integer(number), List::Integer(list)) => list.push(number.cast_signed()),
            (Cell::Whole(number), List::Whole(list)) => {
                list.push(number.to_be_bytes().to_vec().into());
            }
            (Cell::Number(number), List::Number(list)) => list.push(*number),
            (Cell::Flag(flag), List::Flag(list)) => list.push(*flag),
            _ => {}
        }
    }

    fn write(&mut self, writer: &mut ColumnWriter<'_>) -> io::Result<()> {
        match (&mut self.list, writer) {
            (List::Text(list, seen), ColumnWriter::ByteArrayColumnWriter(to)) => {
                put(to, list, &self.known)?;
                seen.clear();
            }
            (List::Integer(list), ColumnWriter::Int64ColumnWriter(to)) => {
                put(to, list, &self.known)?;
            }
            (List::Whole(list), ColumnWriter::FixedLenByteArrayColumnWriter(to)) => {
                put(to, list, &self.known)?;
            }
            (List::Number(list), ColumnWriter::DoubleColumnWriter(to)) => {
                put(to, list, &self.known)?;
            }
            (List::Flag(list), ColumnWriter::BoolColumnWriter(to)) => put(to, list, &self.known)?,
            _ => return Err(io::Error::other("a column of another type than its table says")),
        }
        self.known.clear();
        Ok(())
    }
}

impl Cells {
    /// Writes cells that are no texts.
    fn write(&self, writer: &mut ColumnWriter<'_>) -> io::Result<()> {
        match (self, writer) {
            // The column says that it is unsigned.
            (Self::Integers(list), ColumnWriter::Int64ColumnWriter(to)) => {
                put_known(to, list, |number| number.map(u64::cast_signed))
            }
            (Self::Numbers(list), ColumnWriter::DoubleColumnWriter(to)) => {
                put_known(to, list, |number| *number)
            }
            _ => Err(io::Error::other("a column of another type than its table says")),
        }
    }
}

/// Writes what is known of a list.
fn put_known<T: DataType, C>(
    to: &mut ColumnWriterImpl<'_, T>,
    cells: &[C],
    value: impl Fn(&C) -> Option<T::T>,
) -> io::Result<()> {
    let (mut list, mut known) = (Vec::with_capacity(cells.len()), Vec::with_capacity(cells.len()));
    for cell in cells {
        let value = value(cell);
        known.push(i16::from(value.is_some()));
        list.extend(value);
    }
    put(to, &mut list, &known)
}

fn put<T: DataType>(
    to: &mut ColumnWriterImpl<'_, T>,
    list: &mut Vec<T::T>,
    known: &[i16],
) -> io::Result<()> {
    to.write_batch(list, Some(known), None)?;
    list.clear();
    Ok(())
}

impl ParquetFile {
    fn flush(&mut self) -> io::Result<()> {
        if self.rows == 0 {
            return Ok(());
        }
        self.rows = 0;
        let (schema, properties) = (self.file.schema_descr(), self.file.properties());
        let batches = std::mem::take(&mut self.batches);
        let encode = |(position, values): (usize, &mut Values)| {
            if let Some(column) = dictionary::column(schema.column(position), &batches, position) {
                return column;
            }
            let mut buffer = TrackedWrite::new(Vec::new());
            let pages = Box::new(SerializedPageWriter::new(&mut buffer));
            let mut writer =
                get_column_writer(schema.column(position), Arc::clone(properties), pages);
            for batch in &batches {
                if let Some(cells) = batch.columns.get(position) {
                    cells.write(&mut writer)?;
                }
            }
            values.write(&mut writer)?;
            let closed = writer.close()?;
            Ok((Bytes::from(buffer.into_inner()?), closed))
        };
        let encoded: Vec<io::Result<(Bytes, ColumnCloseResult)>> =
            self.columns.par_iter_mut().enumerate().map(encode).collect();
        let mut group = self.file.next_row_group()?;
        for column in encoded {
            let (bytes, closed) = column?;
            if let Some(pages) = &mut self.pages {
                pages.update(&bytes);
            }
            group.append_column(&bytes, closed)?;
        }
        group.close()?;
        Ok(())
    }
}

impl TableFile for ParquetFile {
    const ENDING: &'static str = "parquet";

    fn create(file: File, table: &Table) -> io::Result<Self> {
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_created_by(concat!("rangescope ", env!("CARGO_PKG_VERSION")).to_owned());
        let properties = table.columns.iter().fold(properties, |properties, column| {
            let path = ColumnPath::from(column.name);
            match column.kind {
                // Measured numbers rarely come again.
                Kind::Number => properties.set_column_dictionary_enabled(path, false),
                // The first and the last of many names tell nobody what to skip; every row would be compared with them.
                Kind::Text => {
                    properties.set_column_statistics_enabled(path, EnabledStatistics::None)
                }
                Kind::Integer | Kind::Whole | Kind::Flag => properties,
            }
        });
        let properties = properties.build();
        let fields = table.columns.iter().map(field).collect::<Result<Vec<_>, _>>()?;
        let schema = Type::group_type_builder(table.name).with_fields(fields).build()?;
        let file = SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties))?;
        let columns = table.columns.iter().map(Values::of).collect();
        let pages = (table.name == PARTIALS.name).then(blake3::Hasher::new);
        Ok(Self { file, columns, batches: Vec::new(), rows: 0, pages })
    }

    fn batch(&mut self, batch: Batch) -> io::Result<()> {
        if self.batches.is_empty() {
            self.flush()?;
        }
        self.rows += batch.rows;
        self.batches.push(batch);
        if self.rows >= GROUP { self.flush() } else { Ok(()) }
    }

    fn row(&mut self, cells: &[Cell<'_>]) -> io::Result<()> {
        if !self.batches.is_empty() {
            self.flush()?;
        }
        for (column, cell) in self.columns.iter_mut().zip(cells) {
            column.push(cell);
        }
        self.rows += 1;
        if self.rows == GROUP { self.flush() } else { Ok(()) }
    }

    fn finish(&mut self) -> io::Result<()> {
        self.flush()?;
        if let Some(pages) = &self.pages {
            let checksum = pages.finalize().to_hex().to_string();
            let checksum = KeyValue::new(CHECKSUM.to_owned(), checksum);
            self.file.append_key_value_metadata(checksum);
        }
        self.file.finish()?;
        Ok(())
    }
}
