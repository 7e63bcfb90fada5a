//! Signals: what is done about one, whether it is blocked, and what the kernel says of it.

use core::ffi::{c_int, c_void};
use core::ptr;

use super::{kernel_thread_id, number, process_id, syscall};

pub(crate) const SIGBUS: c_int = 7;
/// Memory is broken that nobody has touched yet: unlike other reasons for the signal, it does not come again by itself.
pub(crate) const MCE_ADVICE: c_int = 5;

/// `struct sigaction`, as all C libraries have it on 64-bit Linux.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Action {
    /// 0 for the default, 1 to ignore it, else a function.
    pub(crate) handler: usize,
    pub(crate) mask: [u64; 16],
    pub(crate) flags: c_int,
    restorer: usize,
}

impl Action {
    pub(crate) const DEFAULT: usize = 0;
    pub(crate) const IGNORE: usize = 1;
    pub(crate) const WITH_INFORMATION: c_int = 4;
    pub(crate) const ON_STACK: c_int = 0x0800_0000;
    pub(crate) const RESTART: c_int = 0x1000_0000;
    pub(crate) const NO_DEFER: c_int = 0x4000_0000;
    pub(crate) const ONCE: c_int = c_int::MIN;

    pub(crate) const fn new(handler: usize, mask: [u64; 16], flags: c_int) -> Self {
        Self { handler, mask, flags, restorer: 0 }
    }
}

/// The beginning of `siginfo_t`.
#[repr(C)]
pub(crate) struct Information {
    signal: c_int,
    error: c_int,
    /// Why the signal was sent; 0 or less if a process sent it.
    pub(crate) code: c_int,
    padding: c_int,
    pub(crate) address: usize,
}

unsafe extern "C" {
    fn pthread_sigmask(how: c_int, set: *const [u64; 16], old: *mut [u64; 16]) -> c_int;
    fn sigaction(signal: c_int, action: *const Action, old: *mut Action) -> c_int;
}

/// What is done about a signal, after setting it to something else if that is given.
///
/// # Safety
/// A handler that is given can be called whenever the signal comes.
pub(crate) unsafe fn set_action(signal: c_int, action: Option<&Action>) -> Option<Action> {
    let mut old = Action::new(Action::DEFAULT, [0; 16], 0);
    let action = action.map_or(ptr::null(), ptr::from_ref);
    // SAFETY: the structures are laid out as the C library has them, and the caller says the rest.
    (unsafe { sigaction(signal, action, &raw mut old) } == 0).then_some(old)
}

/// Leaves a signal to the kernel.
pub(crate) fn default_action(signal: c_int) {
    // SAFETY: no handler is given.
    unsafe { set_action(signal, Some(&Action::new(Action::DEFAULT, [0; 16], 0))) };
}

pub(crate) fn is_blocked(signal: c_int) -> bool {
    const ASK: c_int = 0;
    let mut mask = [0; 16];
    // SAFETY: the mask is large enough for any C library; without a new one, nothing changes.
    unsafe { pthread_sigmask(ASK, ptr::null::<c_void>().cast(), &raw mut mask) };
    mask[0] & (1 << (signal - 1)) != 0
}

/// Sends a signal to this thread.
pub(crate) fn raise(signal: c_int) {
    // SAFETY: has no conditions on memory.
    unsafe { syscall(number::TGKILL, process_id(), kernel_thread_id(), signal) };
}
