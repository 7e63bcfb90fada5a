//! What holds for every run, tried on made-up ones.

use std::ops::Range;

use super::common::{Run, Sample, TIME, without_launches};
use proptest::prelude::*;
use rangescope_analyze::aggregate::{Outcome, normalisation};
use rangescope_model::document::{
    Method, MetricSummary, Region, RegionSelection, Scalar, ScopeReport, Selection,
};
use rangescope_model::launch::{ProcessInfo, SectionInfo};
use rangescope_model::region::RangeKind;

const COUNTER: &str = "dram__bytes.sum";
const RATE: &str = "dram__bytes.sum.per_second";
const PER_CYCLE: &str = "sm__inst_executed.avg.per_cycle_elapsed";
const CYCLES: &str = "sm__cycles_elapsed.avg";
/// A count that is no number in some results.
const UNUSABLE: &str = "dram__sectors.sum";

/// At least one metric for each way of combining, with what its values may be.
const METRICS: &[(&str, Range<f64>)] = &[
    (TIME, 1.0..1e9),
    (COUNTER, 0.0..1e12),
    (RATE, 0.0..1e3),
    (PER_CYCLE, 0.0..1e3),
    (CYCLES, 1.0..1e6),
    ("sm__cycles_active.max", 0.0..1e6),
    ("sm__cycles_active.min", 0.0..1e6),
    ("lts__t_sector_hit_rate.pct", 0.0..100.0),
    ("lts__t_sectors_lookup_hit.sum", 0.0..1e6),
    ("lts__t_sectors.sum", 1.0..1e6),
    ("sm__throughput.avg.pct_of_peak_sustained_elapsed", 0.0..100.0),
    ("gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", 0.0..100.0),
    ("lts__t_sectors.avg.pct_of_peak_sustained_elapsed", 0.0..100.0),
];

fn numbers() -> impl Strategy<Value = Vec<(String, f64)>> {
    let metric = |(name, values): &(&'static str, Range<f64>)| {
        let name = *name;
        prop::option::of(values.clone())
            .prop_map(move |value| value.map(|value| (name.to_owned(), value)))
    };
    let metrics: Vec<_> = METRICS.iter().map(metric).collect();
    metrics.prop_map(|metrics| metrics.into_iter().flatten().collect())
}

/// A result somewhere in small trees of two domains, with or without start/end ranges.
fn sample() -> impl Strategy<Value = Sample> {
    let names = || prop::sample::select(vec!["A", "B", "A::B", "layers.1", "layers.2", ""]);
    let stack = || prop::collection::vec(names(), 0..4);
    // Half of the results are in the same place, so that parts have much to merge.
    let started = prop::collection::vec(prop::sample::select(vec!["S", "T"]), 0..3);
    let anywhere = (stack(), stack(), started);
    let place = prop_oneof![Just((vec!["A"], Vec::new(), Vec::new())), anywhere];
    let rule =
        prop::option::of((prop::sample::select(vec!["R1", "R2"]), prop::option::of(0.0..100.0)));
    let launch = (prop::sample::select(vec!["k1", "k2"]), 0..2_usize, 0..2_u32, 1..3_u64);
    (place, numbers(), launch, rule, any::<bool>(), prop::option::of(any::<bool>())).prop_map(
        |((outer, inner, open), numbers, (kernel, process, device, blocks), rule, text, bad)| {
            let mut sample = Sample::parse(kernel).on(process, Some(device));
            sample.push("<default domain>", outer.into_iter().map(str::to_owned).collect());
            sample.push("other", inner.into_iter().map(str::to_owned).collect());
            for (id, name) in (1..).zip(open) {
                sample.start("other", id, name);
            }
            // What belongs to a launch is the same in some results and differs in others.
            sample.grid = Some([blocks, 1, 1]);
            sample.sections = vec![u32::from(blocks == 1)];
            sample.numbers = numbers;
            sample.numbers.push(("launch__grid_size".to_owned(), blocks as f64));
            let count = bad.map(|bad| if bad { f64::NAN } else { 1.0 });
            sample.numbers.extend(count.map(|count| (UNUSABLE.to_owned(), count)));
            if text {
                sample = sample.text("launch__function_name", kernel);
            }
            if let Some((rule, speedup)) = rule {
                sample.rules.push((rule.to_owned(), kernel.to_owned(), speedup));
            }
            sample
        },
    )
}

