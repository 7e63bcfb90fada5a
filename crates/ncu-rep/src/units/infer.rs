//! The unit of a metric, inferred from its name.
//!
//! A counter counts something that one of its words names (`bytes`, `inst`, `sectors` …); roll-ups do not change that, submetrics divide it by time or cycles or turn it into per cent. Groups that are no counters (`launch__`, `profiler__` …) have short tables by the beginning of the name.

use super::MetricName;

/// The unit of a metric in base units, in the spelling of the 2026 tools; empty if it has none or none is known.
pub fn unit_of(metric: &str) -> &'static str {
    let name = MetricName::parse(metric);
    if matches!(name.prefix, Some("group" | "regex")) {
        // These are lists of other metrics' names.
        return "";
    }
    if is_percentage(&name) {
        return "%";
    }
    match name.unit {
        // Metrics by address have names without a unit, such as `inst_executed`.
        "" => by_beginning(SOURCE, name.counter),
        "launch" => by_beginning(LAUNCH, name.counter),
        "profiler" => by_beginning(PROFILER, name.counter),
        "derived" => derived(&name),
        "device" | "numa" | "nvlink" | "c2clink" => "",
        "sass" if name.words().any(|word| word == "per" || word == "histogram") => "",
        "sass" => quantity(&name).plain,
        _ if name.counter.starts_with("pcsamp_") => by_beginning(SAMPLING, name.counter),
        _ => counter(&name),
    }
}

/// Whether the values of a metric are shares of 0 to 1 although its name, and its unit in NVIDIA's table, say per cent: ncu prints 0.07 % for every 14th instruction.
///
/// Of all metrics with such a name this is the only one; in every real report that has it, it is the quotient of the two counts that it is made of.
pub fn is_fraction(metric: &str) -> bool {
    metric == "derived__smsp__inst_executed_op_branch_pct"
}

/// A count of something, and the same per second and per cycle.
struct Quantity {
    plain: &'static str,
    per_second: &'static str,
    per_cycle: &'static str,
}

macro_rules! quantity {
    ($plain:literal) => {
        quantity!($plain, concat!($plain, "/s"), concat!($plain, "/cycle"))
    };
    ($plain:expr, $per_second:expr, $per_cycle:expr) => {
        &Quantity { plain: $plain, per_second: $per_second, per_cycle: $per_cycle }
    };
}

const NOTHING: &Quantity = quantity!("", "", "");
const REQUESTS: &Quantity = quantity!("request");
const INSTRUCTIONS: &Quantity = quantity!("inst");
const CYCLES: &Quantity = quantity!("cycle", "hz", "");

/// What the words of a counter say that it counts. The first row with one of its words decides.
const COUNTED: &[(&str, &Quantity)] = &[
    ("ops", NOTHING),
    ("wavefronts", NOTHING),
    ("conflicts", NOTHING),
    ("targets", quantity!("branches")),
    ("bytes", quantity!("byte")),
    ("sectors", quantity!("sector")),
    ("requests", REQUESTS),
    ("inst", INSTRUCTIONS),
    // Warps per cycle are the warps that there are at any time.
    ("warps", quantity!("warp", "warp/s", "warp")),
    ("threads", quantity!("thread")),
    ("ctas", quantity!("block")),
    ("cycles", CYCLES),
    ("writeback", CYCLES),
    ("duration", quantity!("ns", "", "")),
];

