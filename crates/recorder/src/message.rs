//! Messages as NVTX gives them. They are copied once, from the program's memory to the mapped file; wide characters become UTF-8 on the way.

use core::ffi::{c_char, c_int};

use crate::format::LONGEST_TEXT;
use crate::sys;

/// `wchar_t` of Linux.
pub(crate) type WideChar = c_int;

/// A message that is about to be recorded.
#[derive(Clone, Copy)]
pub(crate) enum Message<'a> {
    /// Bytes of the program, and whether they were cut.
    Text(&'a [u8], bool),
    /// Wide characters of the program with the length of their UTF-8 form, and whether they were cut.
    Wide(&'a [WideChar], usize, bool),
    Handle(u64),
    Silent,
}

impl Message<'_> {
    /// A message of bytes.
    ///
    /// # Safety
    /// The pointer is null or leads to a text that ends with a zero and stays for as long as the message is used.
    #[inline]
    pub(crate) unsafe fn of_text<'a>(text: *const c_char) -> Message<'a> {
        if text.is_null() {
            return Message::Silent;
        }
        // SAFETY: the caller says so.
        let bytes = unsafe { sys::text(text, LONGEST_TEXT + 1) };
        match bytes.get(..LONGEST_TEXT) {
            Some(kept) if bytes.len() > LONGEST_TEXT => Message::Text(whole_characters(kept), true),
            _ => Message::Text(bytes, false),
        }
    }

    /// A message of wide characters.
    ///
    /// # Safety
    /// The pointer is null or leads to wide characters that end with a zero and stay for as long as the message is used.
    pub(crate) unsafe fn of_wide<'a>(text: *const WideChar) -> Message<'a> {
        if text.is_null() || !text.is_aligned() {
            return Message::Silent;
        }
        let mut count = 0;
        let mut bytes = 0;
        loop {
            // SAFETY: no zero came before this character, so it is part of the text.
            let wide = unsafe { *text.add(count) };
            let len = if wide == 0 { 0 } else { character(wide).len_utf8() };
            if len == 0 || bytes + len > LONGEST_TEXT {
                // SAFETY: all of them were read just now.
                let kept = unsafe { core::slice::from_raw_parts(text, count) };
                return Message::Wide(kept, bytes, len != 0);
            }
            bytes += len;
            count += 1;
        }
    }

    /// Bytes that the message takes in a record, without padding.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Text(text, _) => text.len(),
            Self::Wide(_, len, _) => *len,
            Self::Handle(_) => 8,
            Self::Silent => 0,
        }
    }

    /// # Safety
    /// At `into`, [`len`](Self::len) bytes can be written.
    #[inline]
    pub(crate) unsafe fn write(&self, into: *mut u8) {
        match self {
            // SAFETY: there is room for all of it, and the program's memory is not ours.
            Self::Text(text, _) => unsafe {
                into.copy_from_nonoverlapping(text.as_ptr(), text.len());
            },
            // SAFETY: likewise.
            Self::Wide(text, len, _) => unsafe { write_wide(text, into, *len) },
            // SAFETY: likewise; records are aligned to eight bytes, and so are their parts.
            Self::Handle(handle) => unsafe { into.cast::<u64>().write(*handle) },
            Self::Silent => {}
        }
    }
}

/// # Safety
/// At `into`, `len` bytes can be written.
unsafe fn write_wide(text: &[WideChar], mut into: *mut u8, len: usize) {
    let mut room = len;
    let mut utf8 = [0; 4];
    for &wide in text {
        let encoded = character(wide).encode_utf8(&mut utf8).as_bytes();
        // The length was counted with the same characters, unless the program changed them since.
        let Some(rest) = room.checked_sub(encoded.len()) else { return };
        room = rest;
        // SAFETY: that much room was left.
        unsafe {
            into.copy_from_nonoverlapping(encoded.as_ptr(), encoded.len());
            into = into.add(encoded.len());
        }
    }
}

fn character(wide: WideChar) -> char {
    char::from_u32(wide.cast_unsigned()).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// The text without the bytes of a UTF-8 character that was cut.
fn whole_characters(text: &[u8]) -> &[u8] {
    let Some(begin) = text.iter().rposition(|&byte| byte & 0xc0 != 0x80) else { return text };
    let needed = match text.get(begin) {
        Some(0xc0..=0xdf) => 2,
        Some(0xe0..=0xef) => 3,
        Some(0xf0..=0xff) => 4,
        _ => 1,
    };
    if text.len() - begin < needed { text.get(..begin).unwrap_or(text) } else { text }
}
