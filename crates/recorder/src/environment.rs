//! What is taken from the program's environment: the folder and the limit when the library is attached, the launcher's variables when the file of a process is begun.
//!
//! The program may change its environment at any time and from any thread, so no hook looks at it later. A forked child begins its own file with its first event
//! and reads the variables then, because a program that forks its workers gives each its rank in the child (`multiprocessing` with `os.environ`, for one). That
//! is as safe as reading them when the library is attached: `getenv` takes no lock that the fork could have left behind, and nothing is allocated. Only a fork in
//! the middle of another thread's `setenv` can leave a child with a broken environment, which then breaks any other use of it, too.
//!
//! Lengths are bounded, because there is nothing to allocate with. A folder that is longer than a path may be makes the recording fail with an error; any other
//! variable that is too long is left out as a whole, because the beginning of a list of devices is another list.

use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicU64, Ordering};

use crate::format::{
    DEFAULT_LIMIT, DEVICES_VARIABLE, FOLDER_VARIABLE, LIMIT_VARIABLE, RANK_VARIABLES,
};
use crate::header::Entries;
use crate::line::Line;
use crate::sys;

/// Longest value of a variable other than the folder.
pub(crate) const LONGEST_VALUE: usize = 1024;

struct Folder(UnsafeCell<Line>);

// SAFETY: written by `take_settings` alone, before anything can read it.
unsafe impl Sync for Folder {}

static FOLDER: Folder = Folder(UnsafeCell::new(Line::new()));
static LIMIT: AtomicU64 = AtomicU64::new(DEFAULT_LIMIT);

/// Copies the name of the folder and the limit; `None` if no recording is asked for.
///
/// # Safety
/// Called once, before [`folder`].
pub(crate) unsafe fn take_settings() -> Option<()> {
    // SAFETY: the caller says that this is the only reference.
    let folder = unsafe { &mut *FOLDER.0.get() };
    folder.text_with(|room| variable(FOLDER_VARIABLE, room).ok_or(())).ok()?;
    let mut digits = [0; 20];
    let len = variable(LIMIT_VARIABLE, &mut digits);
    let limit = len.and_then(|len| str::from_utf8(digits.get(..len)?).ok()?.parse().ok());
    LIMIT.store(limit.unwrap_or(DEFAULT_LIMIT), Ordering::Relaxed);
    // A name that does not fit is no empty one.
    (!folder.bytes().is_empty() || folder.c_text().is_none()).then_some(())
}

/// The folder that recordings go to.
pub(crate) fn folder() -> &'static Line {
    // SAFETY: nobody writes to it after `take_settings`.
    unsafe { &*FOLDER.0.get() }
}

/// Bytes that the file of a process may have.
pub(crate) fn limit() -> u64 {
    LIMIT.load(Ordering::Relaxed)
}

/// Adds the variables that are set now.
pub(crate) fn add_variables(entries: &mut Entries<'_>) {
    for name in RANK_VARIABLES.into_iter().chain([DEVICES_VARIABLE]) {
        entries.add_with(name, LONGEST_VALUE, |value| {
            variable(name, value).filter(|len| *len <= value.len())
        });
    }
}

/// Copies the value of a variable; see [`sys::variable`].
fn variable(name: &str, into: &mut [u8]) -> Option<usize> {
    sys::variable(Line::<64>::new().text(name.as_bytes()).c_text()?, into)
}
