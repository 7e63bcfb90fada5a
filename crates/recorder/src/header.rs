//! Writes the header of a file: which process this is, where and when it runs, and which rank a launcher gave it.

use crate::format::{HEADER_LEN, MAGIC, RANK_VARIABLES, VERSION, field, key};
use crate::line::copy;
use crate::sys::{self, File};
use crate::{environment, process};

/// Longest command line that is kept.
const LONGEST_COMMAND: usize = 32 << 10;
const LONGEST_HOST: usize = 256;
/// Room for everything at its longest, with keys and lengths.
const _: () = assert!(
    field::ENTRIES
        + LONGEST_HOST
        + LONGEST_COMMAND
        + (RANK_VARIABLES.len() + 1) * (environment::LONGEST_VALUE + 64)
        + 1024
        <= HEADER_LEN
);

/// Fills a header. `parent_file` is given for the child of a fork.
pub(crate) fn write(header: &mut [u8], pid: u32, parent_file: Option<&[u8]>) {
    put(header, field::VERSION, &VERSION.to_le_bytes());
    put(header, field::FORKED, &u32::from(parent_file.is_some()).to_le_bytes());
    put(header, field::PID, &pid.to_le_bytes());
    put(header, field::PARENT, &sys::parent_id().to_le_bytes());
    put(header, field::MONOTONIC, &sys::clock(sys::CLOCK_MONOTONIC).to_le_bytes());
    put(header, field::REALTIME, &sys::clock(sys::CLOCK_REALTIME).to_le_bytes());
    put(header, field::BOOTTIME, &sys::clock(sys::CLOCK_BOOTTIME).to_le_bytes());
    if parent_file.is_some() {
        put(header, field::FIRST_HANDLE, &process::next_handle().to_le_bytes());
    }

    let mut entries = Entries { bytes: header, at: field::ENTRIES };
    entries.add_with(key::HOST, LONGEST_HOST, |value| {
        sys::host_name(value);
        Some(value.iter().position(|&byte| byte == 0).unwrap_or(value.len()))
    });
    entries.add_with(key::COMMAND, LONGEST_COMMAND, |value| {
        Some(File::open(c"/proc/self/cmdline", sys::O_RDONLY).map_or(0, |file| file.read(value)))
    });
    if let Some(name) = parent_file {
        entries.add_with(key::PARENT_FILE, name.len(), |value| Some(copy(value, name)));
    }
    environment::add_variables(&mut entries);
    let len = entries.at.saturating_sub(field::ENTRIES);
    put(header, field::ENTRIES_LEN, &u32::try_from(len).unwrap_or(0).to_le_bytes());
    put(header, 0, &MAGIC.to_le_bytes());
}

/// Entries of a header that are being written, one after another. What does not fit is left out.
pub(crate) struct Entries<'b> {
    bytes: &'b mut [u8],
    at: usize,
}

impl Entries<'_> {
    /// Adds an entry whose value is written in place by `fill`, which returns its length, or `None` for no entry.
    pub(crate) fn add_with(
        &mut self,
        key: &str,
        most: usize,
        fill: impl FnOnce(&mut [u8]) -> Option<usize>,
    ) {
        let Some(room) = self.bytes.get_mut(self.at..) else { return };
        let Some((lengths, room)) = room.split_at_mut_checked(4) else { return };
        let Some((name, room)) = room.split_at_mut_checked(key.len()) else { return };
        let most = most.min(room.len());
        let Some(value) = room.get_mut(..most) else { return };
        let Some(len) = fill(value).map(|len| len.min(most)) else { return };
        copy(name, key.as_bytes());
        let (Ok(key_len), Ok(value_len)) = (u16::try_from(key.len()), u16::try_from(len)) else {
            return;
        };
        put(lengths, 0, &key_len.to_le_bytes());
        put(lengths, 2, &value_len.to_le_bytes());
        self.at = self.at.saturating_add(4).saturating_add(key.len()).saturating_add(len);
    }
}

pub(crate) fn put(bytes: &mut [u8], at: usize, value: &[u8]) {
    if let Some(place) = bytes.get_mut(at..) {
        copy(place, value);
    }
}
