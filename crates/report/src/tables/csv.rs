//! Tables as CSV (RFC 4180). An empty cell is unknown; texts that a spreadsheet would run have `'` before them.

use std::io::{self, BufWriter};

use fs_err::File;

use super::{Cell, Table, TableFile};
use crate::formats::csv::harmless;

pub(super) struct CsvFile(csv::Writer<BufWriter<File>>);

impl TableFile for CsvFile {
    const ENDING: &'static str = "csv";

    fn create(file: File, table: &Table) -> io::Result<Self> {
        let mut writer = csv::WriterBuilder::new()
            .terminator(csv::Terminator::CRLF)
            .from_writer(BufWriter::new(file));
        writer.write_record(table.columns.iter().map(|column| column.name))?;
        Ok(Self(writer))
    }

    fn row(&mut self, cells: &[Cell<'_>]) -> io::Result<()> {
        for cell in cells {
            match cell {
                Cell::Empty => self.0.write_field("")?,
                Cell::Text(text) => self.0.write_field(harmless(text).as_bytes())?,
                Cell::Integer(number) => self.0.write_field(number.to_string())?,
                Cell::Whole(number) => self.0.write_field(number.to_string())?,
                Cell::Number(number) => self.0.write_field(number.to_string())?,
                Cell::Flag(flag) => self.0.write_field(flag.to_string())?,
            }
        }
        Ok(self.0.write_record(None::<&[u8]>)?)
    }

    fn finish(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
