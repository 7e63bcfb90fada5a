//! Hand-written declarations of the few functions of the C library that are used, and safe wrappers around those that can be safe.
//!
//! There is no crate for them, because whoever embeds the library compiles it on its own. Every libc of the last ten years has these functions.

use core::ffi::{CStr, c_char, c_int, c_long, c_uint, c_void};
use core::ptr;

pub(crate) const EINTR: c_int = 4;
pub(crate) const EEXIST: c_int = 17;
pub(crate) const EINVAL: c_int = 22;
pub(crate) const EFBIG: c_int = 27;
pub(crate) const ESTALE: c_int = 116;
pub(crate) const EOPNOTSUPP: c_int = 95;
pub(crate) const ENAMETOOLONG: c_int = 36;

pub(crate) const CLOCK_REALTIME: c_int = 0;
pub(crate) const CLOCK_MONOTONIC: c_int = 1;
pub(crate) const CLOCK_BOOTTIME: c_int = 7;

pub(crate) const O_RDONLY: c_int = 0;
pub(crate) const O_RDWR: c_int = 2;
pub(crate) const O_CREAT: c_int = 0o100;
pub(crate) const O_EXCL: c_int = 0o200;
pub(crate) const O_CLOEXEC: c_int = 0o2_000_000;

const PROT_READ_WRITE: c_int = 3;
const MAP_SHARED: c_int = 1;
const MAP_PRIVATE_ANONYMOUS: c_int = 0x22;
const MADV_WIPEONFORK: c_int = 18;
const MADV_POPULATE_WRITE: c_int = 23;
const RLIMIT_FSIZE: c_int = 1;

#[cfg(target_arch = "x86_64")]
const SYS_FSTAT: c_long = 5;
#[cfg(target_arch = "x86_64")]
const SYS_GETTID: c_long = 186;
#[cfg(target_arch = "aarch64")]
const SYS_FSTAT: c_long = 80;
#[cfg(target_arch = "aarch64")]
const SYS_GETTID: c_long = 178;
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
compile_error!("the numbers of system calls are only known for x86-64 and arm64");

#[repr(C)]
struct Timespec {
    seconds: i64,
    nanoseconds: i64,
}

#[repr(C)]
struct Limit {
    now: u64,
    most: u64,
}

/// The beginning of what `fstat` fills in, with room for the rest.
#[repr(C)]
struct Stat {
    device: u64,
    inode: u64,
    rest: [u64; 30],
}

unsafe extern "C" {
    fn __errno_location() -> *mut c_int;
    fn calloc(count: usize, size: usize) -> *mut c_void;
    fn atexit(function: extern "C" fn()) -> c_int;
    fn clock_gettime(clock: c_int, time: *mut Timespec) -> c_int;
    fn close(file: c_int) -> c_int;
    fn fallocate(file: c_int, mode: c_int, offset: i64, len: i64) -> c_int;
    fn free(memory: *mut c_void);
    fn getenv(name: *const c_char) -> *const c_char;
    fn gethostname(name: *mut c_char, len: usize) -> c_int;
    fn getpid() -> c_int;
    fn getppid() -> c_int;
    fn getrlimit(resource: c_int, limit: *mut Limit) -> c_int;
    fn madvise(start: *mut c_void, len: usize, advice: c_int) -> c_int;
    fn mmap(
        start: *mut c_void,
        len: usize,
        protection: c_int,
        flags: c_int,
        file: c_int,
        offset: i64,
    ) -> *mut c_void;
    fn munmap(start: *mut c_void, len: usize) -> c_int;
    fn open(path: *const c_char, flags: c_int, ...) -> c_int;
    fn pthread_atfork(
        prepare: Option<extern "C" fn()>,
        parent: Option<extern "C" fn()>,
        child: Option<extern "C" fn()>,
    ) -> c_int;
    fn pthread_key_create(
        key: *mut c_uint,
        destructor: Option<extern "C" fn(*mut c_void)>,
    ) -> c_int;
    fn pthread_getspecific(key: c_uint) -> *mut c_void;
    fn pthread_setspecific(key: c_uint, value: *const c_void) -> c_int;
    fn pwrite(file: c_int, from: *const c_void, len: usize, offset: i64) -> isize;
    fn read(file: c_int, into: *mut c_void, len: usize) -> isize;
    fn sched_yield() -> c_int;
    fn strerror(error: c_int) -> *const c_char;
    fn strnlen(text: *const c_char, most: usize) -> usize;
    fn syscall(number: c_long, ...) -> c_long;
    fn write(file: c_int, from: *const c_void, len: usize) -> isize;
}

