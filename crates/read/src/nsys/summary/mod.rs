//! Kernels, ranges, and kernels by region, summed up.
//!
//! A region's kernels are those launched in it or in a region inside it. A kernel counts once per region, however many ranges of the region were open, and it
//! counts in every region it belongs to, so rows of nested regions and of different domains must not be added.

mod group;
pub(crate) mod write;

use std::path::PathBuf;

use indexmap::{IndexMap, IndexSet};
use rangescope_model::region::{RangeKind, RegionKey, display_name};
use rustc_hash::FxBuildHasher;
use serde::Serialize;

use crate::nsys::attribute::StartEndScope;
use crate::nsys::database::Database;
use crate::nsys::error::NsysError;
use crate::nsys::names::NameId;
use crate::nsys::statistics::{Statistics, duration};
use crate::nsys::trace::Trace;

pub(crate) use group::{Groups, RowKey};

pub const SUMMARY_SCHEMA: u64 = 1;

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Source {
    pub path: PathBuf,
    pub nsys_version: Option<String>,
    pub export_schema: Option<String>,
}

impl Source {
    pub(crate) fn of(database: &Database) -> Self {
        Self {
            path: database.path().to_owned(),
            nsys_version: database.nsys_version().map(str::to_owned),
            export_schema: database.schema_version().map(str::to_owned),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grouping {
    /// Regions with the same name in different places become one row.
    pub by_name: bool,
    pub per_thread: bool,
    pub per_device: bool,
    /// Whose calls belong to a start/end range.
    pub start_end: StartEndScope,
}

impl Default for Grouping {
    fn default() -> Self {
        Self {
            by_name: false,
            per_thread: false,
            per_device: true,
            start_end: StartEndScope::Process,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct NamedRegion {
    /// Its identity; the path is its own name alone where regions are told apart by that.
    #[serde(flatten)]
    pub key: RegionKey,
    pub name: String,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct KernelRow {
    pub name: String,
    /// The name of the function alone.
    pub base_name: String,
    /// The device; none where devices are not told apart, or not known.
    pub device: Option<u32>,
    pub calls: u64,
    pub time: Statistics,
    /// Its part of the time of all kernels, from 0 to 1.
    pub share: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RegionKernelRow {
    /// The region; none for kernels outside of all regions.
    pub region: Option<NamedRegion>,
    /// The process that launched it, where threads are told apart and it is known.
    pub process_id: Option<u64>,
    /// The thread that launched it, likewise.
    pub thread_id: Option<u64>,
    /// The kernel; its share is that of the region's time.
    pub kernel: KernelRow,
}

/// Ranges of one name, domain and kind.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RangeRow {
    pub name: String,
    pub domain: String,
    pub kind: RangeKind,
    pub instances: u64,
    /// On the CPU.
    pub time: Statistics,
    pub threads: u64,
    /// In how many processes.
    pub processes: u64,
    /// Launched inside; `None` if the trace has no kernels at all.
    pub kernels: Option<u64>,
    pub gpu_ns: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    pub schema_version: u64,
    pub source: Source,
    pub notes: Vec<String>,
    /// Kernels, longest in total first.
    pub kernels: Vec<KernelRow>,
    /// Ranges, longest in total first.
    pub ranges: Vec<RangeRow>,
    /// Kernels by region: regions by domain and path, those outside of all regions last; within, longest in total first.
    pub kernels_by_region: Vec<RegionKernelRow>,
}

impl Summary {
    pub fn of(trace: &Trace, grouping: Grouping) -> Result<Self, NsysError> {
        let groups = Groups::of(trace, grouping)?;
        Ok(Self {
            schema_version: SUMMARY_SCHEMA,
            source: trace.source.clone(),
            notes: trace.notes().to_vec(),
            kernels: groups.kernels(trace),
            ranges: ranges(trace, &groups),
            kernels_by_region: groups.kernels_by_region(trace),
        })
    }
}

/// Domain, kind, name.
type RangeLabel = (NameId, RangeKind, NameId);

fn ranges(trace: &Trace, groups: &Groups) -> Vec<RangeRow> {
    let mut durations: IndexMap<RangeLabel, Vec<u64>, FxBuildHasher> = IndexMap::default();
    let mut threads: IndexMap<RangeLabel, IndexSet<_, FxBuildHasher>, FxBuildHasher> =
        IndexMap::default();
    for range in &trace.ranges {
        let label = (range.domain, range.kind, range.name);
        durations.entry(label).or_default().push(duration(range.start, range.end));
        threads.entry(label).or_default().insert(range.thread);
    }
    let inside = groups.inside_ranges(trace);
    let row = |(label, mut durations): (RangeLabel, Vec<u64>)| {
        let (domain, kind, name) = label;
        let threads = threads.get(&label);
        let processes: IndexSet<_, FxBuildHasher> =
            threads.into_iter().flatten().map(|thread| thread.process()).collect();
        let inside =
            (!trace.kernels.is_empty()).then(|| inside.get(&label).copied().unwrap_or_default());
        RangeRow {
            name: trace.name(name).to_owned(),
            domain: trace.name(domain).to_owned(),
            kind,
            instances: durations.len() as u64,
            time: Statistics::of(&mut durations),
            threads: threads.map_or(0, |threads| threads.len() as u64),
            processes: processes.len() as u64,
            kernels: inside.map(|(kernels, _)| kernels),
            gpu_ns: inside.map(|(_, gpu_ns)| gpu_ns),
        }
    };
    let mut rows: Vec<RangeRow> = durations.into_iter().map(row).collect();
    rows.sort_by(|a, b| {
        let by_time = b.time.total_ns.cmp(&a.time.total_ns);
        by_time.then_with(|| (&a.domain, a.kind, &a.name).cmp(&(&b.domain, b.kind, &b.name)))
    });
    rows
}

pub(crate) fn region_name(trace: &Trace, key: RowKey) -> Option<NamedRegion> {
    let key = match key {
        RowKey::Outside => return None,
        RowKey::Path(region) => trace.region(region)?,
        RowKey::Name(domain, kind, name) => RegionKey {
            domain: trace.name(domain).to_owned(),
            kind,
            path: vec![trace.name(name).to_owned()],
        },
    };
    Some(NamedRegion { name: display_name(&key.path), key })
}
