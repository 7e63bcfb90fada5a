//! Numbers for people.

use rangescope_model::document::{Method, MetricSummary};

use rangescope_model::number::{Milliseconds, metric_value, percent, plain, scaled};
use rangescope_testing::documents::measured;

#[test]
fn milliseconds_never_round_to_zero() {
    let run = Milliseconds::for_total(12.5);
    assert_eq!(
        [0.0, 0.0001, 0.0006, 1.0].map(|ms| run.show(ms)),
        ["0.000", "<0.001", "0.001", "1.000"]
    );
    let short = Milliseconds::for_total(0.02);
    assert_eq!([0.000_001, 0.012_345_6].map(|ms| short.show(ms)), ["0.000001", "0.012346"]);
    assert_eq!(short.show_option(None), "–");
}

#[test]
fn shares_never_round_to_zero() {
    assert_eq!([0.0, 0.0001, 0.5, 1.0].map(percent), ["0.0", "<0.1", "50.0", "100.0"]);
}

#[test]
fn whole_numbers_stay_whole_and_others_keep_six_digits() {
    let cases = [
        (0.0, "0"),
        (-1234.0, "-1,234"),
        (9_007_199_254_740_992.0, "9.00720e15"),
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
}

#[test]
fn units_scale_as_on_the_details_page() {
    let cases = [
        (999.0, "ns", "999 ns"),
        (4_000_000.0, "ns", "4 ms"),
        (1_234_567.0, "byte", "1.23 Mbyte"),
        (1.555e12, "byte/s", "1.55 Tbyte/s"),
        (1_215_000_000.0, "hz", "1.22 Ghz"),
        (0.001_234, "inst/cycle", "0.001234 inst/cycle"),
        (61.256, "%", "61.26 %"),
        (12_345_678.0, "inst", "12,345,678 inst"),
    ];
    for (value, unit, expected) in cases {
        let (value, unit) = scaled(value, unit);
        assert_eq!(format!("{value} {unit}"), expected);
    }
}

#[test]
fn estimates_and_extremes_are_marked() {
    assert_eq!(metric_value(&measured(50.5, "%", Method::TimeWeighted, 4)), "~50.5");
    assert_eq!(metric_value(&measured(50.5, "%", Method::Sum, 4)), "50.5");
    let varies = MetricSummary {
        value: None,
        min: Some(1.0),
        max: Some(4096.0),
        ..measured(0.0, "", Method::Varies, 4)
    };
    assert_eq!(metric_value(&varies), "1 … 4,096");
    assert_eq!(metric_value(&MetricSummary { min: None, ..varies }), "–");
}