/// `errno` of this thread.
pub(crate) fn errno() -> c_int {
    // SAFETY: the C library gives the address of a variable of this thread, which always exists.
    unsafe { *__errno_location() }
}

/// Restores `errno`, so that the program does not see our errors.
pub(crate) fn set_errno(error: c_int) {
    // SAFETY: as above.
    unsafe { *__errno_location() = error }
}

/// A clock in nanoseconds; 0 if there is no such clock.
#[inline]
pub(crate) fn clock(clock: c_int) -> u64 {
    let mut time = Timespec { seconds: 0, nanoseconds: 0 };
    // SAFETY: the structure is laid out as the C library has it on 64-bit Linux.
    unsafe { clock_gettime(clock, &raw mut time) };
    time.seconds
        .cast_unsigned()
        .wrapping_mul(1_000_000_000)
        .wrapping_add(time.nanoseconds.cast_unsigned())
}

pub(crate) fn process_id() -> u32 {
    // SAFETY: has no conditions.
    unsafe { getpid() }.cast_unsigned()
}

pub(crate) fn parent_id() -> u32 {
    // SAFETY: has no conditions.
    unsafe { getppid() }.cast_unsigned()
}

/// The system's id of this thread. Asked of the kernel itself, because old C libraries have no function for it.
#[expect(clippy::cast_possible_truncation, reason = "thread ids have 32 bits")]
#[expect(clippy::cast_sign_loss, reason = "and are positive")]
pub(crate) fn thread_id() -> u32 {
    // SAFETY: the call takes no arguments.
    unsafe { syscall(SYS_GETTID) as u32 }
}

pub(crate) fn yield_now() {
    // SAFETY: has no conditions.
    unsafe { sched_yield() };
}

/// Copies the value of an environment variable, if it is set, and returns its length. A value longer than the buffer is not copied; its length is then that of the
/// buffer plus one.
///
/// The original belongs to the program, which may change or free it at any time, so it is not handed out.
pub(crate) fn variable(name: &CStr, into: &mut [u8]) -> Option<usize> {
    // SAFETY: the name ends with a zero byte; what is returned is null or such a text.
    unsafe {
        let value = getenv(name.as_ptr());
        (!value.is_null()).then(|| copy_text(value, into))
    }
}

/// Copies a C string if it fits into the buffer, and returns its length, or the length of the buffer plus one for any that does not fit.
///
/// # Safety
/// The pointer leads to a text that ends with a zero byte.
unsafe fn copy_text(text: *const c_char, into: &mut [u8]) -> usize {
    // SAFETY: the caller says that there is a text; no byte after its zero is read, and no more is written than there is room for.
    unsafe {
        let len = strnlen(text, into.len().saturating_add(1));
        if len <= into.len() {
            into.as_mut_ptr().copy_from_nonoverlapping(text.cast(), len);
        }
        len
    }
}

/// The beginning of a C string: at most `most` bytes, found without reading further.
///
/// # Safety
/// The pointer is null or leads to a text that ends with a zero byte and stays as it is for as long as the result is used.
#[inline]
pub(crate) unsafe fn text<'a>(start: *const c_char, most: usize) -> &'a [u8] {
    if start.is_null() {
        return &[];
    }
    // SAFETY: the caller says that there is a text; no byte after its zero is read.
    unsafe { core::slice::from_raw_parts(start.cast(), strnlen(start, most)) }
}

