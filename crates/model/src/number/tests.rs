//! Numbers as people see them.

use super::{
    Milliseconds, count, metric_scaled, metric_value, own_values, percent, percent_figure,
    percent_metric, plain, rate, rounded_percentage, scaled, signed_percent, signed_with_unit,
    three_digits, time, with_unit,
};
use crate::document::{Method, MetricSummary, Scalar};

#[test]
fn milliseconds_never_round_to_zero() {
    let run = Milliseconds::for_total(12.5);
    assert_eq!(
        [0.0, 0.0001, 0.0006, 1.0].map(|ms| run.show(ms)),
        ["0.000", "<0.001", "0.001", "1.000"]
    );
    let short = Milliseconds::for_total(0.02);
    assert_eq!([0.000_001, 0.012_345_6].map(|ms| short.show(ms)), ["0.000001", "0.012346"]);
    assert_eq!(short.show(None), "–");
    let signed = [None, Some(0.0), Some(-0.5), Some(0.25)].map(|ms| run.signed(ms));
    assert_eq!(signed, ["–", "0.000", "-0.500", "+0.250"]);
    assert_eq!(
        (run.show(10_418.907), run.signed(Some(1234.5))),
        ("10,418.907".into(), "+1,234.500".into())
    );
}

#[test]
fn times_have_the_unit_that_suits_them() {
    let shown = [0.0, 0.0005, 0.0032, 0.42, 0.999_7, 12.0, 12.345, 999.6, 4321.0].map(time);
    assert_eq!(
        shown,
        ["0 ns", "500 ns", "3.2 µs", "420 µs", "1 ms", "12 ms", "12.3 ms", "1 s", "4.32 s"]
    );
}

#[test]
fn shares_never_round_to_zero() {
    assert_eq!([0.0, 0.01, 50.0, 100.0].map(percent_figure), ["0.0", "<0.1", "50.0", "100.0"]);
    assert_eq!([0.0, 0.0001, 0.33333].map(percent), ["0.0 %", "<0.1 %", "33.3 %"]);
    assert_eq!(
        [0.0, 0.03, 0.4, 7.0, 7.25, 50.0, 100.0].map(rounded_percentage),
        ["0 %", "below 0.1 %", "0.4 %", "7 %", "7.2 %", "50 %", "100 %"]
    );
}

#[test]
fn whole_numbers_stay_whole_and_others_keep_six_digits() {
    let cases = [
        (0.0, "0"),
        (-1234.0, "-1,234"),
        (9_007_199_254_740_992.0, "9.00720e15"),
        (9_007_199_254_740_991.0, "9,007,199,254,740,991"),
        (123_456_789.0, "123,456,789"),
        (123_456.789, "123,456.8"),
        (1_234.567_8, "1,234.57"),
        (33.25, "33.25"),
        (0.333_333_333, "0.333333"),
        (0.000_012_345_6, "0.0000123456"),
        (1e-9, "1.00000e-9"),
        (f64::NAN, "–"),
    ];
    for (value, expected) in cases {
        assert_eq!(plain(value), expected);
    }
    let shown = [0.0, 0.000_04, 0.5, 9.999, 99.97, 1234.5].map(three_digits);
    assert_eq!(shown, ["0", "4.0e-5", "0.5", "10", "100", "1,234"]);
}

#[test]
fn units_scale_as_on_the_details_page() {
    let cases = [
        (999.0, "ns", "999 ns"),
        (4_000_000.0, "ns", "4 ms"),
        (989_088.0, "ns", "989.09 µs"),
        (18_432.0, "byte/block", "18.43 kB/block"),
        (1_234_567.0, "byte", "1.23 MB"),
        (1.555e12, "byte/s", "1.55 TB/s"),
        (1_215_000_000.0, "hz", "1.22 GHz"),
        (0.001_234, "inst/cycle", "0.001234 inst/cycle"),
        (61.256, "%", "61.26 %"),
        (12_345_678.0, "inst", "12,345,678 inst"),
        (0.0748, "fraction", "7.48 %"),
        (0.5, "fraction", "50 %"),
    ];
    for (value, unit, expected) in cases {
        assert_eq!(with_unit(value, unit), expected);
        let (value, unit) = scaled(value, unit);
        assert_eq!(format!("{value} {unit}"), expected);
    }
    assert_eq!(with_unit(1e300, ""), "1.00000e300");
    assert_eq!(rate(9.36e11, "B/s"), "936 GB/s");
}

