//! Which counts a ratio is made of.
//!
//! A pair is listed only if numerator over denominator gave the stored ratio on real reports, a denominator only if ratio × denominator gave a whole
//! number there or followed from a pair. L2's hit rate, for one, is hits over *all* sectors: hits over hits plus misses is off by up to ten points.

use super::name::MetricName;

/// The counts behind a ratio.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct RatioParts {
    /// Numerator and denominator, alternatives in order of preference.
    pub(crate) pairs: Vec<(String, String)>,
    /// What the ratio is per.
    pub(crate) denominator: Option<String>,
    /// 100 for values in per cent, else 1.
    pub(crate) scale: f64,
}

/// Ratios with a fixed name: ratio, numerator, denominator, scale. An empty numerator means that none is collected under a known name.
const KNOWN: &[(&str, &str, &str, f64)] = &[
    ("lts__t_sector_hit_rate.pct", "lts__t_sectors_lookup_hit.sum", "lts__t_sectors.sum", 100.0),
    ("l1tex__t_sector_hit_rate.pct", "", "l1tex__t_sectors.sum", 100.0),
    ("sm__icc_request_hit_rate.pct", "", "sm__icc_requests.sum", 100.0),
    ("smsp__imc_request_hit_rate.pct", "", "smsp__imc_requests.sum", 100.0),
    // The value is a fraction in spite of its name.
    (
        "derived__smsp__inst_executed_op_branch_pct",
        "smsp__inst_executed_op_branch.sum",
        "smsp__inst_executed.sum",
        1.0,
    ),
    (
        "smsp__thread_inst_executed_per_inst_executed.ratio",
        "thread_inst_executed",
        "inst_executed",
        1.0,
    ),
    ("smsp__thread_inst_executed_per_inst_executed.ratio", "", "smsp__inst_executed.sum", 1.0),
    (
        "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio",
        "thread_inst_executed_true",
        "inst_executed",
        1.0,
    ),
    (
        "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio",
        "",
        "smsp__inst_executed.sum",
        1.0,
    ),
    ("smsp__average_warps_active_per_inst_executed.ratio", "", "smsp__inst_executed.sum", 1.0),
    ("smsp__average_warp_latency_per_inst_issued.ratio", "", "smsp__inst_issued.sum", 1.0),
];

/// Whether anything is known about the counts behind a ratio.
pub(crate) fn knows(name: &MetricName<'_>) -> bool {
    parts(name).denominator.is_some()
}

/// The counts behind a ratio, as far as they are known.
pub(crate) fn parts(name: &MetricName<'_>) -> RatioParts {
    let scale = if name.submetric == "pct" { 100.0 } else { 1.0 };
    let mut parts = RatioParts { scale, ..RatioParts::default() };
    for &(ratio, numerator, denominator, scale) in KNOWN {
        if !is_named(name, ratio) {
            continue;
        }
        parts.scale = scale;
        if !numerator.is_empty() {
            parts.pairs.push((numerator.to_owned(), denominator.to_owned()));
        }
        // The last row of a ratio names the denominator that is collected most often.
        parts.denominator = Some(denominator.to_owned());
    }
    if parts.denominator.is_none() {
        add_families(name, &mut parts);
    }
    parts
}

/// Ratios that follow a pattern of names.
fn add_families(name: &MetricName<'_>, parts: &mut RatioParts) {
    // `l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct`: hits among the sectors of one kind of access.
    if let Some(access) = name
        .base
        .strip_prefix("l1tex__t_sector_pipe_")
        .and_then(|rest| rest.strip_suffix("_hit_rate"))
    {
        let sectors = format!("l1tex__t_sectors_pipe_{access}.sum");
        parts
            .pairs
            .push((format!("l1tex__t_sectors_pipe_{access}_lookup_hit.sum"), sectors.clone()));
        parts.denominator = Some(sectors);
    }
    // `smsp__average_warps_issue_stalled_wait_per_issue_active.ratio`: stalled warps per issued instruction.
    if name.base.starts_with("smsp__average_warps_issue_stalled_")
        && name.base.ends_with("_per_issue_active")
    {
        parts.denominator = Some("smsp__inst_issued.sum".to_owned());
    }
    // `smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio`: bytes that the program asked for per sector.
    if let Some(access) = name.base.strip_prefix("smsp__sass_average_data_bytes_per_sector_mem_") {
        parts.denominator = Some(format!("l1tex__t_sectors_pipe_lsu_mem_{access}.sum"));
    }
}

fn is_named(name: &MetricName<'_>, full: &str) -> bool {
    name.rollup.is_none()
        && full.strip_prefix(name.base).is_some_and(|suffix| {
            suffix == name.submetric || suffix.strip_prefix('.') == Some(name.submetric)
        })
}
