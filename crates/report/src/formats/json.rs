//! Documents as JSON: the contract itself, numbers in their shortest form that reads back to the same value.
//!
//! The outer levels are indented, and what lies deeper stands on a line of its own: a region is a line, so that differences can be read and files stay small.

use std::io::{self, BufWriter, Write};

use rangescope_model::comparison::Comparison;
use rangescope_model::document::RegionDocument;
use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter, Serializer};

use super::ExportOptions;

/// The serialiser writes a few bytes at a time; a buffer of this size keeps it from asking the writer for each of them.
const BUFFER_BYTES: usize = 128 * 1024;

/// Levels that are indented: in a document, down to each report's list of regions.
const INDENTED: usize = 5;

/// Writes a document as JSON.
pub fn write(
    document: &RegionDocument,
    _options: &ExportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    write_lines(document, INDENTED, out)
}

/// Writes a comparison as JSON.
pub fn write_comparison(
    comparison: &Comparison,
    _new: &[RegionDocument],
    _options: &ExportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    write_lines(comparison, usize::MAX, out)
}

fn write_lines(contract: &impl Serialize, indented: usize, out: &mut dyn Write) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(BUFFER_BYTES, out);
    let lines = Lines { pretty: PrettyFormatter::new(), depth: 0, indented };
    contract.serialize(&mut Serializer::with_formatter(&mut out, lines))?;
    out.write_all(b"\n")?;
    out.flush()
}

/// Indents the outer levels only.
struct Lines {
    pretty: PrettyFormatter<'static>,
    depth: usize,
    indented: usize,
}

/// Hands an event on to the formatter of the level at hand.
macro_rules! by_level {
    ($self:ident, $call:ident($($argument:expr),*)) => {
        if $self.depth <= $self.indented {
            $self.pretty.$call($($argument),*)
        } else {
            CompactFormatter.$call($($argument),*)
        }
    };
}

impl Formatter for Lines {
    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.depth += 1;
        by_level!(self, begin_array(out))
    }

    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        let ended = by_level!(self, end_array(out));
        self.depth -= 1;
        ended
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        by_level!(self, begin_array_value(out, first))
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        by_level!(self, end_array_value(out))
    }

    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.depth += 1;
        by_level!(self, begin_object(out))
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        let ended = by_level!(self, end_object(out));
        self.depth -= 1;
        ended
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        by_level!(self, begin_object_key(out, first))
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        by_level!(self, begin_object_value(out))
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        by_level!(self, end_object_value(out))
    }
}
