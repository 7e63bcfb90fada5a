//! Text of bounded length: paths, and the one message that may be printed. An addition that does not fit is left out, and the line remembers that.
//!
//! Lines that hold a path are large and therefore never on the stack of a hook, which may be the small one of a signal handler.

use core::ffi::{CStr, c_int};

use crate::sys;

/// Longest path, with the zero byte at its end.
pub(crate) const LONGEST: usize = 4096;

/// A text that grows up to `N` bytes, one of which is the zero at its end. Zeros are an empty one.
pub(crate) struct Line<const N: usize = LONGEST> {
    bytes: [u8; N],
    len: usize,
    overflowed: bool,
}

impl<const N: usize> Line<N> {
    pub(crate) const fn new() -> Self {
        Self { bytes: [0; N], len: 0, overflowed: false }
    }

    pub(crate) fn text(&mut self, text: &[u8]) -> &mut Self {
        let end = self.len.saturating_add(text.len());
        // One byte always stays zero, so that the text can be given to C.
        match self.bytes.get_mut(self.len..end) {
            Some(room) if end < N => {
                copy(room, text);
                self.len = end;
            }
            _ => self.overflowed = true,
        }
        self
    }

    /// Adds what `fill` writes into the rest of the room; it returns the length, or more than there is room for.
    pub(crate) fn text_with<E>(
        &mut self,
        fill: impl FnOnce(&mut [u8]) -> Result<usize, E>,
    ) -> Result<&mut Self, E> {
        let room = self.bytes.get_mut(self.len..N - 1).unwrap_or_default();
        let most = room.len();
        match fill(room)? {
            len if len <= most => self.len = self.len.saturating_add(len),
            _ => self.overflowed = true,
        }
        Ok(self)
    }

    pub(crate) fn number(&mut self, number: u64) -> &mut Self {
        let mut digits = [0; 20];
        let mut rest = number;
        let mut used = 0;
        for digit in digits.iter_mut().rev() {
            *digit = b'0'.wrapping_add((rest % 10).to_le_bytes()[0]);
            rest /= 10;
            used += 1;
            if rest == 0 {
                break;
            }
        }
        let start = 20_usize.saturating_sub(used);
        self.text(digits.get(start..).unwrap_or_default())
    }

    /// Adds what the system calls an error.
    pub(crate) fn error(&mut self, error: c_int) -> &mut Self {
        let mut text = [0; 256];
        let len = sys::error_text(error, &mut text);
        self.text(text.get(..len).unwrap_or_default())
    }

    /// All that fitted.
    pub(crate) fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }

    /// Begins again.
    pub(crate) fn clear(&mut self) -> &mut Self {
        self.bytes.fill(0);
        self.len = 0;
        self.overflowed = false;
        self
    }

    /// The text for C, if all of it fitted.
    pub(crate) fn c_text(&self) -> Option<&CStr> {
        if self.overflowed {
            return None;
        }
        CStr::from_bytes_until_nul(&self.bytes).ok()
    }
}

/// Copies as much as there is room for and returns its length. The standard library's function can panic.
pub(crate) fn copy(into: &mut [u8], from: &[u8]) -> usize {
    for (place, byte) in into.iter_mut().zip(from) {
        *place = *byte;
    }
    into.len().min(from.len())
}
