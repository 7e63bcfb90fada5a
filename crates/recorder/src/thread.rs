//! The hot path: one event becomes one record in the chunk of the thread that it happened on.
//!
//! Each thread owns its chunk, so that nothing is locked. The first word of a record is written last: whenever the process is killed, a record is complete or not
//! there at all. An event of a signal handler that interrupts the writing of a record is lost and counted.
//!
//! A thread writes to its chunk directly while the guard is in force. Where it is not, the record is made in memory beside it and copied by the kernel, which takes
//! longer and cannot raise a signal.

use core::ffi::c_int;
use core::ptr;
use core::sync::atomic::{
    AtomicBool, AtomicI32, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering, compiler_fence,
};

use crate::format::{
    ATTRIBUTES_LEN, Attributes, CHUNK, CHUNK_GROWTH, CHUNK_HEADER_LEN, FIRST_CHUNK, Kind,
    LONGEST_TEXT, RECORD_HEADER_LEN, Word, flag, stopped,
};
use crate::message::Message;
use crate::process::{self, Process};
use crate::sys::{self, Identity};
use crate::{guard, storage};

/// An event, as a hook hands it over.
pub(crate) struct Event<'a> {
    pub(crate) kind: Kind,
    pub(crate) domain: u32,
    pub(crate) id: u64,
    pub(crate) attributes: Option<Attributes>,
    pub(crate) message: Message<'a>,
}

/// The state of one thread; zeros are one without a thread. All but the owner is its owner's alone, and atomic because a signal handler on the same thread may
/// come in between.
#[repr(align(64))]
pub(crate) struct Thread {
    /// Thread id, 0 if the state is free.
    owner: AtomicU32,
    /// Set while a record is being written.
    busy: AtomicBool,
    /// The guard was in force when it was looked at last.
    guarded: AtomicBool,
    /// The thread has a number, and its stretch of the chunk has begun.
    begun: AtomicBool,
    /// The rest of what tells threads apart; see [`Identity`].
    address: AtomicUsize,
    base: AtomicPtr<u8>,
    used: AtomicUsize,
    len: AtomicUsize,
    number: AtomicU64,
    /// Memory for one record, where the kernel copies them; null before one was needed.
    beside: AtomicPtr<u8>,
    /// Open ranges per domain, which NVTX calls the level, for the domains with the smallest handles.
    levels: [AtomicI32; LEVELS],
}

const LEVELS: usize = 64;
/// NVTX's own value for levels that nobody counts.
pub(crate) const NOT_TRACKED: i32 = -2;
/// Bytes of the longest record.
const LONGEST_RECORD: usize = RECORD_HEADER_LEN + 8 + ATTRIBUTES_LEN + LONGEST_TEXT;

