//! Runs: what `rangescope profile` does, without the talking.
//!
//! A [`Job`] is what is to be done: settings, program, run folder. [`Tools`] are the ncu and nsys at hand. [`RunPlan`] says which commands there will be and touches nothing;
//! [`profile`] carries it out, leaves everything in the [`RunFolder`], and makes the reports from the files there. [`reports`] makes them again at any later time.

pub mod analysis;
pub mod compose;
mod context;
mod error;
pub mod exit;
mod export;
mod folder;
mod inputs;
mod job;
mod kernel;
mod launch;
mod load;
mod masked;
mod ncu_stage;
mod nsys_stage;
mod outcome;
pub mod partial;
mod plan;
mod profile;
mod ranks;
mod record;
pub mod reports;
mod seal;
pub mod source;
mod timed;
mod titles;
mod tools;
pub mod turns;

pub use context::context;
pub use error::RunError;
pub use export::{export_tables, query_tables};
pub use folder::RunFolder;
pub use job::{Job, ResumeRequest, Typed};
pub use kernel::{kernel, samples};
pub use load::{Adjust, Loaded, load, of_inputs, open};
pub use nsys_stage::{NsysOutcome, NsysStage};
pub use outcome::{CaptureDiagnosis, RunEnd, RunOutcome};
pub use plan::{NcuStage, RunPlan};
pub use profile::{Event, profile};
pub use record::record;
pub use timed::{Exported, load_for_export};
pub use titles::titles;
pub use tools::{Tools, ToolsRequest};

/// This program, as it names itself in what it writes.
pub const TOOL: (&str, &str) = ("rangescope", env!("CARGO_PKG_VERSION"));
