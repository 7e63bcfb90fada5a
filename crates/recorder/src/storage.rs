//! The file of a process: made with its header, grown chunk by chunk.
//!
//! No file stays open: a program that closes or replaces every descriptor it finds can neither stop the recording nor have its own files written to. A file is
//! opened by its path when it grows, and must still be the one that was made.

use core::ffi::c_int;
use core::sync::atomic::Ordering;

use crate::format::{CHUNK_MAGIC, EXTENSION, HEADER_LEN};
use crate::line::Line;
use crate::process::{self, Process};
use crate::spare::Chunk;
use crate::sys::{self, File};
use crate::{environment, format, header};

/// The most files of one process id in a folder: programs that replace themselves with `exec` keep their id.
const MOST_FILES: u64 = 10_000;

/// Makes the file of this process and writes its header.
pub(crate) fn create(process: &Process, forked: bool) -> Result<(), c_int> {
    let folder = environment::folder().c_text().ok_or(sys::ENAMETOOLONG)?;
    if folder.to_bytes().first() != Some(&b'/') {
        // The program may change its working folder at any time.
        return Err(sys::EINVAL);
    }
    let pid = sys::process_id();
    process.pid.store(pid, Ordering::Release);
    let (file, number) = create_new(pid)?;
    let (device, inode) = file.identity()?;
    file.reserve(0, HEADER_LEN)?;
    let memory = file.map(0, HEADER_LEN)?;
    let parent = forked.then(|| {
        let pid = process::LAST_PID.load(Ordering::Relaxed);
        file_name(pid, process::LAST_FILE.load(Ordering::Relaxed))
    });
    // SAFETY: the memory was mapped just now, is that long, and nobody else knows of it.
    let bytes = unsafe { core::slice::from_raw_parts_mut(memory, HEADER_LEN) };
    header::write(bytes, pid, parent.as_ref().map(Line::bytes));
    process.file_number.store(number, Ordering::Relaxed);
    process.file_device.store(device, Ordering::Relaxed);
    process.file_inode.store(inode, Ordering::Relaxed);
    process.next_offset.store(HEADER_LEN as u64, Ordering::Relaxed);
    process.header.store(memory, Ordering::Release);
    process::LAST_PID.store(pid, Ordering::Relaxed);
    process::LAST_FILE.store(number, Ordering::Relaxed);
    Ok(())
}

fn create_new(pid: u32) -> Result<(File, u64), c_int> {
    for number in 0..MOST_FILES {
        let path = path(pid, number);
        let path = path.c_text().ok_or(sys::ENAMETOOLONG)?;
        match File::open(path, sys::O_RDWR | sys::O_CREAT | sys::O_EXCL) {
            Ok(file) => return Ok((file, number)),
            Err(sys::EEXIST) => {}
            Err(error) => return Err(error),
        }
    }
    Err(sys::EEXIST)
}

/// A new chunk of the file.
pub(crate) fn new_chunk(process: &Process, len: usize) -> Result<Chunk, c_int> {
    let pid = process.pid.load(Ordering::Acquire);
    let path = path(pid, process.file_number.load(Ordering::Relaxed));
    let file = File::open(path.c_text().ok_or(sys::ENAMETOOLONG)?, sys::O_RDWR)?;
    let known =
        (process.file_device.load(Ordering::Relaxed), process.file_inode.load(Ordering::Relaxed));
    if file.identity()? != known {
        return Err(sys::ESTALE);
    }
    let offset = process.next_offset.fetch_add(len as u64, Ordering::Relaxed);
    file.reserve(offset, len)?;
    let base = file.map(offset, len)?;
    // SAFETY: the chunk was mapped just now, is aligned to a page and longer than its header. The magic number is written last, because it says that the length is there.
    unsafe {
        base.cast::<u64>().add(1).write(len as u64);
        (*base.cast::<core::sync::atomic::AtomicU64>()).store(CHUNK_MAGIC, Ordering::Release);
    }
    Ok(Chunk { base, len, used: format::CHUNK_HEADER_LEN })
}

fn path(pid: u32, number: u64) -> Line {
    let mut line = Line::new();
    line.text(environment::folder().bytes()).text(b"/").text(file_name(pid, number).bytes());
    line
}

fn file_name(pid: u32, number: u64) -> Line {
    let mut line = Line::new();
    line.number(pid.into()).text(b"-").number(number).text(b".").text(EXTENSION.as_bytes());
    line
}
