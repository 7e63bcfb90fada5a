//! The arithmetic per metric, on results small enough to be worked out by hand.

use super::common::{Run, Sample, TIME, region};
use rangescope_model::document::{Method, MetricSummary, Scalar};

/// The summary of a metric over results given as (time, numbers).
pub(super) fn combined(metric: &str, results: &[(f64, &[(&str, f64)])]) -> MetricSummary {
    let samples = results.iter().map(|(time, numbers)| {
        let start = Sample::parse("k: A").time(*time);
        numbers.iter().fold(start, |sample, (name, value)| sample.with(name, *value))
    });
    let mut run = Run::new(samples.collect());
    run.options.metrics = vec![metric.to_owned()];
    region(&run.aggregate(), "A").set.metrics[metric].clone()
}

fn number(summary: &MetricSummary) -> f64 {
    match &summary.value {
        Some(Scalar::Number(value)) => *value,
        other => panic!("{other:?} is no number: {summary:?}"),
    }
}

pub(super) fn check(summary: &MetricSummary, value: f64, method: Method, exact: bool) {
    assert!(
        (number(summary) - value).abs() <= 1e-12 * value.abs(),
        "{summary:?}, expected {value}"
    );
    assert_eq!((summary.method, summary.exact), (method, exact), "{summary:?}");
    assert_eq!(summary.reason.is_some(), !exact, "{summary:?}");
}

#[test]
fn counts_add_up_and_so_do_counts_per_unit() {
    for metric in
        ["dram__bytes.sum", "sm__cycles_active.avg", "smsp__pcsamp_sample_count", "inst_executed"]
    {
        check(
            &combined(metric, &[(1.0, &[(metric, 3.0)]), (9.0, &[(metric, 4.0)])]),
            7.0,
            Method::Sum,
            true,
        );
    }
}

#[test]
fn extremes_stay_extremes() {
    let of = |metric| combined(metric, &[(1.0, &[(metric, 3.0)]), (9.0, &[(metric, 4.0)])]);
    check(&of("sm__cycles_active.max"), 4.0, Method::Max, true);
    check(&of("sm__cycles_active.min"), 3.0, Method::Min, true);
}

#[test]
fn rates_are_weighted_by_time() {
    let metric = "dram__bytes.sum.per_second";
    check(
        &combined(metric, &[(1.0, &[(metric, 10.0)]), (3.0, &[(metric, 2.0)])]),
        4.0,
        Method::TimeWeighted,
        true,
    );
    let metric = "dram__bytes.max.per_second";
    check(
        &combined(metric, &[(1.0, &[(metric, 10.0)]), (3.0, &[(metric, 2.0)])]),
        4.0,
        Method::TimeWeighted,
        false,
    );
}

#[test]
fn per_cycle_values_are_weighted_by_cycles_where_every_result_has_them() {
    let metric = "sm__inst_executed.avg.per_cycle_elapsed";
    let cycles = "sm__cycles_elapsed.avg";
    let both = combined(
        metric,
        &[(1.0, &[(metric, 1.0), (cycles, 100.0)]), (1.0, &[(metric, 2.0), (cycles, 300.0)])],
    );
    check(&both, 1.75, Method::CycleWeighted, true);
    let one =
        combined(metric, &[(1.0, &[(metric, 1.0), (cycles, 100.0)]), (1.0, &[(metric, 2.0)])]);
    check(&one, 1.5, Method::TimeWeighted, false);
}

#[test]
fn a_clock_rate_times_the_duration_is_as_good_as_cycles() {
    let metric = "dram__cycles_active.avg.pct_of_peak_sustained_elapsed";
    let rate = "dram__cycles_elapsed.avg.per_second";
    let results: &[(f64, &[(&str, f64)])] =
        &[(100.0, &[(metric, 10.0), (rate, 1e9)]), (100.0, &[(metric, 20.0), (rate, 3e9)])];
    check(&combined(metric, results), 17.5, Method::CycleWeighted, true);
}

#[test]
fn cycles_may_come_from_different_metrics_that_state_the_same() {
    let metric = "smsp__inst_executed.avg.per_cycle_elapsed";
    let results: &[(f64, &[(&str, f64)])] = &[
        (1.0, &[(metric, 1.0), ("sm__cycles_elapsed.avg", 100.0)]),
        (1.0, &[(metric, 2.0), ("smsp__cycles_elapsed.avg", 300.0)]),
    ];
    check(&combined(metric, results), 1.75, Method::CycleWeighted, true);
}

