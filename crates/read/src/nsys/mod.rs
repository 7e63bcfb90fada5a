//! Nsight Systems: what its SQLite exports say about NVTX ranges and kernels.
//!
//! The way through it is short: [`Database::open`] opens the export; [`Trace::read`] takes ranges, kernels
//! and launches from it and finds out which kernels belong to which regions; [`Summary::of`] and [`top_kernels`] roll that up. Nothing here runs a profiler
//! or writes a file: writers take any `Write`.

mod attribute;
mod database;
mod error;
mod identity;
mod kernels;
mod names;
mod origin;
mod ranges;
mod regions;
mod statistics;
mod strings;
mod summary;
mod top;
mod trace;

pub use attribute::StartEndScope;
pub use database::Database;
pub(crate) use database::is_sqlite;
pub use error::NsysError;
pub use identity::{GlobalProcess, GlobalThread};
pub use kernels::{Call, Kernel};
pub use names::NameId;
pub use ranges::Range;
pub use regions::RegionId;
pub use statistics::Statistics;
pub use summary::write::{
    write_kernels_by_region_csv, write_kernels_csv, write_ranges_csv, write_summary_json,
};
pub use summary::{
    Grouping, KernelRow, NamedRegion, RangeRow, RegionKernelRow, SUMMARY_SCHEMA, Source, Summary,
};
pub use top::{
    RegionTop, TOP_SCHEMA, TopKernel, TopKernels, TopRequest, top_kernels, top_kernels_renamed,
};
pub use trace::Trace;
