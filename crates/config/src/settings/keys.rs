//! The table of all keys: what each may be, which option of ncu it is, and since which ncu.
//!
//! The table is the single source: it decides which keys are known, checks their values, and is printed into docs/configuration.md. How an option is written on a command line, and
//! what an ncu at hand can do, is not known here; a test of the crate that does know compares its options with this table.

use std::sync::LazyLock;

use super::kind::Kind;
use super::{ncu_keys, nsys, pipeline, workload};

/// A key of the configuration.
#[derive(Clone, Copy, Debug)]
pub struct KeyInfo {
    /// The path, keys joined by dots.
    pub path: &'static str,
    /// What its value may be.
    pub kind: Kind,
    /// Whether null is allowed.
    pub nullable: bool,
    /// The option of ncu that it is, if it is one.
    pub option: Option<NcuOption>,
    /// What it is for, in a line.
    pub help: &'static str,
}

/// An option of ncu.
#[derive(Clone, Copy, Debug)]
pub struct NcuOption {
    /// The option, with its dashes.
    pub name: &'static str,
    /// Whether the plan decides about it: patterns are compiled, and what ncu refuses in some mode is applied afterwards.
    pub planned: bool,
    /// The first version of ncu that has it; the oldest supported one where it is older.
    pub since: &'static str,
    /// Values that came later than the option, with their versions.
    pub newer_values: &'static [(&'static str, &'static str)],
}

/// The oldest ncu that is supported.
pub const OLDEST: &str = "2022.3";

impl KeyInfo {
    pub(super) const fn new(path: &'static str, kind: Kind, help: &'static str) -> Self {
        Self { path, kind, nullable: false, option: None, help }
    }

    pub(super) const fn or_null(mut self) -> Self {
        self.nullable = true;
        self
    }

    pub(super) const fn ncu(mut self, name: &'static str) -> Self {
        self.option = Some(NcuOption { name, planned: false, since: OLDEST, newer_values: &[] });
        self
    }

    pub(super) const fn planned(mut self) -> Self {
        if let Some(option) = &mut self.option {
            option.planned = true;
        }
        self
    }

    pub(super) const fn since(mut self, since: &'static str) -> Self {
        if let Some(option) = &mut self.option {
            option.since = since;
        }
        self
    }

    pub(super) const fn newer(mut self, values: &'static [(&'static str, &'static str)]) -> Self {
        if let Some(option) = &mut self.option {
            option.newer_values = values;
        }
        self
    }
}

/// All keys, in the order in which documents list them.
pub fn keys() -> impl Iterator<Item = &'static KeyInfo> + Clone {
    pipeline::TOP
        .iter()
        .chain(workload::KEYS)
        .chain(nsys::KEYS)
        .chain(ncu_keys::KEYS)
        .chain(pipeline::KEYS)
}

/// The key of a path.
pub fn find(path: &str) -> Option<&'static KeyInfo> {
    static SORTED: LazyLock<Vec<&'static KeyInfo>> = LazyLock::new(|| {
        let mut sorted: Vec<_> = keys().collect();
        sorted.sort_by_key(|key| key.path);
        sorted
    });
    let index = SORTED.binary_search_by_key(&path, |key| key.path).ok()?;
    SORTED.get(index).copied()
}
