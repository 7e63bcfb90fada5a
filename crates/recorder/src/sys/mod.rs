//! Hand-written declarations of the few functions of the C library that are used, and safe wrappers around those that can be safe.
//!
//! There is no crate for them, because whoever embeds the library compiles it on its own. Every libc of the last ten years has these functions. What a hook
//! can reach allocates nothing, takes no lock and is no place where a thread can be cancelled: files are therefore asked of the kernel itself (`file`).

mod file;
mod signal;

use core::ffi::{CStr, c_char, c_int, c_long, c_uint, c_void};
use core::ptr;

pub(crate) use file::{File, O_CREAT, O_EXCL, O_RDONLY, O_RDWR};
pub(crate) use signal::{
    Action, Information, MCE_ADVICE, SIGBUS, default_action, is_blocked, raise, set_action,
};

pub(crate) const ENOENT: c_int = 2;
pub(crate) const EINTR: c_int = 4;
pub(crate) const EAGAIN: c_int = 11;
pub(crate) const EFAULT: c_int = 14;
pub(crate) const EEXIST: c_int = 17;
pub(crate) const EINVAL: c_int = 22;
pub(crate) const EFBIG: c_int = 27;
pub(crate) const ENAMETOOLONG: c_int = 36;
pub(crate) const EOPNOTSUPP: c_int = 95;
pub(crate) const ESTALE: c_int = 116;
const ESRCH: c_int = 3;

pub(crate) const CLOCK_REALTIME: c_int = 0;
pub(crate) const CLOCK_MONOTONIC: c_int = 1;
pub(crate) const CLOCK_BOOTTIME: c_int = 7;

const PROT_READ_WRITE: c_int = 3;
const MAP_SHARED: c_int = 1;
const MAP_PRIVATE_ANONYMOUS: c_int = 0x22;
const MAP_FIXED: c_int = 0x10;
const MADV_WIPEONFORK: c_int = 18;
const AT_PAGESZ: usize = 6;

/// Numbers of system calls.
#[rustfmt::skip]
#[cfg(target_arch = "x86_64")]
mod number {
    use core::ffi::c_long;
    pub(super) const READ: c_long = 0;
    pub(super) const WRITE: c_long = 1;
    pub(super) const CLOSE: c_long = 3;
    pub(super) const FSTAT: c_long = 5;
    pub(super) const PWRITE: c_long = 18;
    pub(super) const GETPID: c_long = 39;
    pub(super) const GETTID: c_long = 186;
    pub(super) const TGKILL: c_long = 234;
    pub(super) const OPENAT: c_long = 257;
    pub(super) const FALLOCATE: c_long = 285;
    pub(super) const PROCESS_VM_WRITEV: c_long = 311;
}
#[rustfmt::skip]
#[cfg(target_arch = "aarch64")]
mod number {
    use core::ffi::c_long;
    pub(super) const READ: c_long = 63;
    pub(super) const WRITE: c_long = 64;
    pub(super) const CLOSE: c_long = 57;
    pub(super) const FSTAT: c_long = 80;
    pub(super) const PWRITE: c_long = 68;
    pub(super) const GETPID: c_long = 172;
    pub(super) const GETTID: c_long = 178;
    pub(super) const TGKILL: c_long = 131;
    pub(super) const OPENAT: c_long = 56;
    pub(super) const FALLOCATE: c_long = 47;
    pub(super) const PROCESS_VM_WRITEV: c_long = 271;
}
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
compile_error!("the numbers of system calls are only known for x86-64 and arm64");

#[repr(C)]
struct Timespec {
    seconds: i64,
    nanoseconds: i64,
}

/// `struct iovec`.
#[repr(C)]
struct Part {
    start: *const c_void,
    len: usize,
}

unsafe extern "C" {
    fn __errno_location() -> *mut c_int;
    fn atexit(function: extern "C" fn()) -> c_int;
    fn clock_gettime(clock: c_int, time: *mut Timespec) -> c_int;
    fn getauxval(kind: usize) -> usize;
    fn getenv(name: *const c_char) -> *const c_char;
    fn gethostname(name: *mut c_char, len: usize) -> c_int;
    fn getppid() -> c_int;
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
    fn pthread_atfork(
        prepare: Option<extern "C" fn()>,
        parent: Option<extern "C" fn()>,
        child: Option<extern "C" fn()>,
    ) -> c_int;
    fn pthread_getcpuclockid(thread: usize, clock: *mut c_int) -> c_int;
    fn pthread_self() -> usize;
    fn sched_yield() -> c_int;
    fn strerror(error: c_int) -> *const c_char;
    fn strnlen(text: *const c_char, most: usize) -> usize;
    fn syscall(number: c_long, ...) -> c_long;
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

#[expect(clippy::cast_possible_truncation, reason = "ids have 32 bits")]
#[expect(clippy::cast_sign_loss, reason = "and are positive")]
fn id(number: c_long) -> u32 {
    // SAFETY: only used for calls that take no arguments.
    unsafe { syscall(number) as u32 }
}

/// Asked of the kernel, because old C libraries remember it too long.
pub(crate) fn process_id() -> u32 {
    id(number::GETPID)
}

pub(crate) fn parent_id() -> u32 {
    // SAFETY: has no conditions.
    unsafe { getppid() }.cast_unsigned()
}

/// The kernel's id of this thread, which differs from [`Identity::tid`] in the child of a `vfork` alone, and where a process was not forked by the C library.
pub(crate) fn kernel_thread_id() -> u32 {
    id(number::GETTID)
}

/// Who a thread is. The id alone may be used again after the thread ended, and so may the address of the C library's description of it; both together are not
/// for a very long time.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Identity {
    pub(crate) address: usize,
    pub(crate) tid: u32,
}

