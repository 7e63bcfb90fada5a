//! Columns of batches whose values come again and again, by dictionary. Their pages are made here: batches know which values are the same, and the crate's writer could only be given them row by row to find out again.

use std::hash::Hash;
use std::io;
use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::{Compression, Encoding, PageType};
use parquet::column::page::{CompressedPage, Page, PageWriter};
use parquet::column::writer::ColumnCloseResult;
use parquet::file::metadata::{ColumnChunkMetaData, PageEncodingStats};
use parquet::file::writer::{SerializedPageWriter, TrackedWrite};
use parquet::schema::types::ColumnDescPtr;
use rustc_hash::FxHashMap;

use crate::tables::{Batch, Cells, Kind};

/// Numbers are packed in groups of this many.
const GROUP: usize = 8;
/// A row without a value.
const EMPTY: u32 = u32::MAX;

/// The values of a column in a row group, and for each row which of them it has.
#[derive(Default)]
struct Chosen<V> {
    values: Vec<V>,
    numbers: FxHashMap<V, u32>,
    rows: Vec<u32>,
}

impl<V: Copy + Eq + Hash> Chosen<V> {
    fn number(&mut self, value: V) -> u32 {
        let next = u32::try_from(self.values.len()).unwrap_or(EMPTY);
        *self.numbers.entry(value).or_insert_with(|| {
            self.values.push(value);
            next
        })
    }

    fn repeat(&mut self, value: V, rows: usize) {
        let number = self.number(value);
        self.rows.resize(self.rows.len() + rows, number);
    }

    /// The column as it stands in the file, if `plain` writes a value as it stands in the dictionary.
    fn column(
        &self,
        descriptor: ColumnDescPtr,
        plain: impl Fn(&mut Vec<u8>, V),
    ) -> io::Result<(Bytes, ColumnCloseResult)> {
        let mut dictionary = Vec::new();
        for value in &self.values {
            plain(&mut dictionary, *value);
        }
        write(descriptor, &dictionary, self.values.len(), &self.rows)
    }
}

fn texts<'c>(columns: impl Iterator<Item = (usize, &'c Cells)>) -> Chosen<&'c str> {
    let mut chosen = Chosen::default();
    // The last list of texts that rows chose from, and the numbers that its texts have here.
    let (mut last, mut known) = (None::<&Arc<[Box<str>]>>, Vec::new());
    for (rows, cells) in columns {
        match cells {
            Cells::Same(text) => chosen.repeat(&**text, rows),
            Cells::Among(texts, of_rows) => {
                if !last.is_some_and(|last| Arc::ptr_eq(last, texts)) {
                    known = texts.iter().map(|text| chosen.number(text)).collect();
                    last = Some(texts);
                }
                let number = |text: &u32| known.get(*text as usize).copied().unwrap_or(EMPTY);
                chosen.rows.extend(of_rows.iter().map(number));
            }
            Cells::Texts(list) => {
                for text in list {
                    let number = text.as_deref().map_or(EMPTY, |text| chosen.number(text));
                    chosen.rows.push(number);
                }
            }
            Cells::Runs(_) | Cells::Integers(_) | Cells::Numbers(_) => {}
        }
    }
    chosen
}

fn integers<'c>(columns: impl Iterator<Item = (usize, &'c Cells)>) -> Chosen<u64> {
    let mut chosen = Chosen::default();
    for (_, cells) in columns {
        if let Cells::Runs(runs) = cells {
            for (number, rows) in runs {
                chosen.repeat(*number, *rows);
            }
        }
    }
    chosen
}

/// The column in this place of the batches; nothing if its values are not few.
pub(super) fn column(
    descriptor: ColumnDescPtr,
    batches: &[Batch],
    position: usize,
) -> Option<io::Result<(Bytes, ColumnCloseResult)>> {
    let columns = || {
        let cells = batches.iter().map(|batch| Some((batch.rows, batch.columns.get(position)?)));
        cells.flatten()
    };
    let is_of = |kind: fn(&Cells) -> bool| columns().all(|(_, cells)| kind(cells));
    if batches.is_empty() {
        None
    } else if is_of(|cells| cells.kind() == Kind::Text) {
        Some(texts(columns()).column(descriptor, |bytes, text| {
            bytes.extend(u32::try_from(text.len()).unwrap_or(u32::MAX).to_le_bytes());
            bytes.extend(text.as_bytes());
        }))
    } else if is_of(|cells| matches!(cells, Cells::Runs(_))) {
        let plain = |bytes: &mut Vec<u8>, number: u64| bytes.extend(number.to_le_bytes());
        Some(integers(columns()).column(descriptor, plain))
    } else {
        None
    }
}

