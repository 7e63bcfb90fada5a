//! How many rows a document may have: every bound that the names in a file would otherwise set, in one place.
//!
//! A name costs a few bytes in a file and about a kilobyte in a document, so that a small file could ask for any amount of memory. A bound is therefore in proportion to the bytes that were read, like those of `ncu_rep::limits`; `docs/internals.md` shows them to users. What goes beyond a bound is taken together as [`OTHERS`], so that sums stay right, and a note says so.
//! Reports of real programs stay far below: a result of theirs takes kilobytes.

/// What rows that are too many are called together.
pub(crate) const OTHERS: &str = "(others)";

/// Kernels and regions of different names, each.
const NAMES: u64 = 8_192;
const BYTES_PER_NAME: u64 = 2_048;
/// Names that were not selected are cheap, and are needed to tell whether the next one is selected: this many times as many are kept.
const NOT_SELECTED: usize = 8;
/// Processes with a scope of their own.
const PROCESSES: u64 = 1_024;
const BYTES_PER_PROCESS: u64 = 16_384;
/// Rows of kernels, over all regions and scopes.
const ROWS: u64 = 32_768;
const BYTES_PER_ROW: u64 = 512;
/// Metrics, sections and rules, over all regions and scopes.
const CELLS: u64 = 131_072;
const BYTES_PER_CELL: u64 = 32;
/// Cells of ranks, of which a result makes two at most.
const RANK_CELLS: u64 = 65_536;
const BYTES_PER_RANK_CELL: u64 = 64;
/// Kernels that every region may list, however many regions there are.
const FEWEST_LISTED: usize = 16;

/// The bounds for inputs of some size.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    names: usize,
    pub(crate) processes: usize,
    rows: usize,
    cells: usize,
    pub(crate) rank_cells: usize,
}

impl Bounds {
    pub(crate) fn new(stored: u64) -> Self {
        let bound = |always: u64, bytes: u64| {
            usize::try_from(always.saturating_add(stored / bytes)).unwrap_or(usize::MAX)
        };
        Self {
            names: bound(NAMES, BYTES_PER_NAME),
            processes: bound(PROCESSES, BYTES_PER_PROCESS),
            rows: bound(ROWS, BYTES_PER_ROW),
            cells: bound(CELLS, BYTES_PER_CELL),
            rank_cells: bound(RANK_CELLS, BYTES_PER_RANK_CELL),
        }
    }

    pub(crate) fn names(&self) -> Names {
        Names { most: self.names, kept: [0; 2] }
    }

    /// Names of which a document with so many sets for each, and so many cells in a set, has room.
    pub(crate) fn names_of_width(&self, sets: usize, width: usize) -> Names {
        let most = self.cells / width.saturating_mul(sets).max(1);
        Names { most: most.min(self.names), kept: [0; 2] }
    }

    /// Whether a document has room for so many sets of so many cells.
    pub(crate) fn hold_sets(&self, sets: usize, width: usize) -> bool {
        sets.saturating_mul(width) <= self.cells
    }

    /// Kernels that each of some sets may list, where together they would list so many with so many metrics each.
    pub(crate) fn listed(&self, sets: usize, listed: usize, width: usize) -> usize {
        let rows = self.rows.min(self.cells.saturating_mul(4) / width.max(1));
        if listed <= rows { usize::MAX } else { (rows / sets.max(1)).max(FEWEST_LISTED) }
    }
}

/// How many names of one kind are kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Names {
    most: usize,
    /// Those that are not selected, and those that are.
    kept: [usize; 2],
}

impl Default for Names {
    fn default() -> Self {
        Bounds::new(0).names()
    }
}

impl Names {
    /// Whether one more can be kept; if so, it is counted.
    pub(crate) fn admit(&mut self, is_selected: bool) -> bool {
        let most = if is_selected { self.most } else { self.most.saturating_mul(NOT_SELECTED) };
        let [not_selected, selected] = &mut self.kept;
        let kept = if is_selected { selected } else { not_selected };
        let has_room = *kept < most;
        *kept += usize::from(has_room);
        has_room
    }

    pub(crate) fn most(&self) -> usize {
        self.most
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rangescope_model::number::thousands;

    #[test]
    fn the_documentation_shows_the_bounds() {
        let page = include_str!("../../../../docs/internals.md");
        for (what, always, bytes) in [
            ("kernels and regions of different names, each", NAMES, BYTES_PER_NAME),
            ("processes with a scope of their own", PROCESSES, BYTES_PER_PROCESS),
            ("rows of kernels in a document", ROWS, BYTES_PER_ROW),
            ("metrics, sections and rules of all regions and scopes", CELLS, BYTES_PER_CELL),
            ("ranks × places and kernels", RANK_CELLS, BYTES_PER_RANK_CELL),
        ] {
            let row = format!(
                "| {what} | {}, and one for each {} bytes |",
                thousands(always),
                thousands(bytes)
            );
            assert!(page.contains(&row), "{row}");
        }
    }
}
