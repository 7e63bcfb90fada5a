//! The counters of the simulated device: for each its unit, its amount, and how much of it an instance of the unit can do in a cycle.

use crate::activity::Activity;
use crate::machine::{Machine, SCHEDULERS, SECTOR, STALL_FREE};

/// A kind of hardware unit, named by the letters before the two underscores of a counter.
pub(super) struct Unit {
    pub(super) name: &'static str,
    /// How many there are.
    pub(super) instances: fn(&Machine) -> f64,
    /// Elapsed cycles of one of them.
    pub(super) elapsed: fn(&Activity) -> f64,
    /// Cycles in which one of them had work.
    pub(super) active: fn(&Activity) -> f64,
}

pub(super) const UNITS: &[Unit] = &[
    Unit {
        name: "sm",
        instances: |m| m.sms,
        elapsed: |a| a.sm_cycles,
        active: |a| a.sm_active_cycles,
    },
    Unit {
        name: "smsp",
        instances: |m| m.sms * SCHEDULERS,
        elapsed: |a| a.sm_cycles,
        active: |a| a.sm_active_cycles,
    },
    Unit {
        name: "l1tex",
        instances: |m| m.sms,
        elapsed: |a| a.sm_cycles,
        active: |a| a.sm_active_cycles,
    },
    Unit { name: "gpc", instances: |_| 6.0, elapsed: |a| a.sm_cycles, active: |a| a.sm_cycles },
    Unit {
        name: "lts",
        instances: |m| m.l2_slices,
        elapsed: |a| a.sm_cycles,
        active: |a| a.sm_active_cycles,
    },
    Unit {
        name: "dram",
        instances: |m| m.dram_channels,
        elapsed: |a| a.dram_cycles,
        active: |a| a.dram_cycles,
    },
];

/// One counter.
pub(super) struct Counter {
    /// Its name without the roll-up.
    pub(super) name: &'static str,
    /// What one instance of the unit can do in a cycle.
    pub(super) peak: fn(&Machine) -> f64,
    /// The amount over all instances.
    pub(super) sum: fn(&Activity, &Machine) -> f64,
}

/// A counter of the SM that is also counted in each of its schedulers; the name is without the unit and the peak that of an SM.
pub(super) const SCHEDULED: &[Counter] = &[
    Counter { name: "inst_executed", peak: |_| SCHEDULERS, sum: |a, _| a.instructions },
    Counter { name: "inst_issued", peak: |_| SCHEDULERS, sum: |a, _| a.instructions },
    Counter { name: "issue_active", peak: |_| SCHEDULERS, sum: |a, _| a.instructions },
    Counter {
        name: "issue_inst0",
        peak: |_| SCHEDULERS,
        sum: |a, m| a.sm_active_cycles * m.sms * SCHEDULERS - a.instructions,
    },
    Counter { name: "warps_active", peak: |m| m.warps_per_sm, sum: |a, _| a.warp_cycles },
    Counter {
        name: "warps_eligible",
        peak: |m| m.warps_per_sm,
        sum: |a, _| STALL_FREE * a.instructions,
    },
    Counter { name: "warps_launched", peak: |_| SCHEDULERS, sum: |a, _| a.warps },
    Counter {
        name: "thread_inst_executed",
        peak: |_| 32.0 * SCHEDULERS,
        sum: |a, _| 32.0 * a.instructions,
    },
    Counter {
        name: "thread_inst_executed_pred_on",
        peak: |_| 32.0 * SCHEDULERS,
        sum: |a, _| 32.0 * a.instructions - 8.0 * a.control,
    },
    Counter { name: "inst_executed_pipe_alu", peak: |_| SCHEDULERS, sum: |a, _| a.integer },
    Counter {
        name: "inst_executed_pipe_fma",
        peak: |m| m.flops_per_cycle / 64.0,
        sum: |a, _| (a.fma32 + a.fma16) / 32.0,
    },
    Counter {
        name: "inst_executed_pipe_fp64",
        peak: |m| m.flops_per_cycle / 4096.0,
        sum: |a, _| a.fma64 / 32.0,
    },
    Counter {
        name: "inst_executed_pipe_tensor",
        peak: |m| m.flops_per_cycle / 128.0,
        sum: |a, _| a.tensor,
    },
    Counter {
        name: "inst_executed_pipe_lsu",
        peak: |_| SCHEDULERS,
        sum: |a, _| a.loads + a.stores,
    },
    Counter { name: "inst_executed_pipe_cbu", peak: |_| SCHEDULERS, sum: |a, _| a.control },
    Counter { name: "inst_executed_op_branch", peak: |_| SCHEDULERS, sum: |a, _| a.control },
    Counter {
        name: "sass_thread_inst_executed_op_ffma_pred_on",
        peak: |m| m.flops_per_cycle / 2.0,
        sum: |a, _| a.fma32,
    },
    Counter {
        name: "sass_thread_inst_executed_op_fadd_pred_on",
        peak: |m| m.flops_per_cycle / 2.0,
        sum: |_, _| 0.0,
    },
    Counter {
        name: "sass_thread_inst_executed_op_fmul_pred_on",
        peak: |m| m.flops_per_cycle / 2.0,
        sum: |_, _| 0.0,
    },
    Counter {
        name: "sass_thread_inst_executed_op_hfma_pred_on",
        peak: |m| m.flops_per_cycle / 2.0,
        sum: |a, _| a.fma16,
    },
    Counter {
        name: "sass_thread_inst_executed_op_hadd_pred_on",
        peak: |m| m.flops_per_cycle / 2.0,
        sum: |_, _| 0.0,
    },
    Counter {
        name: "sass_thread_inst_executed_op_hmul_pred_on",
        peak: |m| m.flops_per_cycle / 2.0,
        sum: |_, _| 0.0,
    },
    Counter {
        name: "sass_thread_inst_executed_op_dfma_pred_on",
        peak: |m| m.flops_per_cycle / 128.0,
        sum: |a, _| a.fma64,
    },
    Counter {
        name: "sass_thread_inst_executed_op_dadd_pred_on",
        peak: |m| m.flops_per_cycle / 128.0,
        sum: |_, _| 0.0,
    },
    Counter {
        name: "sass_thread_inst_executed_op_dmul_pred_on",
        peak: |m| m.flops_per_cycle / 128.0,
        sum: |_, _| 0.0,
    },
];

