//! Numbers that only look like measurements of the whole: the largest of several counters, ratios, windows, units of different devices.

use super::aggregation::{check, combined};
use super::common::{Run, Sample, TIME, codes, region};
use rangescope_model::document::{Method, MetricSummary, Scalar};

const SM: &str = "sm__throughput.avg.pct_of_peak_sustained_elapsed";
const LIST: &str = "breakdown:sm__throughput.avg.pct_of_peak_sustained_elapsed";
const ALU: &str = "sm__pipe_alu.avg.pct_of_peak_sustained_elapsed";
const LSU: &str = "sm__pipe_lsu.avg.pct_of_peak_sustained_elapsed";
const CYCLES: &str = "sm__cycles_elapsed.avg";
const SMS: &str = "device__attribute_multiprocessor_count";

/// A result of one kernel in region A that ran for some cycles with two counters of which the throughput is the larger one.
fn busy(cycles: f64, alu: f64, lsu: f64) -> Sample {
    Sample::parse("k: A")
        .with(CYCLES, cycles)
        .with(ALU, alu)
        .with(LSU, lsu)
        .with(SM, alu.max(lsu))
        .text(LIST, &format!("{LSU},{ALU}"))
}

fn throughput(samples: &[Sample]) -> MetricSummary {
    region(&Run::new(samples.to_vec()).aggregate(), "A").set.metrics[SM].clone()
}

#[test]
fn a_throughput_is_the_largest_of_its_counters_over_all_results() {
    let samples = [busy(100.0, 80.0, 20.0), busy(300.0, 10.0, 60.0)];
    let summary = throughput(&samples);
    check(&summary, 50.0, Method::LargestPart, true);
    assert_eq!(summary.busiest.as_deref(), Some(LSU));
    // It is less than each result had.
    assert_eq!((summary.min, summary.max, summary.mean), (Some(60.0), Some(80.0), Some(70.0)));

    let report = Run::new(samples.to_vec()).aggregate();
    let kernel = &region(&report, "A").set.kernels[0];
    assert_eq!(kernel.metrics[SM], summary);
    assert!(!kernel.metrics.contains_key(ALU), "counters are no key metrics");
}

#[test]
fn one_result_is_its_own_measurement_and_names_its_busiest_counter() {
    for sample in [busy(100.0, 80.0, 20.0), busy(100.0, 80.0, 20.0).without(CYCLES)] {
        let report = Run::new(vec![sample]).aggregate();
        let region = region(&report, "A");
        check(&region.set.metrics[SM], 80.0, Method::LargestPart, true);
        assert_eq!(region.set.metrics[SM].busiest.as_deref(), Some(ALU));
        assert_eq!(region.set.kernels[0].metrics[SM], region.set.metrics[SM]);
    }
}

#[test]
fn a_value_that_no_counter_explains_makes_an_estimate() {
    let odd = busy(300.0, 10.0, 60.0).with(SM, 70.0);
    check(&throughput(&[busy(100.0, 80.0, 20.0), odd]), 50.0, Method::LargestPart, false);
}

#[test]
fn without_the_same_counters_everywhere_the_mean_by_time_is_left() {
    let usual = || busy(100.0, 80.0, 20.0);
    let lacking = busy(100.0, 10.0, 60.0).without(LSU);
    check(&throughput(&[usual(), lacking]), 70.0, Method::TimeWeighted, false);
    let mut other = busy(100.0, 10.0, 60.0);
    other.texts = vec![(LIST.to_owned(), LSU.to_owned())];
    check(&throughput(&[usual(), other]), 70.0, Method::TimeWeighted, false);
    let mut silent = busy(100.0, 10.0, 60.0);
    silent.texts.clear();
    check(&throughput(&[usual(), silent]), 70.0, Method::TimeWeighted, false);
}

