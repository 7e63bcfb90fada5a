//! Text of bounded length: paths, and the one message that may be printed. An addition that does not fit is left out, and the line remembers that.

use core::ffi::{CStr, c_int};

use crate::sys;

/// Longest path, with the zero byte at its end.
pub(crate) const LONGEST: usize = 4096;

/// A text that grows up to [`LONGEST`].
pub(crate) struct Line {
    bytes: [u8; LONGEST],
    len: usize,
    overflowed: bool,
}

impl Line {
    pub(crate) const fn new() -> Self {
        Self { bytes: [0; LONGEST], len: 0, overflowed: false }
    }

    pub(crate) fn text(&mut self, text: &[u8]) -> &mut Self {
        let end = self.len.saturating_add(text.len());
        // One byte always stays zero, so that the text can be given to C.
        match self.bytes.get_mut(self.len..end) {
            Some(room) if end < LONGEST => {
                copy(room, text);
                self.len = end;
            }
            _ => self.overflowed = true,
        }
        self
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
