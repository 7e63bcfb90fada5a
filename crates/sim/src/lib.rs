//! A simulated device, for machines without a GPU.
//!
//! `machine` prices a kernel with a small machine model, `metric` derives every counter from the price, and `kernel` turns both into a result of a report.
//! [`ncu`] is a stand-in for ncu: it takes ncu's command line, runs the real program and prices the kernels that it announces. [`sample`] is a made-up program.
//! Every report made here names the simulator in its session record, so that nobody mistakes it for a measurement.

mod activity;
mod code;
mod collection;
mod constants;
mod kernel;
mod machine;
mod metric;
pub mod ncu;
mod occupancy;
#[cfg(test)]
mod presets;
mod rules;
pub mod sample;
mod sections;
mod series;

/// Identifiers of those sections of ncu that are known here and collect a metric.
pub fn sections_with(metric: &str) -> impl Iterator<Item = &'static str> {
    let collects = move |section: &&sections::SectionSpec| {
        let header = section.header.iter().map(|(name, _)| name);
        header.chain(section.more).any(|name| *name == metric)
    };
    sections::SECTIONS.iter().filter(collects).map(|section| section.id)
}
