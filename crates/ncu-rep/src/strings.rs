//! The string table of a report.
//!
//! Its pieces are spread over the block headers; ids are handed out in file order over the whole file and never restart.
//! Merged and repeated files hold the same piece many times, so that pieces with equal bytes share one list of strings.

use std::ops::Range;

use crate::distinct::Distinct;
use crate::wire::Fields;

#[derive(Debug, Default)]
pub(crate) struct StringTable {
    /// Pieces in file order.
    pieces: Vec<Piece>,
    /// Where each string of the distinct pieces is, as start and length.
    strings: Vec<(usize, u32)>,
    count: usize,
    known: Distinct<Piece>,
}

#[derive(Clone, Copy, Debug)]
struct Piece {
    /// Id of its first string.
    first_id: usize,
    /// Position of its first string in `strings`.
    first: usize,
    count: usize,
}

impl StringTable {
    /// Adds the strings of a block header.
    pub(crate) fn add_piece(&mut self, bytes: &[u8], range: Range<usize>) {
        if range.is_empty() {
            return;
        }
        let piece = match self.known.find(bytes, &range) {
            Some(piece) => Piece { first_id: self.count, ..piece },
            None => {
                let piece = self.add(bytes, range.clone());
                self.known.remember(range, piece);
                piece
            }
        };
        self.count += piece.count;
        self.pieces.push(piece);
    }

    fn add(&mut self, bytes: &[u8], range: Range<usize>) -> Piece {
        let first = self.strings.len();
        for (number, content) in Fields::new(&bytes[range]) {
            if number == 1 {
                let text = content.bytes();
                let start = text.as_ptr().addr().saturating_sub(bytes.as_ptr().addr());
                self.strings.push((start, u32::try_from(text.len()).unwrap_or(0)));
            }
        }
        Piece { first_id: self.count, first, count: self.strings.len() - first }
    }

    /// How many ids there are.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// How many slots [`StringTable::slot`] can give.
    pub(crate) fn slots(&self) -> usize {
        self.strings.len()
    }

    /// The slot of an id; ids of equal pieces share their slots.
    #[inline]
    pub(crate) fn slot(&self, id: u32) -> Option<usize> {
        let id = id as usize;
        let piece = match self.pieces.first() {
            Some(first) if id < first.count => first,
            _ => self
                .pieces
                .get(self.pieces.partition_point(|piece| piece.first_id <= id).checked_sub(1)?)?,
        };
        let within = id - piece.first_id;
        (within < piece.count).then_some(piece.first + within)
    }

    /// The text in a slot.
    pub(crate) fn text<'a>(&self, bytes: &'a [u8], slot: usize) -> Option<&'a str> {
        let &(start, length) = self.strings.get(slot)?;
        std::str::from_utf8(bytes.get(start..start.checked_add(length as usize)?)?).ok()
    }
}
