//! ncu's CSV pages, read and written.
//!
//! [`read()`] takes what `ncu --csv` printed, on the raw or the details page, together with whatever the profiled program and the tool printed around it, and gives the same
//! [`ResultData`](crate::ResultData) that a report gives. [`write_raw`] prints the raw page cell for cell as ncu 2022.3 and 2024.1 do, faults included.
//!
//! ncu's CSV is not quite CSV: it quotes every cell but escapes no quote inside one, ends metric rows of the details page early, and groups digits as the locale wants. The reader
//! therefore has a splitter of its own; files that another program has written again are read by the usual rules. Nothing here does I/O except through the writer's `out`.

mod base;
mod cells;
mod clock;
mod columns;
#[cfg(test)]
mod corners;
mod details;
mod function;
mod labels;
mod note;
mod number;
mod nvtx_cells;
mod nvtx_text;
mod printed_unit;
#[cfg(test)]
mod properties;
mod raw;
mod read;
mod records;
mod repair;
mod row;
mod scale;
mod sniff;
mod split;
mod survey;
#[cfg(test)]
mod tests;
mod text;
mod write;

pub use note::{CsvError, CsvNote, NoteKind};
pub use read::{CsvReport, Page, read, read_each};
pub use sniff::looks_like_csv;
pub use write::{Layout, RawOptions, Units, write_raw, write_raw_with_units};
