//! Tables as streams of Arrow record batches (IPC), texts by dictionary.

use std::io::{self, BufWriter};
use std::sync::Arc;

use arrow_array::builder::{
    BooleanBuilder, Decimal128Builder, Float64Builder, StringDictionaryBuilder, UInt64Builder,
};
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{ArrowError, DataType, Field, Schema};
use fs_err::File;

use super::{Cell, Column, Kind, Table, TableFile};

/// Rows of a batch.
const BATCH: usize = 1 << 16;

const WHOLE: DataType = DataType::Decimal128(38, 0);

pub(super) struct ArrowFile {
    file: StreamWriter<BufWriter<File>>,
    schema: Arc<Schema>,
    columns: Vec<Builder>,
    rows: usize,
}

enum Builder {
    Text(StringDictionaryBuilder<Int32Type>),
    Integer(UInt64Builder),
    Whole(Decimal128Builder),
    Number(Float64Builder),
    Flag(BooleanBuilder),
}

fn field(column: &Column) -> Field {
    let kind = match column.kind {
        Kind::Text => DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8)),
        Kind::Integer => DataType::UInt64,
        Kind::Whole => WHOLE,
        Kind::Number => DataType::Float64,
        Kind::Flag => DataType::Boolean,
    };
    Field::new(column.name, kind, true)
}

fn failed(error: ArrowError) -> io::Error {
    match error {
        ArrowError::IoError(_, error) => error,
        error => io::Error::other(error),
    }
}

impl Builder {
    fn of(column: &Column) -> Self {
        match column.kind {
            Kind::Text => Self::Text(StringDictionaryBuilder::new()),
            Kind::Integer => Self::Integer(UInt64Builder::new()),
            Kind::Whole => Self::Whole(Decimal128Builder::new().with_data_type(WHOLE)),
            Kind::Number => Self::Number(Float64Builder::new()),
            Kind::Flag => Self::Flag(BooleanBuilder::new()),
        }
    }

    fn push(&mut self, cell: &Cell<'_>) {
        match (self, cell) {
            (Self::Text(list), Cell::Text(text)) => list.append_value(text),
            (Self::Text(list), _) => list.append_null(),
            (Self::Integer(list), Cell::Integer(number)) => list.append_value(*number),
            (Self::Integer(list), _) => list.append_null(),
            (Self::Whole(list), Cell::Whole(number)) => list.append_value(*number),
            (Self::Whole(list), _) => list.append_null(),
            (Self::Number(list), Cell::Number(number)) => list.append_value(*number),
            (Self::Number(list), _) => list.append_null(),
            (Self::Flag(list), Cell::Flag(flag)) => list.append_value(*flag),
            (Self::Flag(list), _) => list.append_null(),
        }
    }

    fn finish(&mut self) -> ArrayRef {
        match self {
            Self::Text(list) => Arc::new(list.finish()),
            Self::Integer(list) => Arc::new(list.finish()),
            Self::Whole(list) => Arc::new(list.finish()),
            Self::Number(list) => Arc::new(list.finish()),
            Self::Flag(list) => Arc::new(list.finish()),
        }
    }
}

impl ArrowFile {
    fn flush(&mut self) -> io::Result<()> {
        if self.rows == 0 {
            return Ok(());
        }
        self.rows = 0;
        let columns = self.columns.iter_mut().map(Builder::finish).collect();
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), columns).map_err(failed)?;
        self.file.write(&batch).map_err(failed)
    }
}

impl TableFile for ArrowFile {
    const ENDING: &'static str = "arrows";

    fn create(file: File, table: &Table) -> io::Result<Self> {
        let fields: Vec<Field> = table.columns.iter().map(field).collect();
        let schema = Arc::new(Schema::new(fields));
        let file = StreamWriter::try_new(BufWriter::new(file), &schema).map_err(failed)?;
        Ok(Self { file, schema, columns: table.columns.iter().map(Builder::of).collect(), rows: 0 })
    }

    fn row(&mut self, cells: &[Cell<'_>]) -> io::Result<()> {
        for (column, cell) in self.columns.iter_mut().zip(cells) {
            column.push(cell);
        }
        self.rows += 1;
        if self.rows == BATCH { self.flush() } else { Ok(()) }
    }

    fn finish(&mut self) -> io::Result<()> {
        self.flush()?;
        self.file.finish().map_err(failed)
    }
}
