//! The string table of a report.
//!
//! Its pieces are spread over the block headers; ids are handed out in file order over the whole file and never restart.
//! Merged and repeated files hold the same piece many times, so that pieces with equal bytes share one list of strings.

use crate::distinct::Distinct;
use crate::limits::{self, Beyond, Budget};
use crate::wire::{Fields, range_in};

#[derive(Debug, Default)]
pub(crate) struct StringTable {
    /// Pieces in file order.
    pieces: Vec<Piece>,
    /// The bytes of the distinct pieces.
    bytes: Vec<u8>,
    /// Start and length of each string in `bytes`.
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
    pub(crate) fn add_piece(&mut self, bytes: &[u8], budget: &mut Budget) -> Result<(), Beyond> {
        if bytes.is_empty() {
            return Ok(());
        }
        let piece = match self.known.find(&self.bytes, bytes) {
            Some(piece) => Piece { first_id: self.count, ..piece },
            None => self.add(bytes, budget)?,
        };
        self.count += piece.count;
        self.pieces.push(piece);
        Ok(())
    }

    fn add(&mut self, bytes: &[u8], budget: &mut Budget) -> Result<Piece, Beyond> {
        let first = self.strings.len();
        let base = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        for (number, content) in Fields::new(bytes) {
            if number == 1 {
                budget.take(limits::STRING)?;
                let text = range_in(bytes, content.bytes());
                let length = u32::try_from(text.len()).unwrap_or(0);
                self.strings.push((base + text.start, length));
            }
        }
        let piece = Piece { first_id: self.count, first, count: self.strings.len() - first };
        self.known.remember(base..self.bytes.len(), piece);
        Ok(piece)
    }

    pub(crate) fn kept_bytes(&self) -> usize {
        self.bytes.len() + size_of_val(&*self.strings) + size_of_val(&*self.pieces)
    }

    /// Number of slots that [`StringTable::slot`] can give.
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

    pub(crate) fn text(&self, slot: usize) -> Option<&str> {
        let &(start, length) = self.strings.get(slot)?;
        std::str::from_utf8(self.bytes.get(start..start.checked_add(length as usize)?)?).ok()
    }
}
