//! How each metric is combined over results: one table of rows, tried from top to bottom.
//!
//! The rows are data for people as well as for the program: documentation and `explain` print the same texts that decide here.
//! What a row needs beyond a plain sum or extreme (which weights, in which order) is worked out in `recipe`.

mod explain;
pub(crate) mod name;
pub(crate) mod ratios;
pub(crate) mod recipe;
mod words;

pub use explain::{Choice, Explanation, explain};
use name::{MetricName, Rollup};
pub use words::{NamePart, parts_of};

/// One row of the table: which metrics it is for and what happens to them.
#[derive(Debug)]
pub struct RuleRow {
    /// Stable identifier.
    pub id: &'static str,
    pub applies_to: &'static str,
    pub combined: &'static str,
    pub exact: &'static str,
    /// Why it is done like this.
    pub why: &'static str,
    matches: fn(&MetricName<'_>) -> bool,
    pub(crate) combine: Combine,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Combine {
    Sum,
    /// A sum that is not what the whole would measure.
    Windows,
    /// A sum of counts that may have been taken at different intervals.
    Samples,
    Max,
    Min,
    PerSecond,
    PerCycle(Cycles),
    Throughput,
    Ratio,
    Same,
    Nothing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cycles {
    Elapsed,
    Active,
}

/// The whole table, in the order in which rows are tried. The last row takes every name.
pub fn table() -> &'static [RuleRow] {
    TABLE
}

/// The row that a metric falls under.
pub(crate) fn row_of(name: &MetricName<'_>) -> &'static RuleRow {
    TABLE.iter().find(|row| (row.matches)(name)).unwrap_or(&OTHER)
}

const TABLE: &[RuleRow] = &[
    RuleRow {
        id: "series",
        applies_to: "`pmsampling:*`",
        combined: "not aggregated",
        exact: "–",
        why: "a series of samples over the time of one result; series of different results cannot be laid over each other",
        matches: |name| name.prefix == Some("pmsampling"),
        combine: Combine::Nothing,
    },
    RuleRow {
        id: "list",
        applies_to: "`group:*`, `breakdown:*`, `regex:*` and any other name with a `:`",
        combined: "not aggregated",
        exact: "–",
        why: "it holds names of metrics, not a measurement",
        matches: |name| name.prefix.is_some(),
        combine: Combine::Nothing,
    },
    RuleRow {
        id: "profiler",
        applies_to: "`profiler__*`",
        combined: "not aggregated",
        exact: "–",
        why: "it describes how the profiler worked, not what the program did",
        matches: |name| name.unit() == "profiler",
        combine: Combine::Nothing,
    },
    RuleRow {
        id: "constant",
        applies_to: "`*.peak_sustained*`, `*.max_rate`, `launch__*`, `device__attribute_*`, `*__maximum_warps_*`, sampling settings of `smsp__pcsamp_*`, `derived__sm__*_x<n>` (peaks) and every text",
        combined: "the value if all results agree, else `varies` with the smallest and the largest",
        exact: "yes",
        why: "a property of the device or of a launch; a mean of properties describes nothing",
        matches: is_constant,
        combine: Combine::Same,
    },
    RuleRow {
        id: "samples",
        applies_to: "`smsp__pcsamp_*`",
        combined: "sum; where the sampling interval differs from result to result, as if all had been sampled at the shortest",
        exact: "yes; no where intervals differ",
        why: "numbers of samples add up, if a sample stands for the same time everywhere",
        matches: |name| name.base.starts_with("smsp__pcsamp_"),
        combine: Combine::Samples,
    },
    RuleRow {
        id: "clock",
        applies_to: "`gpu__time_start`, `*time_end*`, `*timestamp*`",
        combined: "not aggregated",
        exact: "–",
        why: "it is a point in time, and points in time do not add up",
        matches: |name| {
            let counter = name.counter();
            counter == "time_start" || counter.contains("time_end") || counter.contains("timestamp")
        },
        combine: Combine::Nothing,
    },
    RuleRow {
        id: "throughput",
        applies_to: "`*throughput*`, `*_sol_pct`",
        combined: "each of the counters that the result lists in `breakdown:*` by its own rule, and the largest of the outcomes, with the least, the largest and the mean by time of the results' own values beside it; without a list, or where it does not explain every value, the mean weighted by active cycles (`*_active`) or time",
        exact: "largest counter: yes, if in every result the listed counters are there and give its value, and the largest is exact itself; mean: no",
        why: "the value of one result is the largest of several counters, and which one is largest may change from result to result",
        matches: |name| {
            name.unit() != "derived"
                && (name.base.contains("throughput") || name.base.ends_with("_sol_pct"))
        },
        combine: Combine::Throughput,
    },
    RuleRow {
        id: "per-second",
        applies_to: "`*.per_second`, `*__frequency`",
        combined: "mean weighted by time: Σ(value · time) / Σ time",
        exact: "yes; no for the `.min` and `.max` roll-ups, whose unit may change from result to result",
        why: "value · time is the count itself, so this is the whole count over the whole time",
        matches: |name| name.submetric == "per_second" || name.counter() == "frequency",
        combine: Combine::PerSecond,
    },
    RuleRow {
        id: "derived-rate",
        applies_to: "`derived__smsp__*_x<n>`",
        combined: "mean weighted by the elapsed cycles of `smsp`, else of `gpc`, else by time",
        exact: "cycles of the unit: yes; else no",
        why: "it is a multiple of a count per elapsed cycle",
        matches: |name| name.base.starts_with("derived__smsp__") && is_multiple(name.base),
        combine: Combine::PerCycle(Cycles::Elapsed),
    },
    RuleRow {
        id: "derived-excess",
        applies_to: "`derived__memory_*_excessive`",
        combined: "sum",
        exact: "yes",
        why: "it is the difference of two counts, and differences of counts add up",
        matches: |name| {
            name.base.starts_with("derived__memory_") && name.base.ends_with("_excessive")
        },
        combine: Combine::Sum,
    },
    RuleRow {
        id: "derived-ratio",
        applies_to: "`derived__*` with a known numerator and denominator",
        combined: "ratio of sums, else weighted by the denominator, else by time",
        exact: "first two: yes; time: no",
        why: "the ratio of the whole is the ratio of the whole counts",
        matches: |name| name.unit() == "derived" && ratios::knows(name),
        combine: Combine::Ratio,
    },
    RuleRow {
        id: "derived",
        applies_to: "any other `derived__*`",
        combined: "not aggregated",
        exact: "–",
        why: "its formula is not known here",
        matches: |name| name.unit() == "derived",
        combine: Combine::Nothing,
    },
    RuleRow {
        id: "per-elapsed-cycle",
        applies_to: "`*.per_cycle_elapsed`, `*.pct_of_peak_sustained_elapsed`",
        combined: "mean weighted by the unit's elapsed cycles (of all units together for `sm`, `smsp` and `l1tex`) where they were collected, else for these by those of `gpc`, else by time",
        exact: "cycles of the unit: yes, over devices of different size only if they are of all units; else, and for the `.min` and `.max` roll-ups, no",
        why: "value · cycles is the count itself (or a fixed multiple of it)",
        matches: |name| {
            matches!(name.submetric, "per_cycle_elapsed" | "pct_of_peak_sustained_elapsed")
        },
        combine: Combine::PerCycle(Cycles::Elapsed),
    },
    RuleRow {
        id: "per-active-cycle",
        applies_to: "`*.per_cycle_active`, `*.pct_of_peak_sustained_active`",
        combined: "mean weighted by the unit's active cycles (of all units together for `sm`, `smsp` and `l1tex`) where they were collected, else for `smsp` by those of `sm`, else by time",
        exact: "cycles of the unit: yes, over devices of different size only if they are of all units; else, and for the `.min` and `.max` roll-ups, no",
        why: "value · active cycles is the count itself (or a fixed multiple of it)",
        matches: |name| {
            matches!(name.submetric, "per_cycle_active" | "pct_of_peak_sustained_active")
        },
        combine: Combine::PerCycle(Cycles::Active),
    },
    RuleRow {
        id: "ratio",
        applies_to: "`*.pct`, `*.ratio`, `*_hit_rate*`",
        combined: "ratio of sums where numerator and denominator were collected and give the ratio of every result, else weighted by the denominator, else by time",
        exact: "first two: yes, but not a denominator that was counted in other passes; time: no",
        why: "the ratio of the whole is the ratio of the whole counts, not the mean of ratios",
        matches: |name| {
            matches!(name.submetric, "pct" | "ratio") || name.base.contains("_hit_rate")
        },
        combine: Combine::Ratio,
    },
    RuleRow {
        id: "counter",
        applies_to: "`*.sum`, `*.avg`",
        combined: "sum",
        exact: "yes; `.avg` over devices with different numbers of multiprocessors: no",
        why: "counts add up, and so do counts per unit of one device",
        matches: |name| name.is_plain(Rollup::Sum) || name.is_plain(Rollup::Avg),
        combine: Combine::Sum,
    },
    RuleRow {
        id: "window",
        applies_to: "`*__cycles_elapsed.max`, `*__cycles_elapsed.min`, `gpu__time_duration.max`, `gpu__time_duration.min`",
        combined: "sum",
        exact: "no",
        why: "these are the windows in which the results ran, one after the other; the windows of launches that run at once would overlap",
        matches: |name| {
            (name.is_plain(Rollup::Max) || name.is_plain(Rollup::Min))
                && (name.counter() == "cycles_elapsed" || name.base == "gpu__time_duration")
        },
        combine: Combine::Windows,
    },
    RuleRow {
        id: "maximum",
        applies_to: "`*.max`",
        combined: "maximum over results",
        exact: "yes, as the maximum of any unit in any result",
        why: "the busiest unit of one result is not the busiest of the next, so these do not add up",
        matches: |name| name.is_plain(Rollup::Max),
        combine: Combine::Max,
    },
    RuleRow {
        id: "minimum",
        applies_to: "`*.min`",
        combined: "minimum over results",
        exact: "yes, as the minimum of any unit in any result",
        why: "likewise",
        matches: |name| name.is_plain(Rollup::Min),
        combine: Combine::Min,
    },
    RuleRow {
        id: "code",
        applies_to: "`inst_executed`, `thread_inst_executed*`, `memory_l1_*`, `memory_l2_*`, `sass__inst_executed_*` except those per opcode, `smsp__*_memdesc_*`, `smsp__branch_targets_threads_divergent`",
        combined: "sum",
        exact: "yes",
        why: "totals of counts per instruction of the code; the counts per instruction are not aggregated",
        matches: is_code_total,
        combine: Combine::Sum,
    },
    OTHER,
];

const OTHER: RuleRow = RuleRow {
    id: "other",
    applies_to: "anything else",
    combined: "not aggregated",
    exact: "–",
    why: "nothing is known about it that would make a combined number right",
    matches: |_| true,
    combine: Combine::Nothing,
};

fn is_constant(name: &MetricName<'_>) -> bool {
    let sampling_setting = matches!(
        name.base,
        "smsp__pcsamp_interval"
            | "smsp__pcsamp_interval_cycles"
            | "smsp__pcsamp_buffer_size_bytes"
            | "smsp__pcsamp_aggregated_passes"
    );
    name.submetric.starts_with("peak_sustained")
        || name.submetric == "max_rate"
        || name.unit() == "launch"
        || name.base.starts_with("device__attribute_")
        || name.counter().starts_with("maximum_warps_")
        || sampling_setting
        || (name.base.starts_with("derived__sm__") && is_multiple(name.base))
}

/// Whether a derived metric is a fixed multiple of another one, as `…_pred_on_x2` says.
fn is_multiple(base: &str) -> bool {
    base.rsplit_once("_x").is_some_and(|(_, factor)| {
        !factor.is_empty() && factor.bytes().all(|byte| byte.is_ascii_digit())
    })
}

fn is_code_total(name: &MetricName<'_>) -> bool {
    if name.rollup.is_some() || !name.submetric.is_empty() {
        return false;
    }
    let base = name.base;
    matches!(base, "inst_executed" | "smsp__branch_targets_threads_divergent")
        || base.starts_with("thread_inst_executed")
        || base.starts_with("memory_l1_")
        || base.starts_with("memory_l2_")
        || (base.starts_with("sass__inst_executed_") && !base.contains("_per_opcode"))
        || (base.starts_with("smsp__") && base.contains("_memdesc_"))
}

#[cfg(test)]
mod tests;
