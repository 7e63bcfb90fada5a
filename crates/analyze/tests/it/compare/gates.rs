//! Gates: how they are written, and what they say.

use proptest::prelude::*;
use rangescope_analyze::compare::{CompareOptions, Gate, compare, parse_gates};
use rangescope_model::comparison::{GateReport, GateStatus};
use rangescope_model::document::RegionDocument;
use rangescope_testing::documents::run;
use std::fmt::Write as _;

fn ask(
    gates: &[&str],
    base: &[RegionDocument],
    new: &[RegionDocument],
    strict: bool,
) -> GateReport {
    let options = CompareOptions {
        gates: gates.iter().map(|gate| Gate::parse(gate).unwrap()).collect(),
        strict_gates: strict,
        ..CompareOptions::default()
    };
    compare(base, new, &options).gates.unwrap()
}

/// Prefill takes 20 % (1 ms) longer, decode::attn half as long (1 ms less), the run equally long.
fn status(gate: &str) -> GateStatus {
    let report = ask(&[gate], &[run(1.0, 1.0, 1.0)], &[run(1.2, 0.5, 1.0)], false);
    report.gates[0].status
}

#[test]
fn limits_are_kept_or_not() {
    use GateStatus::{NotApplicable, Passed, Violated};
    for (gate, expected) in [
        ("prefill: time > 5%", Violated),
        ("prefill: time > 25%", Passed),
        ("prefill:time>5%", Violated),
        ("prefill: time > 0.5ms", Violated),
        ("prefill: time > 500us", Violated),
        ("prefill: time > 0.002s", Passed),
        ("prefill: time >= 1", Violated),
        ("time > 5%", Passed),
        ("dram_bytes > 2%", Passed),
        ("prefill: dram_bytes > 0.9GB", Violated),
        ("prefill: dram_bytes > 1GiB", Passed),
        ("prefill: dram__bytes.sum > 2%", Violated),
        ("decode::attn: time < -3%", Violated),
        ("decode/attn: time < -3%", Violated),
        ("decode: exclusive_time > 0%", Passed),
        ("decode: sm__throughput.avg.pct_of_peak_sustained_elapsed < -3%", Passed),
        ("* : calls > 0", Passed),
        ("*: time > 10%", Violated),
        ("nowhere: time > 5%", NotApplicable),
        ("occupancy < -3", NotApplicable),
    ] {
        assert_eq!(status(gate), expected, "{gate}");
    }
}

#[test]
fn messages_and_order() {
    let report = ask(
        &["*: time > 10%", "prefill: time > 0.5ms"],
        &[run(1.0, 1.0, 1.0)],
        &[run(1.2, 0.5, 1.0)],
        false,
    );
    assert!(report.failed);
    let first = &report.gates[0];
    let regions: Vec<_> =
        first.checks.iter().map(|check| check.region.as_deref().unwrap()).collect();
    assert_eq!(regions, ["prefill", "decode::attn", "decode"]);
    insta::assert_snapshot!(first.checks[0].message, @"time +20.0 % (5 ms → 6 ms), limit > +10.0 %");
    insta::assert_snapshot!(report.gates[1].checks[0].message, @"time +1 ms (5 ms → 6 ms), limit > +0.5 ms");
    assert_eq!(report.gates[1].checks[0].difference, Some(1.0));
}

#[test]
fn noise_does_not_violate() {
    let base = [run(1.0, 1.0, 1.0), run(1.3, 1.0, 1.0)];
    let report = ask(&["prefill: time > 5%"], &base, &[run(1.25, 1.0, 1.0)], false);
    assert_eq!(report.gates[0].status, GateStatus::Passed);
    assert!(report.gates[0].checks[0].message.contains("inside the spread"));
    let report = ask(&["prefill: time > 5%"], &base, &[run(1.5, 1.0, 1.0)], false);
    assert!(report.failed);
}

