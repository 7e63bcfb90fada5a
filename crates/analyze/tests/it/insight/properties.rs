//! What holds for every document, tried on made-up ones.

use proptest::prelude::*;
use rangescope_analyze::insight::Insight;
use rangescope_analyze::insight::model::{Bound, Finding};
use rangescope_model::document::{KernelSummary, Method, MetricSummary, RegionDocument};
use rangescope_testing::documents::{Metrics, document, kernel, metric, region, rule, told_of};

const NAMES: [&str; 16] = [
    "sm__throughput.avg.pct_of_peak_sustained_elapsed",
    "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
    "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
    "sm__warps_active.avg.pct_of_peak_sustained_active",
    "launch__waves_per_multiprocessor",
    "launch__occupancy_limit_registers",
    "sm__cycles_elapsed.avg.per_second",
    "dram__cycles_elapsed.avg.per_second",
    "dram__bytes.sum.per_second",
    "dram__bytes.sum.peak_sustained",
    "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum.per_cycle_elapsed",
    "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum.per_cycle_elapsed",
    "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum.per_cycle_elapsed",
    "sm__sass_thread_inst_executed_op_ffma_pred_on.sum.peak_sustained",
    "lts__t_sectors.sum",
    "sm__ops_path_tensor_src_fp16_dst_fp32_sparsity_off.sum.per_cycle_elapsed",
];

/// Numbers that a document may hold, sensible or not.
fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        8 => 0.0..120.0_f64,
        2 => 0.0..1e13_f64,
        1 => prop::sample::select(vec![0.0, -1.0, 1e300, 1e-300, f64::NAN, f64::INFINITY, f64::MAX]),
    ]
}

fn summary() -> impl Strategy<Value = MetricSummary> {
    (number(), any::<bool>(), any::<bool>(), 0..3_u64).prop_map(
        |(value, exact, varies, covered)| {
            let mut made = metric(value);
            (made.exact, made.covered, made.of) = (exact, covered, 2);
            if varies {
                (made.value, made.method) = (None, Method::Varies);
                (made.min, made.max) = (Some(value), Some(value * 2.0));
            }
            made
        },
    )
}

fn metrics() -> impl Strategy<Value = Metrics> {
    prop::collection::vec(prop::option::weighted(0.8, summary()), NAMES.len()).prop_map(|values| {
        NAMES
            .iter()
            .zip(values)
            .filter_map(|(name, value)| Some(((*name).to_owned(), value?)))
            .collect()
    })
}

fn kernels() -> impl Strategy<Value = Vec<KernelSummary>> {
    let one =
        (prop::sample::select(vec!["k1", "k2", "k\u{1b}[31m"]), 0..40_u64, number(), metrics());
    let one = one.prop_map(|(name, calls, total, metrics)| {
        let mut made = kernel(name, calls, total, &[]);
        made.metrics = metrics;
        made
    });
    prop::collection::vec(one, 0..4)
}

fn documents() -> impl Strategy<Value = RegionDocument> {
    let rules = prop::collection::vec(
        (prop::sample::select(vec!["R1", "R2", "R3"]), prop::option::of(number())),
        0..4,
    );
    let one = (prop::sample::select(vec!["A", "B", ""]), kernels(), metrics(), rules);
    let one = one.prop_map(|(name, kernels, metrics, rules)| {
        let mut made = region(&[name], kernels);
        made.set.metrics = metrics;
        let said = |(name, gain): (&'static str, Option<f64>)| {
            told_of(rule(name, 1, gain, "k1"), "0", gain.unwrap_or(1.0), gain)
        };
        made.set.rules = rules.into_iter().map(said).collect();
        made
    });
    (prop::collection::vec(one, 0..4), kernels(), metrics()).prop_map(
        |(regions, unlabeled, metrics)| {
            let mut made = document(regions, unlabeled);
            made.reports[0].totals.metrics = metrics;
            made
        },
    )
}

fn check_bound(bound: &Bound) -> Result<(), TestCaseError> {
    let sum: f64 = bound.mix.iter().map(|part| part.share).sum();
    prop_assert!(bound.mix.is_empty() || (sum - 1.0).abs() < 1e-9, "{sum}");
    prop_assert!(bound.mix.windows(2).all(|pair| pair[0].share >= pair[1].share));
    Ok(())
}

fn check_finding(finding: &Finding) -> Result<(), TestCaseError> {
    prop_assert!(!finding.title.is_empty() && !finding.text.is_empty());
    for part in [finding.region_share, finding.run_share].into_iter().flatten() {
        prop_assert!((0.0..=1.0).contains(&part), "{part}");
    }
    if let (Some(of_region), Some(of_run)) = (finding.region_share, finding.run_share) {
        prop_assert!(of_run <= of_region + 1e-12);
    }
    if let Some(gain) = &finding.gain {
        prop_assert!((0.0..=1.0).contains(&gain.region) && gain.run <= gain.region);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn every_document_has_conclusions_without_holes(document in documents()) {
        let insight = Insight::of(&document);
        // Not-a-number is null in JSON, and null is no number.
        let value = serde_json::to_value(&insight).unwrap();
        prop_assert_eq!(serde_json::from_value::<Insight>(value).unwrap(), insight.clone());
        for report in &insight.reports {
            check_bound(&report.totals.bound)?;
            for finding in &report.findings {
                check_finding(finding)?;
            }
            for region in &report.regions {
                check_bound(&region.bound)?;
                for finding in &region.findings {
                    check_finding(finding)?;
                }
                for point in &region.roofline.points {
                    prop_assert!(point.work > 0.0);
                    for traffic in &point.traffic {
                        let work = traffic.intensity * traffic.bytes_per_second;
                        prop_assert!((work - point.work).abs() <= 1e-9 * point.work);
                        if let (Some(roof), Some(peak)) = (traffic.attainable, point.peak) {
                            prop_assert!(roof <= peak);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn the_order_of_rules_does_not_matter(document in documents()) {
        let mut turned = document.clone();
        for region in &mut turned.reports[0].regions {
            region.set.rules.reverse();
        }
        let codes = |document: &RegionDocument| -> Vec<Vec<(String, Option<String>)>> {
            let of_region = |finding: &Finding| {
                (finding.outcome.clone(), finding.gain.as_ref().map(|gain| format!("{:e}", gain.ms)))
            };
            Insight::of(document).reports[0]
                .regions
                .iter()
                .map(|region| region.findings.iter().map(of_region).collect())
                .collect()
        };
        prop_assert_eq!(codes(&document), codes(&turned));
    }
}
