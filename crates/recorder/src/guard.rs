//! Keeps a recording that somebody makes shorter from ending the program.
//!
//! Records are written through a mapping of the file, which is what makes them cheap and lets them outlive the process. Where the file no longer reaches, such a
//! write raises `SIGBUS`. The handler here puts private memory in the place of the mapping, so that the write comes to an end, and switches recording off. All
//! other signals of that number go where they would have gone without it.
//!
//! The handler is installed once, when the library is attached. A program may install its own later, or block the signal; whoever gets a new chunk looks at that
//! and, where the guard is not in force, lets the kernel write (see `thread`). It is never put back, because two that do that would call each other forever.

use core::cell::UnsafeCell;
use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicBool, Ordering};

use crate::format::stopped;
use crate::process::{self, Process};
use crate::sys::{self, Action, Information, SIGBUS};

struct Previous(UnsafeCell<Action>);

// SAFETY: written by `install` alone, before its handler is in place.
unsafe impl Sync for Previous {}

/// What was done about the signal before.
static PREVIOUS: Previous = Previous(UnsafeCell::new(Action::new(Action::DEFAULT, [0; 16], 0)));
static INSTALLED: AtomicBool = AtomicBool::new(false);

/// `sa_handler` and `sa_sigaction`; the former takes the first argument only, which makes no difference to how it is called.
type Handler = unsafe extern "C" fn(c_int, *const Information, *mut c_void);

/// Called once.
pub(crate) fn install() {
    // SAFETY: only asks.
    let Some(previous) = (unsafe { sys::set_action(SIGBUS, None) }) else { return };
    // A signal that is ignored stays so in programs that this one starts, which one with a handler does not.
    if previous.handler == Action::IGNORE {
        return;
    }
    let flags = if previous.handler == Action::DEFAULT {
        Action::ON_STACK | Action::RESTART
    } else {
        previous.flags & (Action::ON_STACK | Action::RESTART | Action::NO_DEFER)
    };
    // SAFETY: nobody reads it before the handler is in place, which takes everything that it needs from what exists by then.
    unsafe {
        *PREVIOUS.0.get() = previous;
        let own = Action::new(address(), previous.mask, flags | Action::WITH_INFORMATION);
        INSTALLED.store(sys::set_action(SIGBUS, Some(&own)).is_some(), Ordering::Release);
    }
}

fn address() -> usize {
    (on_signal as Handler) as usize
}

/// Whether a write to a file that became too short would be caught on this thread.
pub(crate) fn is_in_force() -> bool {
    // SAFETY: only asks.
    INSTALLED.load(Ordering::Acquire)
        && unsafe { sys::set_action(SIGBUS, None) }.is_some_and(|now| now.handler == address())
        && !sys::is_blocked(SIGBUS)
}

unsafe extern "C" fn on_signal(
    signal: c_int,
    information: *const Information,
    context: *mut c_void,
) {
    let errno = sys::errno();
    // SAFETY: the kernel gives it to handlers that ask for it.
    let (code, address) = unsafe { ((*information).code, (*information).address) };
    let mended = code > 0 && process::current().is_some_and(|process| mend(process, address));
    if !mended {
        // SAFETY: passed on as it came.
        unsafe { pass_on(signal, information, context) };
    }
    sys::set_errno(errno);
}

/// Puts memory in the place of the mapping that the address lies in, if it is one of ours; false otherwise.
fn mend(process: &Process, address: usize) -> bool {
    let thread = process.threads.find(sys::this_thread());
    let header = process.header.load(Ordering::Acquire);
    let in_chunk = thread.and_then(crate::thread::Thread::chunk_in_use);
    let in_header = (!header.is_null()).then(|| (header, sys::page()));
    for (start, len) in [in_chunk, in_header].into_iter().flatten() {
        if (start.addr()..start.addr().wrapping_add(len)).contains(&address) {
            // SAFETY: the mapping is ours, and this thread alone uses a chunk; what was in it is in the file or gone.
            if !unsafe { sys::replace_by_memory(start, len) } {
                return false;
            }
            process.switch_off(stopped::BY_TRUNCATION);
            if Some((start, len)) == in_chunk {
                // As for a thread that is not guarded: the signal is blocked here, and the file may be cut again.
                process.count_lost(None);
            }
            return true;
        }
    }
    false
}

/// Does what would have been done without this handler.
///
/// # Safety
/// The arguments are those of the kernel.
unsafe fn pass_on(signal: c_int, information: *const Information, context: *mut c_void) {
    // SAFETY: not written to since `install`.
    let previous = unsafe { &*PREVIOUS.0.get() };
    // SAFETY: as above.
    let code = unsafe { (*information).code };
    if previous.handler == Action::DEFAULT {
        sys::default_action(signal);
        // What the program itself caused comes again when it goes on; what somebody sent does not.
        if code <= 0 || code == sys::MCE_ADVICE {
            sys::raise(signal);
        }
        return;
    }
    if previous.flags & Action::ONCE != 0 {
        sys::default_action(signal);
    }
    // SAFETY: the program gave this address as that of a handler.
    unsafe {
        let handler = core::mem::transmute::<usize, Handler>(previous.handler);
        handler(signal, information, context);
    }
}
