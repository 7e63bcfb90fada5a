//! A kernel, a launch or a region in detail: memory chart, stall reasons, pipes, occupancy, from the metrics alone.
//!
//! Any map of metrics will do, of one launch or of everything: numbers over several results were combined by their own rules before.
//! Which metrics stand for a link, a stall or a pipe is in tables, one row each. What is unknown is absent, never zero.

mod memory;
pub mod model;
mod occupancy;
mod pipes;
mod reading;
mod stalls;
mod tables;
#[cfg(test)]
mod tests;

pub use crate::insight::measured::Metrics;
pub use occupancy::occupancy;
pub(crate) use stalls::states as warp_states;

pub use tables::memory_tables;

use model::{Counted, Details, NotCollected};

/// The charts that these metrics suffice for.
pub fn details(metrics: &Metrics) -> Details {
    let mut details = Details {
        memory: memory::chart(metrics),
        stalls: stalls::states(metrics),
        pipes: pipes::pipes(metrics),
        occupancy: occupancy(metrics),
        not_collected: Vec::new(),
    };
    details.not_collected = not_collected(&details);
    details
}

fn not_collected(details: &Details) -> Vec<NotCollected> {
    let links = details.memory.iter().flat_map(|chart| &chart.links);
    let lacks = |of_bytes: bool| {
        let of_kind = links.clone().filter(|link| (link.counted == Counted::Bytes) == of_bytes);
        of_kind.clone().any(|link| link.amount.is_none() && link.rate.is_none())
    };
    let states = details.stalls.iter().flat_map(|stalls| &stalls.states);
    let occupancy = details.occupancy.as_ref();
    [
        (details.memory.is_none(), "the memory chart", &["MemoryWorkloadAnalysis_Tables"][..]),
        (
            lacks(false),
            "instructions and requests of the memory chart",
            &["MemoryWorkloadAnalysis_Tables"],
        ),
        (lacks(true), "bytes of the memory chart", &["MemoryWorkloadAnalysis_Tables"]),
        (
            !states.clone().any(|state| state.cycles.is_some()),
            "stall reasons in cycles",
            &["WarpStateStats"],
        ),
        (
            !states.clone().any(|state| state.samples.is_some()),
            "stall reasons in samples",
            &["SourceCounters"],
        ),
        (details.pipes.is_empty(), "how busy the pipes are", &["ComputeWorkloadAnalysis"]),
        (
            occupancy.is_none_or(|found| found.achieved.is_none()),
            "achieved occupancy",
            &["Occupancy"],
        ),
        (
            occupancy.is_none_or(|found| found.block_limits.is_empty()),
            "what limits occupancy",
            &["Occupancy"],
        ),
    ]
    .into_iter()
    .filter(|(is_missing, _, _)| *is_missing)
    .map(|(_, what, sections)| NotCollected::new(what, sections))
    .collect()
}

impl Details {
    /// The metrics that the charts were read from.
    pub fn metrics(&self) -> impl Iterator<Item = &str> {
        let memory = self.memory.iter();
        let units = memory.clone().flat_map(|chart| &chart.units);
        let links = memory.flat_map(|chart| &chart.links);
        let states = self.stalls.iter().flat_map(|stalls| &stalls.states);
        let readings = units
            .flat_map(|unit| [&unit.hit_rate, &unit.busy])
            .chain(links.flat_map(|link| [&link.amount, &link.rate, &link.peak_pct]))
            .chain(self.stalls.iter().map(|stalls| &stalls.cycles_per_instruction))
            .chain(states.flat_map(|state| [&state.cycles, &state.samples]))
            .chain(self.pipes.iter().flat_map(|pipe| [&pipe.cycles_pct, &pipe.instructions_pct]));
        readings.flatten().flat_map(|reading| reading.metrics.iter().map(String::as_str))
    }
}

impl NotCollected {
    pub fn new(what: &str, sections: &[&str]) -> Self {
        let sections = sections.iter().map(|&section| section.to_owned()).collect();
        Self { what: what.to_owned(), sections }
    }
}
