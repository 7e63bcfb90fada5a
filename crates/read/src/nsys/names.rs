//! Names once each, and small numbers for them.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

/// A name of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NameId(u32);

/// All names of a trace.
#[derive(Debug, Default)]
pub(crate) struct Names(IndexSet<Box<str>, FxBuildHasher>);

impl Names {
    pub(crate) fn id(&mut self, name: &str) -> NameId {
        let index = match self.0.get_index_of(name) {
            Some(index) => index,
            None => self.0.insert_full(name.into()).0,
        };
        // A name takes more than one byte of memory, so there are never that many.
        NameId(u32::try_from(index).unwrap_or(u32::MAX))
    }

    pub(crate) fn get(&self, id: NameId) -> &str {
        self.0.get_index(id.0 as usize).map_or("", |name| name)
    }
}
