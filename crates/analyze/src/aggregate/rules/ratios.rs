//! Which counts a ratio is made of.
//!
//! A pair is listed only if numerator over denominator gave the stored ratio on real reports, a denominator only if ratio × denominator gave a whole
//! number there or followed from a pair. L2's hit rate, for one, is hits over *all* sectors: hits over hits plus misses is off by up to ten points.
//! The same counts may have been measured in different passes, so a pair is used only where it gives the ratio of each result.

use super::name::MetricName;
use super::recipe::Quantity;

/// The counts behind a ratio.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct RatioParts {
    /// Numerator and denominator, alternatives in order of preference.
    pub(crate) pairs: Vec<(Quantity, Quantity)>,
    /// What the ratio is per, best first, with why the outcome is not exact, if it is not.
    pub(crate) denominators: Vec<(Quantity, Option<&'static str>)>,
    /// 100 for values in per cent, else 1.
    pub(crate) scale: f64,
}

/// Ratios with a fixed name: ratio, numerator, denominator, scale. An empty numerator means that none is collected under a known name.
const KNOWN: &[(&str, &str, &str, f64)] = &[
    ("lts__t_sector_hit_rate.pct", "lts__t_sectors_lookup_hit", "lts__t_sectors", 100.0),
    ("l1tex__t_sector_hit_rate.pct", "", "l1tex__t_sectors", 100.0),
    ("sm__dcc_request_hit_rate.pct", "sm__dcc_requests_lookup_hit", "sm__dcc_requests", 100.0),
    ("sm__icc_request_hit_rate.pct", "", "sm__icc_requests", 100.0),
    ("smsp__imc_request_hit_rate.pct", "", "smsp__imc_requests", 100.0),
    ("idc__request_hit_rate.pct", "", "idc__requests", 100.0),
    // The value is a fraction in spite of its name.
    (
        "derived__smsp__inst_executed_op_branch_pct",
        "smsp__inst_executed_op_branch",
        "smsp__inst_executed",
        1.0,
    ),
    (
        "smsp__thread_inst_executed_per_inst_executed.ratio",
        "thread_inst_executed",
        "inst_executed",
        1.0,
    ),
    ("smsp__thread_inst_executed_per_inst_executed.ratio", "", "smsp__inst_executed", 1.0),
    (
        "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio",
        "thread_inst_executed_true",
        "inst_executed",
        1.0,
    ),
    ("smsp__thread_inst_executed_pred_on_per_inst_executed.ratio", "", "smsp__inst_executed", 1.0),
    ("smsp__average_warps_active_per_inst_executed.ratio", "", "smsp__inst_executed", 1.0),
    ("smsp__average_warp_latency_per_inst_issued.ratio", "", "smsp__inst_issued", 1.0),
];

/// All accesses that L1 looks up, told apart in the names of these counters.
const L1_STEM: &str = "l1tex__t_sectors_pipe_";
const L1_HITS: &str = "_lookup_hit.sum";

/// A ratio that is stored as 0 where there was nothing to divide, and counts of which any is 0 then too.
pub(crate) const EMPTY_IF_ZERO: (&str, [&str; 3]) = (
    "smsp__sass_average_branch_targets_threads_uniform.pct",
    [
        "smsp__sass_branch_targets_threads_divergent.sum",
        "smsp__sass_branch_targets_threads_divergent.avg",
        "smsp__branch_targets_threads_divergent",
    ],
);

pub(crate) fn knows(name: &MetricName<'_>) -> bool {
    !parts(name).denominators.is_empty()
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
        parts.add(numerator, denominator);
    }
    if is_named(name, "l1tex__t_sector_hit_rate.pct") {
        let over = |end| Quantity::OverKinds { stem: L1_STEM, mark: L1_HITS, end };
        parts.pairs.push((over(L1_HITS), over(".sum")));
        let why = "weighted by the sectors of all accesses, which were counted in other passes than the ratio";
        parts.denominators.push((over(".sum"), Some(why)));
    }
    if parts.denominators.is_empty() {
        add_families(name, &mut parts);
    }
    parts
}

impl RatioParts {
    fn add(&mut self, numerator: &str, denominator: &str) {
        let below = Quantity::count(denominator);
        if !numerator.is_empty() {
            self.pairs.push((Quantity::count(numerator), below.clone()));
        }
        self.denominators.push((below, None));
    }
}

/// Ratios that follow a pattern of names.
fn add_families(name: &MetricName<'_>, parts: &mut RatioParts) {
    let between = |before: &str, after: &str| {
        name.base.strip_prefix(before).and_then(|rest| rest.strip_suffix(after))
    };
    // `l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct`: hits among the sectors of one kind of access.
    if let Some(access) = between("l1tex__t_sector_pipe_", "_hit_rate") {
        let sectors = format!("{L1_STEM}{access}");
        parts.add(&format!("{sectors}_lookup_hit"), &sectors);
    }
    // `lts__t_sector_op_read_hit_rate.pct`: likewise in L2.
    if let Some(operation) = between("lts__t_sector_op_", "_hit_rate") {
        parts.add("", &format!("lts__t_sectors_op_{operation}"));
    }
    // `smsp__average_warps_issue_stalled_wait_per_issue_active.ratio`: stalled warps per issued instruction.
    if between("smsp__average_warps_issue_stalled_", "_per_issue_active").is_some() {
        parts.add("", "smsp__inst_issued");
    }
    // `smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio`: bytes that the program asked for per sector.
    if let Some(access) = name.base.strip_prefix("smsp__sass_average_data_bytes_per_sector_mem_") {
        parts.add("", &format!("l1tex__t_sectors_pipe_lsu_mem_{access}"));
    }
}

fn is_named(name: &MetricName<'_>, full: &str) -> bool {
    name.rollup.is_none()
        && full.strip_prefix(name.base).is_some_and(|suffix| {
            suffix == name.submetric || suffix.strip_prefix('.') == Some(name.submetric)
        })
}
