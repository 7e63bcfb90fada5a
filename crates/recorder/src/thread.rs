//! The hot path: one event becomes one record in the chunk of the thread that it happened on.
//!
//! Each thread owns its chunk, so that nothing is locked. The first word of a record is written last: whenever the process is killed, a record is complete or not
//! there at all. An event of a signal handler that interrupts the writing of a record is lost and counted.

use core::cell::Cell;
use core::ffi::c_void;
use core::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, Ordering, compiler_fence};

use crate::format::{
    ATTRIBUTES_LEN, Attributes, CHUNK, FIRST_CHUNK, Kind, RECORD_HEADER_LEN, Word, flag,
};
use crate::message::Message;
use crate::process::{self, Process};
use crate::spare::Chunk;
use crate::{storage, sys};

/// An event, as a hook hands it over.
pub(crate) struct Event<'a> {
    pub(crate) kind: Kind,
    pub(crate) domain: u32,
    pub(crate) id: u64,
    pub(crate) attributes: Option<Attributes>,
    pub(crate) message: Message<'a>,
}

/// The state of one thread. Zeros are a new thread.
pub(crate) struct Thread {
    /// Set while the chunk is in use. Atomic like the levels, because a signal handler on this thread may come in between.
    busy: AtomicBool,
    generation: Cell<u32>,
    number: Cell<u64>,
    tid: Cell<u32>,
    chunk: Cell<Chunk>,
    /// Open ranges per domain, which NVTX calls the level, for the domains with the smallest handles.
    levels: [AtomicI32; LEVELS],
}

const LEVELS: usize = 64;
/// NVTX's own value for levels that nobody counts.
pub(crate) const NOT_TRACKED: i32 = -2;
/// The smallest rest of a chunk that is worth keeping for another thread.
const WORTH_KEEPING: usize = 4096;