#[test]
fn throughput_while_active_is_weighted_by_active_cycles() {
    let (metric, cycles) =
        ("l1tex__throughput.avg.pct_of_peak_sustained_active", "l1tex__cycles_active.avg");
    let results: &[(f64, &[(&str, f64)])] =
        &[(1.0, &[(metric, 10.0), (cycles, 300.0)]), (1.0, &[(metric, 50.0), (cycles, 100.0)])];
    check(&combined(metric, results), 20.0, Method::CycleWeighted, false);
}

#[test]
fn a_pair_counts_only_where_it_gives_every_ratio() {
    let ratio = "lts__t_sector_hit_rate.pct";
    let (hits, sectors) = ("lts__t_sectors_lookup_hit.sum", "lts__t_sectors.sum");
    let first: (f64, &[(&str, f64)]) = (1.0, &[(ratio, 50.0), (hits, 50.0), (sectors, 100.0)]);
    let given: (f64, &[(&str, f64)]) = (1.0, &[(ratio, 90.0), (hits, 270.0), (sectors, 300.0)]);
    check(&combined(ratio, &[first, given]), 80.0, Method::RatioOfSums, true);
    let other_pass: (f64, &[(&str, f64)]) =
        (1.0, &[(ratio, 90.0), (hits, 269.0), (sectors, 300.0)]);
    check(&combined(ratio, &[first, other_pass]), 80.0, Method::DenominatorWeighted, true);
}

#[test]
fn a_rate_states_a_count() {
    let ratio = "lts__t_sector_hit_rate.pct";
    let (hits, sectors) = ("lts__t_sectors_lookup_hit.sum", "lts__t_sectors.sum.per_second");
    let results: &[(f64, &[(&str, f64)])] = &[
        (1e9, &[(ratio, 50.0), (hits, 50.0), (sectors, 100.0)]),
        (2e9, &[(ratio, 90.0), (hits, 270.0), (sectors, 150.0)]),
    ];
    check(&combined(ratio, results), 80.0, Method::RatioOfSums, true);
}

#[test]
fn hits_in_l1_are_those_of_all_accesses() {
    let ratio = "l1tex__t_sector_hit_rate.pct";
    let loads = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";
    let load_hits = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum";
    let stores = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum";
    let store_hits = "l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_hit.sum";
    let with = |ratio_of_second: f64| {
        let second = [
            (ratio, ratio_of_second),
            (loads, 300.0),
            (load_hits, 260.0),
            (store_hits, 0.0),
            (stores, 0.0),
        ];
        combined(
            ratio,
            &[
                (
                    1.0,
                    &[
                        (ratio, 40.0),
                        (loads, 60.0),
                        (load_hits, 40.0),
                        (stores, 40.0),
                        (store_hits, 0.0),
                    ],
                ),
                (1.0, &second),
            ],
        )
    };
    check(&with(260.0 / 3.0), 75.0, Method::RatioOfSums, true);
    check(&with(90.0), 77.5, Method::DenominatorWeighted, false);
}

#[test]
fn no_branch_targets_are_not_divergent_ones() {
    let uniform = "smsp__sass_average_branch_targets_threads_uniform.pct";
    let divergent = "smsp__sass_branch_targets_threads_divergent.sum";
    let results: &[(f64, &[(&str, f64)])] =
        &[(1.0, &[(uniform, 0.0), (divergent, 0.0)]), (9.0, &[(uniform, 100.0), (divergent, 0.0)])];
    check(&combined(uniform, results), 100.0, Method::TimeWeighted, false);
    let truly: &[(f64, &[(&str, f64)])] =
        &[(1.0, &[(uniform, 0.0), (divergent, 7.0)]), (9.0, &[(uniform, 100.0), (divergent, 0.0)])];
    check(&combined(uniform, truly), 90.0, Method::TimeWeighted, false);
}

#[test]
fn windows_add_up_but_could_overlap() {
    for metric in ["sm__cycles_elapsed.max", "gpc__cycles_elapsed.min"] {
        let results: &[(f64, &[(&str, f64)])] = &[(1.0, &[(metric, 3.0)]), (9.0, &[(metric, 4.0)])];
        check(&combined(metric, results), 7.0, Method::Sum, false);
        check(&combined(metric, &results[..1]), 3.0, Method::Sum, true);
    }
}