/// Writes the host's name to the buffer, ended by a zero byte if it fits.
pub(crate) fn host_name(buffer: &mut [u8]) {
    // SAFETY: the buffer is as long as it is said to be.
    unsafe { gethostname(buffer.as_mut_ptr().cast(), buffer.len()) };
}

/// Copies the system's description of an error and returns its length. For use at exit, because threads share the original.
pub(crate) fn error_text(error: c_int, into: &mut [u8]) -> usize {
    // SAFETY: the result is null or a text that stays until the next such call.
    unsafe {
        let text = strerror(error);
        if text.is_null() { 0 } else { copy_text(text, into) }
    }
}

/// Calls the function at a regular exit.
pub(crate) fn at_exit(function: extern "C" fn()) {
    // SAFETY: the function is of this library, which is never unloaded once it was attached.
    unsafe { atexit(function) };
}

/// Calls the function in the children of forks.
pub(crate) fn at_fork(child: extern "C" fn()) {
    // SAFETY: as above.
    unsafe { pthread_atfork(None, None, Some(child)) };
}

/// Makes a key whose destructor is called at the end of every thread that has set it.
pub(crate) fn thread_key(destructor: extern "C" fn(*mut c_void)) -> Option<c_uint> {
    let mut key = 0;
    // SAFETY: the key is written before it is used; the destructor is of this library, which is never unloaded.
    (unsafe { pthread_key_create(&raw mut key, Some(destructor)) } == 0).then_some(key)
}

/// This thread's value of the key; null if it has none.
#[inline]
pub(crate) fn thread_value(key: c_uint) -> *mut c_void {
    // SAFETY: the key was made by `thread_key`.
    unsafe { pthread_getspecific(key) }
}

/// Sets this thread's value of the key; false if that failed.
pub(crate) fn set_thread_value(key: c_uint, value: *const c_void) -> bool {
    // SAFETY: as above.
    unsafe { pthread_setspecific(key, value) == 0 }
}

/// Zeroed memory for one value; null if there is none.
pub(crate) fn allocate<T>() -> *mut T {
    // SAFETY: has no conditions.
    unsafe { calloc(1, size_of::<T>()).cast() }
}

/// Gives back what [`allocate`] gave.
///
/// # Safety
/// Nobody uses it any more.
pub(crate) unsafe fn release<T>(value: *mut T) {
    // SAFETY: the caller says so.
    unsafe { free(value.cast()) };
}

/// Private zeroed memory, and whether the kernel will zero it again in the children of forks.
pub(crate) fn wiped_memory(len: usize) -> Option<(*mut u8, bool)> {
    // SAFETY: a new mapping at a place of the kernel's choice touches no memory that is in use.
    let start =
        unsafe { mmap(ptr::null_mut(), len, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS, -1, 0) };
    if start.addr() == usize::MAX {
        return None;
    }
    // SAFETY: the memory was mapped just now and is ours.
    let wiped = unsafe { madvise(start, len, MADV_WIPEONFORK) } == 0;
    Some((start.cast(), wiped))
}

/// A file that is closed when it goes out of scope.
#[derive(Debug)]
pub(crate) struct File(c_int);

impl Drop for File {
    fn drop(&mut self) {
        // SAFETY: the file was opened here and is closed once.
        unsafe { close(self.0) };
    }
}

impl File {
    /// Opens or makes a file.
    pub(crate) fn open(path: &CStr, flags: c_int) -> Result<Self, c_int> {
        const MODE: c_uint = 0o644;
        loop {
            // SAFETY: the path ends with a zero byte; the mode is read only if a file is made.
            let file = unsafe { open(path.as_ptr(), flags | O_CLOEXEC, MODE) };
            match (file, errno()) {
                (0.., _) => return Ok(Self(file)),
                (_, EINTR) => {}
                (_, error) => return Err(error),
            }
        }
    }