#[test]
fn differences_have_a_sign() {
    let shown = [0.0, 0.0001, -0.0001, 0.0521, -0.5, 12.0].map(|share| signed_percent(Some(share)));
    assert_eq!(shown, ["0 %", "+<0.1 %", "-<0.1 %", "+5.2 %", "-50.0 %", "+1200 %"]);
    let shown =
        [None, Some(0.0), Some(1500.0), Some(-2.5)].map(|value| signed_with_unit(value, "byte"));
    assert_eq!(shown, ["–", "0 B", "+1.50 kB", "-2.50 B"]);
}

#[test]
fn one_is_singular_and_thousands_have_commas() {
    let shown = [0, 1, 1234].map(|number| count(number, "call", "calls"));
    assert_eq!(shown, ["0 calls", "1 call", "1,234 calls"]);
}

#[test]
fn estimates_and_extremes_are_marked() {
    let metric = |value: Option<f64>, exact| MetricSummary {
        value: value.map(Scalar::Number),
        unit: "%".to_owned(),
        method: Method::TimeWeighted,
        exact,
        covered: 4,
        of: 4,
        min: None,
        max: None,
        mean: None,
        busiest: None,
        reason: None,
    };
    assert_eq!(metric_value(&metric(Some(50.5), false)), "~50.5");
    assert_eq!(metric_value(&metric(Some(50.5), true)), "50.5");
    let varies = MetricSummary { min: Some(1.0), max: Some(4096.0), ..metric(None, true) };
    assert_eq!(metric_value(&varies), "1 … 4,096");
    assert_eq!(metric_value(&MetricSummary { min: None, ..varies }), "–");
}

#[test]
fn large_counters_show_every_digit() {
    let metric = |unit: &str| MetricSummary {
        value: Some(Scalar::Integer(9_007_199_254_740_993)),
        unit: unit.to_owned(),
        method: Method::Sum,
        exact: true,
        covered: 1,
        of: 1,
        min: None,
        max: None,
        mean: None,
        busiest: None,
        reason: None,
    };
    assert_eq!(metric_value(&metric("inst")), "9,007,199,254,740,993");
    let shown = ["inst", "byte"].map(|unit| metric_scaled(&metric(unit)));
    assert_eq!(shown[0], ("9,007,199,254,740,993".to_owned(), "inst".to_owned()));
    assert_eq!(shown[1], ("9.01".to_owned(), "PB".to_owned()));
}

#[test]
fn the_largest_of_means_stands_beside_what_single_results_had() {
    let part = |value: f64, min: f64, max: f64| MetricSummary {
        value: Some(Scalar::Number(value)),
        unit: "%".to_owned(),
        method: Method::LargestPart,
        exact: true,
        covered: 2,
        of: 2,
        min: Some(min),
        max: Some(max),
        mean: Some(70.0),
        busiest: None,
        reason: None,
    };
    assert_eq!(percent_metric(Some(&part(42.9, 44.0, 96.0))), "42.9 (launches 44.0–96.0)");
    // Within their range, and where all have the same, it says enough.
    assert_eq!(percent_metric(Some(&part(50.0, 44.0, 96.0))), "50.0");
    assert_eq!(own_values(&part(50.0, 44.0, 96.0)), " (launches 44.0–96.0)");
    assert_eq!(own_values(&part(50.0, 50.0, 50.01)), "");
    assert_eq!(own_values(&MetricSummary { method: Method::Varies, ..part(1.0, 2.0, 3.0) }), "");
}