pub(super) fn run() -> impl Strategy<Value = Run> {
    prop::collection::vec(sample(), 0..25).prop_map(|samples| {
        let mut run = Run::new(samples);
        run.processes.push(ProcessInfo { pid: Some(200), ..ProcessInfo::default() });
        let section = |id: &str| SectionInfo {
            id: id.to_owned(),
            name: id.to_owned(),
            order: 0,
            header: Vec::new(),
        };
        run.sections = vec![section("First"), section("Second")];
        run.options.normalisation = normalisation(&["layers".to_owned()]).unwrap();
        run
    })
}

/// A run, and the same results in any other order.
fn shuffled() -> impl Strategy<Value = (Run, Run)> {
    run().prop_flat_map(|run| {
        let orders = Just(run.samples.clone()).prop_shuffle();
        orders.prop_map(move |samples| (run.clone(), Run { samples, ..run.clone() }))
    })
}

fn number(summary: Option<&MetricSummary>) -> f64 {
    match summary.and_then(|summary| summary.value.as_ref()) {
        Some(Scalar::Number(value)) => *value,
        _ => 0.0,
    }
}

fn close(left: f64, right: f64) -> bool {
    (left - right).abs() <= 1e-9 * left.abs().max(right.abs()).max(1e-9)
}

fn exclusive_counter(region: &Region) -> f64 {
    number(region.exclusive_metrics.as_deref().unwrap_or(&region.set.metrics).get(COUNTER))
}

/// The reports in an order that does not follow that of results; parents and members of families are positions: the former follow from the paths, the latter
/// are counted only.
fn without_order(outcome: &Outcome) -> Vec<ScopeReport> {
    let mut reports = without_launches(outcome.reports.clone());
    for report in &mut reports {
        report.regions.sort_by_key(|region| region.key().to_key());
        report.families.sort_by_key(|family| family.key().to_key());
        for region in report.regions.iter_mut().chain(&mut report.families) {
            region.parent = None;
        }
        for family in &mut report.families {
            if let Some(members) = &mut family.family {
                members.members.fill(0);
            }
        }
    }
    reports.sort_by_key(|report| report.scope.id.clone());
    reports
}

