//! The file of a process: made with its header, grown chunk by chunk.
//!
//! No file stays open: a program that closes or replaces every descriptor it finds can neither stop the recording nor have its own files written to. A file is
//! opened by its path when it grows, and must still be the one that was made, and as long as it was. All but records and counters is written through the open
//! file, which gives an error where a mapping gives a signal.

use core::ffi::c_int;
use core::sync::atomic::{AtomicU64, Ordering};

use crate::format::{CHUNK_HEADER_LEN, CHUNK_MAGIC, EXTENSION, HEADER_LEN, field, stopped, u64_at};
use crate::line::Line;
use crate::process::{self, Process};
use crate::sys::{self, File};
use crate::{environment, header};

/// The most files of one process id in a folder: programs that replace themselves with `exec` keep their id.
const MOST_FILES: u64 = 10_000;
/// Bytes of the magic number, which is written last.
const MAGIC_LEN: usize = 8;

/// Which file is written to, and how far. Zeros are none.
pub(crate) struct Place {
    device: AtomicU64,
    inode: AtomicU64,
    /// Where the next chunk begins.
    next: AtomicU64,
    /// Bytes that the file has unless somebody made it shorter.
    len: AtomicU64,
}

/// A new chunk, mapped.
pub(crate) struct Chunk {
    pub(crate) base: *mut u8,
    pub(crate) len: usize,
}

/// Makes the file of this process and writes its header.
///
/// # Safety
/// Called once in a process, by one thread.
pub(crate) unsafe fn create(process: &Process) -> Result<(), c_int> {
    let folder = environment::folder().c_text().ok_or(sys::ENAMETOOLONG)?;
    if folder.to_bytes().first() != Some(&b'/') {
        // The program may change its working folder at any time.
        return Err(sys::EINVAL);
    }
    let pid = sys::process_id();
    process.pid.store(pid, Ordering::Release);
    // SAFETY: the caller says so, and nobody asks for the path before there is a file.
    let path = unsafe { &mut *process.path.get() };
    let (file, number) = create_new(path, pid)?;
    let status = file.status()?;
    file.reserve(0, HEADER_LEN)?;
    let copy = sys::memory(HEADER_LEN);
    if copy.is_null() {
        return Err(sys::errno());
    }
    process.header_copy.store(copy, Ordering::Release);
    let parent = process::LAST_PID.load(Ordering::Relaxed);
    let parent =
        (parent != 0).then(|| file_name(parent, process::LAST_FILE.load(Ordering::Relaxed)));
    // SAFETY: the memory was mapped just now and is that long.
    let bytes = unsafe { core::slice::from_raw_parts_mut(copy, HEADER_LEN) };
    header::write(bytes, pid, parent.as_ref().map(Line::bytes));
    header::put(bytes, field::LENGTH, &(HEADER_LEN as u64).to_le_bytes());
    write_header(&file, bytes)?;
    process.header.store(file.map(0, sys::page())?, Ordering::Release);
    let place = &process.place;
    place.device.store(status.device, Ordering::Relaxed);
    place.inode.store(status.inode, Ordering::Relaxed);
    place.next.store(HEADER_LEN as u64, Ordering::Relaxed);
    place.len.store(HEADER_LEN as u64, Ordering::Relaxed);
    process::LAST_PID.store(pid, Ordering::Relaxed);
    process::LAST_FILE.store(number, Ordering::Relaxed);
    Ok(())
}

/// The magic number says that everything else is there.
fn write_header(file: &File, bytes: &[u8]) -> Result<(), c_int> {
    let (magic, rest) = bytes.split_at_checked(MAGIC_LEN).unwrap_or_default();
    file.write_at(MAGIC_LEN as u64, rest)?;
    file.write_at(0, magic)
}

fn create_new(path: &mut Line, pid: u32) -> Result<(File, u64), c_int> {
    for number in 0..MOST_FILES {
        let folder = environment::folder().bytes();
        path.clear().text(folder).text(b"/").text(file_name(pid, number).bytes());
        let path = path.c_text().ok_or(sys::ENAMETOOLONG)?;
        match File::open(path, sys::O_RDWR | sys::O_CREAT | sys::O_EXCL) {
            Ok(file) => return Ok((file, number)),
            Err(sys::EEXIST) => {}
            Err(error) => return Err(error),
        }
    }
    Err(sys::EEXIST)
}