#[test]
fn clocks_are_never_summed() {
    let results: &[(f64, &[(&str, f64)])] =
        &[(1.0, &[("gpu__time_start", 3.0)]), (9.0, &[("gpu__time_start", 4.0)])];
    assert_eq!(combined("gpu__time_start", results).method, Method::NotAggregated);
}

#[test]
fn devices_of_different_size_weigh_by_their_units() {
    let metric = "sm__inst_executed.avg.per_cycle_elapsed";
    let results: &[(f64, &[(&str, f64)])] = &[
        (1.0, &[(metric, 90.0), (CYCLES, 100.0), (SMS, 108.0)]),
        (1.0, &[(metric, 40.0), (CYCLES, 100.0), (SMS, 56.0)]),
    ];
    let whole = (90.0 * 108.0 + 40.0 * 56.0) / (108.0 + 56.0);
    check(&combined(metric, results), whole, Method::CycleWeighted, true);
    let (percent, kind) = (
        "sm__inst_executed.avg.pct_of_peak_sustained_elapsed",
        "device__attribute_compute_capability_major",
    );
    let of_kinds = |second: f64| {
        let results: &[(f64, &[(&str, f64)])] = &[
            (1.0, &[(percent, 90.0), (CYCLES, 100.0), (SMS, 108.0), (kind, 8.0)]),
            (1.0, &[(percent, 40.0), (CYCLES, 100.0), (SMS, 56.0), (kind, second)]),
        ];
        combined(percent, results)
    };
    check(&of_kinds(8.0), whole, Method::CycleWeighted, true);
    check(&of_kinds(9.0), whole, Method::CycleWeighted, false);
    // The elapsed cycles of L2 do not say how many slices there are.
    let (metric, cycles) =
        ("lts__t_sectors.avg.pct_of_peak_sustained_elapsed", "lts__cycles_elapsed.avg");
    let results: &[(f64, &[(&str, f64)])] = &[
        (1.0, &[(metric, 90.0), (cycles, 100.0), (SMS, 108.0)]),
        (1.0, &[(metric, 40.0), (cycles, 100.0), (SMS, 56.0)]),
    ];
    check(&combined(metric, results), 65.0, Method::CycleWeighted, false);
    let results: &[(f64, &[(&str, f64)])] =
        &[(1.0, &[(CYCLES, 1.0), (SMS, 108.0)]), (1.0, &[(CYCLES, 2.0), (SMS, 56.0)])];
    check(&combined(CYCLES, results), 3.0, Method::Sum, false);
}

#[test]
fn cycles_of_another_unit_are_better_than_time() {
    let (metric, cycles) = ("sm__inst_executed.avg.per_cycle_elapsed", "gpc__cycles_elapsed.max");
    let results: &[(f64, &[(&str, f64)])] =
        &[(1.0, &[(metric, 10.0), (cycles, 300.0)]), (1.0, &[(metric, 50.0), (cycles, 100.0)])];
    check(&combined(metric, results), 20.0, Method::CycleWeighted, false);
}

#[test]
fn samples_of_different_intervals_are_counted_at_the_shortest() {
    let (metric, interval) = ("smsp__pcsamp_sample_count", "smsp__pcsamp_interval_cycles");
    let with = |second: f64| {
        let results: &[(f64, &[(&str, f64)])] = &[
            (1.0, &[(metric, 10.0), (interval, 512.0)]),
            (1.0, &[(metric, 10.0), (interval, second)]),
        ];
        combined(metric, results)
    };
    check(&with(512.0), 20.0, Method::Sum, true);
    check(&with(2048.0), 50.0, Method::Sum, false);
    // Of a launch without a sample the interval scales nothing.
    let results: &[(f64, &[(&str, f64)])] = &[
        (1.0, &[(metric, 10.0), (interval, 512.0)]),
        (1.0, &[(metric, 10.0), (interval, 2048.0)]),
        (1.0, &[(metric, 0.0), (interval, 32.0)]),
    ];
    check(&combined(metric, results), 50.0, Method::Sum, false);
    check(&with(0.0), 20.0, Method::Sum, true);
}

