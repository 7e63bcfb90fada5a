//! Things that are stored once and referred to by number: names, metric sets, lists of kernels.
//!
//! Scopes of one run mostly hold the same regions with the same content, so this is what keeps a page small.

use std::hash::Hash;

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;
use serde::{Serialize, Serializer};

/// Different values in order of first use.
#[derive(Debug)]
pub(crate) struct Pool<T>(IndexSet<T, FxBuildHasher>);

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Self(IndexSet::default())
    }
}

impl<T: Hash + Eq> Pool<T> {
    /// The number of a value, and whether it is new.
    pub(crate) fn add(&mut self, value: T) -> (u32, bool) {
        let (index, new) = self.0.insert_full(value);
        (number(index), new)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.0.iter()
    }
}

impl<T: Serialize> Serialize for Pool<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(&self.0)
    }
}

/// The texts of a page.
#[derive(Debug, Default, Serialize)]
#[serde(transparent)]
pub(crate) struct Texts(Pool<Box<str>>);

impl Texts {
    /// The number of a text.
    pub(crate) fn add(&mut self, text: &str) -> u32 {
        if let Some(index) = self.0.0.get_index_of(text) {
            return number(index);
        }
        self.0.add(text.into()).0
    }

    /// The number of a text that may be absent.
    pub(crate) fn add_option(&mut self, text: Option<&str>) -> Option<u32> {
        text.map(|text| self.add(text))
    }
}

/// A position as it stands in the page; a document with more than four billion of anything does not fit into memory.
pub(crate) fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}
