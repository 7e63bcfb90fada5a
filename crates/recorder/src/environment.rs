//! The variables that are taken from the program's environment, copied once when the library is attached.
//!
//! The program may change its environment at any time and from any thread, so nothing looks at it later: no hook, and no child of a fork, which has the values
//! of the process that attached the library. Lengths are bounded, because there is nothing to allocate with. A folder that is longer than a path may be makes
//! the recording fail with an error; any other variable that is too long is left out as a whole, because the beginning of a list of devices is another list.

use core::cell::UnsafeCell;

use crate::format::{DEVICES_VARIABLE, FOLDER_VARIABLE, RANK_VARIABLES};
use crate::header::Entries;
use crate::line::{LONGEST, Line};
use crate::sys;

/// Longest value of a variable other than the folder.
const LONGEST_VALUE: usize = 1024;
/// Room for all variables at their longest, with their names and lengths.
const ROOM: usize = 16 << 10;
const _: () = assert!((RANK_VARIABLES.len() + 1) * (LONGEST_VALUE + 64) <= ROOM);

struct Environment {
    folder: Line,
    /// The variables as they stand in a header.
    entries: [u8; ROOM],
    entries_len: usize,
}

struct Taken(UnsafeCell<Environment>);

// SAFETY: written by `take` alone, before anything can read it.
unsafe impl Sync for Taken {}

static TAKEN: Taken =
    Taken(UnsafeCell::new(Environment { folder: Line::new(), entries: [0; ROOM], entries_len: 0 }));

/// Copies what is needed; `None` if no recording is asked for.
///
/// # Safety
/// Called once, while nothing else here is used.
pub(crate) unsafe fn take() -> Option<()> {
    // SAFETY: the caller says that this is the only reference.
    let taken = unsafe { &mut *TAKEN.0.get() };
    let mut value = [0; LONGEST];
    match variable(FOLDER_VARIABLE, &mut value)? {
        0 => return None,
        // A value that does not fit does not fit into a line either, which remembers that.
        len => taken.folder.text(value.get(..len).unwrap_or(&value)),
    };
    let mut entries = Entries::new(&mut taken.entries, 0);
    for name in RANK_VARIABLES.into_iter().chain([DEVICES_VARIABLE]) {
        if let Some(len) = variable(name, value.get_mut(..LONGEST_VALUE)?)
            && let Some(value) = value.get(..len).filter(|_| len <= LONGEST_VALUE)
        {
            entries.add(name, value);
        }
    }
    taken.entries_len = entries.end();
    Some(())
}

/// Copies the value of a variable; see [`sys::variable`].
fn variable(name: &str, into: &mut [u8]) -> Option<usize> {
    sys::variable(Line::new().text(name.as_bytes()).c_text()?, into)
}

/// The folder that recordings go to.
pub(crate) fn folder() -> &'static Line {
    // SAFETY: nobody writes to it after `take`.
    unsafe { &(*TAKEN.0.get()).folder }
}

/// The variables that were set, as entries of a header.
pub(crate) fn entries() -> &'static [u8] {
    // SAFETY: as above.
    let taken = unsafe { &*TAKEN.0.get() };
    taken.entries.get(..taken.entries_len).unwrap_or_default()
}
