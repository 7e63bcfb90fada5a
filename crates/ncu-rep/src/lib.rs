//! Reader and writer of NVIDIA Nsight Compute reports, with no NVIDIA software.
//!
//! - [`Report`] opens a `.ncu-rep`, `.ncu-repz` or `.nsight-cuprof-report`, or what the caller reads for it ([`ReadAt`]), indexes its blocks and decodes results on
//!   demand.
//! - [`mod@write`] makes files that NVIDIA's readers open.
//! - [`filter`] is ncu's own NVTX filter language.
//! - [`csv`] reads and writes ncu's CSV pages.
//! - [`units`] infers the unit of a metric from its name, because files do not hold units.
//!
//! The crate never trusts a length before checking it, never panics on any bytes, and skips and counts what it does not know.

mod bytes;
pub mod csv;
mod decode;
mod distinct;
mod error;
pub mod file;
pub mod filter;
mod grid;
mod index;
mod layout;
pub mod limits;
pub mod model;
pub mod names;
mod owned;
mod report;
mod result;
pub mod samples;
mod session;
pub mod source;
mod strings;
pub mod units;
mod wire;
pub mod write;

pub use bytes::ReadAt;
pub use decode::metric::{MetricSink, MetricView};
pub use error::{Damage, DamageKind, ReadError};
pub use model::*;
pub use report::Report;
pub use result::{ResultParts, ResultView};
pub use session::{Device, Executable, ProfilerSettings, Session, System};