#[test]
fn occupancy_is_weighted_by_active_cycles() {
    let metric = "sm__warps_active.avg.pct_of_peak_sustained_active";
    let cycles = "sm__cycles_active.avg";
    let results: &[(f64, &[(&str, f64)])] =
        &[(1.0, &[(metric, 80.0), (cycles, 1.0)]), (99.0, &[(metric, 20.0), (cycles, 3.0)])];
    check(&combined(metric, results), 35.0, Method::CycleWeighted, true);
}

#[test]
fn throughputs_are_weighted_by_time_and_never_exact() {
    let metric = "sm__throughput.avg.pct_of_peak_sustained_elapsed";
    let summary = combined(metric, &[(1.0, &[(metric, 90.0)]), (9.0, &[(metric, 10.0)])]);
    check(&summary, 18.0, Method::TimeWeighted, false);
}

#[test]
fn hit_rates_are_ratios_of_sums_then_weighted_by_requests_then_by_time() {
    let rate = "lts__t_sector_hit_rate.pct";
    let (hits, all) = ("lts__t_sectors_lookup_hit.sum", "lts__t_sectors.sum");
    let full: &[(f64, &[(&str, f64)])] = &[
        (1.0, &[(rate, 50.0), (hits, 1.0), (all, 2.0)]),
        (9.0, &[(rate, 100.0), (hits, 8.0), (all, 8.0)]),
    ];
    check(&combined(rate, full), 90.0, Method::RatioOfSums, true);
    let only_all: &[(f64, &[(&str, f64)])] =
        &[(1.0, &[(rate, 50.0), (all, 2.0)]), (9.0, &[(rate, 100.0), (all, 8.0)])];
    check(&combined(rate, only_all), 90.0, Method::DenominatorWeighted, true);
    let alone: &[(f64, &[(&str, f64)])] = &[(1.0, &[(rate, 50.0)]), (9.0, &[(rate, 100.0)])];
    check(&combined(rate, alone), 95.0, Method::TimeWeighted, false);
}

#[test]
fn a_result_without_requests_does_not_count_against_a_ratio() {
    let (rate, all) = ("lts__t_sector_hit_rate.pct", "lts__t_sectors.sum");
    let results: &[(f64, &[(&str, f64)])] =
        &[(1.0, &[(rate, 50.0), (all, 2.0)]), (9.0, &[(rate, f64::NAN), (all, 0.0)])];
    let summary = combined(rate, results);
    check(&summary, 50.0, Method::DenominatorWeighted, true);
    assert_eq!((summary.covered, summary.of), (2, 2));
    let empty: &[(&str, f64)] = &[(rate, 0.0), (all, 0.0)];
    let nothing = combined(rate, &[(1.0, empty), (1.0, empty)]);
    assert_eq!((nothing.value, nothing.exact), (None, false));
    assert!(nothing.reason.is_some());
}

#[test]
fn properties_are_compared_and_never_averaged() {
    let metric = "launch__registers_per_thread";
    check(
        &combined(metric, &[(1.0, &[(metric, 32.0)]), (1.0, &[(metric, 32.0)])]),
        32.0,
        Method::Same,
        true,
    );
    let differing = combined(metric, &[(1.0, &[(metric, 64.0)]), (1.0, &[(metric, 32.0)])]);
    assert_eq!((&differing.value, differing.method), (&None, Method::Varies));
    assert_eq!((differing.min, differing.max), (Some(32.0), Some(64.0)));
}

#[test]
fn texts_are_compared() {
    let metric = "device__attribute_display_name";
    let run = |names: [&str; 2]| {
        let samples = names.map(|name| Sample::parse("k: A").text(metric, name)).to_vec();
        region(&Run::new(samples).aggregate(), "A").set.metrics[metric].clone()
    };
    let same = run(["A100", "A100"]);
    assert_eq!((same.value, same.method), (Some(Scalar::Text("A100".to_owned())), Method::Same));
    let differing = run(["H100", "A100"]);
    assert_eq!((differing.value, differing.method), (None, Method::Varies));
    assert_eq!(differing.reason.as_deref(), Some("texts from `A100` to `H100`"));
}

