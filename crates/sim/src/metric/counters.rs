//! The counters of the simulated device: the unit, the amount and the peak of each.

use crate::activity::Activity;
use crate::machine::{Machine, SCHEDULERS, SECTOR, STALL_FREE};

/// A kind of hardware unit, named by what precedes the double underscore in a counter.
pub(super) struct Unit {
    pub(super) name: &'static str,
    pub(super) instances: fn(&Machine) -> f64,
    /// Elapsed cycles of one of them.
    pub(super) elapsed: fn(&Activity) -> f64,
    /// Cycles in which one of them had work.
    pub(super) active: fn(&Activity) -> f64,
}

#[rustfmt::skip]
pub(super) const UNITS: &[Unit] = &[
    Unit { name: "sm", instances: |m| m.sms, elapsed: |a| a.sm_cycles, active: |a| a.sm_active_cycles },
    Unit { name: "smsp", instances: |m| m.sms * SCHEDULERS, elapsed: |a| a.sm_cycles, active: |a| a.sm_active_cycles },
    Unit { name: "l1tex", instances: |m| m.sms, elapsed: |a| a.sm_cycles, active: |a| a.sm_active_cycles },
    Unit { name: "gpc", instances: |_| 6.0, elapsed: |a| a.sm_cycles, active: |a| a.sm_cycles },
    Unit { name: "lts", instances: |m| m.l2_slices, elapsed: |a| a.sm_cycles, active: |a| a.sm_active_cycles },
    Unit { name: "dram", instances: |m| m.dram_channels, elapsed: |a| a.dram_cycles, active: |a| a.dram_cycles },
];

pub(super) struct Counter {
    /// Without the roll-up.
    pub(super) name: &'static str,
    /// The most that one instance of the unit can do in a cycle.
    pub(super) peak: fn(&Machine) -> f64,
    /// The amount over all instances.
    pub(super) sum: fn(&Activity, &Machine) -> f64,
}

const fn counter(
    name: &'static str,
    peak: fn(&Machine) -> f64,
    sum: fn(&Activity, &Machine) -> f64,
) -> Counter {
    Counter { name, peak, sum }
}

/// Counters of the SM that each of its schedulers has, too. Names are without the unit, peaks are those of a whole SM.
#[rustfmt::skip]
pub(super) const SCHEDULED: &[Counter] = &[
    counter("inst_executed", |_| SCHEDULERS, |a, _| a.instructions),
    counter("inst_issued", |_| SCHEDULERS, |a, _| a.instructions),
    counter("issue_active", |_| SCHEDULERS, |a, _| a.instructions),
    counter("issue_inst0", |_| SCHEDULERS, |a, m| a.sm_active_cycles * m.sms * SCHEDULERS - a.instructions),
    counter("warps_active", |m| m.warps_per_sm, |a, _| a.warp_cycles),
    counter("warps_eligible", |m| m.warps_per_sm, |a, _| STALL_FREE * a.instructions),
    counter("warps_launched", |_| SCHEDULERS, |a, _| a.warps),
    counter("thread_inst_executed", |_| 32.0 * SCHEDULERS, |a, _| 32.0 * a.instructions),
    counter("thread_inst_executed_pred_on", |_| 32.0 * SCHEDULERS, |a, _| 32.0 * a.instructions - 8.0 * a.control),
    counter("inst_executed_pipe_alu", |_| SCHEDULERS, |a, _| a.integer),
    counter("inst_executed_pipe_fma", |m| m.flops_per_cycle / 64.0, |a, _| (a.fma32 + a.fma16) / 32.0),
    counter("inst_executed_pipe_fp64", |m| m.flops_per_cycle / 4096.0, |a, _| a.fma64 / 32.0),
    counter("inst_executed_pipe_tensor", |m| m.flops_per_cycle / 128.0, |a, _| a.tensor),
    counter("inst_executed_pipe_lsu", |_| SCHEDULERS, |a, _| a.loads + a.stores + a.shared_loads + a.shared_stores),
    counter("inst_executed_pipe_cbu", |_| SCHEDULERS, |a, _| a.control),
    counter("inst_executed_op_branch", |_| SCHEDULERS, |a, _| a.control),
    counter("sass_thread_inst_executed_op_ffma_pred_on", |m| m.flops_per_cycle / 2.0, |a, _| a.fma32),
    counter("sass_thread_inst_executed_op_fadd_pred_on", |m| m.flops_per_cycle / 2.0, |_, _| 0.0),
    counter("sass_thread_inst_executed_op_fmul_pred_on", |m| m.flops_per_cycle / 2.0, |_, _| 0.0),
    counter("sass_thread_inst_executed_op_hfma_pred_on", |m| m.flops_per_cycle / 2.0, |a, _| a.fma16),
    counter("sass_thread_inst_executed_op_hadd_pred_on", |m| m.flops_per_cycle / 2.0, |_, _| 0.0),
    counter("sass_thread_inst_executed_op_hmul_pred_on", |m| m.flops_per_cycle / 2.0, |_, _| 0.0),
    counter("sass_thread_inst_executed_op_dfma_pred_on", |m| m.flops_per_cycle / 128.0, |a, _| a.fma64),
    counter("sass_thread_inst_executed_op_dadd_pred_on", |m| m.flops_per_cycle / 128.0, |_, _| 0.0),
    counter("sass_thread_inst_executed_op_dmul_pred_on", |m| m.flops_per_cycle / 128.0, |_, _| 0.0),
];

