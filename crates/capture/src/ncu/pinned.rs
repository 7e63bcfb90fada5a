//! Options that are given unless the user says otherwise, because ncu's own choice changed between versions.

use serde::{Deserialize, Serialize};

/// A value that is given unless it is null, which leaves the matter to ncu.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Pinned<T>(pub Option<T>);

impl<T: Default> Default for Pinned<T> {
    fn default() -> Self {
        Self(Some(T::default()))
    }
}
