//! Nsight Compute: whether and how it runs, and what is asked of it.

mod options;
mod values;

use super::kind::Kind;
use super::launch::Collectives;
use super::section::section;

pub use options::NcuOptions;
pub use values::{
    CacheControl, ClockControl, Communicator, FilterMode, GraphProfiling, Mps, PipelineBoostState,
    ReportKind, TargetProcesses,
};

section! {
    /// Whether and how ncu runs.
    Ncu "pipeline.ncu." {
        enable: bool, Kind::Bool, "Run Nsight Compute";
        gating_nvtx: bool, Kind::Bool, "Profile only inside the chosen regions";
        executable: String, Kind::Text, "The ncu to run";
        from_top_kernels: Option<String>, Kind::Text, "Profile only the kernels of a list: `nsys`, or a file of `rangescope top-kernels`";
        collectives: Collectives, Kind::Choice(Collectives::WORDS), "Under a launcher, with kernel or application replay: what is done about kernels of collectives";
        collective_kernels: Vec<String>, Kind::Patterns, "The kernels of collectives: names, `glob:`, `regex:`";
    }
}
