//! Each row of the table with names that occur in real reports, and the corpus of names as a whole.

use super::name::MetricName;
use super::recipe::{Quantity, Recipe, Source};
use super::{Combine, explain, row_of, table};
use rangescope_model::document::Method;
use rangescope_model::launch::Vocabulary;

fn row_id(metric: &str) -> &'static str {
    row_of(&MetricName::parse(metric)).id
}

#[test]
fn every_row_has_its_metrics() {
    for (metric, row) in [
        ("pmsampling:sm__cycles_active.avg", "series"),
        ("breakdown:sm__throughput.avg.pct_of_peak_sustained_elapsed", "list"),
        ("group:memory__chart", "list"),
        ("profiler__replayer_passes", "profiler"),
        ("dram__bytes.sum.peak_sustained", "constant"),
        ("sm__cycles_active.avg.peak_sustained_elapsed.per_second", "constant"),
        ("launch__grid_size", "constant"),
        ("device__attribute_warp_size", "constant"),
        ("sm__maximum_warps_per_active_cycle_pct", "constant"),
        ("smsp__pcsamp_interval", "constant"),
        ("smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.max_rate", "constant"),
        ("derived__sm__sass_thread_inst_executed_op_ffma_pred_on_x2", "constant"),
        ("smsp__pcsamp_sample_count", "samples"),
        ("smsp__pcsamp_warps_issue_stalled_wait", "samples"),
        ("sm__throughput.avg.pct_of_peak_sustained_elapsed", "throughput"),
        ("l1tex__throughput.avg.pct_of_peak_sustained_active", "throughput"),
        ("gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", "throughput"),
        ("FBPA.TriageA.dramc__read_throughput.avg.pct_of_peak_sustained_elapsed", "throughput"),
        ("ltc__sol_pct", "throughput"),
        ("dram__bytes.sum.per_second", "per-second"),
        ("gpc__cycles_elapsed.avg.per_second", "per-second"),
        ("dram__frequency", "per-second"),
        ("derived__lts__lts2xbar_bytes.sum.per_second", "per-second"),
        ("derived__smsp__sass_thread_inst_executed_op_ffma_pred_on_x2", "derived-rate"),
        ("derived__memory_l2_theoretical_sectors_global_excessive", "derived-excess"),
        ("derived__smsp__inst_executed_op_branch_pct", "derived-ratio"),
        ("derived__avg_thread_executed", "derived"),
        ("smsp__inst_executed.avg.per_cycle_elapsed", "per-elapsed-cycle"),
        ("lts__t_sectors.avg.pct_of_peak_sustained_elapsed", "per-elapsed-cycle"),
        ("sm__warps_active.avg.pct_of_peak_sustained_active", "per-active-cycle"),
        ("smsp__issue_active.avg.per_cycle_active", "per-active-cycle"),
        ("lts__t_sector_hit_rate.pct", "ratio"),
        ("smsp__thread_inst_executed_per_inst_executed.ratio", "ratio"),
        ("gpu__time_duration.sum", "counter"),
        ("sm__cycles_active.avg", "counter"),
        ("gpc__cycles_elapsed.max", "window"),
        ("gpu__time_duration.min", "window"),
        ("gpu__time_start", "clock"),
        ("gpu__time_end.max", "clock"),
        ("sm__cycles_active.max", "maximum"),
        ("sm__cycles_active.min", "minimum"),
        ("inst_executed", "code"),
        ("memory_l2_theoretical_sectors_global", "code"),
        ("sass__inst_executed_global_loads", "code"),
        ("sass__inst_executed_per_opcode", "other"),
        ("memory_access_type", "other"),
        ("nvlink__count_logical", "other"),
        ("", "other"),
    ] {
        assert_eq!(row_id(metric), row, "{metric}");
    }
}

#[test]
fn row_ids_are_unique_and_the_last_row_takes_everything() {
    let ids: Vec<_> = table().iter().map(|row| row.id).collect();
    let mut unique = ids.clone();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(unique.len(), ids.len());
    assert_eq!(ids.last(), Some(&"other"));
}

