//! Documents as JSON: the contract itself, numbers in their shortest form that reads back to the same value, indented by two spaces for diffs.

use std::io::{self, BufWriter, Write};

use rangescope_model::comparison::Comparison;
use rangescope_model::document::RegionDocument;
use serde::Serialize;

use super::ExportOptions;

/// The serialiser writes a few bytes at a time; a buffer of this size keeps it from asking the writer for each of them.
const BUFFER_BYTES: usize = 128 * 1024;

/// Writes a document as JSON.
pub fn write(
    document: &RegionDocument,
    _options: &ExportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    write_pretty(document, out)
}

/// Writes a comparison as JSON.
pub fn write_comparison(
    comparison: &Comparison,
    _new: &[RegionDocument],
    _options: &ExportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    write_pretty(comparison, out)
}

fn write_pretty(contract: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(BUFFER_BYTES, out);
    serde_json::to_writer_pretty(&mut out, contract)?;
    out.write_all(b"\n")?;
    out.flush()
}