/// Why warps wait: the name, and the share of the waiting that is not for memory.
pub(crate) const STALLS: &[(&str, f64)] = &[
    ("barrier", 0.05),
    ("branch_resolving", 0.05),
    ("dispatch_stall", 0.02),
    ("drain", 0.01),
    ("imc_miss", 0.01),
    ("lg_throttle", 0.03),
    ("math_pipe_throttle", 0.35),
    ("membar", 0.0),
    ("mio_throttle", 0.04),
    ("misc", 0.01),
    ("no_instruction", 0.05),
    ("short_scoreboard", 0.08),
    ("sleeping", 0.0),
    ("tex_throttle", 0.0),
    ("wait", 0.3),
];

/// Cycles that warps spend in a state, by the name of the state.
pub(crate) fn stalled(reason: &str, activity: &Activity) -> Option<f64> {
    let waiting = activity.warp_cycles - STALL_FREE * activity.instructions;
    Some(match reason {
        "selected" => activity.instructions,
        "not_selected" => (STALL_FREE - 1.0) * activity.instructions,
        "long_scoreboard" => activity.memory_stall,
        other => {
            let (_, share) = STALLS.iter().find(|(name, _)| *name == other)?;
            share * (waiting - activity.memory_stall)
        }
    })
}

#[rustfmt::skip]
pub(super) const COUNTERS: &[Counter] = &[
    counter("sm__ctas_launched", |_| 1.0, |a, _| a.blocks),
    counter("sm__threads_launched", |_| 32.0, |a, _| a.threads),
    counter("sm__pipe_alu_cycles_active", |_| 1.0, |a, _| a.integer / SCHEDULERS),
    counter("sm__pipe_fma_cycles_active", |_| 1.0, |a, m| 2.0 * (a.fma32 + a.fma16) / m.flops_per_cycle),
    counter("sm__pipe_fp64_cycles_active", |_| 1.0, |a, m| 128.0 * a.fma64 / m.flops_per_cycle),
    counter("sm__pipe_tensor_cycles_active", |_| 1.0, |a, _| a.tensor_cycles),
    counter("sm__pipe_shared_cycles_active", |_| 1.0, |a, _| a.tensor_cycles),
    counter("l1tex__t_sectors", |_| 4.0, |a, _| a.l1_loads + a.l1_stores),
    counter("l1tex__t_sectors_lookup_hit", |_| 4.0, |a, _| a.l1_hits),
    counter("l1tex__t_sectors_lookup_miss", |_| 4.0, |a, _| a.l1_loads + a.l1_stores - a.l1_hits),
    counter("l1tex__t_sectors_pipe_lsu_mem_global_op_ld", |_| 4.0, |a, _| a.l1_loads),
    counter("l1tex__t_sectors_pipe_lsu_mem_global_op_st", |_| 4.0, |a, _| a.l1_stores),
    counter("l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit", |_| 4.0, |a, _| a.l1_hits),
    counter("l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss", |_| 4.0, |a, _| a.l1_loads - a.l1_hits),
    counter("l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_hit", |_| 4.0, |_, _| 0.0),
    counter("l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_miss", |_| 4.0, |a, _| a.l1_stores),
    counter("l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_ld", |_| 4.0, |a, _| a.loads),
    counter("l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_st", |_| 4.0, |a, _| a.stores),
    // The model keeps everything in registers, so that nothing is spilled.
    counter("l1tex__t_requests_pipe_lsu_mem_local_op_ld", |_| 1.0, |_, _| 0.0),
    counter("l1tex__t_requests_pipe_lsu_mem_local_op_st", |_| 1.0, |_, _| 0.0),
    counter("l1tex__t_sectors_pipe_lsu_mem_local_op_ld", |_| 4.0, |_, _| 0.0),
    counter("l1tex__t_sectors_pipe_lsu_mem_local_op_st", |_| 4.0, |_, _| 0.0),
    counter("l1tex__data_pipe_lsu_wavefronts_mem_shared", |_| SCHEDULERS, |a, _| a.shared_loads + a.shared_stores + bank_conflicts(a)),
    counter("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld", |_| SCHEDULERS, |a, _| a.shared_loads + bank_conflicts(a)),
    counter("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st", |_| SCHEDULERS, |a, _| a.shared_stores),
    counter("l1tex__data_bank_conflicts_pipe_lsu_mem_shared", |_| SCHEDULERS, |a, _| bank_conflicts(a)),
    counter("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld", |_| SCHEDULERS, |a, _| bank_conflicts(a)),
    counter("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st", |_| SCHEDULERS, |_, _| 0.0),
    counter("l1tex__m_xbar2l1tex_read_bytes", |m| SECTOR * m.l2_slices * m.l2_sectors_per_cycle, |a, _| SECTOR * a.l2_read),
    counter("l1tex__m_l1tex2xbar_write_bytes", |m| SECTOR * m.l2_slices * m.l2_sectors_per_cycle, |a, _| SECTOR * a.l2_written),
    counter("lts__t_sectors_srcunit_tex_op_read", |m| m.l2_sectors_per_cycle, |a, _| a.l2_read),
    counter("lts__t_sectors_srcunit_tex_op_read_lookup_hit", |m| m.l2_sectors_per_cycle, |a, _| a.l2_read_hits),
    counter("lts__t_sectors_srcunit_tex_op_read_lookup_miss", |m| m.l2_sectors_per_cycle, |a, _| a.l2_read - a.l2_read_hits),
    counter("lts__t_sectors_srcunit_tex_op_write", |m| m.l2_sectors_per_cycle, |a, _| a.l2_written),
    counter("lts__t_sectors_srcunit_tex_op_write_lookup_hit", |m| m.l2_sectors_per_cycle, |a, _| a.l2_hits - a.l2_read_hits),
    counter("lts__t_sectors_srcunit_tex_op_write_lookup_miss", |m| m.l2_sectors_per_cycle, |a, _| a.l2_written - (a.l2_hits - a.l2_read_hits)),
    counter("lts__t_sectors_srcunit_tex_aperture_sysmem_op_read_lookup_miss", |m| m.l2_sectors_per_cycle, |_, _| 0.0),
    counter("lts__t_sectors_srcunit_tex_aperture_sysmem_op_write", |m| m.l2_sectors_per_cycle, |_, _| 0.0),
    counter("lts__t_requests_srcunit_tex", |_| 1.0, |a, _| a.loads + a.stores),
    counter("lts__t_requests_srcunit_tex_op_read", |_| 1.0, |a, _| a.loads),
    counter("lts__t_requests_srcunit_tex_op_write", |_| 1.0, |a, _| a.stores),
    counter("l1tex__t_bytes", |_| 4.0 * SECTOR, |a, _| SECTOR * (a.l1_loads + a.l1_stores)),
    counter("l1tex__t_requests", |_| 1.0, |a, _| a.loads + a.stores),
    counter("l1tex__t_requests_pipe_lsu_mem_global_op_ld", |_| 1.0, |a, _| a.loads),
    counter("l1tex__t_requests_pipe_lsu_mem_global_op_st", |_| 1.0, |a, _| a.stores),
    counter("l1tex__lsu_writeback_active", |_| 1.0, |a, _| a.loads),
    counter("l1tex__lsu_writeback_active_mem_lg", |_| 1.0, |a, _| a.loads),
    counter("l1tex__lsu_writeback_active_mem_lgds", |_| 1.0, |a, _| a.loads),
    counter("lts__t_sectors", |m| m.l2_sectors_per_cycle, |a, _| a.l2_read + a.l2_written),
    counter("lts__t_sectors_lookup_hit", |m| m.l2_sectors_per_cycle, |a, _| a.l2_hits),
    counter("lts__t_sectors_lookup_miss", |m| m.l2_sectors_per_cycle, |a, _| a.l2_read + a.l2_written - a.l2_hits),
    counter("lts__t_sectors_op_read", |m| m.l2_sectors_per_cycle, |a, _| a.l2_read),
    counter("lts__t_sectors_op_write", |m| m.l2_sectors_per_cycle, |a, _| a.l2_written),
    counter("lts__t_sectors_srcunit_tex", |m| m.l2_sectors_per_cycle, |a, _| a.l2_read + a.l2_written),
    counter("lts__t_sectors_srcunit_tex_lookup_hit", |m| m.l2_sectors_per_cycle, |a, _| a.l2_hits),
    counter("lts__t_sectors_srcunit_tex_lookup_miss", |m| m.l2_sectors_per_cycle, |a, _| a.l2_read + a.l2_written - a.l2_hits),
    counter("lts__t_bytes", |m| SECTOR * m.l2_sectors_per_cycle, |a, _| SECTOR * (a.l2_read + a.l2_written)),
    counter("lts__t_requests", |_| 1.0, |a, _| a.loads + a.stores),
    counter("lts__lts2xbar_cycles_active", |_| 1.0, |a, m| a.l2_read / m.l2_sectors_per_cycle),
    counter("dram__bytes", channel_bytes, |a, _| a.dram_read + a.dram_written),
    counter("dram__bytes_read", channel_bytes, |a, _| a.dram_read),
    counter("dram__bytes_write", channel_bytes, |a, _| a.dram_written),
    counter("dram__sectors_read", |m| channel_bytes(m) / SECTOR, |a, _| a.dram_read / SECTOR),
    counter("dram__sectors_write", |m| channel_bytes(m) / SECTOR, |a, _| a.dram_written / SECTOR),
    counter("dram__cycles_active", |_| 1.0, |a, m| (a.dram_read + a.dram_written) / channel_bytes(m)),
];

/// Bytes that one DRAM channel moves in a cycle.
fn channel_bytes(machine: &Machine) -> f64 {
    machine.dram_bytes_per_ns / machine.dram_clock_ghz / machine.dram_channels
}

/// Further passes through shared memory, of loads whose threads meet in a bank: one load in eight, because the model knows nothing of access patterns.
fn bank_conflicts(activity: &Activity) -> f64 {
    activity.shared_loads / 8.0
}