/// The alternatives of a candidate's weight: the metric, with `× SMs` where it is multiplied.
fn weights(metric: &str, candidate: usize) -> Vec<String> {
    match &Recipe::of(metric).candidates[candidate].source {
        Source::Weight(Quantity::OneOf(alternatives)) => alternatives
            .iter()
            .map(|alternative| {
                let units = if alternative.times_units { " × SMs" } else { "" };
                format!("{}{units}", alternative.metric)
            })
            .collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn units_of_one_clock_stand_in_for_each_other_only_for_elapsed_cycles() {
    assert_eq!(
        weights("smsp__inst_executed.avg.per_cycle_elapsed", 0),
        [
            "smsp__cycles_elapsed.avg × SMs",
            "sm__cycles_elapsed.avg × SMs",
            "l1tex__cycles_elapsed.avg × SMs",
            "smsp__cycles_elapsed.avg.per_second × SMs",
            "sm__cycles_elapsed.avg.per_second × SMs",
            "l1tex__cycles_elapsed.avg.per_second × SMs"
        ]
    );
    assert_eq!(
        weights("sm__warps_active.avg.per_cycle_active", 0),
        ["sm__cycles_active.avg × SMs", "sm__cycles_active.avg.per_second × SMs"]
    );
}

#[test]
fn a_count_of_the_whole_device_is_weighted_by_cycles_alone() {
    for metric in [
        "sm__inst_executed.sum.per_cycle_elapsed",
        "derived__smsp__sass_thread_inst_executed_op_ffma_pred_on_x2",
        "lts__t_sectors.avg.pct_of_peak_sustained_elapsed",
    ] {
        assert!(weights(metric, 0)[0].ends_with("__cycles_elapsed.avg"), "{metric}");
    }
}

#[test]
fn cycles_of_other_units_come_before_time_and_are_not_exact() {
    let last_but_time = |metric: &str| {
        let candidates = Recipe::of(metric).candidates;
        let other = candidates.len() - 2;
        assert!(candidates[other].inexact.is_some());
        weights(metric, other)
    };
    assert_eq!(
        last_but_time("sm__inst_executed.avg.per_cycle_elapsed"),
        ["gpc__cycles_elapsed.max"]
    );
    assert_eq!(last_but_time("smsp__issue_active.avg.per_cycle_active"), ["sm__cycles_active.avg"]);
}

#[test]
fn the_extreme_unit_makes_a_rate_inexact() {
    let is_exact = |metric: &str| Recipe::of(metric).candidates[0].inexact.is_none();
    assert!(is_exact("dram__bytes.sum.per_second"));
    assert!(!is_exact("dram__bytes.max.per_second"));
    assert!(!is_exact("sm__inst_executed.max.per_cycle_active"));
}

#[test]
fn an_explanation_says_which_weight_a_run_uses() {
    let vocabulary = Vocabulary {
        metrics: ["gpu__time_duration.sum", "lts__t_sectors.sum", "lts__t_sector_hit_rate.pct"]
            .map(str::to_owned)
            .to_vec(),
        ..Vocabulary::default()
    };
    let explanation = explain("lts__t_sector_hit_rate.pct", Some(&vocabulary));
    assert_eq!(explanation.taken, Some(1));
    assert_eq!(explanation.choices[1].method, Method::DenominatorWeighted);
    let text = explanation.to_string();
    assert!(text.contains("lts__t_sectors_lookup_hit.sum / lts__t_sectors.sum"), "{text}");
    assert!(text.contains("used here"), "{text}");
    assert!(explain("memory_type", None).choices.is_empty());
    assert!(!explain("memory_type", None).aggregated);
}

#[test]
fn names_of_real_reports_fall_where_their_type_says() {
    let path =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/cases/units.tsv");
    let Ok(bytes) = std::fs::read(&path) else {
        eprintln!("skipped: {} is not here", path.display());
        return;
    };
    let text = String::from_utf8(bytes).unwrap();
    let mut rows = 0;
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [metric, _, kind, submetric, rollup] = fields[..] else { continue };
        rows += 1;
        let combine = row_of(&MetricName::parse(metric)).combine;
        let expected: &[Combine] = match (kind, submetric, rollup) {
            ("throughput", _, _) => &[Combine::Throughput],
            ("ratio", _, _) if metric.ends_with("max_rate") => &[Combine::Same],
            ("ratio", _, _) => &[Combine::Ratio],
            ("counter", "", "sum" | "avg") => &[Combine::Sum],
            ("counter", "", "max" | "min")
                if metric.contains("__cycles_elapsed.")
                    || metric.starts_with("gpu__time_duration.") =>
            {
                &[Combine::Windows]
            }
            ("counter", "", "max") => &[Combine::Max],
            ("counter", "", "min") => &[Combine::Min],
            ("counter", "per_second", _) => &[Combine::PerSecond],
            ("counter", submetric, _) if submetric.starts_with("peak_sustained") => {
                &[Combine::Same]
            }
            ("counter", "pct_of_peak_sustained_active" | "per_cycle_active", _) => {
                &[Combine::PerCycle(super::Cycles::Active)]
            }
            ("counter", "pct_of_peak_sustained_elapsed" | "per_cycle_elapsed", _) => {
                &[Combine::PerCycle(super::Cycles::Elapsed)]
            }
            _ => continue,
        };
        assert!(expected.contains(&combine), "{metric}: {combine:?}, expected {expected:?}");
    }
    assert!(rows > 2_900, "only {rows} names were read");
}
