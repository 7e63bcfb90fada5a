//! The document as JSON: the contract itself, numbers in their shortest form that reads back to the same value, a line break at the end.
//!
//! Indented by two spaces for people and diffs, or on one line for programs.

use std::io::{self, BufWriter, Write};

use rangescope_model::document::RegionDocument;

use super::ExportOptions;

/// The serialiser writes a few bytes at a time; a buffer of this size keeps it from asking the writer for each of them.
const BUFFER_BYTES: usize = 128 * 1024;

/// Writes the document as JSON.
pub fn write(
    document: &RegionDocument,
    options: &ExportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(BUFFER_BYTES, out);
    if options.compact_json {
        serde_json::to_writer(&mut out, document)?;
    } else {
        serde_json::to_writer_pretty(&mut out, document)?;
    }
    out.write_all(b"\n")?;
    out.flush()
}
