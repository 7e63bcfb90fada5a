//! The state of a process's recording, in memory that the kernel zeroes in the child of a fork.
//!
//! So a child finds a fresh state on its first event and begins a file of its own, whatever its parent's threads were doing when it was forked: there is no lock
//! that could have been held. Only what a child needs to know of its parent is outside that memory.

use core::ffi::{c_int, c_uint};
use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};

use crate::format::field;
use crate::line::Line;
use crate::spare::Spares;
use crate::{environment, storage, sys, thread};

/// States of a process; the first must be zero.
mod state {
    pub(super) const FRESH: u32 = 0;
    pub(super) const BUSY: u32 = 1;
    pub(super) const RECORDING: u32 = 2;
    pub(super) const OFF: u32 = 3;
}

/// Times that a thread yields while another one prepares recording.
const MOST_TURNS: u32 = 100_000;

/// Shared by all threads of a process.
pub(crate) struct Process {
    state: AtomicU32,
    /// Different in every process of a line of forks, 0 while nothing is recorded. A thread's chunk is valid only in the generation that it was given in.
    generation: AtomicU32,
    error: AtomicU32,
    pub(crate) pid: AtomicU32,
    pub(crate) file_number: AtomicU64,
    pub(crate) file_device: AtomicU64,
    pub(crate) file_inode: AtomicU64,
    pub(crate) next_offset: AtomicU64,
    next_thread: AtomicU64,
    next_stretch: AtomicU64,
    /// The mapped header, null before there is one.
    pub(crate) header: AtomicPtr<u8>,
    pub(crate) spares: Spares,
}

/// Large enough for [`Process`], whatever the size of a page.
const MEMORY: usize = 4096;
const _: () = assert!(size_of::<Process>() <= MEMORY);

static PROCESS: AtomicPtr<Process> = AtomicPtr::new(ptr::null_mut());
/// The state of what is done once in a line of forks.
static PREPARED: AtomicU32 = AtomicU32::new(state::FRESH);
static GENERATIONS: AtomicU32 = AtomicU32::new(0);
/// Process id and number of the file that a process began last: in the child of a fork, its parent's.
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
    unsafe { environment::take_folder() }?;
    let (memory, wiped) = sys::wiped_memory(MEMORY)?;
    // A mapping begins at a page, so it is aligned for everything.
    PROCESS.store(memory.cast::<Process>(), Ordering::Release);
    if !wiped {
        sys::at_fork(forget);
    }
    KEY.store(sys::thread_key(thread::end)?.wrapping_add(1), Ordering::Release);
    sys::at_exit(finish);
    Some(())
}

/// The key under which a thread keeps what belongs to it, plus one; 0 if there is none.
static KEY: AtomicU32 = AtomicU32::new(0);

/// The key under which a thread keeps what belongs to it.
#[inline]
pub(crate) fn thread_key() -> Option<c_uint> {
    KEY.load(Ordering::Relaxed).checked_sub(1)
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
    /// The generation whose chunks may be written to; 0 when nothing may be.
    #[inline]
    pub(crate) fn generation(&self) -> u32 {
        self.generation.load(Ordering::Acquire)
    }

    /// Begins the file of this process if it has none; true if it records.
    pub(crate) fn begin(&self) -> bool {
        loop {
            match claim(&self.state) {
                Claim::Won => {
                    let errno = sys::errno();
                    let forked = GENERATIONS.load(Ordering::Relaxed) != 0;
                    match storage::create(self, forked) {
                        Ok(()) => {
                            let generation = GENERATIONS.fetch_add(1, Ordering::Relaxed);
                            self.generation
                                .store(generation.wrapping_add(1).max(1), Ordering::Release);
                            self.state.store(state::RECORDING, Ordering::Release);
                        }
                        Err(error) => self.switch_off(error),
                    }
                    sys::set_errno(errno);
                }
                Claim::Wait => sys::yield_now(),
                Claim::Settled(state) => return state == state::RECORDING,
            }
        }
    }

    /// Ends recording in this process for good, and keeps what was recorded.
    pub(crate) fn switch_off(&self, error: c_int) {
        self.generation.store(0, Ordering::Release);
        let error = error.max(1).cast_unsigned();
        let first = self.error.compare_exchange(0, error, Ordering::AcqRel, Ordering::Acquire);
        if let (Ok(_), Some(field)) = (first, self.field_u32(field::ERROR)) {
            field.store(error, Ordering::Release);
        }
        self.state.store(state::OFF, Ordering::Release);
    }

    /// Counts an event that is not recorded.
    pub(crate) fn count_lost(&self) {
        if let Some(lost) = self.field_u64(field::LOST) {
            lost.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Counts an event whose extended payload is left out.
    pub(crate) fn count_extended(&self) {
        if let Some(extended) = self.field_u64(field::EXTENDED) {
            extended.fetch_add(1, Ordering::Relaxed);
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

    fn field_u32(&self, at: usize) -> Option<&AtomicU32> {
        let header = self.header.load(Ordering::Acquire);
        // SAFETY: the header stays mapped, and fields are aligned and inside of it.
        (!header.is_null()).then(|| unsafe { &*header.add(at).cast::<AtomicU32>() })
    }

    fn field_u64(&self, at: usize) -> Option<&AtomicU64> {
        let header = self.header.load(Ordering::Acquire);
        // SAFETY: as above.
        (!header.is_null()).then(|| unsafe { &*header.add(at).cast::<AtomicU64>() })
    }
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

/// Called at a regular exit: notes it in the file, or complains that there is none.
extern "C" fn finish() {
    let Some(process) = current() else { return };
    if let Some(ended) = process.field_u64(field::ENDED) {
        ended.store(sys::clock(sys::CLOCK_MONOTONIC), Ordering::Release);
        return;
    }
    let error = process.error.load(Ordering::Acquire);
    if error != 0 {
        let mut line = Line::new();
        line.text(b"rangescope: process ").number(sys::process_id().into());
        line.text(b" was not recorded: no file in `").text(environment::folder().bytes());
        line.text(b"`: ").error(error.cast_signed()).text(b"\n");
        sys::complain(line.bytes());
    }
}
