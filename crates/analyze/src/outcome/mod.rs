//! What the messages of ncu's rules mean: the one table of outcomes.
//!
//! A rule of ncu says opposite things under one name, so a finding takes its words from what was said and not from who said it. A message is recognised by its
//! rule and by short fragments of its text that are the same in all versions; a message that is not is shown as ncu wrote it, without advice of ours.
//! Pure, and without allocation: every message of every launch comes through here.

mod compute;
mod kinds;
mod launch;
mod memory;
mod occupancy;
pub(crate) mod own;
mod recognise;
mod stalls;
mod summary;
#[cfg(test)]
mod tests;

pub use kinds::{Cause, FindingKind, Outcome, Unit};
pub use own::OwnOutcome;
pub(crate) use own::is_limit;
pub(crate) use recognise::{UNKNOWN_IDS, known, of_summary};
pub use recognise::{all, by_id, recognise};