fn quantity(name: &MetricName<'_>) -> &'static Quantity {
    let counted = COUNTED
        .iter()
        .find(|(word, _)| name.words().any(|other| other == *word))
        .map_or(NOTHING, |(_, quantity)| *quantity);
    // NVIDIA's table has no unit for the requests of the L1 cache, unlike those of all others.
    let of_l1 = name.unit == "l1tex" || name.words().any(|word| word == "l1tex");
    if of_l1 && counted.plain == REQUESTS.plain { NOTHING } else { counted }
}

fn is_percentage(name: &MetricName<'_>) -> bool {
    match name.submetric {
        Some(submetric) => submetric.starts_with("pct"),
        // The `…sol_pct` of the first versions have no unit.
        None => name.counter.ends_with("_pct") && !name.counter.ends_with("sol_pct"),
    }
}

/// A counter, throughput or ratio of a hardware unit.
fn counter(name: &MetricName<'_>) -> &'static str {
    let quantity = quantity(name);
    match (name.rollup, name.submetric) {
        (None, None) => match name.counter {
            // Counters of instructions at an address have no roll-up, and neither do theoretical limits.
            c if c.starts_with("inst_")
                || c.starts_with("sass_inst_")
                || c.starts_with("branch_targets_")
                || c.starts_with("maximum_warps_") =>
            {
                quantity.plain
            }
            _ => "",
        },
        (_, Some("ratio" | "max_rate")) => ratio(name.counter),
        (_, None) => quantity.plain,
        (_, Some(submetric)) if submetric.ends_with("per_second") => quantity.per_second,
        (_, Some(submetric))
            if submetric.starts_with("per_cycle") || submetric == "peak_sustained" =>
        {
            quantity.per_cycle
        }
        // `peak_sustained_elapsed` and the like: the peak over all cycles, a plain count.
        (_, Some(submetric)) if submetric.starts_with("peak_sustained") => quantity.plain,
        _ => "",
    }
}

fn ratio(counter: &str) -> &'static str {
    if counter.contains("_bytes_per_sector_") {
        "byte/sector"
    } else if counter.starts_with("average_t_sectors_per_request_") {
        "sector/request"
    } else if counter.starts_with("average_warps_issue_stalled_") {
        "inst"
    } else if counter.starts_with("average_warp_latency_issue_stalled_") {
        "inst/warp"
    } else if counter.starts_with("average_warp_latency_per_")
        || counter.starts_with("average_warps_active_per_")
    {
        "cycle"
    } else {
        ""
    }
}

fn derived(name: &MetricName<'_>) -> &'static str {
    if name.submetric.is_some() {
        return "";
    }
    if name.counter.contains("__") {
        // Only the floating-point operations made from counts of thread instructions have a unit.
        return if name.counter.contains("thread_inst_") { INSTRUCTIONS.plain } else { "" };
    }
    by_beginning(DERIVED, name.counter)
}

/// The unit of the first row that the name begins with.
fn by_beginning(table: &[(&str, &'static str)], name: &str) -> &'static str {
    table.iter().find(|(beginning, _)| name.starts_with(beginning)).map_or("", |(_, unit)| unit)
}

const LAUNCH: &[(&str, &str)] = &[
    ("block_dim_", "block"),
    ("cluster_max_active", "cluster"),
    ("cluster_max_potential_size", "block"),
    ("occupancy_limit_", "block"),
    ("persisting_l2_cache_size", "byte"),
    ("registers_per_thread", "register/thread"),
    ("shared_mem_config_size", "byte"),
    ("shared_mem_per_block", "byte/block"),
    ("sm_count", "SM"),
    ("thread_count", "thread"),
];

const PROFILER: &[(&str, &str)] = &[
    ("pmsampler_buffer_size_bytes", "byte"),
    ("pmsampler_dropped_samples", "sample"),
    ("pmsampler_interval_cycles", "cycle"),
    ("pmsampler_interval_time", "ns"),
    ("pmsampler_merged_samples", "sample"),
    ("replayer_bytes_", "byte"),
    ("replayer_passes", "pass"),
];

const SAMPLING: &[(&str, &str)] = &[
    ("pcsamp_aggregated_passes", "pass"),
    ("pcsamp_buffer_size_bytes", "byte"),
    ("pcsamp_dropped_bytes", "byte"),
    ("pcsamp_interval_cycles", "cycle"),
    ("pcsamp_warps_issue_stalled_no_instruction", "inst"),
    ("pcsamp_warps_", "warp"),
];

const DERIVED: &[(&str, &str)] = &[
    ("avg_thread_executed", "thread"),
    ("memory_l2_", "sector"),
    ("pct_occupancy_per_block_size", "%"),
    ("pct_occupancy_per_register_count", "%/register"),
    ("pct_occupancy_per_shared_mem_size", "%/byte"),
];

const SOURCE: &[(&str, &str)] = &[
    ("inst_executed", "inst"),
    ("thread_inst_executed", "inst"),
    ("memory_l2_sectors_", "sector"),
    ("memory_l2_theoretical_sectors_", "sectors"),
    ("memory_l1_tag_requests_", "sectors"),
    ("memory_l1_wavefronts_", "sectors"),
    // The names of the first versions.
    ("memory_l2_transactions_", "byte"),
    ("memory_ideal_", "byte"),
    ("memory_shared_transactions", "byte"),
];
