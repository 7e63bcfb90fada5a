//! The metrics that memory charts, warp states, pipes and occupancy are made from.

use rangescope_model::document::{KernelSummary, Method, RegionDocument};
use rangescope_model::number::weight;

use super::{Metrics, each_region, measured};

/// Counted by launch, in proportion to its time.
const COUNTS: &[(&str, f64)] = &[
    ("smsp__sass_inst_executed_op_global_ld.sum", 2e6),
    ("smsp__sass_inst_executed_op_global_st.sum", 5e5),
    ("smsp__sass_inst_executed_op_local_ld.sum", 0.0),
    ("smsp__sass_inst_executed_op_local_st.sum", 0.0),
    ("smsp__sass_inst_executed_op_shared_ld.sum", 6e6),
    ("smsp__sass_inst_executed_op_shared_st.sum", 1.5e6),
    ("smsp__inst_executed_op_ldgsts.sum", 1.2e6),
    ("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 2e6),
    ("l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", 5e5),
    ("l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum", 0.0),
    ("l1tex__t_requests_pipe_lsu_mem_local_op_st.sum", 0.0),
    ("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", 9e6),
    ("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", 2e6),
    ("l1tex__m_xbar2l1tex_read_bytes.sum", 3e8),
    ("l1tex__m_l1tex2xbar_write_bytes.sum", 6e7),
    ("sm__sass_l1tex_m_xbar2l1tex_read_bytes_mem_global_op_ldgsts_cache_bypass.sum", 2e8),
    ("dram__bytes_read.sum", 1.6e8),
    ("dram__bytes_write.sum", 5e7),
    ("lts__t_sectors_srcunit_ltcfabric.sum", 1e6),
    ("smsp__pcsamp_warps_issue_stalled_long_scoreboard", 900.0),
    ("smsp__pcsamp_warps_issue_stalled_wait", 200.0),
];

/// Means over launches; what is in per cent differs from set to set.
const MEANS: &[(&str, f64)] = &[
    ("l1tex__t_sector_hit_rate.pct", 61.0),
    ("lts__t_sector_hit_rate.pct", 83.0),
    ("lts__throughput.avg.pct_of_peak_sustained_elapsed", 47.0),
    ("l1tex__throughput.avg.pct_of_peak_sustained_active", 38.0),
    ("dram__bytes_read.sum.pct_of_peak_sustained_elapsed", 55.0),
    ("dram__bytes_write.sum.pct_of_peak_sustained_elapsed", 12.0),
    ("l1tex__m_xbar2l1tex_read_bytes.sum.pct_of_peak_sustained_elapsed", 33.0),
    ("smsp__average_warp_latency_per_inst_issued.ratio", 14.2),
    ("smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio", 7.3),
    ("smsp__average_warps_issue_stalled_math_pipe_throttle_per_issue_active.ratio", 2.1),
    ("smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio", 1.6),
    ("smsp__average_warps_issue_stalled_wait_per_issue_active.ratio", 1.4),
    ("smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio", 0.6),
    ("smsp__average_warps_issue_stalled_not_selected_per_issue_active.ratio", 0.2),
    ("smsp__average_warps_issue_stalled_selected_per_issue_active.ratio", 1.0),
    ("sm__pipe_tensor_op_hmma_cycles_active.avg.pct_of_peak_sustained_active", 52.0),
    ("sm__inst_executed_pipe_tensor_op_hmma.avg.pct_of_peak_sustained_active", 44.0),
    ("sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active", 21.0),
    ("sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active", 18.0),
    ("sm__pipe_alu_cycles_active.avg.pct_of_peak_sustained_active", 30.0),
    ("sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_active", 12.0),
    ("sm__maximum_warps_per_active_cycle_pct", 50.0),
    ("launch__waves_per_multiprocessor", 3.4),
    ("launch__occupancy_limit_registers", 4.0),
    ("launch__occupancy_limit_shared_mem", 6.0),
    ("launch__occupancy_limit_warps", 8.0),
    ("launch__occupancy_limit_blocks", 32.0),
];

/// The document with the metrics of every chart in regions and totals.
pub fn with_charts(mut document: RegionDocument) -> RegionDocument {
    for report in &mut document.reports {
        for totals in [&mut report.totals, &mut report.unlabeled] {
            let (ms, results) = (totals.total_ms, totals.kernel_count);
            add(&mut totals.metrics, weight(ms), results);
        }
    }
    each_region(&mut document, |region| {
        let (ms, results) = (region.set.total_ms, region.set.kernel_count);
        add(&mut region.set.metrics, weight(ms), results);
    });
    document
}

/// The document with those metrics in the heaviest kernels of everything, and without the others.
pub fn with_kernel_charts(mut document: RegionDocument, most: usize) -> RegionDocument {
    let narrow = |kernels: &mut Vec<KernelSummary>| {
        kernels.truncate(most);
        for kernel in kernels {
            add(&mut kernel.metrics, weight(kernel.total_ms), kernel.calls);
        }
    };
    for report in &mut document.reports {
        narrow(&mut report.totals.kernels);
        narrow(&mut report.unlabeled.kernels);
    }
    each_region(&mut document, |region| narrow(&mut region.set.kernels));
    document
}

fn add(metrics: &mut Metrics, ms: f64, results: u64) {
    let shade = 0.6 + 0.5 * (ms * 3.7).fract();
    for (name, each) in COUNTS {
        let value = (each * ms).round();
        metrics.insert((*name).to_owned(), measured(value, "", Method::Sum, results));
    }
    for (name, mean) in MEANS {
        let is_property = name.starts_with("launch__") || name.starts_with("sm__maximum");
        let value = if is_property { *mean } else { mean * shade };
        let method = if is_property { Method::Same } else { Method::TimeWeighted };
        metrics.insert((*name).to_owned(), measured(value, "", method, results));
    }
}