#[test]
fn a_result_that_was_given_up_spoils_nothing() {
    let constant = "launch__registers_per_thread";
    let usual =
        Sample::parse("good: A").with("profiler__replayer_passes", 9.0).with(constant, 32.0);
    let given_up = Sample::parse("bad: A")
        .time(f64::NAN)
        .with("profiler__replayer_passes", 1.0)
        .with("dram__bytes.sum", f64::NAN)
        .with(constant, 0.0);
    let run = Run::new(vec![usual.with("dram__bytes.sum", 5.0), given_up.clone()]);
    let report = run.aggregate();
    let region = region(&report, "A");
    assert_eq!((region.set.kernel_count, region.set.timed_count), (2, 1));
    assert_eq!(region.set.metrics[constant].value, Some(Scalar::Number(32.0)));
    let outcome = run.outcome();
    assert!(codes(&outcome).contains(&"given-up"));
    let note = outcome.notes.iter().find(|note| note.code == "given-up").expect("it is said");
    assert!(note.message.contains("`bad`") && !note.message.contains("`good`"), "{note:?}");

    // Without a duration among the metrics nothing was given up.
    let not_asked = Run::new(vec![given_up.without(TIME)]);
    assert!(!codes(&not_asked.outcome()).contains(&"given-up"));
}

#[test]
fn counters_above_2_to_the_53_keep_every_digit() {
    let large = (1u64 << 53) + 1;
    let result = |counter: u64| {
        Sample::parse("k: A")
            .counter("smsp__inst_executed.sum", counter)
            .counter("sm__cycles_active.max", counter)
            .counter("sm__cycles_active.min", counter)
            .counter("launch__same", large)
            .counter("launch__other", counter)
    };
    // Both round to the same number, so that nothing but the digits tells them apart.
    let run = Run::new(vec![result(large), result(large - 1), result(large + 2)]);
    for report in [run.aggregate(), report_of_halves(&run)] {
        let region = region(&report, "A");
        let of = |metric: &str| region.set.metrics[metric].value.clone();
        assert_eq!(of("smsp__inst_executed.sum"), Some(Scalar::Integer(3 * large + 1)));
        assert_eq!(of("sm__cycles_active.max"), Some(Scalar::Integer(large + 2)));
        assert_eq!(of("sm__cycles_active.min"), Some(Scalar::Number(9_007_199_254_740_992.0)));
        assert_eq!(of("launch__same"), Some(Scalar::Integer(large)));
        assert_eq!(of("launch__other"), None);
        assert!(region.set.metrics["smsp__inst_executed.sum"].exact);
    }
    let near = Run::new(vec![result(large), result(large + 2)]).aggregate();
    let varies = &region(&near, "A").set.metrics["launch__other"];
    assert_eq!(varies.method, Method::Varies);
    assert_eq!(varies.reason.as_deref(), Some("from 9007199254740993 to 9007199254740995"));
    // A sum of numbers that are stored as doubles is a whole number too.
    let double = Sample::parse("k: A").with("dram__bytes.sum", 9_007_199_254_740_992.0);
    let odd = double.clone().with("dram__bytes.sum", 1.0);
    let report = Run::new(vec![double, odd]).aggregate();
    assert_eq!(
        region(&report, "A").set.metrics["dram__bytes.sum"].value,
        Some(Scalar::Integer(large))
    );
}

/// The same results, taken in by two partials.
fn report_of_halves(run: &Run) -> rangescope_model::document::ScopeReport {
    super::common::report(
        &run.outcome_in_parts(&[1]),
        "aggregate",
        rangescope_model::document::Basis::Kernel,
    )
}
