//! The SQLite export of a trace by nsys.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use rangescope_model::observed::{ObservedRange, ObservedRegions};

use super::RangesError;
use crate::nsys::{Database, GlobalProcess, NsysError, StartEndScope, Trace, is_sqlite};

pub(super) fn read(path: &Path) -> Result<Option<ObservedRegions>, RangesError> {
    if !is_sqlite(path) {
        return Ok(None);
    }
    let trace = Trace::read(&Database::open(path)?)?;
    Ok(Some(observed_in_trace(&trace)?))
}

/// The trace does not keep which ranges were open together, so any two may have been.
pub fn observed_in_trace(trace: &Trace) -> Result<ObservedRegions, NsysError> {
    let mut launches = BTreeMap::new();
    let of_kernels = trace.regions_of_kernels(StartEndScope::Process)?;
    for (kernel, regions) in trace.kernels().iter().zip(of_kernels) {
        // A kernel without a launching call has no regions.
        let Some(call) = kernel.call else { continue };
        for region in regions {
            *launches.entry((call.thread.process(), region)).or_insert(0_u64) += 1;
        }
    }
    let mut counts = BTreeMap::new();
    for range in trace.ranges() {
        *counts.entry((range.thread.process(), range.region)).or_insert(0_u64) += 1;
    }
    let range = |(&(process, region), &count): (&(GlobalProcess, _), &u64)| {
        Some(ObservedRange {
            process: u32::try_from(process.pid()).ok(),
            count: Some(count),
            launches: Some(launches.get(&(process, region)).copied().unwrap_or(0)),
            ..ObservedRange::of(trace.region(region)?)
        })
    };
    let regions: BTreeSet<_> = counts.keys().map(|&(_, region)| region).collect();
    Ok(ObservedRegions {
        regions: regions.into_iter().filter_map(|region| trace.region(region)).collect(),
        ranges: counts.iter().filter_map(range).collect(),
        ..ObservedRegions::default()
    })
}
