//! The state of a process's recording, in memory that the kernel zeroes in the child of a fork.
//!
//! So a child finds a fresh state on its first event and begins a file of its own, whatever its parent's threads were doing when it was forked: there is no lock
//! that could have been held. Only what a child needs to know of its parent is outside that memory. The child of a `vfork` runs in the memory of its parent and in
//! place of the thread that made it: what it does is recorded as that thread's.

use core::cell::UnsafeCell;
use core::ffi::c_int;
use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};

use crate::format::{field, stopped};
use crate::line::Line;
use crate::storage::Place;
use crate::thread::Thread;
use crate::threads::Threads;
use crate::{environment, guard, storage, sys};

/// States of a process; the first must be zero.
mod state {
    pub(super) const FRESH: u32 = 0;
    pub(super) const BUSY: u32 = 1;
    pub(super) const RECORDING: u32 = 2;
    pub(super) const OFF: u32 = 3;
}

/// Times that a thread yields while another one prepares recording. It is bounded, because that other one may be this one, interrupted by a signal, or may have
/// been cancelled.
const MOST_TURNS: u32 = 100_000;

/// Shared by all threads of a process.
pub(crate) struct Process {
    state: AtomicU32,
    /// What switched recording off.
    error: AtomicU32,
    pub(crate) pid: AtomicU32,
    next_thread: AtomicU64,
    next_stretch: AtomicU64,
    /// The first page of the header as it is in the file, mapped; null before there is one.
    pub(crate) header: AtomicPtr<u8>,
    /// The whole header in memory that nobody can cut short. Its counters are the ones that count; those of the file follow.
    pub(crate) header_copy: AtomicPtr<u8>,
    pub(crate) place: Place,
    pub(crate) threads: Threads,
    /// Written by whoever makes the file.
    pub(crate) path: UnsafeCell<Line>,
}

const MEMORY: usize = 8192;
const _: () = assert!(size_of::<Process>() <= MEMORY);

static PROCESS: AtomicPtr<Process> = AtomicPtr::new(ptr::null_mut());
/// The state of what is done once in a line of forks.
static PREPARED: AtomicU32 = AtomicU32::new(state::FRESH);
/// Process id and number of the file that a process began last: in the child of a fork, its parent's; 0 if there was none.
pub(crate) static LAST_PID: AtomicU32 = AtomicU32::new(0);
pub(crate) static LAST_FILE: AtomicU64 = AtomicU64::new(0);
/// The next handle of a domain or string. Children count on, so that handles from before the fork keep their meaning.
static NEXT_HANDLE: AtomicU64 = AtomicU64::new(1);
static NEXT_RANGE: AtomicU64 = AtomicU64::new(1);

/// Prepares recording, once; true if a recording was asked for. Called by every shared object that contains NVTX, perhaps at the same time.
pub(crate) fn prepare() -> bool {
    // The child of a fork that came while another thread was here would wait for a thread that it does not have. It gives up instead and is not recorded.
    for _ in 0..MOST_TURNS {
        match claim(&PREPARED) {
            Claim::Won => {
                let asked = prepare_once().is_some();
                PREPARED
                    .store(if asked { state::RECORDING } else { state::OFF }, Ordering::Release);
                return asked;
            }
            Claim::Wait => sys::yield_now(),
            Claim::Settled(state) => return state == state::RECORDING,
        }
    }
    false
}

fn prepare_once() -> Option<()> {
    // SAFETY: only the thread that won the claim is here, and whoever could read it waits for the claim to be settled.
    unsafe { environment::take_settings() }?;
    let (memory, wiped) = sys::wiped_memory(MEMORY)?;
    // A mapping begins at a page, so it is aligned for everything.
    PROCESS.store(memory.cast::<Process>(), Ordering::Release);
    if !wiped {
        sys::at_fork(forget);
    }
    guard::install();
    sys::at_exit(finish);
    Some(())
}

/// This process; nothing before [`prepare`].
#[inline]
pub(crate) fn current() -> Option<&'static Process> {
    // SAFETY: null, or the memory of `prepare_once`, which is never unmapped; zeros are a valid value of every field.
    unsafe { PROCESS.load(Ordering::Acquire).as_ref() }
}

/// A new handle for a domain or string.
pub(crate) fn new_handle() -> u64 {
    NEXT_HANDLE.fetch_add(1, Ordering::Relaxed)
}

/// All handles given so far are below this one.
pub(crate) fn next_handle() -> u64 {
    NEXT_HANDLE.load(Ordering::Relaxed)
}

/// A new id for a start/end range. Ids are small, because some bindings keep only 32 bits of them.
pub(crate) fn new_range() -> u64 {
    NEXT_RANGE.fetch_add(1, Ordering::Relaxed)
}

impl Process {
    #[inline]
    pub(crate) fn is_recording(&self) -> bool {
        self.state.load(Ordering::Acquire) == state::RECORDING
    }

    /// Begins the file of this process if it has none; true if it records.
    pub(crate) fn begin(&self) -> bool {
        for _ in 0..MOST_TURNS {
            match claim(&self.state) {
                Claim::Won => {
                    // SAFETY: one thread wins, once.
                    match unsafe { self.create() } {
                        Ok(()) => self.state.store(state::RECORDING, Ordering::Release),
                        Err(error) => self.switch_off(error),
                    }
                }
                Claim::Wait => sys::yield_now(),
                Claim::Settled(state) => return state == state::RECORDING,
            }
        }
        // Nobody waits a second time, unless the other one comes to an end after all.
        let (busy, off) = (state::BUSY, state::OFF);
        let _ = self.state.compare_exchange(busy, off, Ordering::AcqRel, Ordering::Acquire);
        false
    }

