//! The unit that a version of ncu prints over a column.
//!
//! Units come from a table inside ncu, one for every chip, which has gaps and oddities. For a metric that the chip's table does not know ncu takes a unit whose word is in the name, so that a count of sectors in `memory_…` is in bytes; which word it takes may depend on the other metrics of the report. [`crate::units`] says what the unit is, by the newest reader that knows the metric; the rows here say what those versions print instead, found by asking both versions about all reports at hand and about made-up reports of every chip.

use std::ops::RangeInclusive;

use super::Layout;
use crate::units::{legacy_unit, unit_of};

/// The versions that print a unit.
#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    Both,
    Only(Layout),
}

const OLD: By = By::Only(Layout::V2022_3);
const NEW: By = By::Only(Layout::V2024_1);

/// The chips, by the number in `device__attribute_implementation`.
type Chips = RangeInclusive<u32>;

const ANY: Chips = 0..=u32::MAX;
const BEFORE_AMPERE: Chips = 0..=367;
const SMALL_TURING: Chips = 359..=367;
const ORIN: Chips = 376..=383;
const ADA: Chips = 400..=415;

/// Names, of which `*` stands for any part, with what is printed. The first row that fits counts.
const ODDITIES: &[(&str, By, Chips, &str)] = &[
    ("derived__lts__lts2xbar_bytes.*", NEW, ANY, "byte"),
    ("derived__memory_l1_conflicts_shared_nway", By::Both, ANY, "byte"),
    ("derived__memory_l1_sectors_*", By::Both, ANY, "byte"),
    ("derived__memory_l1_wavefronts_shared_excessive", By::Both, ANY, "byte"),
    ("derived__memory_l2_*", By::Both, ANY, "byte"),
    ("derived__pct_occupancy_per_block_size", NEW, ANY, "%/"),
    ("derived__sm__inst_executed_pipe_tensor_x512", By::Both, ANY, "inst"),
    ("derived__smsp__inst_executed_pipe_tensor_x512", By::Both, ANY, "inst"),
    ("gcc__cache_requests_type_constant.sum", NEW, ANY, ""),
    ("gcc__cache_requests_type_instruction.sum", NEW, ANY, "inst"),
    ("idc__requests.sum", NEW, ANY, ""),
    ("launch__occupancy_limit_barriers", NEW, ANY, ""),
    ("launch__persisting_l2_cache_size", NEW, ANY, ""),
    ("launch__uses_blocks_as_clusters", NEW, ANY, "block"),
    ("lts__t_requests_srcunit_gcc.sum", NEW, ANY, ""),
    ("lts__t_sectors_srcunit_gcc.avg.pct_of_peak_sustained_elapsed", NEW, ANY, "sector"),
    ("lts__t_sectors_srcunit_gcc.avg.peak_sustained", NEW, ANY, "sector"),
    ("lts__t_sectors_srcunit_gcc.avg.per_cycle_elapsed", NEW, ANY, "cycle"),
    ("lts__t_sectors_srcunit_gcc.sum.per_second", NEW, ANY, "sector"),
    ("lts__t_sectors_srcunit_gcc_aperture_sysmem_lookup_miss.*", NEW, ANY, "byte"),
    ("memory_l1_sectors_*", By::Both, ANY, "byte"),
    ("memory_l1_transactions_*", By::Both, ANY, "byte"),
    ("memory_l2_sectors_*", By::Both, ANY, "byte"),
    ("numa__id_memory", OLD, ANY, "byte"),
    ("profiler__replayer_passes*", OLD, ANY, ""),
    ("sm__icc_requests.sum", NEW, ANY, ""),
    ("sm__pipe_tensor_cycles_active_v2.*", NEW, ANY, "cycle"),
    ("smsp__branch_targets_threads_divergent", By::Both, ANY, ""),
    ("smsp__imc_requests.sum", NEW, ANY, ""),
    ("smsp__pcsamp_aggregated_passes", OLD, ANY, ""),
    ("smsp__sass_branch_targets_threads_divergent.*", By::Both, ANY, ""),
    ("smsp__sass_inst_executed_memdesc_explicit_evict_type", By::Both, ANY, ""),
    ("derived__l1tex__lsu_writeback_bytes_mem_lg*", By::Both, ANY, "byte"),
    ("derived__sm*_pred_on_x2", By::Both, ANY, "thread"),
    ("derived__sm*_pred_on_x4", By::Both, ANY, "thread"),
    ("l1tex__t_requests_*.pct_of_peak_sustained_elapsed", By::Both, ANY, "%"),
    ("l1tex__t_requests_*", By::Both, ANY, "request"),
    ("sm__sass_l1tex_t_requests_*.pct_of_peak_sustained_elapsed", By::Both, ANY, "%"),
    ("sm__sass_l1tex_t_requests_*", By::Both, ANY, "request"),
    ("lrc__*.ratio", By::Both, ANY, "sector"),
    ("lrc__*.per_second", By::Both, ANY, "sector"),
    // Tensor operations have no unit; their rates have only what is below the line.
    ("sm__ops_path_tensor_*.per_second", NEW, ANY, "/second"),
    ("sm__ops_path_tensor_*.per_cycle_elapsed", NEW, ANY, "/cycle"),
    ("sm__ops_path_tensor_*.per_cycle_active", NEW, ANY, "/cycle"),
    ("sm__ops_path_tensor_*.peak_sustained", NEW, ANY, "/cycle"),
    // Chips without NVLink, and chips without compression, do not know these.
    ("nvl*x__bytes.sum.per_second", By::Both, SMALL_TURING, "byte"),
    ("nvl*x__bytes.sum.per_second", By::Both, ORIN, "byte"),
    ("nvl*x__bytes.sum.per_second", By::Both, ADA, "byte"),
    ("lts__average_gcomp_input_sector_success_rate.pct", NEW, BEFORE_AMPERE, "sector"),
];

/// The base unit over the column of a metric, in the spelling of the version whose page it is.
pub(super) fn printed_unit(metric: &str, layout: Layout, chip: Option<u32>) -> &'static str {
    let named = |pattern: &str| match pattern.split_once('*') {
        Some((start, end)) => metric.strip_prefix(start).is_some_and(|rest| rest.ends_with(end)),
        None => metric == pattern,
    };
    let fits = |(pattern, by, chips, _): &&(&str, By, Chips, &str)| {
        (*by == By::Both || *by == By::Only(layout))
            && chips.contains(&chip.unwrap_or_default())
            && named(pattern)
    };
    ODDITIES.iter().find(fits).map_or_else(|| legacy_unit(unit_of(metric)), |row| row.3)
}
