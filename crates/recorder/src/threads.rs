//! The states of all threads, and how a thread finds its own, without a lock, an allocation or anything else that a signal handler could not do.
//!
//! States are in tables that double in size, so that they never move. A tree with two levels leads from the id of a thread to its state. A thread that ends says
//! nothing: its state stays until a new thread asks for one, looks whether some of the old owners still exist, and takes over the first that does not, with the
//! rest of its chunk. So a program that starts a thread for every task needs no chunk for each.

use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use crate::process::Process;
use crate::sys::{self, Identity};
use crate::thread::Thread;

/// Bits of a thread id that each level of the tree stands for: the kernel gives no id above 2²².
const BITS: u32 = 11;
const SIDE: usize = 1 << BITS;
/// States in the first table.
const FIRST: usize = 64;
/// Tables; together they have room for as many threads as a system can have.
const TABLES: usize = 17;
/// Old owners that a new thread asks for at most.
const MOST_ASKED: usize = 16;

type Level<T> = [AtomicPtr<T>; SIDE];

/// The states of a process. Zeros mean that there are none.
pub(crate) struct Threads {
    index: AtomicPtr<Level<Level<Thread>>>,
    tables: [AtomicPtr<Thread>; TABLES],
    used: AtomicUsize,
    /// Where the search for an owner that is gone goes on.
    hand: AtomicUsize,
}

impl Threads {
    /// The state of a thread, if it has one.
    #[inline]
    pub(crate) fn find(&self, thread: Identity) -> Option<&'static Thread> {
        let (upper, lower) = place(thread.tid);
        // SAFETY: null, or what `entry` put there; nothing is ever unmapped.
        let index = unsafe { self.index.load(Ordering::Acquire).as_ref() }?;
        // SAFETY: likewise.
        let level = unsafe { index.get(upper)?.load(Ordering::Acquire).as_ref() }?;
        // SAFETY: likewise; states are valid for every value of their bytes that they can have.
        let found = unsafe { level.get(lower)?.load(Ordering::Acquire).as_ref() }?;
        found.belongs_to(thread).then_some(found)
    }

    /// The state of this thread, made if it has none; nothing if there is no memory.
    #[inline]
    pub(crate) fn current(&self, process: &Process) -> Option<&'static Thread> {
        let thread = sys::this_thread();
        self.find(thread).or_else(|| self.enter(process, thread))
    }

    #[cold]
    #[inline(never)]
    fn enter(&self, process: &Process, thread: Identity) -> Option<&'static Thread> {
        let errno = sys::errno();
        let found = self.enter_now(process, thread);
        sys::set_errno(errno);
        found
    }

    fn enter_now(&self, process: &Process, thread: Identity) -> Option<&'static Thread> {
        let entry = self.entry(thread.tid)?;
        let before = entry.load(Ordering::Acquire);
        // SAFETY: as in `find`.
        let own = unsafe { before.as_ref() };
        // A thread that had the same id is gone.
        let own = own.filter(|state| state.take_from(thread.tid, thread));
        let state = own.or_else(|| self.abandoned(process, thread));
        let state = state.or_else(|| self.unused(thread))?;
        let made = ptr::from_ref(state).cast_mut();
        // A signal handler on this thread may have been faster.
        match entry.compare_exchange(before, made, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => Some(state),
            Err(_) => {
                state.abandon();
                self.find(thread)
            }
        }
    }

    /// The state of a thread that is gone, taken over.
    fn abandoned(&self, process: &Process, thread: Identity) -> Option<&'static Thread> {
        let used = self.used.load(Ordering::Acquire);
        let pid = process.pid.load(Ordering::Acquire);
        for _ in 0..used.min(MOST_ASKED) {
            let at = self.hand.fetch_add(1, Ordering::Relaxed).checked_rem(used)?;
            let Some(state) = self.state(at, false) else { continue };
            let owner = state.owner();
            if (owner == 0 || sys::is_gone(pid, owner)) && state.take_from(owner, thread) {
                return Some(state);
            }
        }
        None
    }

    /// A state that nobody has had.
    fn unused(&self, thread: Identity) -> Option<&'static Thread> {
        loop {
            let state = self.state(self.used.fetch_add(1, Ordering::AcqRel), true)?;
            // Another thread may have found it without an owner; there are more.
            if state.take_from(0, thread) {
                return Some(state);
            }
        }
    }

    /// The state of a number; its table is made if that is asked for.
    fn state(&self, number: usize, make: bool) -> Option<&'static Thread> {
        let table = (number / FIRST).checked_add(1)?.ilog2();
        let begin = FIRST.wrapping_mul((1_usize << table).wrapping_sub(1));
        let slot = self.tables.get(table as usize)?;
        let mut start = slot.load(Ordering::Acquire);
        if start.is_null() && make {
            let bytes = (FIRST << table).wrapping_mul(size_of::<Thread>());
            start = mapped(slot, bytes);
        }
        if start.is_null() {
            return None;
        }
        // SAFETY: the table of this number has that many states, and zeros are a valid one.
        unsafe { start.add(number.wrapping_sub(begin)).as_ref() }
    }

    /// Where the state of a thread id is noted.
    fn entry(&self, tid: u32) -> Option<&'static AtomicPtr<Thread>> {
        let (upper, lower) = place(tid);
        // SAFETY: null or zeroed memory of that size, which is never unmapped.
        let index = unsafe { mapped(&self.index, size_of::<Level<Level<Thread>>>()).as_ref() }?;
        // SAFETY: likewise.
        let level = unsafe { mapped(index.get(upper)?, size_of::<Level<Thread>>()).as_ref() }?;
        level.get(lower)
    }
}

fn place(tid: u32) -> (usize, usize) {
    let tid = tid as usize;
    (tid >> BITS, tid % SIDE)
}

/// What a pointer leads to, which becomes zeroed memory if it is null; null if there is none.
fn mapped<T>(slot: &AtomicPtr<T>, bytes: usize) -> *mut T {
    let found = slot.load(Ordering::Acquire);
    if !found.is_null() {
        return found;
    }
    let made = sys::memory(bytes);
    match slot.compare_exchange(found, made.cast(), Ordering::AcqRel, Ordering::Acquire) {
        Ok(_) => made.cast(),
        Err(other) => {
            if !made.is_null() {
                // SAFETY: mapped just now, and nobody knows of it.
                unsafe { sys::unmap(made, bytes) };
            }
            other
        }
    }
}
