//! Metrics made of several counters: ratios of sums, throughputs (the busiest of several counters), and the derived values of roofline charts.

use super::{ROLLUPS, number as other, ratio};
use crate::activity::Activity;
use crate::machine::Machine;

/// Ratios of two counters: name, factor, numerator, denominator.
#[rustfmt::skip]
pub(super) const RATIOS: &[(&str, f64, &str, &str)] = &[
    ("lts__t_sector_hit_rate.pct", 100.0, "lts__t_sectors_lookup_hit.sum", "lts__t_sectors.sum"),
    ("lts__t_sectors_srcunit_tex_lookup_hit_rate.pct", 100.0, "lts__t_sectors_srcunit_tex_lookup_hit.sum", "lts__t_sectors_srcunit_tex.sum"),
    ("l1tex__t_sector_hit_rate.pct", 100.0, "l1tex__t_sectors_lookup_hit.sum", "l1tex__t_sectors.sum"),
    ("l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct", 100.0, "l1tex__t_sectors_lookup_hit.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"),
    ("l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio", 1.0, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"),
    ("smsp__average_warp_latency_per_inst_issued.ratio", 1.0, "smsp__warps_active.sum", "smsp__inst_issued.sum"),
    ("smsp__average_warps_active_per_inst_executed.ratio", 1.0, "smsp__warps_active.sum", "smsp__inst_executed.sum"),
    ("smsp__thread_inst_executed_per_inst_executed.ratio", 1.0, "smsp__thread_inst_executed.sum", "smsp__inst_executed.sum"),
    ("smsp__thread_inst_executed_pred_on_per_inst_executed.ratio", 1.0, "smsp__thread_inst_executed_pred_on.sum", "smsp__inst_executed.sum"),
];

/// Throughputs: name, and the counters of which the busiest counts.
#[rustfmt::skip]
pub(super) const THROUGHPUTS: &[(&str, &[&str])] = &[
    ("sm__throughput", &["sm__pipe_fma_cycles_active", "sm__pipe_fp64_cycles_active", "sm__pipe_tensor_cycles_active"]),
    ("sm__instruction_throughput", &["sm__inst_executed", "sm__inst_executed_pipe_alu"]),
    ("sm__memory_throughput", &["l1tex__t_requests", "sm__inst_executed_pipe_lsu"]),
    ("l1tex__throughput", &["l1tex__t_sectors", "l1tex__t_requests", "l1tex__lsu_writeback_active"]),
    ("lts__throughput", &["lts__t_sectors", "lts__lts2xbar_cycles_active"]),
    ("dram__read_throughput", &["dram__bytes_read"]),
    ("dram__write_throughput", &["dram__bytes_write"]),
    ("dram__throughput", &["dram__bytes", "dram__cycles_active"]),
    ("gpu__dram_throughput", &["dram__bytes", "dram__cycles_active"]),
    ("gpu__compute_memory_access_throughput", &["dram__bytes", "lts__t_sectors"]),
    ("gpu__compute_memory_request_throughput", &["lts__t_requests", "l1tex__t_requests"]),
    ("gpu__compute_memory_throughput", &["dram__bytes", "lts__t_sectors", "l1tex__t_sectors"]),
];

/// Derived values of roofline charts, and counts of instructions: name, factor, and the metric that is multiplied.
#[rustfmt::skip]
pub(super) const DERIVED: &[(&str, f64, &str)] = &[
    ("derived__sm__sass_thread_inst_executed_op_ffma_pred_on_x2", 2.0, "sm__sass_thread_inst_executed_op_ffma_pred_on.sum.peak_sustained"),
    ("derived__sm__sass_thread_inst_executed_op_hfma_pred_on_x2", 2.0, "sm__sass_thread_inst_executed_op_hfma_pred_on.sum.peak_sustained"),
    ("derived__sm__sass_thread_inst_executed_op_dfma_pred_on_x2", 2.0, "sm__sass_thread_inst_executed_op_dfma_pred_on.sum.peak_sustained"),
    ("derived__smsp__sass_thread_inst_executed_op_ffma_pred_on_x2", 2.0, "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum.per_cycle_elapsed"),
    ("derived__smsp__sass_thread_inst_executed_op_hfma_pred_on_x2", 2.0, "smsp__sass_thread_inst_executed_op_hfma_pred_on.sum.per_cycle_elapsed"),
    ("derived__smsp__sass_thread_inst_executed_op_dfma_pred_on_x2", 2.0, "smsp__sass_thread_inst_executed_op_dfma_pred_on.sum.per_cycle_elapsed"),
    ("derived__sm__inst_executed_pipe_tensor_x512", 512.0, "sm__inst_executed_pipe_tensor.sum.peak_sustained"),
    ("derived__smsp__inst_executed_pipe_tensor_x512", 512.0, "smsp__inst_executed_pipe_tensor.sum.per_cycle_elapsed"),
    ("derived__l1tex__lsu_writeback_bytes.sum.peak_sustained", 128.0, "l1tex__lsu_writeback_active.sum.peak_sustained"),
    ("derived__l1tex__lsu_writeback_bytes.sum.per_second", 128.0, "l1tex__lsu_writeback_active.sum.per_second"),
    ("derived__lts__lts2xbar_bytes.sum.peak_sustained", 64.0, "lts__lts2xbar_cycles_active.sum.peak_sustained"),
    ("sass__inst_executed_global_loads", 1.0, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"),
    ("sass__inst_executed_global_stores", 1.0, "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"),
    ("sass__inst_executed_local_loads", 1.0, "l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum"),
    ("sass__inst_executed_local_stores", 1.0, "l1tex__t_requests_pipe_lsu_mem_local_op_st.sum"),
    ("sass__inst_executed_shared_loads", 8.0, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"),
    ("sass__inst_executed_shared_stores", 1.0, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"),
    ("derived__lts__lts2xbar_bytes.sum.per_second", 64.0, "lts__lts2xbar_cycles_active.sum.per_second"),
];

/// Throughputs are shares, never amounts.
pub(super) const SHARES: [&str; 2] =
    ["pct_of_peak_sustained_active", "pct_of_peak_sustained_elapsed"];

pub(super) fn number(name: &str, activity: &Activity, machine: &Machine) -> Option<f64> {
    if let Some((_, factor, part, whole)) = RATIOS.iter().find(|entry| entry.0 == name) {
        let part = other(part, activity, machine)?;
        return Some(factor * ratio(part, other(whole, activity, machine)?));
    }
    if let Some((_, factor, base)) = DERIVED.iter().find(|entry| entry.0 == name) {
        return Some(factor * other(base, activity, machine)?);
    }
    if let Some(reason) = name
        .strip_prefix("smsp__average_warps_issue_stalled_")
        .and_then(|rest| rest.strip_suffix("_per_issue_active.ratio"))
    {
        let stalled = other(&format!("smsp__warps_issue_stalled_{reason}.sum"), activity, machine)?;
        return Some(ratio(stalled, activity.instructions));
    }
    let parts = breakdown(name)?;
    Some(parts.iter().filter_map(|part| other(part, activity, machine)).fold(0.0, f64::max))
}

/// The metrics that a throughput is the largest of.
pub(crate) fn breakdown(name: &str) -> Option<Vec<String>> {
    let (base, rest) = name.split_once('.')?;
    let (_, counters) = THROUGHPUTS.iter().find(|entry| entry.0 == base)?;
    let (rollup, share) = rest.split_once('.')?;
    let known = ROLLUPS.contains(&rollup) && SHARES.contains(&share);
    known.then(|| counters.iter().map(|counter| format!("{counter}.{rest}")).collect())
}
