//! The sections that the simulated device can fill, and the sets they are in.
//!
//! Identifiers, titles and sets are those of real ncu, so that a command line means the same here. What the model does not cover is left out, up to whole
//! sections, which can be asked for and stay empty.

use ncu_rep::names::DURATION;

#[derive(Debug)]
pub(crate) struct SectionSpec {
    pub id: &'static str,
    pub name: &'static str,
    /// Sections are shown in this order.
    pub order: u32,
    pub sets: &'static [&'static str],
    /// Metrics and their labels.
    pub header: &'static [(&'static str, &'static str)],
    /// Metrics that are collected and not shown in the header.
    pub more: &'static [&'static str],
}

pub(crate) const SETS: &[&str] = &["basic", "detailed", "full", "nvlink", "pmsampling", "roofline"];
/// Collected when nothing is asked for.
pub(crate) const USUAL_SET: &str = "basic";

pub(crate) fn section(id: &str) -> Option<&'static SectionSpec> {
    SECTIONS.iter().find(|section| section.id == id)
}

/// The sections of a set, in order of their identifiers.
pub(crate) fn sections_of(set: &str) -> impl Iterator<Item = &'static SectionSpec> {
    SECTIONS.iter().filter(move |section| section.sets.contains(&set))
}

const ROOFLINE: &[&str] = &[
    "dram__bytes.sum.peak_sustained",
    "dram__bytes.sum.per_second",
    "dram__cycles_elapsed.avg.per_second",
    "sm__cycles_elapsed.avg.per_second",
    "smsp__cycles_elapsed.avg.per_second",
    "derived__sm__sass_thread_inst_executed_op_dfma_pred_on_x2",
    "derived__sm__sass_thread_inst_executed_op_ffma_pred_on_x2",
    "derived__smsp__sass_thread_inst_executed_op_dfma_pred_on_x2",
    "derived__smsp__sass_thread_inst_executed_op_ffma_pred_on_x2",
    "sm__sass_thread_inst_executed_op_dfma_pred_on.sum.peak_sustained",
    "sm__sass_thread_inst_executed_op_ffma_pred_on.sum.peak_sustained",
    "smsp__sass_thread_inst_executed_op_dadd_pred_on.sum.per_cycle_elapsed",
    "smsp__sass_thread_inst_executed_op_dfma_pred_on.sum.per_cycle_elapsed",
    "smsp__sass_thread_inst_executed_op_dmul_pred_on.sum.per_cycle_elapsed",
    "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum.per_cycle_elapsed",
    "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum.per_cycle_elapsed",
    "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum.per_cycle_elapsed",
];

/// The metrics of a hierarchical roofline chart: those that all of them have, and those of one precision, which is named by the letter in its instructions.
macro_rules! hierarchical {
    ($letter:literal) => {
        hierarchical!(
            concat!("derived__sm__sass_thread_inst_executed_op_", $letter, "fma_pred_on_x2"),
            concat!("derived__smsp__sass_thread_inst_executed_op_", $letter, "fma_pred_on_x2"),
            concat!("sm__sass_thread_inst_executed_op_", $letter, "fma_pred_on.sum.peak_sustained"),
            concat!("smsp__sass_thread_inst_executed_op_", $letter, "add_pred_on.sum.per_cycle_elapsed"),
            concat!("smsp__sass_thread_inst_executed_op_", $letter, "fma_pred_on.sum.per_cycle_elapsed"),
            concat!("smsp__sass_thread_inst_executed_op_", $letter, "mul_pred_on.sum.per_cycle_elapsed")
        )
    };
    ($($own:expr),+) => {
        &[
            "dram__bytes.sum.peak_sustained",
            "dram__bytes.sum.per_second",
            "dram__cycles_elapsed.avg.per_second",
            "l1tex__cycles_elapsed.avg.per_second",
            "l1tex__lsu_writeback_active.sum.peak_sustained",
            "l1tex__lsu_writeback_active.sum.per_second",
            "derived__l1tex__lsu_writeback_bytes.sum.peak_sustained",
            "derived__l1tex__lsu_writeback_bytes.sum.per_second",
            "lts__cycles_elapsed.avg.per_second",
            "lts__lts2xbar_cycles_active.sum.peak_sustained",
            "lts__lts2xbar_cycles_active.sum.per_second",
            "lts__t_bytes.sum.peak_sustained",
            "lts__t_bytes.sum.per_second",
            "derived__lts__lts2xbar_bytes.sum.peak_sustained",
            "derived__lts__lts2xbar_bytes.sum.per_second",
            "sm__cycles_elapsed.avg.per_second",
            "smsp__cycles_elapsed.avg.per_second",
            $($own),+
        ]
    };
}