fn check_sums(report: &ScopeReport) -> Result<(), TestCaseError> {
    for (at, region) in report.regions.iter().enumerate() {
        let around = region.parent.map(|parent| {
            assert!((parent as usize) < at);
            report.regions[parent as usize].path.as_slice()
        });
        let path = region.path.split_last().map(|(_, around)| around);
        prop_assert_eq!(around, path.filter(|around| !around.is_empty()));
        let limited: u64 = region.set.limits.iter().map(|share| share.launches).sum();
        prop_assert_eq!(limited, region.set.kernel_count);
        let limited: f64 = region.set.limits.iter().filter_map(|share| share.total_ms).sum();
        prop_assert!(close(limited, region.set.total_ms.unwrap_or(0.0)));
        let is_inside = |other: &&Region| {
            other.domain == region.domain
                && other.kind == region.kind
                && (other.path.starts_with(&region.path) || other.path == region.path)
        };
        let inside: Vec<&Region> = report.regions.iter().filter(is_inside).collect();
        if region.kind == RangeKind::StartEnd {
            prop_assert_eq!(region.set.kernel_count, region.exclusive_kernel_count);
            continue;
        }
        prop_assert_eq!(
            region.set.kernel_count,
            inside.iter().map(|region| region.exclusive_kernel_count).sum::<u64>()
        );
        let known: Vec<f64> = inside.iter().filter_map(|region| region.exclusive_ms).collect();
        prop_assert!(close(region.set.total_ms.unwrap_or(0.0), known.iter().sum()));
        prop_assert_eq!(region.set.total_ms.is_none(), region.set.timed_count == 0);
        prop_assert!(close(
            number(region.set.metrics.get(COUNTER)),
            inside.iter().map(|region| exclusive_counter(region)).sum()
        ));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn what_is_exclusive_adds_up_to_what_is_inclusive(run in run()) {
        for report in &run.outcome().reports {
            check_sums(report)?;
        }
    }

    #[test]
    fn regions_of_a_domain_and_the_rest_are_everything(run in run()) {
        let report = run.aggregate();
        prop_assert_eq!(report.totals.kernel_count, run.samples.len() as u64);
        let default_stack = |sample: &&Sample| !sample.domains[0].1.is_empty();
        let roots = report.regions.iter().filter(|region| region.depth == 0 && region.domain == "<default domain>");
        let in_default: u64 = roots.map(|region| region.set.kernel_count).sum();
        prop_assert_eq!(in_default, run.samples.iter().filter(default_stack).count() as u64);
        let nowhere = run.samples.iter().filter(|sample| sample.domains.iter().all(|(_, stack, open)| stack.is_empty() && open.is_empty()));
        prop_assert_eq!(report.unlabeled.kernel_count, nowhere.count() as u64);
    }

    #[test]
    fn splitting_the_results_changes_nothing(run in run(), cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..4)) {
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(run.samples.len() + 1)).collect();
        cuts.sort_unstable();
        prop_assert_eq!(run.outcome_in_parts(&cuts), run.outcome());
    }

    #[test]
    fn the_order_of_results_changes_only_the_order_of_regions((run, shuffled) in shuffled()) {
        prop_assert_eq!(without_order(&shuffled.outcome()), without_order(&run.outcome()));
    }

    #[test]
    fn the_order_of_parts_changes_only_the_order_of_regions((run, shuffled) in shuffled(), cut in any::<prop::sample::Index>()) {
        // The same results in another order, and in two parts: what a merge loses or takes twice shows.
        let cut = cut.index(shuffled.samples.len() + 1);
        prop_assert_eq!(without_order(&shuffled.outcome_in_parts(&[cut])), without_order(&run.outcome()));
    }

    #[test]
    fn selecting_kernels_is_the_same_as_leaving_the_others_out(run in run()) {
        let mut selecting = run.clone();
        selecting.options.kernel_include = vec!["k1".to_owned()];
        let mut filtered = run;
        filtered.samples.retain(|sample| sample.kernel == "k1");
        let strip = |outcome: &Outcome| {
            let mut reports = without_order(outcome);
            for report in &mut reports {
                report.selection = Selection::default();
                for region in report.regions.iter_mut().chain(&mut report.families) {
                    region.selection = RegionSelection::default();
                }
            }
            reports.retain(|report| report.totals.kernel_count != 0);
            reports
        };
        prop_assert_eq!(strip(&selecting.outcome()), strip(&filtered.outcome()));
    }

    #[test]
    fn selecting_a_region_does_not_change_its_numbers(run in run()) {
        let whole = run.aggregate();
        let selected = run.select(&["<default domain>@A"]).aggregate();
        for region in &selected.regions {
            let same = whole.regions.iter().find(|other| (&other.path, &other.domain, other.kind) == (&region.path, &region.domain, region.kind));
            let same = same.unwrap();
            prop_assert_eq!(&same.set.metrics, &region.set.metrics);
            prop_assert_eq!((same.set.total_ms, same.exclusive_ms), (region.set.total_ms, region.exclusive_ms));
            prop_assert_eq!(&same.set.rules, &region.set.rules);
        }
    }

    #[test]
    fn means_lie_between_the_extremes_and_say_what_they_cover(run in run()) {
        for report in &run.outcome().reports {
            for region in &report.regions {
                for (name, summary) in &region.set.metrics {
                    prop_assert!(summary.covered <= summary.of, "{name}");
                    prop_assert!(!summary.exact || summary.covered == summary.of, "{name}");
                    // What varies has no value and lacks nothing; texts say between which, numbers have extremes.
                    if summary.method != Method::Varies {
                        prop_assert_eq!(summary.value.is_none() || !summary.exact, summary.reason.is_some(), "{}", name);
                    }
                    if matches!(summary.method, Method::TimeWeighted | Method::CycleWeighted) && summary.value.is_some() {
                        prop_assert!((0.0..=1e3).contains(&number(Some(summary))), "{name}");
                    }
                }
            }
        }
    }
}
