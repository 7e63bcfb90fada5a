//! The ranges that a program was seen to open, whatever saw them: the recorder, nsys, or an earlier capture.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::region::{RegionKey, display_name};

/// The regions of an earlier run.
#[derive(Clone, Debug, Default)]
pub struct ObservedRegions {
    pub regions: Vec<RegionKey>,
    pub ranges: Vec<ObservedRange>,
    /// Pairs of `regions`, by index, that were open at the same time; `None` if nothing tells.
    pub open_together: Option<Vec<[usize; 2]>>,
    /// The process of the program itself among those that opened ranges, if that is known.
    pub main_process: Option<u32>,
}

/// A range that the program opened, once or many times on one thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObservedRange {
    /// Its own name.
    pub name: String,
    /// The region that it is an instance of.
    #[serde(flatten)]
    pub key: RegionKey,
    /// The process that opened it, if known.
    pub process: Option<u32>,
    /// The thread that opened it, if known.
    pub thread: Option<u64>,
    /// How often it was opened, if known.
    pub count: Option<u64>,
    /// How many kernels were launched while it was open and counted for the launching thread, if known.
    pub launches: Option<u64>,
}

impl ObservedRange {
    pub fn of(key: RegionKey) -> Self {
        let name = key.path.last().cloned().unwrap_or_default();
        Self { name, key, process: None, thread: None, count: None, launches: None }
    }
}

impl fmt::Display for ObservedRange {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RegionKey { domain, kind, path } = &self.key;
        write!(out, "`{}` ({}, domain `{domain}`", display_name(path), kind.words())?;
        match self.count {
            Some(1) => write!(out, ", opened once)"),
            Some(count) => write!(out, ", opened {count} times)"),
            None => write!(out, ")"),
        }
    }
}