#[test]
fn values_that_are_no_numbers_are_left_out_and_counted() {
    let metric = "dram__bytes.sum";
    let summary = combined(
        metric,
        &[
            (1.0, &[(metric, 3.0)]),
            (1.0, &[(metric, f64::NAN)]),
            (1.0, &[(metric, f64::INFINITY)]),
            (1.0, &[]),
        ],
    );
    check(&summary, 3.0, Method::Sum, false);
    assert_eq!((summary.covered, summary.of), (1, 4));
    let none = combined(metric, &[(1.0, &[(metric, f64::NAN)])]);
    assert_eq!((none.value, none.covered, none.of), (None, 0, 1));
}

#[test]
fn a_result_without_a_duration_cannot_be_weighted_by_time() {
    let metric = "dram__bytes.sum.per_second";
    let timed = Sample::parse("k: A").time(5.0).with(metric, 4.0);
    let untimed = Sample::parse("k: A").without(TIME).with(metric, 400.0);
    let report = Run::new(vec![timed, untimed.clone()]).aggregate();
    let (summary, a) = (&region(&report, "A").set.metrics[metric], region(&report, "A"));
    check(summary, 4.0, Method::TimeWeighted, false);
    assert_eq!((summary.covered, summary.of), (1, 2));
    assert!(
        summary
            .reason
            .as_deref()
            .is_some_and(|reason| reason.contains("1 values have no duration")),
        "{summary:?}"
    );
    assert_eq!((a.set.kernel_count, a.set.timed_count), (2, 1));
    let alone = Run::new(vec![untimed.clone(), untimed]);
    assert_eq!(region(&alone.aggregate(), "A").set.metrics[metric].value, None);
    assert!(super::common::codes(&alone.outcome()).contains(&"no-duration"));
}

#[test]
fn one_result_is_reported_as_it_is() {
    for (metric, value) in [
        ("sm__throughput.avg.pct_of_peak_sustained_elapsed", 22.3),
        ("a__b.sum.per_second", 0.1),
        ("x__y_hit_rate.pct", 97.7),
        ("lts__t_sector_hit_rate.pct", 66.6),
    ] {
        // Counts of another pass may disagree a little; the stored ratio is the measurement.
        let counts = [("lts__t_sectors_lookup_hit.sum", 2.0), ("lts__t_sectors.sum", 3.0)];
        let summary = combined(metric, &[(7.3, &[(metric, value), counts[0], counts[1]])]);
        assert_eq!((summary.value, summary.exact), (Some(Scalar::Number(value)), true));
        let sample = Sample::parse("k: A").without(TIME).with(metric, value);
        let untimed = region(&Run::new(vec![sample]).aggregate(), "A").set.metrics[metric].clone();
        assert_eq!((untimed.value, untimed.exact), (Some(Scalar::Number(value)), true));
    }
}

#[test]
fn metrics_without_a_rule_appear_only_when_asked_for() {
    let metric = "profiler__replayer_passes";
    let run = Run::new(vec![Sample::parse("k: A").with(metric, 3.0)]);
    assert!(!region(&run.aggregate(), "A").set.metrics.contains_key(metric));
    let summary = combined(metric, &[(1.0, &[(metric, 3.0)])]);
    assert_eq!((summary.value, summary.method, summary.covered), (None, Method::NotAggregated, 1));
    assert!(summary.reason.is_some());
}

#[test]
fn exclusive_metrics_are_given_where_something_is_below() {
    let samples = vec![
        Sample::parse("k: A").with("a__b.sum", 1.0),
        Sample::parse("k: A/B").with("a__b.sum", 10.0),
    ];
    let report = Run::new(samples).aggregate();
    let outer = region(&report, "A");
    assert_eq!(number(&outer.set.metrics["a__b.sum"]), 11.0);
    assert_eq!(number(&outer.exclusive_metrics.as_ref().unwrap()["a__b.sum"]), 1.0);
    assert_eq!(region(&report, "A::B").exclusive_metrics, None);
    assert_eq!((outer.set.total_ms, outer.exclusive_ms), (Some(0.002), Some(0.001)));
}
