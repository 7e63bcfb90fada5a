//! What a file may cost: every bound that a file's own numbers would otherwise set, in one place.
//!
//! A bound is in proportion to the bytes that are stored, because those are what somebody had to make; lengths and counts inside a file, and what a compressed stream grows to, cost an attacker nothing.
//! `docs/internals.md` shows them to users. Together they keep the memory of reading a report below ten times its stored size plus 100 MB. Real reports stay far below each of them.

/// A compressed stream may grow to this many bytes whatever its ratio. It goes to a temporary file and not into memory.
pub const DECOMPRESSED: u64 = 256 << 20;
/// Above that, this many bytes for each compressed byte; repeated results of real reports stay far below.
pub const DECOMPRESSED_PER_BYTE: u64 = 1_000;
/// The window of a compressed stream is held in memory; and as many bytes for each stored byte as [`HELD_PER_BYTE`] says. Compressors choose 8 MiB unless they are asked for more.
pub const WINDOW: u64 = 32 << 20;

/// What an index may take: this many bytes, and as many for each stored byte as [`INDEX_PER_BYTE`] says.
pub const INDEX: u64 = 48 << 20;
pub const INDEX_PER_BYTE: u64 = 4;
/// What a string of the string table is charged with: whoever reads a report keeps its name, its unit and a column for it.
pub const STRING: u64 = 160;
/// What a byte of the session record is charged with: the smallest part of it becomes that much larger when it is decoded.
pub const SESSION: u64 = 32;

/// What one result may take when all of it is decoded, with every instance of its metrics.
pub const DECODED: u64 = 64 << 20;
pub const DECODED_PER_BYTE: u64 = 8;

/// Bytes of a block header, or of one result without its instances, that are held at once; and as many for each stored byte as [`HELD_PER_BYTE`] says.
pub const HELD: u64 = 16 << 20;
pub const HELD_PER_BYTE: u64 = 2;

/// Domains, registered strings, stacks and ranges in the NVTX state of one result; its rules with what is in them; its sections; the metrics in the header of a section.
pub const ITEMS: usize = 1 << 16;
/// Bytes of which no count is needed, because they cannot hold many items.
pub(crate) const FEW: usize = ITEMS;

/// Rows of the line table of one module, and bytes of the paths in it.
pub const LINE_ROWS: usize = 1 << 21;
pub const LINE_PATHS: usize = 16 << 20;

/// Results of a CSV that are kept: so many, and one for each so many bytes. A row of ncu's takes a hundred bytes and more, before its first metric.
pub const CSV_RESULTS: usize = 50_000;
pub const BYTES_PER_CSV_RESULT: usize = 120;

/// Largest text that is read: a CSV or a document is held in memory as a whole.
pub const TEXT: u64 = 1 << 30;
/// Largest recording of one process, which is held in memory too.
pub const RECORDING: u64 = 4 << 30;
/// Largest small file: a list of kernels, a diagnosis, the state of a capture, gates.
pub const SMALL_FILE: u64 = 64 << 20;

/// What is left of a bound on memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    whole: u64,
    left: u64,
}

/// A bound that a file goes beyond, in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Beyond(pub(crate) u64);

impl Budget {
    /// For the index of a file of which so many bytes are stored.
    pub(crate) fn of_index(stored: u64) -> Self {
        Self::new(in_proportion(stored, INDEX, INDEX_PER_BYTE))
    }

    /// For all of one result.
    pub(crate) fn of_decoded(stored: u64) -> Self {
        Self::new(in_proportion(stored, DECODED, DECODED_PER_BYTE))
    }

    fn new(whole: u64) -> Self {
        Self { whole, left: whole }
    }

    pub(crate) fn take(&mut self, bytes: u64) -> Result<(), Beyond> {
        self.left = self.left.checked_sub(bytes).ok_or(Beyond(self.whole))?;
        Ok(())
    }

    /// Appends to a list that grows with what the file states.
    pub(crate) fn push<T>(&mut self, list: &mut Vec<T>, item: T) -> Result<(), Beyond> {
        self.take(size_of::<T>() as u64)?;
        list.try_reserve(1).map_err(|_| Beyond(self.whole))?;
        list.push(item);
        Ok(())
    }
}

/// Bytes of one part of a file that are held at once.
pub(crate) fn held(stored: u64) -> usize {
    usize::try_from(in_proportion(stored, HELD, HELD_PER_BYTE)).unwrap_or(usize::MAX)
}

/// The largest window of a compressed stream.
pub(crate) fn window(stored: u64) -> u64 {
    in_proportion(stored, WINDOW, HELD_PER_BYTE)
}

fn in_proportion(stored: u64, always: u64, per_byte: u64) -> u64 {
    always.saturating_add(stored.saturating_mul(per_byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documentation_shows_the_bounds() {
        let page = include_str!("../../../docs/internals.md");
        let mib = |bytes: u64| format!("{} MiB", bytes >> 20);
        for (what, value) in [
            (
                "a compressed report, on disk",
                format!("{}, or {DECOMPRESSED_PER_BYTE} times its size", mib(DECOMPRESSED)),
            ),
            (
                "the window of a compressed report",
                format!("{}, and {HELD_PER_BYTE} bytes for each byte", mib(WINDOW)),
            ),
            (
                "the index of a report",
                format!("{}, and {INDEX_PER_BYTE} bytes for each byte", mib(INDEX)),
            ),
            (
                "one result, decoded with all instances",
                format!("{}, and {DECODED_PER_BYTE} bytes for each byte", mib(DECODED)),
            ),
            (
                "a block header, or a result without instances",
                format!("{}, and {HELD_PER_BYTE} bytes for each byte", mib(HELD)),
            ),
            (
                "ranges, domains, registered strings, rules, sections of one result",
                ITEMS.to_string(),
            ),
            ("rows of the line table of a module", LINE_ROWS.to_string()),
            ("paths in the line table of a module", mib(LINE_PATHS as u64)),
            (
                "results of a CSV",
                format!("{CSV_RESULTS}, and one for each {BYTES_PER_CSV_RESULT} bytes"),
            ),
            ("a CSV or a document", format!("{} GiB", TEXT >> 30)),
            ("a recording of one process", format!("{} GiB", RECORDING >> 30)),
            ("a list of kernels, a diagnosis, a file of gates", mib(SMALL_FILE)),
        ] {
            let row = format!("| {what} | {value} |");
            assert!(page.contains(&row), "{row}");
        }
    }
}