/// The time that warps spend in some states, by the names of the states.
macro_rules! stalls {
    ($($state:literal),+) => {
        &[$(concat!("smsp__average_warps_issue_stalled_", $state, "_per_issue_active.ratio")),+]
    };
}

/// What is counted at instructions, with samples by the names of the states that warps were in.
macro_rules! samples {
    ($($state:literal),+) => {
        &[
            "derived__memory_l2_theoretical_sectors_global_excessive",
            "inst_executed",
            "launch__function_pcs",
            "memory_l1_tag_requests_global",
            "memory_l2_theoretical_sectors_global",
            "memory_l2_theoretical_sectors_global_ideal",
            "smsp__inst_executed.sum",
            "smsp__pcsamp_sample_count",
            "thread_inst_executed",
            "thread_inst_executed_true",
            $(concat!("smsp__pcsamp_warps_issue_stalled_", $state)),+
        ]
    };
}

/// All sections, in order of their identifiers.
#[rustfmt::skip]
pub(crate) const SECTIONS: &[SectionSpec] = &[
    empty("C2CLink", "C2CLink", &[]),
    spec("ComputeWorkloadAnalysis", "Compute Workload Analysis", 20, &["detailed", "full"], &[
        ("sm__inst_executed.avg.per_cycle_active", "Executed Ipc Active"),
        ("sm__inst_executed.avg.per_cycle_elapsed", "Executed Ipc Elapsed"),
        ("sm__inst_issued.avg.per_cycle_active", "Issued Ipc Active"),
        ("sm__instruction_throughput.avg.pct_of_peak_sustained_active", "SM Busy"),
        ("sm__inst_issued.avg.pct_of_peak_sustained_active", "Issue Slots Busy"),
    ], &[
        "sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_active",
        "sm__inst_executed_pipe_cbu.avg.pct_of_peak_sustained_active",
        "sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active",
        "sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_active",
        "sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_active",
        "sm__pipe_alu_cycles_active.avg.pct_of_peak_sustained_active",
        "sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active",
        "sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_active",
        "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active",
    ]),
    spec("InstructionStats", "Instruction Statistics", 55, &["full"], &[
        ("smsp__inst_executed.sum", "Executed Instructions"),
        ("smsp__inst_issued.sum", "Issued Instructions"),
        ("smsp__inst_executed.avg", "Avg. Executed Instructions Per Scheduler"),
        ("smsp__inst_issued.avg", "Avg. Issued Instructions Per Scheduler"),
    ], &["sass__inst_executed_per_opcode"]),
    spec("LaunchStats", "Launch Statistics", 60, &["basic", "detailed", "full"], &[
        ("launch__grid_size", "Grid Size"),
        ("launch__registers_per_thread", "Registers Per Thread"),
        ("launch__block_size", "Block Size"),
        ("launch__thread_count", "Threads"),
        ("launch__waves_per_multiprocessor", "Waves Per SM"),
        ("launch__shared_mem_config_size", "Shared Memory Configuration Size"),
        ("launch__shared_mem_per_block_driver", "Driver Shared Memory Per Block"),
        ("launch__shared_mem_per_block_dynamic", "Dynamic Shared Memory Per Block"),
        ("launch__shared_mem_per_block_static", "Static Shared Memory Per Block"),
        ("launch__sm_count", "# SMs"),
    ], &[]),
    spec("MemoryWorkloadAnalysis", "Memory Workload Analysis", 30, &["detailed", "full"], &[
        ("dram__bytes.sum.per_second", "Memory Throughput"),
        ("gpu__compute_memory_access_throughput.avg.pct_of_peak_sustained_elapsed", "Mem Busy"),
        ("l1tex__t_sector_hit_rate.pct", "L1/TEX Hit Rate"),
        ("gpu__compute_memory_request_throughput.avg.pct_of_peak_sustained_elapsed", "Max Bandwidth"),
        ("lts__t_sector_hit_rate.pct", "L2 Hit Rate"),
        ("sm__memory_throughput.avg.pct_of_peak_sustained_elapsed", "Mem Pipes Busy"),
    ], &[]),
    spec("MemoryWorkloadAnalysis_Chart", "Memory Workload Analysis Chart", 31, &["detailed", "full"], &[], &[
        "dram__bytes.sum.per_second",
        "lts__t_sectors.sum",
        "lts__t_sectors_srcunit_tex.avg.pct_of_peak_sustained_elapsed",
        "lts__t_sectors_srcunit_tex_lookup_miss.sum",
        "l1tex__m_l1tex2xbar_write_bytes.sum",
        "l1tex__m_xbar2l1tex_read_bytes.sum",
        "sass__inst_executed_global_loads",
        "sass__inst_executed_global_stores",
        "sass__inst_executed_local_loads",
        "sass__inst_executed_local_stores",
        "sass__inst_executed_shared_loads",
        "sass__inst_executed_shared_stores",
    ]),
    spec("MemoryWorkloadAnalysis_Tables", "Memory Workload Analysis Tables", 32, &["full"], &[], &[
        "dram__bytes_read.sum",
        "dram__bytes_read.sum.pct_of_peak_sustained_elapsed",
        "dram__bytes_read.sum.per_second",
        "dram__bytes_write.sum",
        "dram__bytes_write.sum.pct_of_peak_sustained_elapsed",
        "dram__bytes_write.sum.per_second",
        "dram__sectors_read.sum",
        "dram__sectors_write.sum",
        "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
        "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
        "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
        "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
        "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum.pct_of_peak_sustained_elapsed",
        "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
        "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
        "l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_ld.sum",
        "l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_st.sum",
        "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
        "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
        "l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum",
        "l1tex__t_requests_pipe_lsu_mem_local_op_st.sum",
        "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
        "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum",
        "l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_hit.sum",
        "l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_miss.sum",
        "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
        "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
        "lts__t_requests.sum",
        "lts__t_requests_srcunit_tex.sum",
        "lts__t_requests_srcunit_tex_op_read.sum",
        "lts__t_requests_srcunit_tex_op_write.sum",
        "lts__t_sectors.avg.pct_of_peak_sustained_elapsed",
        "lts__t_sectors.sum",
        "lts__t_sectors.sum.per_second",
        "lts__t_sectors_lookup_hit.sum",
        "lts__t_sectors_lookup_miss.sum",
        "lts__t_sectors_srcunit_tex.sum",
        "lts__t_sectors_srcunit_tex_aperture_sysmem_op_read_lookup_miss.sum",
        "lts__t_sectors_srcunit_tex_aperture_sysmem_op_write.sum",
        "lts__t_sectors_srcunit_tex_lookup_hit.sum",
        "lts__t_sectors_srcunit_tex_op_read.sum",
        "lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum",
        "lts__t_sectors_srcunit_tex_op_read_lookup_miss.sum",
        "lts__t_sectors_srcunit_tex_op_write.sum",
        "lts__t_sectors_srcunit_tex_op_write_lookup_hit.sum",
        "lts__t_sectors_srcunit_tex_op_write_lookup_miss.sum",
        "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
        "l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct",
        "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
        "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
        "l1tex__throughput.avg.pct_of_peak_sustained_elapsed",
        "lts__t_sectors_op_read.sum",
        "lts__t_sectors_op_write.sum",
        "lts__throughput.avg.pct_of_peak_sustained_elapsed",
    ]),
    empty("NumaAffinity", "NUMA Affinity", &["full"]),
    empty("Nvlink", "NVLink", &["nvlink"]),
    empty("Nvlink_Tables", "NVLink Tables", &["full", "nvlink"]),
    empty("Nvlink_Topology", "NVLink Topology", &["full", "nvlink"]),
    spec("Occupancy", "Occupancy", 70, &["basic", "detailed", "full"], &[
        ("sm__maximum_warps_per_active_cycle_pct", "Theoretical Occupancy"),
        ("launch__occupancy_limit_registers", "Block Limit Registers"),
        ("sm__maximum_warps_avg_per_active_cycle", "Theoretical Active Warps per SM"),
        ("launch__occupancy_limit_shared_mem", "Block Limit Shared Mem"),
        ("sm__warps_active.avg.pct_of_peak_sustained_active", "Achieved Occupancy"),
        ("launch__occupancy_limit_warps", "Block Limit Warps"),
        ("sm__warps_active.avg.per_cycle_active", "Achieved Active Warps Per SM"),
        ("launch__occupancy_limit_blocks", "Block Limit SM"),
    ], &["smsp__maximum_warps_avg_per_active_cycle"]),
    spec("PmSampling", "PM Sampling", 95, &["full", "pmsampling"], &[], &[
        "pmsampling:dram__read_throughput.avg.pct_of_peak_sustained_elapsed",
        "pmsampling:dram__write_throughput.avg.pct_of_peak_sustained_elapsed",
        "pmsampling:l1tex__t_sector_hit_rate.pct",
        "pmsampling:sm__cycles_active.avg",
        "pmsampling:sm__inst_executed_realtime.avg.pct_of_peak_sustained_elapsed",
        "pmsampling:sm__pipe_tensor_cycles_active_realtime.avg.pct_of_peak_sustained_elapsed",
    ]),
    empty("PmSampling_WarpStates", "PM Sampling: Warp States", &["pmsampling"]),
    spec("SchedulerStats", "Scheduler Statistics", 40, &["full"], &[
        ("smsp__warps_active.avg.per_cycle_active", "Active Warps Per Scheduler"),
        ("smsp__issue_inst0.avg.pct_of_peak_sustained_active", "No Eligible"),
        ("smsp__warps_eligible.avg.per_cycle_active", "Eligible Warps Per Scheduler"),
        ("smsp__issue_active.avg.pct_of_peak_sustained_active", "One or More Eligible"),
        ("smsp__issue_active.avg.per_cycle_active", "Issued Warp Per Scheduler"),
    ], &[
        "smsp__warps_active.avg.peak_sustained",
        "smsp__maximum_warps_avg_per_active_cycle",
    ]),
    spec("SourceCounters", "Source Counters", 80, &["detailed", "full"], &[
        ("smsp__inst_executed_op_branch.sum", "Branch Instructions"),
    ], samples!(
        "barrier", "branch_resolving", "dispatch_stall", "drain", "imc_miss", "lg_throttle", "long_scoreboard", "math_pipe_throttle",
        "membar", "mio_throttle", "misc", "no_instructions", "not_selected", "selected", "short_scoreboard", "sleeping", "tex_throttle",
        "wait"
    )),
    spec("SpeedOfLight", "GPU Speed Of Light Throughput", 10, &["basic", "detailed", "full", "roofline"], &[
        ("sm__throughput.avg.pct_of_peak_sustained_elapsed", "Compute (SM) Throughput"),
        ("gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", "Memory Throughput"),
        ("gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", "DRAM Throughput"),
        (DURATION, "Duration"),
        ("l1tex__throughput.avg.pct_of_peak_sustained_active", "L1/TEX Cache Throughput"),
        ("lts__throughput.avg.pct_of_peak_sustained_elapsed", "L2 Cache Throughput"),
        ("sm__cycles_active.avg", "SM Active Cycles"),
        ("gpc__cycles_elapsed.max", "Elapsed Cycles"),
        ("gpc__cycles_elapsed.avg.per_second", "SM Frequency"),
        ("dram__cycles_elapsed.avg.per_second", "DRAM Frequency"),
    ], &[]),
    spec("SpeedOfLight_HierarchicalDoubleRooflineChart", "GPU Speed Of Light Hierarchical Roofline Chart (Double Precision)", 12, &["roofline"], &[], hierarchical!("d")),
    spec("SpeedOfLight_HierarchicalHalfRooflineChart", "GPU Speed Of Light Hierarchical Roofline Chart (Half Precision)", 13, &["roofline"], &[], hierarchical!("h")),
    spec("SpeedOfLight_HierarchicalSingleRooflineChart", "GPU Speed Of Light Hierarchical Roofline Chart (Single Precision)", 14, &["roofline"], &[], hierarchical!("f")),
    spec("SpeedOfLight_HierarchicalTensorRooflineChart", "GPU Speed Of Light Hierarchical Roofline Chart (Tensor Core)", 15, &["roofline"], &[], hierarchical!(
        "derived__sm__inst_executed_pipe_tensor_x512",
        "derived__smsp__inst_executed_pipe_tensor_x512",
        "sm__inst_executed_pipe_tensor.sum.peak_sustained",
        "smsp__inst_executed_pipe_tensor.sum.per_cycle_elapsed"
    )),
    spec("SpeedOfLight_RooflineChart", "GPU Speed Of Light Roofline Chart", 11, &["detailed", "full", "roofline"], &[], ROOFLINE),
    spec("WarpStateStats", "Warp State Statistics", 50, &["full"], &[
        ("smsp__average_warp_latency_per_inst_issued.ratio", "Warp Cycles Per Issued Instruction"),
        ("smsp__average_warps_active_per_inst_executed.ratio", "Warp Cycles Per Executed Instruction"),
        ("smsp__thread_inst_executed_per_inst_executed.ratio", "Avg. Active Threads Per Warp"),
        ("smsp__thread_inst_executed_pred_on_per_inst_executed.ratio", "Avg. Not Predicated Off Threads Per Warp"),
    ], stalls!(
        "barrier", "branch_resolving", "dispatch_stall", "drain", "imc_miss", "lg_throttle", "long_scoreboard", "math_pipe_throttle",
        "membar", "mio_throttle", "misc", "no_instruction", "not_selected", "selected", "short_scoreboard", "sleeping", "tex_throttle",
        "wait"
    )),
    spec("WorkloadDistribution", "GPU and Memory Workload Distribution", 90, &["basic", "detailed", "full", "roofline"], &[
        ("sm__cycles_active.avg", "Average SM Active Cycles"),
        ("sm__cycles_elapsed.sum", "Total SM Elapsed Cycles"),
        ("smsp__cycles_active.avg", "Average SMSP Active Cycles"),
        ("smsp__cycles_elapsed.sum", "Total SMSP Elapsed Cycles"),
        ("l1tex__cycles_active.avg", "Average L1 Active Cycles"),
        ("l1tex__cycles_elapsed.sum", "Total L1 Elapsed Cycles"),
        ("lts__cycles_active.avg", "Average L2 Active Cycles"),
        ("lts__cycles_elapsed.sum", "Total L2 Elapsed Cycles"),
        ("dram__cycles_active.avg", "Average DRAM Active Cycles"),
        ("dram__cycles_elapsed.sum", "Total DRAM Elapsed Cycles"),
    ], &[]),
];

const fn spec(
    id: &'static str,
    name: &'static str,
    order: u32,
    sets: &'static [&'static str],
    header: &'static [(&'static str, &'static str)],
    more: &'static [&'static str],
) -> SectionSpec {
    SectionSpec { id, name, order, sets, header, more }
}

/// A section that the model does not cover.
const fn empty(id: &'static str, name: &'static str, sets: &'static [&'static str]) -> SectionSpec {
    spec(id, name, 95, sets, &[], &[])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::counts;
    use crate::constants::{KERNEL_ONLY, is_launch_metric};
    use crate::metric::is_known;
    use crate::series;

    #[test]
    fn every_metric_of_a_section_can_be_collected() {
        for section in SECTIONS {
            let header = section.header.iter().map(|(metric, _)| metric);
            for metric in header.chain(section.more) {
                assert!(
                    is_known(metric)
                        || is_launch_metric(metric)
                        || KERNEL_ONLY.contains(metric)
                        || counts::is_known(metric)
                        || series::is_known(metric),
                    "{} has {metric}",
                    section.id
                );
            }
            assert!(section.sets.iter().all(|set| SETS.contains(set)), "{}", section.id);
        }
        assert!(SECTIONS.is_sorted_by_key(|section| section.id));
    }
}