#[test]
fn a_gate_that_matches_nothing() {
    let sides = ([run(1.0, 1.0, 1.0)], [run(1.0, 1.0, 1.0)]);
    assert!(!ask(&["nowhere: time > 5%"], &sides.0, &sides.1, false).failed);
    assert!(ask(&["nowhere: time > 5%"], &sides.0, &sides.1, true).failed);
    assert!(!ask(&["prefill: time > 5%"], &sides.0, &sides.1, true).failed);
}

#[test]
fn a_region_that_only_one_side_has() {
    let mut without = run(1.0, 1.0, 1.0);
    without.reports[0].regions.remove(0);
    let with = run(1.0, 1.0, 1.0);
    let new = |gate| {
        ask(&[gate], std::slice::from_ref(&without), std::slice::from_ref(&with), false).gates[0]
            .status
    };
    assert_eq!(new("prefill: time > 5%"), GateStatus::NotApplicable);
    assert_eq!(new("prefill: time > 1ms"), GateStatus::Violated);
    let gone = |gate| {
        ask(&[gate], std::slice::from_ref(&with), std::slice::from_ref(&without), false).gates[0]
            .status
    };
    assert_eq!(gone("prefill: time < -5%"), GateStatus::Violated);
    assert_eq!(gone("prefill: dram_bytes < -5%"), GateStatus::NotApplicable);
}

#[test]
fn errors_say_where_and_what_to_do() {
    let mut errors = String::new();
    for gate in [
        "",
        "time",
        "> 5%",
        "decode: > 5%",
        "decode time > 5%",
        "tme > 5%",
        "banana > 5%",
        "decode: time > fast",
        "decode: time > 5 parsecs",
        "calls > 5ms",
        ": time > 5%",
        "a//b: time > 5%",
        "x: time > 1e999",
        "décode: tíme > 5%",
    ] {
        let error = Gate::parse(gate).unwrap_err();
        let _ = writeln!(errors, "{error}\n  hint: {}", error.hint());
    }
    insta::assert_snapshot!(errors);
}

#[test]
fn a_file_of_gates() {
    let text =
        "\u{feff}# limits\n\n  prefill: time > 5%  # the important one\nstep#3: time > 1ms\r\n";
    let gates = parse_gates(text).unwrap();
    let texts: Vec<&str> = gates.iter().map(Gate::text).collect();
    assert_eq!(texts, ["prefill: time > 5%", "step#3: time > 1ms"]);
    let error = parse_gates("time > 5%\n\ntime >").unwrap_err();
    assert_eq!((error.line, error.position), (Some(3), 6));
    assert!(error.to_string().contains("(line 3), position 6"), "{error}");
}

proptest! {
    #[test]
    fn a_gate_is_violated_when_the_difference_is_on_its_side(
        factor in 0.5..2.0_f64,
        operator in prop::sample::select(vec![">", ">=", "<", "<="]),
        limit in -80..80_i32,
        // Prefill takes 5 ms, so that one more millisecond is 20 %.
        (unit, per_ms) in prop::sample::select(vec![("%", 20.0), ("ms", 1.0), ("us", 1e3), ("", 1.0)]),
        blank in prop::sample::select(vec!["", " ", "  "]),
    ) {
        let difference = 5.0 * (factor - 1.0) * per_ms;
        prop_assume!((difference - f64::from(limit)).abs() > 1e-6);
        let is_above = difference > f64::from(limit);
        let expected =
            if is_above == operator.starts_with('>') { GateStatus::Violated } else { GateStatus::Passed };
        let gate = format!("prefill:{blank}time{blank}{operator}{blank}{limit}{unit}");
        let said = ask(&[&gate], &[run(1.0, 1.0, 1.0)], &[run(factor, 1.0, 1.0)], false);
        prop_assert_eq!(said.gates[0].status, expected, "{} {}", gate, difference);
        prop_assert_eq!(said.failed, expected == GateStatus::Violated);
    }

    #[test]
    fn no_gate_makes_the_parser_panic(gate in "\\PC{0,40}|[a-z:/*@ ]{0,12}(time|x__y)? ?[<>]=? ?-?[0-9.e]{0,6}(%|ms|GB|)") {
        let _ = Gate::parse(&gate);
    }
}
