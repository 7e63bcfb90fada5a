//! Kernels and rule results of a region.

use super::common::{Run, Sample, region};
use rangescope_model::document::Scalar;

#[test]
fn kernels_are_grouped_by_name_and_the_heaviest_comes_first() {
    let mut samples = vec![
        Sample::parse("light: A").time(1e6),
        Sample::parse("heavy: A/B").time(2e6),
        Sample::parse("heavy: A").time(4e6),
        Sample::parse("heavy: A").time(4e6),
    ];
    samples[1].grid = Some([9, 1, 1]);
    let report = Run::new(samples).aggregate();
    let kernels = &region(&report, "A").set.kernels;
    assert_eq!(
        kernels.iter().map(|kernel| kernel.kernel_name.as_str()).collect::<Vec<_>>(),
        ["heavy", "light"]
    );
    let heavy = &kernels[0];
    assert_eq!(
        (heavy.calls, heavy.total_ms, heavy.min_ms, heavy.max_ms),
        (3, Some(10.0), Some(2.0), Some(4.0))
    );
    assert_eq!(
        heavy
            .launch_shapes
            .iter()
            .map(|shape| (shape.grid.unwrap()[0], shape.calls))
            .collect::<Vec<_>>(),
        [(1, 2), (9, 1)]
    );
    assert!((heavy.share.unwrap() - 10.0 / 11.0).abs() < 1e-12);
    assert_eq!(heavy.device, Some(0));
}

#[test]
fn key_metrics_are_given_per_kernel() {
    let metric = "sm__throughput.avg.pct_of_peak_sustained_elapsed";
    let samples = vec![
        Sample::parse("k: A").time(1.0).with(metric, 90.0),
        Sample::parse("k: A").time(9.0).with(metric, 10.0),
    ];
    let report = Run::new(samples).aggregate();
    assert_eq!(
        region(&report, "A").set.kernels[0].metrics[metric].value,
        Some(Scalar::Number(18.0))
    );
}

#[test]
fn advice_is_ranked_by_what_it_is_worth_for_the_region() {
    let samples = vec![
        Sample::parse("short: A").time(10.0).rule(
            "Rare",
            "see @section:X:the section@",
            Some(80.0),
        ),
        Sample::parse("long: A/B").time(90.0).rule("Common", "long one", Some(20.0)).rule(
            "Silent",
            "says nothing",
            None,
        ),
    ];
    let report = Run::new(samples).aggregate();
    let rules = &region(&report, "A").set.rules;
    let gains: Vec<(&str, Option<f64>)> =
        rules.iter().map(|rule| (rule.rule.as_str(), rule.region_speedup_pct)).collect();
    assert_eq!(gains, [("Common", Some(18.0)), ("Rare", Some(8.0)), ("Silent", None)]);
    assert_eq!(rules[1].message, "see the section");
    assert_eq!(rules[0].kernel_name, "long");
}
