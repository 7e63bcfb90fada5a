//! Partial results: reports become files of rows that any engine can merge, and rows become documents.
//!
//! Nothing here distributes work: whoever has many machines runs [`partial`] on each report and merges the rows with SQL or [`load`].

mod load;
mod rows;
mod sql;
mod table;
mod write;

use rangescope_model::document::{DeviceInfo, Note, SourceInfo};
use rangescope_model::launch::{ProcessInfo, Vocabulary};
use serde::{Deserialize, Serialize};

pub use load::{is_partial, load, merge};
pub use sql::Engine;
pub use write::{WrittenPartial, partial};

/// The version of the rows; rows of another one are refused.
const VERSION: u32 = 1;

/// What is known of an input beside its results, in one row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct InputFacts {
    version: u32,
    /// Inputs and what appears in them are in this order.
    order: String,
    sources: Vec<SourceInfo>,
    notes: Vec<Note>,
    devices: Vec<DeviceInfo>,
    /// Process id, host, name and rank.
    processes: Vec<(Option<u32>, String, String, Option<u32>)>,
    /// How many ranks there are, by launchers that told.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    sizes: Vec<u32>,
    /// In seconds since 1970.
    created: Option<u64>,
    time: Option<u64>,
    simulated: bool,
    bytes: u64,
}

impl InputFacts {
    fn new(id: &str, name: &str, vocabulary: &Vocabulary) -> Self {
        let processes = &vocabulary.processes;
        let rank = processes.iter().filter_map(|process| process.rank).min();
        let rank = rank.map_or_else(String::new, |rank| format!("{rank:010}"));
        let stored = |process: &ProcessInfo| {
            (process.pid, process.host.clone(), process.name.clone(), process.rank)
        };
        Self {
            version: VERSION,
            order: format!("{rank}/{name}/{id}"),
            sources: Vec::new(),
            notes: Vec::new(),
            devices: Vec::new(),
            processes: processes.iter().map(stored).collect(),
            sizes: vocabulary.sizes.iter().copied().collect(),
            created: None,
            time: None,
            simulated: false,
            bytes: 0,
        }
    }

    fn processes(&self) -> impl Iterator<Item = ProcessInfo> + '_ {
        self.processes.iter().map(|(pid, host, name, rank)| ProcessInfo {
            pid: *pid,
            host: host.clone(),
            name: name.clone(),
            rank: *rank,
        })
    }
}