/// Writes a dictionary of so many values, and which of them each row has.
fn write(
    descriptor: ColumnDescPtr,
    dictionary: &[u8],
    values: usize,
    rows: &[u32],
) -> io::Result<(Bytes, ColumnCloseResult)> {
    let count = |count: usize| u32::try_from(count).map_err(io::Error::other);
    let (row_count, value_count) = (count(rows.len())?, count(values)?);
    let mut buffer = TrackedWrite::new(Vec::new());
    let mut pages = SerializedPageWriter::new(&mut buffer);
    let dictionary = compressed(dictionary, |buf| Page::DictionaryPage {
        buf,
        num_values: value_count,
        encoding: Encoding::PLAIN,
        is_sorted: false,
    })?;
    let dictionary = pages.write_page(dictionary)?;
    let data = compressed(&numbers(values, rows), |buf| Page::DataPage {
        buf,
        num_values: row_count,
        encoding: Encoding::RLE_DICTIONARY,
        def_level_encoding: Encoding::RLE,
        rep_level_encoding: Encoding::RLE,
        statistics: None,
    })?;
    let data = pages.write_page(data)?;
    pages.close()?;
    let size = |size: usize| i64::try_from(size).unwrap_or(i64::MAX);
    let of_page = |page_type, encoding| PageEncodingStats { page_type, encoding, count: 1 };
    let metadata = ColumnChunkMetaData::builder(descriptor)
        .set_compression(Compression::SNAPPY)
        .set_encodings(vec![Encoding::PLAIN, Encoding::RLE, Encoding::RLE_DICTIONARY])
        .set_page_encoding_stats(vec![
            of_page(PageType::DICTIONARY_PAGE, Encoding::PLAIN),
            of_page(PageType::DATA_PAGE, Encoding::RLE_DICTIONARY),
        ])
        .set_num_values(row_count.into())
        .set_total_compressed_size(size(dictionary.compressed_size + data.compressed_size))
        .set_total_uncompressed_size(size(dictionary.uncompressed_size + data.uncompressed_size))
        .set_dictionary_page_offset(i64::try_from(dictionary.offset).ok())
        .set_data_page_offset(i64::try_from(data.offset).unwrap_or_default())
        .build()?;
    let bytes = Bytes::from(buffer.into_inner()?);
    let closed = ColumnCloseResult {
        bytes_written: bytes.len() as u64,
        rows_written: row_count.into(),
        metadata,
        bloom_filter: None,
        column_index: None,
        offset_index: None,
    };
    Ok((bytes, closed))
}

fn compressed(plain: &[u8], page: impl FnOnce(Bytes) -> Page) -> io::Result<CompressedPage> {
    let bytes = snap::raw::Encoder::new().compress_vec(plain).map_err(io::Error::other)?;
    Ok(CompressedPage::new(page(bytes.into()), plain.len()))
}

/// Which rows have a value, and which of so many each of these has.
fn numbers(values: usize, rows: &[u32]) -> Vec<u8> {
    let mut known = Vec::new();
    pack(&mut known, 1, rows.iter().map(|row| u32::from(*row != EMPTY)));
    let mut bytes = u32::try_from(known.len()).unwrap_or(u32::MAX).to_le_bytes().to_vec();
    bytes.append(&mut known);
    let width = (values.max(2) - 1).ilog2() + 1;
    bytes.push(u8::try_from(width).unwrap_or(u8::MAX));
    pack(&mut bytes, width, rows.iter().copied().filter(|row| *row != EMPTY));
    bytes
}

/// Appends numbers of so many bits: one and how often it comes if they are all the same, else all of them.
fn pack(bytes: &mut Vec<u8>, width: u32, numbers: impl Iterator<Item = u32> + Clone) {
    let count = numbers.clone().count();
    let Some(first) = numbers.clone().next() else { return };
    if numbers.clone().all(|number| number == first) {
        push_varint(bytes, count << 1);
        bytes.extend(&first.to_le_bytes()[..width.div_ceil(8) as usize]);
        return;
    }
    let padding = count.next_multiple_of(GROUP) - count;
    push_varint(bytes, count.div_ceil(GROUP) << 1 | 1);
    let (mut waiting, mut bits) = (0_u64, 0);
    for number in numbers.chain(std::iter::repeat_n(0, padding)) {
        waiting |= u64::from(number) << bits;
        bits += width;
        if bits >= 32 {
            bytes.extend(&waiting.to_le_bytes()[..4]);
            waiting >>= 32;
            bits -= 32;
        }
    }
    bytes.extend(&waiting.to_le_bytes()[..bits.div_ceil(8) as usize]);
}

fn push_varint(bytes: &mut Vec<u8>, mut number: usize) {
    while number >= 0x80 {
        bytes.push(u8::try_from(number & 0x7f).unwrap_or_default() | 0x80);
        number >>= 7;
    }
    bytes.push(u8::try_from(number).unwrap_or_default());
}
