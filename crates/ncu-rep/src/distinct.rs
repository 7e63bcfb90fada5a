//! Pieces of a file without exact repetitions.
//!
//! Merged and repeated files hold the same session pieces and string tables thousands of times; whoever keeps only the distinct ones saves most of the work.

use std::ops::Range;

use rustc_hash::FxHashMap;

/// Distinct pieces of one length that are remembered; bounds the comparisons on hostile files.
const REMEMBERED: usize = 8;

/// The pieces seen so far, with a value for each.
#[derive(Debug)]
pub(crate) struct Distinct<T> {
    by_length: FxHashMap<usize, Vec<(Range<usize>, T)>>,
}

impl<T> Default for Distinct<T> {
    fn default() -> Self {
        Self { by_length: FxHashMap::default() }
    }
}

impl<T: Copy> Distinct<T> {
    /// The value of an earlier piece with the same bytes; earlier pieces stand in `kept`.
    pub(crate) fn find(&self, kept: &[u8], piece: &[u8]) -> Option<T> {
        let same_length = self.by_length.get(&piece.len())?;
        let known = same_length.iter().find(|(other, _)| &kept[other.clone()] == piece);
        known.map(|&(_, value)| value)
    }

    /// Remembers a piece, unless there are many of its length already.
    pub(crate) fn remember(&mut self, piece: Range<usize>, value: T) {
        let same_length = self.by_length.entry(piece.len()).or_default();
        if same_length.len() < REMEMBERED {
            same_length.push((piece, value));
        }
    }
}
