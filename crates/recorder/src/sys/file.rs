//! Files, by the kernel's own calls: the C library's functions for them are places where a thread can be cancelled, and an event must not be one.

use core::ffi::{CStr, c_int, c_uint, c_void};
use core::ptr;

use super::{
    EFBIG, EINTR, EINVAL, EOPNOTSUPP, MAP_SHARED, PROT_READ_WRITE, errno, madvise, mmap, number,
    syscall, unmap,
};

pub(crate) const O_RDONLY: c_int = 0;
pub(crate) const O_RDWR: c_int = 2;
pub(crate) const O_CREAT: c_int = 0o100;
pub(crate) const O_EXCL: c_int = 0o200;
const O_CLOEXEC: c_int = 0o2_000_000;
const AT_FDCWD: c_int = -100;
const MADV_POPULATE_WRITE: c_int = 23;
const RLIMIT_FSIZE: c_int = 1;
/// Times that a call is made that signals interrupt.
const TRIES: u32 = 100;

#[repr(C)]
struct Limit {
    now: u64,
    most: u64,
}

unsafe extern "C" {
    fn getrlimit(resource: c_int, limit: *mut Limit) -> c_int;
}

/// The part of what `fstat` fills in that is asked for.
#[derive(Clone, Copy)]
pub(crate) struct Status {
    pub(crate) device: u64,
    pub(crate) inode: u64,
    pub(crate) len: u64,
}

/// What `fstat` fills in. Up to the length, all machines agree.
#[repr(C)]
struct Stat {
    device: u64,
    inode: u64,
    between: [u64; 4],
    len: u64,
    rest: [u64; 20],
}

/// A file that is closed when it goes out of scope.
#[derive(Debug)]
pub(crate) struct File(c_int);

impl Drop for File {
    fn drop(&mut self) {
        // SAFETY: the file was opened here and is closed once.
        unsafe { syscall(number::CLOSE, self.0) };
    }
}

impl File {
    /// Opens or makes a file.
    pub(crate) fn open(path: &CStr, flags: c_int) -> Result<Self, c_int> {
        const MODE: c_uint = 0o644;
        for _ in 0..TRIES {
            // SAFETY: the path ends with a zero byte; the mode is read only if a file is made.
            let file = unsafe {
                syscall(number::OPENAT, AT_FDCWD, path.as_ptr(), flags | O_CLOEXEC, MODE)
            };
            match (c_int::try_from(file), errno()) {
                (Ok(file @ 0..), _) => return Ok(Self(file)),
                (_, EINTR) => {}
                (_, error) => return Err(error),
            }
        }
        Err(EINTR)
    }

    pub(crate) fn status(&self) -> Result<Status, c_int> {
        let mut stat = Stat { device: 0, inode: 0, between: [0; 4], len: 0, rest: [0; 20] };
        // SAFETY: the structure has room for what the kernel writes, 144 bytes at most.
        if unsafe { syscall(number::FSTAT, self.0, &raw mut stat) } != 0 {
            return Err(errno());
        }
        Ok(Status { device: stat.device, inode: stat.inode, len: stat.len })
    }

    /// Reads up to the length of the buffer and returns the number of bytes.
    pub(crate) fn read(&self, buffer: &mut [u8]) -> usize {
        // SAFETY: the buffer is as long as it is said to be.
        let len = unsafe { syscall(number::READ, self.0, buffer.as_mut_ptr(), buffer.len()) };
        usize::try_from(len).unwrap_or(0)
    }

    /// Makes the file at least `offset + len` long and reserves disk space for that part, so that writing through a mapping cannot fail.
    pub(crate) fn reserve(&self, offset: u64, len: usize) -> Result<(), c_int> {
        const MODE: c_int = 0;
        let end = offset.wrapping_add(len as u64);
        // Growing beyond the limit would raise a signal that ends the program.
        if end > size_limit() || end > i64::MAX.cast_unsigned() {
            return Err(EFBIG);
        }
        for _ in 0..TRIES {
            // SAFETY: has no conditions on memory.
            let done = unsafe { syscall(number::FALLOCATE, self.0, MODE, offset, len as u64) };
            match (done, errno()) {
                (0, _) => return Ok(()),
                (_, EINTR) => {}
                (_, EOPNOTSUPP) => return self.fill(offset, len),
                (_, error) => return Err(error),
            }
        }
        Err(EINTR)
    }

    /// Writes zeros, for file systems that cannot reserve space otherwise.
    fn fill(&self, offset: u64, len: usize) -> Result<(), c_int> {
        static ZEROS: [u8; 16 << 10] = [0; 16 << 10];
        let mut at = 0;
        while at < len {
            let part = ZEROS.get(..len - at).unwrap_or(&ZEROS);
            self.write_at(offset.wrapping_add(at as u64), part)?;
            at += part.len();
        }
        Ok(())
    }

    /// Writes all of the bytes at a place of the file.
    pub(crate) fn write_at(&self, offset: u64, bytes: &[u8]) -> Result<(), c_int> {
        let mut rest = bytes;
        let mut at = offset;
        while !rest.is_empty() {
            // SAFETY: the bytes are as many as they are said to be.
            let written = unsafe { syscall(number::PWRITE, self.0, rest.as_ptr(), rest.len(), at) };
            match (usize::try_from(written), errno()) {
                (Ok(written), _) if written > 0 => {
                    rest = rest.get(written..).unwrap_or_default();
                    at = at.wrapping_add(written as u64);
                }
                (Err(_), EINTR) => {}
                (Err(_), error) => return Err(error),
                (Ok(_), _) => return Err(EFBIG),
            }
        }
        Ok(())
    }

    /// Maps a part of the file for reading and writing and makes its pages present, so that a full disk is noticed here and not by a signal later.
    pub(crate) fn map(&self, offset: u64, len: usize) -> Result<*mut u8, c_int> {
        // SAFETY: a new mapping at a place of the kernel's choice touches no memory that is in use.
        let start: *mut c_void = unsafe {
            mmap(ptr::null_mut(), len, PROT_READ_WRITE, MAP_SHARED, self.0, offset.cast_signed())
        };
        if start.addr() == usize::MAX {
            return Err(errno());
        }
        // SAFETY: the memory was mapped just now and is ours.
        let populated = unsafe { madvise(start, len, MADV_POPULATE_WRITE) };
        let error = errno();
        // Kernels before 5.14 do not know the advice.
        if populated != 0 && error != EINVAL && error != EINTR {
            // SAFETY: it was mapped just now, and nobody knows of it.
            unsafe { unmap(start.cast(), len) };
            return Err(error);
        }
        Ok(start.cast())
    }
}

fn size_limit() -> u64 {
    let mut limit = Limit { now: u64::MAX, most: u64::MAX };
    // SAFETY: the structure is laid out as the C library has it on 64-bit Linux.
    unsafe { getrlimit(RLIMIT_FSIZE, &raw mut limit) };
    limit.now
}