    /// # Safety
    /// As for [`storage::create`].
    unsafe fn create(&self) -> Result<(), c_int> {
        if sys::kernel_thread_id() != sys::this_thread().tid {
            // The child of a `vfork`, whose file would be taken for its parent's, or a process that the C library knows nothing of.
            return Err(sys::EAGAIN);
        }
        // SAFETY: the caller says so.
        unsafe { storage::create(self) }
    }

    /// Ends recording in this process for good, and keeps what was recorded.
    pub(crate) fn switch_off(&self, error: c_int) {
        let error = if error == 0 { sys::EAGAIN } else { error }.cast_unsigned();
        let first = self.error.compare_exchange(0, error, Ordering::AcqRel, Ordering::Acquire);
        self.state.store(state::OFF, Ordering::Release);
        if first.is_ok() {
            self.put(field::ERROR, error.into(), guard::is_in_force());
            if error.cast_signed() == stopped::BY_TRUNCATION {
                storage::mend_header(self);
            }
        }
    }

    /// Counts an event that is not recorded.
    pub(crate) fn count_lost(&self, thread: Option<&Thread>) {
        self.count(field::LOST, thread);
    }

    /// Counts an event, whose extended payload is left out.
    pub(crate) fn count_extended(&self) {
        self.count(field::EXTENDED, self.threads.find(sys::this_thread()));
    }

    fn count(&self, at: usize, thread: Option<&Thread>) {
        if let Some(counter) = field_of(&self.header_copy, at) {
            let now = counter.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
            self.put_in_file(at, now, thread.is_some_and(Thread::is_guarded));
        }
    }

    fn put(&self, at: usize, value: u64, guarded: bool) {
        if let Some(field) = field_of(&self.header_copy, at) {
            field.store(value, Ordering::Relaxed);
        }
        self.put_in_file(at, value, guarded);
    }

    /// Writes a field of the header to the file. The file may have become too short for it, which only hurts if nothing guards against that.
    fn put_in_file(&self, at: usize, value: u64, guarded: bool) {
        let Some(field) = field_of(&self.header, at) else { return };
        if guarded {
            field.store(value, Ordering::Relaxed);
        } else {
            let errno = sys::errno();
            let from = (&raw const value).cast();
            // SAFETY: a field has the length of a number.
            let _ = unsafe { sys::copy_checked(field.as_ptr().cast(), from, size_of::<u64>()) };
            sys::set_errno(errno);
        }
    }

    /// The number of a thread that writes its first record.
    pub(crate) fn new_thread(&self) -> u64 {
        self.next_thread.fetch_add(1, Ordering::Relaxed)
    }

    /// The number of a stretch of records of one thread.
    pub(crate) fn new_stretch(&self) -> u64 {
        self.next_stretch.fetch_add(1, Ordering::Relaxed)
    }
}

fn field_of(header: &AtomicPtr<u8>, at: usize) -> Option<&AtomicU64> {
    let header = header.load(Ordering::Acquire);
    // SAFETY: headers stay mapped; fields are aligned and in the first page. Four bytes may be written as eight, because no two fields are closer.
    (!header.is_null()).then(|| unsafe { &*header.add(at).cast::<AtomicU64>() })
}

enum Claim {
    Won,
    Wait,
    Settled(u32),
}

/// Tries to become the one thread that does what is done once.
fn claim(state: &AtomicU32) -> Claim {
    match state.compare_exchange(state::FRESH, state::BUSY, Ordering::AcqRel, Ordering::Acquire) {
        Ok(_) => Claim::Won,
        Err(state::BUSY) => Claim::Wait,
        Err(settled) => Claim::Settled(settled),
    }
}

/// Called in children of forks where the kernel does not wipe memory.
extern "C" fn forget() {
    let memory = PROCESS.load(Ordering::Acquire).cast::<u8>();
    if !memory.is_null() {
        // SAFETY: the memory is that long, and a child has one thread when this is called.
        unsafe { memory.write_bytes(0, MEMORY) };
    }
}

/// Called at a regular exit: notes it in the file, or complains if there is none.
extern "C" fn finish() {
    let Some(process) = current() else { return };
    let pid = sys::process_id();
    let begun = !process.header.load(Ordering::Acquire).is_null();
    // The child of a `vfork` must not end in this way, but some do; its parent goes on.
    if begun && process.pid.load(Ordering::Acquire) != pid {
        return;
    }
    let error = process.error.load(Ordering::Acquire).cast_signed();
    let mut line = Line::<{ 2 * crate::line::LONGEST }>::new();
    line.text(b"rangescope: process ").number(pid.into());
    if begun {
        // SAFETY: written before there was a header, and not since.
        let path = unsafe { &*process.path.get() };
        match storage::open(process) {
            Ok((_, len)) => {
                if storage::is_cut(process, len) {
                    process.switch_off(stopped::BY_TRUNCATION);
                }
                process.put(field::ENDED, sys::clock(sys::CLOCK_MONOTONIC), guard::is_in_force());
                return;
            }
            // The rest is for whoever reads the file, which is still there.
            Err(error) if !storage::is_missing(error) => {
                process.put(field::ENDED, sys::clock(sys::CLOCK_MONOTONIC), guard::is_in_force());
                return;
            }
            Err(_) => line.text(b": its recording `").text(path.bytes()).text(b"` was removed"),
        };
    } else if error != 0 {
        line.text(b" was not recorded: no file in `").text(environment::folder().bytes());
        line.text(b"`: ").error(error);
    } else {
        return;
    }
    line.text(b"\n");
    sys::complain(line.bytes());
}
