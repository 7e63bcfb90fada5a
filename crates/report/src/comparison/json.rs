//! The whole comparison as JSON.

use super::ExportOptions;
use rangescope_model::comparison::Comparison;
use std::io::{self, Write};

/// Writes the comparison.
pub fn write(
    comparison: &Comparison,
    options: &ExportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    if options.compact_json {
        serde_json::to_writer(&mut *out, comparison)?;
    } else {
        serde_json::to_writer_pretty(&mut *out, comparison)?;
    }
    writeln!(out)
}
