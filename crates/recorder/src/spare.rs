//! Chunks that threads left when they ended, for new threads to continue.
//!
//! Without them, a program that starts a thread for every task would need a chunk for each. The number of places is fixed, and they are taken and filled without
//! waiting; if none is free, the rest of a chunk stays unused.

use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

/// A mapped chunk, which is free from `used` on.
#[derive(Clone, Copy)]
pub(crate) struct Chunk {
    pub(crate) base: *mut u8,
    pub(crate) len: usize,
    pub(crate) used: usize,
}

impl Chunk {
    pub(crate) const NONE: Self = Self { base: ptr::null_mut(), len: 0, used: 0 };

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
    /// Keeps a chunk for another thread, if there is a place.
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