/// The file of this process and its length, if it is still there.
pub(crate) fn open(process: &Process) -> Result<(File, u64), c_int> {
    // SAFETY: written before there was a file, and not since.
    let path = unsafe { &*process.path.get() };
    let file = File::open(path.c_text().ok_or(sys::ENAMETOOLONG)?, sys::O_RDWR)?;
    let found = file.status()?;
    let place = &process.place;
    if found.device != place.device.load(Ordering::Relaxed)
        || found.inode != place.inode.load(Ordering::Relaxed)
    {
        return Err(sys::ESTALE);
    }
    Ok((file, found.len))
}

/// Whether an error of [`open`] means that the file is gone.
pub(crate) fn is_missing(error: c_int) -> bool {
    matches!(error, sys::ENOENT | sys::ESTALE)
}

/// Whether a file of this length was made shorter.
pub(crate) fn is_cut(process: &Process, len: u64) -> bool {
    len < process.place.len.load(Ordering::Relaxed)
}

/// A new chunk of the file: `wanted` bytes or what the limit leaves, with room for `needed`.
pub(crate) fn new_chunk(process: &Process, wanted: usize, needed: usize) -> Result<Chunk, c_int> {
    let page = sys::page();
    let least = needed.saturating_add(CHUNK_HEADER_LEN).next_multiple_of(page);
    // The length is asked for before the file grows by other threads, so that it cannot be too small by itself.
    let expected = process.place.len.load(Ordering::Acquire);
    let (file, len) = open(process)?;
    if len < expected {
        return Err(stopped::BY_TRUNCATION);
    }
    let (offset, len) = take(process, wanted.next_multiple_of(page).max(least), least, page)?;
    file.reserve(offset, len)?;
    let end = offset.wrapping_add(len as u64);
    let whole = process.place.len.fetch_max(end, Ordering::Release).max(end);
    let mut head = [0; CHUNK_HEADER_LEN];
    header::put(&mut head, 0, &CHUNK_MAGIC.to_le_bytes());
    header::put(&mut head, 8, &(len as u64).to_le_bytes());
    file.write_at(offset, &head)?;
    file.write_at(field::LENGTH as u64, &whole.to_le_bytes())?;
    let base = file.map(offset, len).map_err(|error| match error {
        // Between reserving and mapping.
        sys::EFAULT => stopped::BY_TRUNCATION,
        error => error,
    })?;
    Ok(Chunk { base, len })
}

/// Takes a part of the file that nobody else has.
fn take(process: &Process, most: usize, least: usize, page: usize) -> Result<(u64, usize), c_int> {
    let next = &process.place.next;
    let mut offset = next.load(Ordering::Relaxed);
    loop {
        let room = environment::limit().saturating_sub(offset);
        let room = usize::try_from(room).unwrap_or(usize::MAX);
        let len = most.min(room - room % page);
        if len < least {
            return Err(stopped::BY_LIMIT);
        }
        let end = offset.wrapping_add(len as u64);
        match next.compare_exchange_weak(offset, end, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => return Ok((offset, len)),
            Err(other) => offset = other,
        }
    }
}

/// Writes the header anew if it is gone, because somebody made the file shorter. What was in the rest cannot be had again.
pub(crate) fn mend_header(process: &Process) {
    let copy = process.header_copy.load(Ordering::Acquire);
    let Ok((file, len)) = open(process) else { return };
    // SAFETY: what `create` filled; fields of it may change meanwhile, each of which is whole at any time.
    let copy = (!copy.is_null()).then(|| unsafe { core::slice::from_raw_parts(copy, HEADER_LEN) });
    let Some(bytes) = copy.filter(|_| len < HEADER_LEN as u64) else { return };
    if u64_at(bytes, 0).is_some_and(|magic| magic != 0) {
        // Whoever cut the file may be at it again, or the disk may be full: then there is no header.
        let _ = file.reserve(0, HEADER_LEN).and_then(|()| write_header(&file, bytes));
    }
}

fn file_name(pid: u32, number: u64) -> Line<64> {
    let mut line = Line::new();
    line.number(pid.into()).text(b"-").number(number).text(b".").text(EXTENSION.as_bytes());
    line
}
