//! The unit that a version of ncu prints over a column.
//!
//! Units come from a table inside ncu, which has gaps and oddities: for a metric that it does not know it takes a unit from a word in the name, so that a count of sectors in `memory_…` is in bytes. [`crate::units`] says what the unit is; this module says what those versions print instead. The rows were found by comparing with both versions on all reports at hand.

use super::Layout;
use crate::units::{MetricName, legacy_unit, unit_of};

/// Which versions print it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    Both,
    Only(Layout),
}

const OLD: By = By::Only(Layout::V2022_3);
const NEW: By = By::Only(Layout::V2024_1);

/// Names, or their beginnings before `*`, with what is printed.
const ODDITIES: &[(&str, By, &str)] = &[
    ("derived__l1tex__lsu_writeback_bytes_mem_lg.*", By::Both, "byte"),
    ("derived__lts__lts2xbar_bytes.*", NEW, "byte"),
    ("derived__memory_l1_conflicts_shared_nway", NEW, "byte"),
    ("derived__memory_l1_sectors_*", By::Both, "byte"),
    ("derived__memory_l1_wavefronts_shared_excessive", By::Both, "byte"),
    ("derived__memory_l2_*", By::Both, "byte"),
    ("derived__pct_occupancy_per_block_size", NEW, "%/"),
    ("derived__sm__inst_executed_pipe_tensor_x512", By::Both, "inst"),
    ("derived__smsp__inst_executed_pipe_tensor_x512", By::Both, "inst"),
    ("derived__sm__sass_thread_inst_executed_op_dfma_pred_on_x2", By::Both, "thread"),
    ("derived__sm__sass_thread_inst_executed_op_ffma_pred_on_x2", By::Both, "thread"),
    ("derived__smsp__sass_thread_inst_executed_op_dfma_pred_on_x2", By::Both, "thread"),
    ("derived__smsp__sass_thread_inst_executed_op_ffma_pred_on_x2", By::Both, "thread"),
    ("gcc__cache_requests_type_constant.sum", NEW, ""),
    ("gcc__cache_requests_type_instruction.sum", NEW, "inst"),
    ("idc__requests.sum", NEW, ""),
    ("launch__occupancy_limit_barriers", NEW, ""),
    ("launch__persisting_l2_cache_size", NEW, ""),
    ("launch__uses_blocks_as_clusters", NEW, "block"),
    ("lts__t_requests_srcunit_gcc.sum", NEW, ""),
    ("lts__t_sectors_srcunit_gcc.avg.pct_of_peak_sustained_elapsed", NEW, "sector"),
    ("lts__t_sectors_srcunit_gcc.avg.peak_sustained", NEW, "sector"),
    ("lts__t_sectors_srcunit_gcc.avg.per_cycle_elapsed", NEW, "cycle"),
    ("lts__t_sectors_srcunit_gcc.sum.per_second", NEW, "sector"),
    ("lts__t_sectors_srcunit_gcc_aperture_sysmem_lookup_miss.*", NEW, "byte"),
    ("memory_l1_sectors_*", By::Both, "byte"),
    ("memory_l2_sectors_*", By::Both, "byte"),
    ("numa__id_memory", OLD, "byte"),
    ("nvlrx__bytes.sum.per_second", NEW, "byte"),
    ("nvltx__bytes.sum.per_second", NEW, "byte"),
    ("profiler__replayer_passes*", OLD, ""),
    ("sm__icc_requests.sum", NEW, ""),
    ("sm__pipe_tensor_cycles_active_v2.*", NEW, "cycle"),
    ("smsp__branch_targets_threads_divergent", By::Both, ""),
    ("smsp__imc_requests.sum", NEW, ""),
    ("smsp__pcsamp_aggregated_passes", OLD, ""),
    ("smsp__sass_branch_targets_threads_divergent.*", By::Both, ""),
    ("smsp__sass_inst_executed_memdesc_explicit_evict_type", By::Both, ""),
];

/// The base unit over the column of a metric, in the spelling of the version whose page it is.
pub(super) fn printed_unit(metric: &str, layout: Layout) -> &'static str {
    let named = |pattern: &str| match pattern.strip_suffix('*') {
        Some(beginning) => metric.starts_with(beginning),
        None => metric == pattern,
    };
    let by = |by: By| by == By::Both || by == By::Only(layout);
    if let Some((_, _, unit)) =
        ODDITIES.iter().find(|(pattern, version, _)| by(*version) && named(pattern))
    {
        return unit;
    }
    let unit = legacy_unit(unit_of(metric));
    match layout {
        Layout::V2024_1 if metric.starts_with("sm__ops_path_tensor_") => rate_of_nothing(metric),
        Layout::V2024_1 if unit.is_empty() && metric.contains("l1tex__t_requests_") => "request",
        Layout::V2024_1 if unit.is_empty() && metric.starts_with("sm__sass_l1tex_t_requests_") => {
            "request"
        }
        _ => unit,
    }
}

/// Tensor operations have no unit; their rates have only what is below the line.
fn rate_of_nothing(metric: &str) -> &'static str {
    match MetricName::parse(metric).submetric {
        Some(rate) if rate.ends_with("per_second") => "/second",
        Some("peak_sustained" | "per_cycle_elapsed" | "per_cycle_active") => "/cycle",
        _ => legacy_unit(unit_of(metric)),
    }
}