/// Why warps wait: the name, and the share of the waiting that is not for memory.
pub(super) const STALLS: &[(&str, f64)] = &[
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
pub(super) fn stalled(reason: &str, activity: &Activity) -> Option<f64> {
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

pub(super) const COUNTERS: &[Counter] = &[
    Counter { name: "sm__ctas_launched", peak: |_| 1.0, sum: |a, _| a.blocks },
    Counter { name: "sm__threads_launched", peak: |_| 32.0, sum: |a, _| a.threads },
    Counter {
        name: "sm__pipe_alu_cycles_active",
        peak: |_| 1.0,
        sum: |a, _| a.integer / SCHEDULERS,
    },
    Counter {
        name: "sm__pipe_fma_cycles_active",
        peak: |_| 1.0,
        sum: |a, m| 2.0 * (a.fma32 + a.fma16) / m.flops_per_cycle,
    },
    Counter {
        name: "sm__pipe_fp64_cycles_active",
        peak: |_| 1.0,
        sum: |a, m| 128.0 * a.fma64 / m.flops_per_cycle,
    },
    Counter { name: "sm__pipe_tensor_cycles_active", peak: |_| 1.0, sum: |a, _| a.tensor_cycles },
    Counter { name: "sm__pipe_shared_cycles_active", peak: |_| 1.0, sum: |a, _| a.tensor_cycles },
    Counter { name: "l1tex__t_sectors", peak: |_| 4.0, sum: |a, _| a.l1_loads + a.l1_stores },
    Counter { name: "l1tex__t_sectors_lookup_hit", peak: |_| 4.0, sum: |a, _| a.l1_hits },
    Counter {
        name: "l1tex__t_sectors_lookup_miss",
        peak: |_| 4.0,
        sum: |a, _| a.l1_loads + a.l1_stores - a.l1_hits,
    },
    Counter {
        name: "l1tex__t_sectors_pipe_lsu_mem_global_op_ld",
        peak: |_| 4.0,
        sum: |a, _| a.l1_loads,
    },
    Counter {
        name: "l1tex__t_sectors_pipe_lsu_mem_global_op_st",
        peak: |_| 4.0,
        sum: |a, _| a.l1_stores,
    },
    Counter {
        name: "l1tex__t_bytes",
        peak: |_| 4.0 * SECTOR,
        sum: |a, _| SECTOR * (a.l1_loads + a.l1_stores),
    },
    Counter { name: "l1tex__t_requests", peak: |_| 1.0, sum: |a, _| a.loads + a.stores },
    Counter {
        name: "l1tex__t_requests_pipe_lsu_mem_global_op_ld",
        peak: |_| 1.0,
        sum: |a, _| a.loads,
    },
    Counter {
        name: "l1tex__t_requests_pipe_lsu_mem_global_op_st",
        peak: |_| 1.0,
        sum: |a, _| a.stores,
    },
    Counter { name: "l1tex__lsu_writeback_active", peak: |_| 1.0, sum: |a, _| a.loads },
    Counter { name: "l1tex__lsu_writeback_active_mem_lg", peak: |_| 1.0, sum: |a, _| a.loads },
    Counter { name: "l1tex__lsu_writeback_active_mem_lgds", peak: |_| 1.0, sum: |a, _| a.loads },
    Counter {
        name: "lts__t_sectors",
        peak: |m| m.l2_sectors_per_cycle,
        sum: |a, _| a.l2_read + a.l2_written,
    },
    Counter {
        name: "lts__t_sectors_lookup_hit",
        peak: |m| m.l2_sectors_per_cycle,
        sum: |a, _| a.l2_hits,
    },
    Counter {
        name: "lts__t_sectors_lookup_miss",
        peak: |m| m.l2_sectors_per_cycle,
        sum: |a, _| a.l2_read + a.l2_written - a.l2_hits,
    },
    Counter {
        name: "lts__t_sectors_op_read",
        peak: |m| m.l2_sectors_per_cycle,
        sum: |a, _| a.l2_read,
    },
    Counter {
        name: "lts__t_sectors_op_write",
        peak: |m| m.l2_sectors_per_cycle,
        sum: |a, _| a.l2_written,
    },
    Counter {
        name: "lts__t_sectors_srcunit_tex",
        peak: |m| m.l2_sectors_per_cycle,
        sum: |a, _| a.l2_read + a.l2_written,
    },
    Counter {
        name: "lts__t_sectors_srcunit_tex_lookup_hit",
        peak: |m| m.l2_sectors_per_cycle,
        sum: |a, _| a.l2_hits,
    },
    Counter {
        name: "lts__t_sectors_srcunit_tex_lookup_miss",
        peak: |m| m.l2_sectors_per_cycle,
        sum: |a, _| a.l2_read + a.l2_written - a.l2_hits,
    },
    Counter {
        name: "lts__t_bytes",
        peak: |m| SECTOR * m.l2_sectors_per_cycle,
        sum: |a, _| SECTOR * (a.l2_read + a.l2_written),
    },
    Counter { name: "lts__t_requests", peak: |_| 1.0, sum: |a, _| a.loads + a.stores },
    Counter {
        name: "lts__lts2xbar_cycles_active",
        peak: |_| 1.0,
        sum: |a, m| a.l2_read / m.l2_sectors_per_cycle,
    },
    Counter { name: "dram__bytes", peak: channel_bytes, sum: |a, _| a.dram_read + a.dram_written },
    Counter { name: "dram__bytes_read", peak: channel_bytes, sum: |a, _| a.dram_read },
    Counter { name: "dram__bytes_write", peak: channel_bytes, sum: |a, _| a.dram_written },
    Counter {
        name: "dram__sectors_read",
        peak: |m| channel_bytes(m) / SECTOR,
        sum: |a, _| a.dram_read / SECTOR,
    },
    Counter {
        name: "dram__sectors_write",
        peak: |m| channel_bytes(m) / SECTOR,
        sum: |a, _| a.dram_written / SECTOR,
    },
    Counter {
        name: "dram__cycles_active",
        peak: |_| 1.0,
        sum: |a, m| (a.dram_read + a.dram_written) / channel_bytes(m),
    },
];

/// Bytes that one DRAM channel moves in a cycle.
fn channel_bytes(machine: &Machine) -> f64 {
    machine.dram_bytes_per_ns / machine.dram_clock_ghz / machine.dram_channels
}