    /// Device and inode.
    pub(crate) fn identity(&self) -> Result<(u64, u64), c_int> {
        let mut stat = Stat { device: 0, inode: 0, rest: [0; 30] };
        // SAFETY: the structure has room for what the kernel writes, 144 bytes at most.
        if unsafe { syscall(SYS_FSTAT, self.0, &raw mut stat) } != 0 {
            return Err(errno());
        }
        Ok((stat.device, stat.inode))
    }

    /// Reads up to the length of the buffer and returns the number of bytes.
    pub(crate) fn read(&self, buffer: &mut [u8]) -> usize {
        // SAFETY: the buffer is as long as it is said to be.
        let len = unsafe { read(self.0, buffer.as_mut_ptr().cast(), buffer.len()) };
        usize::try_from(len).unwrap_or(0)
    }

    /// Makes the file at least `offset + len` long and reserves disk space for that part, so that writing through a mapping cannot fail.
    pub(crate) fn reserve(&self, offset: u64, len: usize) -> Result<(), c_int> {
        const TRIES: u32 = 100;
        let end = offset.wrapping_add(len as u64);
        // Growing beyond the limit would raise a signal that ends the program.
        if end > size_limit() || end > i64::MAX.cast_unsigned() {
            return Err(EFBIG);
        }
        for _ in 0..TRIES {
            // SAFETY: has no conditions on memory.
            let done =
                unsafe { fallocate(self.0, 0, offset.cast_signed(), (len as u64).cast_signed()) };
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
            let part = ZEROS.len().min(len - at);
            let place = offset.wrapping_add(at as u64).cast_signed();
            // SAFETY: the zeros are at least as many as are written.
            let written = unsafe { pwrite(self.0, ZEROS.as_ptr().cast(), part, place) };
            match (usize::try_from(written), errno()) {
                (Ok(written), _) if written > 0 => at += written,
                (_, EINTR) => {}
                (_, error) => return Err(if error == 0 { EFBIG } else { error }),
            }
        }
        Ok(())
    }

    /// Maps a part of the file for reading and writing and makes its pages present, so that a full disk is noticed here and not by a signal later.
    pub(crate) fn map(&self, offset: u64, len: usize) -> Result<*mut u8, c_int> {
        // SAFETY: a new mapping at a place of the kernel's choice touches no memory that is in use.
        let start = unsafe {
            mmap(ptr::null_mut(), len, PROT_READ_WRITE, MAP_SHARED, self.0, offset.cast_signed())
        };
        if start.addr() == usize::MAX {
            return Err(errno());
        }
        let start = start.cast::<u8>();
        // SAFETY: the memory was mapped just now and is ours.
        let populated = unsafe { madvise(start.cast(), len, MADV_POPULATE_WRITE) };
        let error = errno();
        // Kernels before 5.14 do not know the advice.
        if populated != 0 && error != EINVAL && error != EINTR {
            // SAFETY: it was mapped just now, and nobody knows of it.
            unsafe { unmap(start, len) };
            return Err(error);
        }
        Ok(start)
    }
}

fn size_limit() -> u64 {
    let mut limit = Limit { now: u64::MAX, most: u64::MAX };
    // SAFETY: the structure is laid out as the C library has it on 64-bit Linux.
    unsafe { getrlimit(RLIMIT_FSIZE, &raw mut limit) };
    limit.now
}

/// Gives back a mapping.
///
/// # Safety
/// It is a mapping of this length that nobody uses any more.
pub(crate) unsafe fn unmap(start: *mut u8, len: usize) {
    // SAFETY: the caller says so.
    unsafe { munmap(start.cast(), len) };
}

/// Writes to standard error, if that is possible.
pub(crate) fn complain(text: &[u8]) {
    // SAFETY: the text is as long as it is said to be.
    unsafe { write(2, text.as_ptr().cast(), text.len()) };
}
