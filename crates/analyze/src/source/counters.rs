//! Which metrics of instructions can be added up, and what they are.

pub(super) use crate::aggregate::sampling::SAMPLES;
use crate::aggregate::sampling::STALLED;

/// Behind a stall reason: only those samples in which the scheduler issued nothing.
const NOT_ISSUED: &str = "_not_issued";
pub(super) const EXECUTED: &str = "inst_executed";
/// Sectors of global memory that are moved and not used.
pub(super) const EXCESS: &str = "derived__memory_l2_theoretical_sectors_global_excessive";

/// Counts by instruction begin with these.
const COUNTS: [&str; 8] = [
    EXECUTED,
    "thread_inst_executed",
    "memory_",
    "smsp__pcsamp_",
    "smsp__branch_targets_",
    "smsp__inst_executed_",
    "smsp__sass_",
    "sass__",
];
/// These are codes: the kind and the size of what an instruction accesses.
const CODES: [&str; 3] = ["memory_type", "memory_access_type", "memory_access_size_type"];

/// Whether values of a metric at one instruction can be added over launches, and over the instructions of a line. Others of instructions are codes and quotients.
pub fn is_count(name: &str) -> bool {
    let is_excess = name.starts_with("derived__memory_") && name.ends_with("_excessive");
    is_excess || (COUNTS.iter().any(|start| name.starts_with(start)) && !CODES.contains(&name))
}

/// The reason that a counter of samples stands for.
pub(super) fn stall_reason(name: &str) -> Option<&str> {
    name.strip_prefix(STALLED).filter(|reason| !reason.ends_with(NOT_ISSUED))
}