/// Records an event and returns the thread that it happened on, if there is memory for its state.
#[inline]
pub(crate) fn record(event: &Event<'_>) -> Option<&'static Thread> {
    let process = process::current()?;
    let thread = Thread::current()?;
    // A handler that comes between these two leaves the flag as it found it.
    if thread.busy.load(Ordering::Relaxed) {
        process.count_lost();
        return Some(thread);
    }
    thread.busy.store(true, Ordering::Relaxed);
    compiler_fence(Ordering::SeqCst);
    // The time of an end is taken first, so that a range does not contain the recording of its end. No handler's event can come in between and be younger.
    let early = if matches!(event.kind, Kind::Pop | Kind::End) { now() } else { 0 };
    // SAFETY: `busy` makes this the only use of the chunk.
    let chunk = unsafe { &mut *thread.chunk.as_ptr() };
    let len = record_len(event);
    let ready = thread.generation.get() == process.generation()
        && thread.generation.get() != 0
        && chunk.room() >= len;
    if ready || thread.refill(process, chunk, len) {
        // SAFETY: there is room for `len` bytes.
        unsafe { write(chunk, event, early, len) };
    } else {
        process.count_lost();
    }
    compiler_fence(Ordering::SeqCst);
    thread.busy.store(false, Ordering::Relaxed);
    Some(thread)
}

#[inline]
fn now() -> u64 {
    sys::clock(sys::CLOCK_MONOTONIC)
}

#[inline]
fn record_len(event: &Event<'_>) -> usize {
    let id = if event.kind.has_id() { 8 } else { 0 };
    let attributes = if event.attributes.is_some() { ATTRIBUTES_LEN } else { 0 };
    (RECORD_HEADER_LEN + id + attributes + event.message.len()).next_multiple_of(8)
}

/// # Safety
/// The chunk is mapped and has room for `len` bytes, which is what [`record_len`] says of the event.
#[inline]
unsafe fn write(chunk: &mut Chunk, event: &Event<'_>, early: u64, len: usize) {
    let text = event.message.len();
    let mut flags = match event.message {
        Message::Text(_, cut) | Message::Wide(_, _, cut) => {
            if cut {
                flag::CUT
            } else {
                0
            }
        }
        Message::Handle(_) => flag::HANDLE,
        Message::Silent => flag::SILENT,
    };
    if event.attributes.is_some() {
        flags |= flag::ATTRIBUTES;
    }
    let word = Word {
        units: u16::try_from(len / 8).unwrap_or(0),
        kind: event.kind as u8,
        padding: (text.wrapping_neg() & 7).to_le_bytes()[0],
        flags,
    };
    // SAFETY: chunks begin at a page, `used` is a multiple of eight, and all that is written is inside of `len` bytes.
    unsafe {
        let start = chunk.base.add(chunk.used);
        let mut body = start.add(RECORD_HEADER_LEN);
        if event.kind.has_id() {
            body.cast::<u64>().write(event.id);
            body = body.add(8);
        }
        if let Some(attributes) = &event.attributes {
            body.cast::<[u64; 3]>().write(attributes.encode());
            body = body.add(ATTRIBUTES_LEN);
        }
        event.message.write(body);
        start.cast::<u32>().add(1).write(event.domain);
        // The time of a beginning is taken last, so that a range does not contain the recording of its beginning.
        let time = if early != 0 { early } else { now() };
        start.cast::<u64>().add(1).write(time);
        (*start.cast::<AtomicU32>()).store(word.encode(), Ordering::Release);
    }
    chunk.used = chunk.used.wrapping_add(len);
}

impl Thread {
    /// This thread.
    #[inline]
    fn current() -> Option<&'static Self> {
        let found = sys::thread_value(process::thread_key()?).cast::<Self>();
        // SAFETY: null, or what `enter` put there, which lives until the thread ends.
        unsafe { found.as_ref() }.or_else(Self::enter)
    }

    /// Makes the state of this thread.
    #[cold]
    #[inline(never)]
    fn enter() -> Option<&'static Self> {
        let errno = sys::errno();
        let key = process::thread_key()?;
        let made = sys::allocate::<Self>();
        let kept = !made.is_null() && sys::set_thread_value(key, made.cast());
        if !kept {
            // SAFETY: nobody else knows of it; null may be released, too.
            unsafe { sys::release(made) };
        }
        sys::set_errno(errno);
        // SAFETY: zeroed memory of that size, which is a valid value of every field.
        if kept { unsafe { made.as_ref() } } else { None }
    }

    /// The level of a range that was just pushed: the number of open ranges of its domain before.
    #[inline]
    pub(crate) fn push_level(&self, domain: u32) -> i32 {
        let Some(level) = self.levels.get(domain as usize) else { return NOT_TRACKED };
        let before = level.load(Ordering::Relaxed);
        level.store(before.saturating_add(1), Ordering::Relaxed);
        before
    }

    /// The level of a range that was just popped.
    #[inline]
    pub(crate) fn pop_level(&self, domain: u32) -> i32 {
        let Some(level) = self.levels.get(domain as usize) else { return NOT_TRACKED };
        let now = level.load(Ordering::Relaxed).saturating_sub(1);
        level.store(now.max(0), Ordering::Relaxed);
        now
    }

    /// Gets a chunk with room for `len` bytes; false if that failed.
    #[cold]
    #[inline(never)]
    fn refill(&self, process: &Process, chunk: &mut Chunk, len: usize) -> bool {
        let errno = sys::errno();
        let done = self.refill_now(process, chunk, len);
        sys::set_errno(errno);
        done
    }

    fn refill_now(&self, process: &Process, chunk: &mut Chunk, len: usize) -> bool {
        if !process.begin() {
            return false;
        }
        let generation = process.generation();
        let fresh = self.generation.get() != generation;
        if fresh {
            // The thread is new, or its process is. The chunk of a parent is mapped here, too, but belongs to the parent.
            self.tid.set(sys::thread_id());
            self.number.set(process.new_thread());
            self.generation.set(generation);
        }
        // SAFETY: it was this thread's alone, which has another one from now on.
        unsafe { release(core::mem::replace(chunk, Chunk::NONE)) };
        let needed = len.saturating_add(STRETCH_LEN);
        let spare = if fresh { process.spares.take() } else { None };
        let found = match spare {
            Some(spare) if spare.room() >= needed => Ok(spare),
            spare => {
                // Too small for this event, but not for others.
                spare.map(|spare| process.spares.put(spare));
                storage::new_chunk(process, if fresh { FIRST_CHUNK } else { CHUNK })
            }
        };
        match found {
            Ok(found) if found.room() >= needed => {
                *chunk = found;
                self.begin_stretch(process, chunk);
                true
            }
            Ok(_) => false,
            Err(error) => {
                process.switch_off(error);
                false
            }
        }
    }

    /// Notes in the chunk whose records follow.
    fn begin_stretch(&self, process: &Process, chunk: &mut Chunk) {
        let stretch = process.new_stretch().to_le_bytes();
        let event = Event {
            kind: Kind::Thread,
            domain: self.tid.get(),
            id: self.number.get(),
            attributes: None,
            message: Message::Text(&stretch, false),
        };
        // SAFETY: the caller made sure that there is room for this record.
        unsafe { write(chunk, &event, 0, STRETCH_LEN) };
    }
}

/// Bytes of the record that begins a stretch.
const STRETCH_LEN: usize = RECORD_HEADER_LEN + 16;

/// Unmaps a chunk, whose content stays in the file. A mapping inherited by a fork goes, too.
///
/// # Safety
/// Nobody uses the chunk any more.
unsafe fn release(chunk: Chunk) {
    if !chunk.base.is_null() {
        // SAFETY: chunks are mappings of their length, and the caller says the rest.
        unsafe { sys::unmap(chunk.base, chunk.len) };
    }
}

/// Called when a thread ends: leaves the rest of its chunk to others. If the thread uses NVTX once more, it starts afresh.
pub(crate) extern "C" fn end(value: *mut c_void) {
    let value = value.cast::<Thread>();
    // SAFETY: what `enter` put there.
    let Some(thread) = (unsafe { value.as_ref() }) else { return };
    let chunk = thread.chunk.replace(Chunk::NONE);
    let kept = process::current().is_some_and(|process| {
        // A thread that was cancelled in the middle of a record leaves bytes behind that only that record would have committed.
        !thread.busy.load(Ordering::Relaxed)
            && thread.generation.get() == process.generation()
            && chunk.room() >= WORTH_KEEPING
            && process.spares.put(chunk)
    });
    if !kept {
        // SAFETY: the thread that it belonged to ends.
        unsafe { release(chunk) };
    }
    // SAFETY: the thread has forgotten it before it called this.
    unsafe { sys::release(value) };
}
