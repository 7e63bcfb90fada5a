//! Chunks that threads left behind when they ended, for the next threads to go on with.
//!
//! A program that starts a thread for every task would otherwise need a new chunk for each. A fixed number of places, taken and filled without waiting; where there
//! is none free, the rest of a chunk stays unused.

use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

/// A mapped chunk, of which the part from `cursor` on is free.
#[derive(Clone, Copy)]
pub(crate) struct Chunk {
    pub(crate) base: *mut u8,
    pub(crate) len: usize,
    /// Bytes that are used.
    pub(crate) used: usize,
}

impl Chunk {
    pub(crate) const NONE: Self = Self { base: ptr::null_mut(), len: 0, used: 0 };

    /// Bytes that are free.
    #[inline]
    pub(crate) fn room(&self) -> usize {
        self.len.saturating_sub(self.used)
    }
}

const PLACES: usize = 64;

/// Places for chunks; all zeros means that all are empty.
pub(crate) struct Spares([Spare; PLACES]);

struct Spare {
    turn: AtomicUsize,
    base: AtomicPtr<u8>,
    len: AtomicUsize,
    used: AtomicUsize,
}

const EMPTY: usize = 0;
const BUSY: usize = 1;
const FULL: usize = 2;

impl Spares {
    /// Keeps a chunk for another thread; whether there was a place.
    pub(crate) fn put(&self, chunk: Chunk) -> bool {
        for spare in &self.0 {
            if spare.turn(EMPTY) {
                spare.base.store(chunk.base, Ordering::Relaxed);
                spare.len.store(chunk.len, Ordering::Relaxed);
                spare.used.store(chunk.used, Ordering::Relaxed);
                spare.turn.store(FULL, Ordering::Release);
                return true;
            }
        }
        false
    }

    /// A chunk that another thread left behind.
    pub(crate) fn take(&self) -> Option<Chunk> {
        for spare in &self.0 {
            if spare.turn(FULL) {
                let chunk = Chunk {
                    base: spare.base.load(Ordering::Relaxed),
                    len: spare.len.load(Ordering::Relaxed),
                    used: spare.used.load(Ordering::Relaxed),
                };
                spare.turn.store(EMPTY, Ordering::Release);
                return Some(chunk);
            }
        }
        None
    }
}

impl Spare {
    fn turn(&self, from: usize) -> bool {
        self.turn.load(Ordering::Relaxed) == from
            && self.turn.compare_exchange(from, BUSY, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }
}