/// This thread, without asking the kernel: the C library makes the number of a thread's clock of its id, in the way that the kernel's interface prescribes.
/// Unlike a key of `pthread_setspecific`, whose value may have to be allocated, that is safe wherever a signal handler may be.
#[inline]
pub(crate) fn this_thread() -> Identity {
    let mut clock = -1;
    // SAFETY: the thread is this one, which exists; the clock is only written to.
    let address = unsafe {
        let address = pthread_self();
        pthread_getcpuclockid(address, &raw mut clock);
        address
    };
    Identity { address, tid: (!(clock >> 3)).cast_unsigned() }
}

/// Whether a process has no such thread any more.
pub(crate) fn is_gone(process: u32, tid: u32) -> bool {
    // SAFETY: signal 0 is never sent, it only asks.
    unsafe { syscall(number::TGKILL, process, tid, 0) != 0 && errno() == ESRCH }
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

/// Bytes of a page of memory.
pub(crate) fn page() -> usize {
    // SAFETY: has no conditions.
    unsafe { getauxval(AT_PAGESZ) }.max(4096)
}

/// Private zeroed memory, which begins at a page; null if there is none.
pub(crate) fn memory(len: usize) -> *mut u8 {
    // SAFETY: a new mapping at a place of the kernel's choice touches no memory that is in use.
    let start =
        unsafe { mmap(ptr::null_mut(), len, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS, -1, 0) };
    if start.addr() == usize::MAX { ptr::null_mut() } else { start.cast() }
}

/// The same, and whether the kernel will zero it again in the children of forks.
pub(crate) fn wiped_memory(len: usize) -> Option<(*mut u8, bool)> {
    let start = memory(len);
    // SAFETY: the memory was mapped just now and is ours.
    let wiped = !start.is_null() && unsafe { madvise(start.cast(), len, MADV_WIPEONFORK) } == 0;
    (!start.is_null()).then_some((start, wiped))
}

/// Puts private zeroed memory in the place of a mapping; false if there is none.
///
/// # Safety
/// It is a mapping of this length of which nothing is expected to stay.
pub(crate) unsafe fn replace_by_memory(start: *mut u8, len: usize) -> bool {
    let flags = MAP_PRIVATE_ANONYMOUS | MAP_FIXED;
    // SAFETY: the caller says so.
    unsafe { mmap(start.cast(), len, PROT_READ_WRITE, flags, -1, 0) == start.cast() }
}

/// Gives back a mapping.
///
/// # Safety
/// It is a mapping of this length that nobody uses any more.
pub(crate) unsafe fn unmap(start: *mut u8, len: usize) {
    // SAFETY: the caller says so.
    unsafe { munmap(start.cast(), len) };
}

/// Lets the kernel copy bytes within this process: where memory is missing, because a mapped file has become shorter, that is an error and not a signal.
///
/// # Safety
/// Both are memory of that length; what is at `to` may change.
pub(crate) unsafe fn copy_checked(to: *mut u8, from: *const u8, len: usize) -> Result<(), c_int> {
    let local = Part { start: from.cast(), len };
    let remote = Part { start: to.cast_const().cast(), len };
    let one: usize = 1;
    let none: usize = 0;
    // SAFETY: both lists have one part, and the caller says the rest.
    let copied = unsafe {
        let process = process_id();
        syscall(
            number::PROCESS_VM_WRITEV,
            process,
            &raw const local,
            one,
            &raw const remote,
            one,
            none,
        )
    };
    match usize::try_from(copied) {
        Ok(copied) if copied == len => Ok(()),
        Ok(_) => Err(EFAULT),
        Err(_) => Err(errno()),
    }
}

/// Writes to standard error, if that is possible.
pub(crate) fn complain(text: &[u8]) {
    // SAFETY: the text is as long as it is said to be.
    unsafe { syscall(number::WRITE, 2 as c_uint, text.as_ptr(), text.len()) };
}