/// Records an event and returns the thread that it happened on, if there is memory for its state.
#[inline]
pub(crate) fn record(event: &Event<'_>) -> Option<&'static Thread> {
    let process = process::current()?;
    let Some(thread) = process.threads.current(process) else {
        process.count_lost(None);
        return None;
    };
    // A handler that comes between these two leaves the flag as it found it.
    if thread.busy.load(Ordering::Relaxed) {
        process.count_lost(Some(thread));
        return Some(thread);
    }
    thread.busy.store(true, Ordering::Relaxed);
    compiler_fence(Ordering::SeqCst);
    // The time of an end is taken first, so that a range does not contain the recording of its end. No handler's event can come in between and be younger.
    let early = if matches!(event.kind, Kind::Pop | Kind::End) { now() } else { 0 };
    let len = record_len(event);
    let ready = process.is_recording()
        && thread.begun.load(Ordering::Relaxed)
        && thread.guarded.load(Ordering::Relaxed)
        && thread.room() >= len;
    if ready {
        // SAFETY: there is room for `len` bytes, and `busy` makes this the only use of the chunk.
        unsafe { thread.write(event, early, len) };
    } else {
        thread.record_slowly(process, event, early, len);
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

/// Writes a record without its first word, which is returned.
///
/// # Safety
/// At `start`, which is aligned to eight bytes, there is room for `len` bytes, which is what [`record_len`] says of the event.
#[inline]
unsafe fn put(start: *mut u8, event: &Event<'_>, early: u64, len: usize) -> u32 {
    let text = event.message.len();
    let mut flags = match event.message {
        Message::Text(_, true) | Message::Wide(_, _, true) => flag::CUT,
        Message::Text(..) | Message::Wide(..) => 0,
        Message::Handle(_) => flag::HANDLE,
        Message::Silent => flag::SILENT,
    };
    if event.attributes.is_some() {
        flags |= flag::ATTRIBUTES;
    }
    // SAFETY: all that is written is inside of `len` bytes.
    unsafe {
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
    }
    let word = Word {
        units: u16::try_from(len / 8).unwrap_or(0),
        kind: event.kind as u8,
        padding: (text.wrapping_neg() & 7).to_le_bytes()[0],
        flags,
    };
    word.encode()
}

/// Bytes of the record that begins a stretch.
const STRETCH_LEN: usize = RECORD_HEADER_LEN + 16;

impl Thread {
    pub(crate) fn owner(&self) -> u32 {
        self.owner.load(Ordering::Acquire)
    }

    #[inline]
    pub(crate) fn belongs_to(&self, thread: Identity) -> bool {
        self.owner.load(Ordering::Relaxed) == thread.tid
            && self.address.load(Ordering::Relaxed) == thread.address
    }

    /// Gives the state to a thread, if it is still that of the owner, who must be gone. The rest of the chunk goes with it.
    pub(crate) fn take_from(&self, owner: u32, thread: Identity) -> bool {
        let taken =
            self.owner.compare_exchange(owner, thread.tid, Ordering::AcqRel, Ordering::Acquire);
        if taken.is_err() {
            return false;
        }
        if self.busy.load(Ordering::Relaxed) {
            // Cancelled in the middle of a record, whose bytes only that record would have committed.
            self.release();
        }
        for level in &self.levels {
            level.store(0, Ordering::Relaxed);
        }
        self.begun.store(false, Ordering::Relaxed);
        self.guarded.store(guard::is_in_force(), Ordering::Relaxed);
        self.address.store(thread.address, Ordering::Relaxed);
        self.busy.store(false, Ordering::Release);
        true
    }

    /// Makes the state free.
    pub(crate) fn abandon(&self) {
        self.owner.store(0, Ordering::Release);
    }

    pub(crate) fn is_guarded(&self) -> bool {
        self.guarded.load(Ordering::Relaxed)
    }

    /// The mapping that this thread is writing to, if it is in the middle of a record.
    pub(crate) fn chunk_in_use(&self) -> Option<(*mut u8, usize)> {
        let base = self.base.load(Ordering::Relaxed);
        let in_use = self.busy.load(Ordering::Relaxed) && !base.is_null();
        in_use.then(|| (base, self.len.load(Ordering::Relaxed)))
    }

    #[inline]
    fn room(&self) -> usize {
        self.len.load(Ordering::Relaxed).saturating_sub(self.used.load(Ordering::Relaxed))
    }

    /// Appends a record to the chunk.
    ///
    /// # Safety
    /// There is room for `len` bytes, which is what [`record_len`] says of the event, and nothing else is being written.
    #[inline]
    unsafe fn write(&self, event: &Event<'_>, early: u64, len: usize) {
        let used = self.used.load(Ordering::Relaxed);
        // SAFETY: the chunk begins at a page and stays mapped while it is this thread's; `used` is a multiple of eight.
        unsafe {
            let start = self.base.load(Ordering::Relaxed).add(used);
            let word = put(start, event, early, len);
            (*start.cast::<AtomicU32>()).store(word, Ordering::Release);
        }
        self.used.store(used.wrapping_add(len), Ordering::Relaxed);
    }

    /// The same through the kernel.
    ///
    /// # Safety
    /// As for [`write`](Self::write).
    unsafe fn write_checked(&self, event: &Event<'_>, early: u64, len: usize) -> Result<(), c_int> {
        let mut beside = self.beside.load(Ordering::Relaxed);
        if beside.is_null() {
            beside = sys::memory(LONGEST_RECORD.next_multiple_of(8));
            if beside.is_null() {
                return Err(sys::errno());
            }
            self.beside.store(beside, Ordering::Relaxed);
        }
        let used = self.used.load(Ordering::Relaxed);
        // SAFETY: a record is never longer than the memory beside it, and the caller says that the chunk has room.
        unsafe {
            let start = self.base.load(Ordering::Relaxed).add(used);
            let word = put(beside, event, early, len);
            let rest = size_of_val(&word);
            sys::copy_checked(start.add(rest), beside.add(rest), len.wrapping_sub(rest))?;
            sys::copy_checked(start, (&raw const word).cast(), rest)?;
        }
        self.used.store(used.wrapping_add(len), Ordering::Relaxed);
        Ok(())
    }

    /// Records an event for which not everything is ready, or counts it as lost.
    #[cold]
    #[inline(never)]
    fn record_slowly(&self, process: &Process, event: &Event<'_>, early: u64, len: usize) {
        let errno = sys::errno();
        let done = process.begin()
            && self.make_room(process, len).is_ok_and(|()| {
                // SAFETY: there is room.
                unsafe { self.append(event, early, len) }
                    .inspect_err(|error| process.switch_off(*error))
                    .is_ok()
            });
        if !done {
            process.count_lost(Some(self));
        }
        sys::set_errno(errno);
    }

    /// # Safety
    /// As for [`write`](Self::write).
    unsafe fn append(&self, event: &Event<'_>, early: u64, len: usize) -> Result<(), c_int> {
        // SAFETY: the caller says so.
        unsafe {
            if self.is_guarded() {
                self.write(event, early, len);
                return Ok(());
            }
            self.write_checked(event, early, len).map_err(|error| match error {
                sys::EFAULT => stopped::BY_TRUNCATION,
                error => error,
            })
        }
    }

    /// Makes sure that there is a chunk with room for `len` bytes, in a stretch of this thread. An error switches recording off.
    fn make_room(&self, process: &Process, len: usize) -> Result<(), ()> {
        let begun = self.begun.load(Ordering::Relaxed);
        if begun && self.room() >= len {
            return Ok(());
        }
        if !begun {
            self.number.store(process.new_thread(), Ordering::Relaxed);
        }
        let needed = len.saturating_add(STRETCH_LEN);
        let ready = if self.room() >= needed { Ok(()) } else { self.refill(process, needed) };
        // SAFETY: `needed` counts the record that begins a stretch.
        let ready = ready.and_then(|()| unsafe { self.begin_stretch(process) });
        self.begun.store(ready.is_ok(), Ordering::Relaxed);
        ready.map_err(|error| process.switch_off(error))
    }

    fn refill(&self, process: &Process, needed: usize) -> Result<(), c_int> {
        let grown = self.len.load(Ordering::Relaxed).saturating_mul(CHUNK_GROWTH);
        self.release();
        let chunk = storage::new_chunk(process, grown.clamp(FIRST_CHUNK, CHUNK), needed)?;
        self.used.store(CHUNK_HEADER_LEN, Ordering::Relaxed);
        self.len.store(chunk.len, Ordering::Relaxed);
        self.base.store(chunk.base, Ordering::Relaxed);
        self.guarded.store(guard::is_in_force(), Ordering::Relaxed);
        Ok(())
    }

    /// Notes in the chunk whose records follow.
    ///
    /// # Safety
    /// There is room for [`STRETCH_LEN`] bytes.
    unsafe fn begin_stretch(&self, process: &Process) -> Result<(), c_int> {
        let stretch = process.new_stretch().to_le_bytes();
        let event = Event {
            kind: Kind::Thread,
            domain: self.owner(),
            id: self.number.load(Ordering::Relaxed),
            attributes: None,
            message: Message::Text(&stretch, false),
        };
        // SAFETY: the caller says so.
        unsafe { self.append(&event, 0, STRETCH_LEN) }
    }

    /// Unmaps the chunk, whose content stays in the file.
    fn release(&self) {
        let base = self.base.swap(ptr::null_mut(), Ordering::Relaxed);
        let len = self.len.swap(0, Ordering::Relaxed);
        if !base.is_null() {
            // SAFETY: it was this state's alone, which has forgotten it.
            unsafe { sys::unmap(base, len) };
        }
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
}
