//! Gates: how they are written, and what they say.

use proptest::prelude::*;
use rangescope_analyze::compare::{CompareOptions, Gate, compare, parse_gates};
use rangescope_model::comparison::{GateReport, GateStatus};
use rangescope_model::document::{DeviceInfo, RegionDocument, SourceInfo};
use rangescope_testing::documents::{document, each_region, kernel, region, run};
use std::fmt::Write as _;

fn ask_if_any(
    gates: &[&str],
    base: &[RegionDocument],
    new: &[RegionDocument],
    strict: bool,
) -> Option<GateReport> {
    let options = CompareOptions {
        gates: gates.iter().map(|gate| Gate::parse(gate).unwrap()).collect(),
        strict_gates: strict,
        ..CompareOptions::default()
    };
    compare(base, new, &options).gates
}

fn ask(
    gates: &[&str],
    base: &[RegionDocument],
    new: &[RegionDocument],
    strict: bool,
) -> GateReport {
    ask_if_any(gates, base, new, strict).unwrap()
}

/// Prefill takes 20 % (1 ms) longer, decode::attn half as long (1 ms less), the run equally long.
fn status(gate: &str) -> GateStatus {
    let report = ask(&[gate], &[run(1.0, 1.0, 1.0)], &[run(1.2, 0.5, 1.0)], false);
    report.gates[0].status
}

#[test]
fn limits_are_kept_or_not() {
    use GateStatus::{Missing, Passed, Violated};
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
        ("prefill: time_per_call > 5%", Violated),
        ("prefill: time_per_call > 0.2ms", Passed),
        // The limit is in reach of the tolerance, which the row beside calls the same.
        ("time > -2%", Violated),
        ("time < 2%", Violated),
        ("*: time > 10%", Violated),
        ("nowhere: time > 5%", Missing),
        ("occupancy < -3", Missing),
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
    insta::assert_snapshot!(first.checks[0].message, @"time +20.0 % (5 ms → 6 ms), limit > +10.0 %, by the measured difference alone");
    insta::assert_snapshot!(report.gates[1].checks[0].message, @"time +1 ms (5 ms → 6 ms), limit > +0.5 ms, by the measured difference alone");
    assert_eq!(report.gates[1].checks[0].difference, Some(1.0));
}

/// Runs whose prefill differs; everything else differs by half a per cent.
fn runs(prefill: &[f64]) -> Vec<RegionDocument> {
    let other = [1.0, 1.005, 0.995, 1.002, 0.998];
    prefill.iter().zip(other).map(|(prefill, other)| run(*prefill, other, other)).collect()
}

/// What the runs leave open is neither kept nor violated, and `--strict` wants to know.
#[test]
fn a_gate_asks_where_the_difference_lies() {
    let base = runs(&[1.0, 1.03, 1.01, 0.99, 0.98]);
    let by = |factor: f64| runs(&[1.01, 0.98, 1.0, 1.02, 0.99].map(|time| time * factor));
    for (factor, gate, expected) in [
        (1.5, "prefill: time > 5%", GateStatus::Violated),
        (1.5, "prefill: time > 1ms", GateStatus::Violated),
        (1.5, "prefill: time > 50%", GateStatus::NotJudged),
        (1.5, "prefill: time > 100%", GateStatus::Passed),
        (1.06, "prefill: time > 5%", GateStatus::NotJudged),
        (1.0, "prefill: time > 50%", GateStatus::Passed),
        (0.7, "prefill: time < -5%", GateStatus::Violated),
        // It has to become faster.
        (0.7, "prefill: time > -5%", GateStatus::Passed),
        (1.0, "prefill: time > -50%", GateStatus::Violated),
        (1.0, "prefill: calls > 0", GateStatus::Passed),
    ] {
        let report = ask(&[gate], &base, &by(factor), false);
        assert_eq!(report.gates[0].status, expected, "{gate} {factor}: {report:?}");
        let strict = ask(&[gate], &base, &by(factor), true);
        assert_eq!(strict.failed, expected != GateStatus::Passed, "{gate} {factor}");
    }
    let report = ask(&["prefill: time > 5%"], &base, &by(1.06), false);
    let message = &report.gates[0].checks[0].message;
    assert!(message.contains(", which the interval leaves open"), "{message}");
    assert!(!report.failed);
}

/// Two and three runs show nothing, whatever they look like: a gate says so, as the verdicts do. Calls are exact.
#[test]
fn few_runs_neither_fail_nor_pass() {
    let base = [1.0, 1.01, 0.99];
    let asked = |gate: &str, runs: usize, factor: f64| {
        let new = base.map(|time| time * factor + 0.001);
        ask(&[gate], &self::runs(&base[..runs]), &self::runs(&new[..runs]), false)
    };
    for runs in [2, 3] {
        for (gate, factor) in [
            ("prefill: time > 5%", 3.0),
            ("prefill: time > 5%", 1.0),
            ("*: time > 1%", 3.0),
            ("prefill: time_per_call > 1%", 3.0),
            ("prefill: dram_bytes > 5%", 3.0),
            ("time > -50%", 1.0),
        ] {
            let report = asked(gate, runs, factor);
            assert_eq!(report.gates[0].status, GateStatus::NotJudged, "{gate} {factor} {runs}");
            assert!(!report.failed);
        }
        assert_eq!(asked("prefill: calls > 0", runs, 3.0).gates[0].status, GateStatus::Passed);
    }
    let message =
        |factor| asked("prefill: time > 5%", 3, factor).gates[0].checks[0].message.clone();
    insta::assert_snapshot!(message(3.0), @"time +200.1 % (5 ms → 15 ms), limit > +5.0 %, which 3 and 3 runs are too few to judge; about 4 a side would settle it");
    insta::assert_snapshot!(message(1.05), @"time +5.1 % (5 ms → 5.25 ms), limit > +5.0 %, which 3 and 3 runs are too few to judge; 4 a side are the least that can");
}

/// Runs that a gate is said to need are those that its limit needs, not those that would show any difference at all.
#[test]
fn runs_for_a_gate_are_counted_from_its_limit() {
    let base = runs(&[1.0, 1.03, 1.01, 0.99, 0.98]);
    let new = runs(&[1.01, 0.98, 1.0, 1.02, 0.99].map(|time| time * 1.12));
    let needed = |limit: u32| -> Option<u32> {
        let gate = format!("prefill: time > {limit}%");
        let report = ask(&[&gate], &base, &new, false);
        let message = &report.gates[0].checks[0].message;
        assert_eq!(report.gates[0].status, GateStatus::NotJudged, "{message}");
        let (_, after) = message.split_once("; about ")?;
        after.split(' ').next()?.parse().ok()
    };
    let (near, nearer) = (needed(9).unwrap(), needed(10));
    assert!(near > 5 && nearer.is_none_or(|runs| runs > near), "{near} {nearer:?}");
    assert_eq!(needed(12), None);
}

/// What one run of several has is no measurement of how much runs differ, and no single run a side either.
#[test]
fn what_one_run_of_several_has_is_not_judged() {
    let base = runs(&[1.0, 1.01, 0.99, 1.002, 0.997]);
    let new: Vec<RegionDocument> = runs(&[1.3, 1.31, 1.29, 1.302, 1.297])
        .into_iter()
        .enumerate()
        .map(|(at, mut run)| {
            if at > 0 {
                run.reports[0].regions.remove(0);
            }
            run
        })
        .collect();
    let report = ask(&["prefill: time > 5%"], &base, &new, false);
    let check = &report.gates[0].checks[0];
    assert_eq!(check.status, GateStatus::NotJudged);
    assert!(check.message.ends_with("which only one run of the new side has"), "{}", check.message);
}

/// With a single run a side the measured difference has to do, and the sentence says so.
#[test]
fn single_runs_are_judged_by_what_was_measured() {
    let report = ask(&["prefill: time > 5%"], &[run(1.0, 1.0, 1.0)], &[run(1.2, 1.0, 1.0)], false);
    let check = &report.gates[0].checks[0];
    assert_eq!(check.status, GateStatus::Violated);
    assert!(check.message.ends_with("by the measured difference alone"), "{}", check.message);
}

/// What the row calls the same no gate calls too much.
#[test]
fn a_limit_finer_than_the_tolerance_is_not_judged() {
    let base = [run(1.0, 1.0, 1.0)];
    for (gate, factor, expected) in [
        ("prefill: time > 0.5%", 1.007, GateStatus::NotJudged),
        ("prefill: time > 0.5%", 1.004, GateStatus::Passed),
        ("prefill: time > 0.5%", 1.01, GateStatus::Violated),
        ("prefill: time >= 1%", 1.01, GateStatus::Violated),
        ("prefill: time > 1%", 1.01, GateStatus::Passed),
    ] {
        let report = ask(&[gate], &base, &[run(factor, 1.0, 1.0)], false);
        assert_eq!(report.gates[0].status, expected, "{gate} {factor}");
    }
}

/// Every limit that is met exactly, in decimals: `>` keeps it and `>=` does not.
#[test]
fn limits_are_compared_exactly() {
    for base in [1, 2, 3, 5, 7, 10, 11] {
        for percent in [5, 7, 10, 20] {
            let times = |value: i64| -> RegionDocument {
                let ms: f64 = format!("{value}e-2").parse().unwrap();
                document(vec![region(&["A"], vec![kernel("k", 1, ms, &[])])], Vec::new())
            };
            let (before, after) = (times(base * 100), times(base * (100 + percent)));
            let more = format!("{}us", base * percent * 10);
            let [above, at_least] = [">", ">="].map(|operator| {
                let gates = [
                    format!("A: time {operator} {percent}%"),
                    format!("A: time {operator} {more}"),
                ];
                let gates: Vec<&str> = gates.iter().map(String::as_str).collect();
                let sides = (std::slice::from_ref(&before), std::slice::from_ref(&after));
                let report = ask(&gates, sides.0, sides.1, false);
                report.gates.iter().map(|gate| gate.status).collect::<Vec<_>>()
            });
            assert_eq!(above, [GateStatus::Passed; 2], "{base} ms, {percent} %");
            assert_eq!(at_least, [GateStatus::Violated; 2], "{base} ms, {percent} %");
        }
    }
}

/// A measurement that failed is not a time of nothing.
#[test]
fn what_was_not_measured_is_not_judged() {
    use GateStatus::{NotJudged, Passed};
    let base = run(1.0, 1.0, 1.0);
    let mut failed = base.clone();
    each_region(&mut failed, |region| {
        if region.name == "prefill" {
            region.set.timed_count = 0;
        }
    });
    failed.reports[0].totals.timed_count -= 10;
    let gates = ["prefill: time > 5%", "prefill: time < -5%", "time > 5%", "decode: time > 5%"];
    let report = ask(&gates, std::slice::from_ref(&base), std::slice::from_ref(&failed), false);
    let statuses: Vec<GateStatus> = report.gates.iter().map(|gate| gate.status).collect();
    assert_eq!(statuses, [NotJudged, NotJudged, NotJudged, Passed]);
    insta::assert_snapshot!(report.gates[0].checks[0].message, @"time cannot be judged: it was not measured on both sides");
    assert!(!report.failed);
    assert!(ask(&gates[..1], &[base], &[failed], true).failed);
}

#[test]
fn runs_that_cannot_be_compared_keep_no_gate() {
    let base = run(1.0, 1.0, 1.0);
    let strictly = |new: &RegionDocument, gates: &[&str]| {
        let sides = (std::slice::from_ref(&base), std::slice::from_ref(new));
        let lax = ask_if_any(gates, sides.0, sides.1, false);
        (lax.map(|report| report.gates[0].status), ask(gates, sides.0, sides.1, true).failed)
    };
    let mut other_device = base.clone();
    other_device.devices = vec![DeviceInfo {
        pci: None,
        id: 0,
        name: Some("H100".to_owned()),
        compute_capability: None,
        hosts: Vec::new(),
    }];
    let mut lost = base.clone();
    lost.sources = vec![source("a.ncu-rep", 2)];
    let empty = document(Vec::new(), Vec::new());
    for (new, why) in [(&other_device, "device"), (&lost, "lost"), (&empty, "no results")] {
        let judged = strictly(new, &["time > 5%"]);
        assert_eq!(judged, (Some(GateStatus::NotJudged), true), "{why}");
    }
    // Without any gate, being comparable is what is asked for.
    assert_eq!(strictly(&other_device, &[]), (None, true));
    assert_eq!(strictly(&base, &[]), (None, false));
}

fn source(file: &str, lost: u64) -> SourceInfo {
    SourceInfo {
        file: file.to_owned(),
        format: "ncu-rep".to_owned(),
        profiler: None,
        results: 1,
        lost,
    }
}

/// What is missing makes sums smaller: more than the limit remains more if the new side lost results, less remains less if the base did.
#[test]
fn what_was_lost_neither_passes_nor_violates() {
    use GateStatus::{NotJudged, Violated};
    let with = |prefill: f64, lost: u64| {
        let mut run = run(prefill, 1.0, 1.0);
        run.sources = vec![source("a.ncu-rep", lost)];
        [run]
    };
    for (base, new, gate, expected) in [
        (with(1.0, 0), with(2.0, 2), "time > 5%", Violated),
        (with(1.0, 2), with(2.0, 0), "time > 5%", NotJudged),
        (with(2.0, 0), with(1.0, 2), "prefill: time < -5%", NotJudged),
        (with(2.0, 2), with(1.0, 0), "prefill: time < -5%", Violated),
        (with(1.0, 0), with(1.0, 2), "calls > 0", NotJudged),
        (with(1.0, 2), with(1.0, 0), "*: calls > 0", NotJudged),
        (with(1.0, 0), with(2.0, 2), "dram_bytes > 5%", Violated),
    ] {
        let report = ask(&[gate], &base, &new, false);
        assert_eq!(report.gates[0].status, expected, "{gate}");
        assert!(ask(&[gate], &base, &new, true).failed, "{gate}");
    }
    let report = ask(&["time > 5%"], &with(1.0, 0), &with(1.0, 2), false);
    insta::assert_snapshot!(report.gates[0].checks[0].message, @"time cannot be judged: Lost or damaged, and in no number: 2 results of the new side (a.ncu-rep).");
}

/// One of several runs without results is a run that is missing.
#[test]
fn a_run_without_results_keeps_no_gate() {
    let base = runs(&[1.0, 1.01, 0.99, 1.002]);
    let mut new = runs(&[1.001, 0.992, 0.995, 1.0]);
    assert_eq!(ask(&["time > 5%"], &base, &new, true).gates[0].status, GateStatus::Passed);
    new.push(document(Vec::new(), Vec::new()));
    let report = ask(&["time > 5%", "prefill: time > 5%"], &base, &new, true);
    assert!(report.failed);
    for gate in report.gates {
        assert_eq!(gate.status, GateStatus::NotJudged);
        assert!(
            gate.checks[0].message.ends_with("Without any result: 1 of 5 runs of the new side.")
        );
    }
}

/// It says which part of it matches nothing, and what is nearest to that part.
#[test]
fn a_gate_that_matches_nothing() {
    let side = [run(1.0, 1.0, 1.0)];
    let mut hints = String::new();
    for gate in [
        "prefil: time > 5%",
        "prefill: dram__bites.sum > 5%",
        "no__such.metric > 5%",
        "prefill: occupancy > 5%",
        "occupancy < -3",
        "prefill: sm__warps_active.avg.pct_of_peak_sustained_active < -3",
        "prefil: dram__bytes.sum > 5%",
        "prefil: dram__bites.sum > 5%",
    ] {
        let report = ask(&[gate], &side, &side, false);
        assert!(report.failed, "{gate}");
        assert_eq!(report.gates[0].status, GateStatus::Missing, "{gate}");
        assert!(report.gates[0].checks.is_empty());
        let _ = writeln!(hints, "{gate}\n  {}", report.gates[0].hint.as_deref().unwrap());
        let allowed = CompareOptions {
            gates: vec![Gate::parse(gate).unwrap()],
            strict_gates: true,
            allow_missing: true,
            ..CompareOptions::default()
        };
        let report = compare(&side, &side, &allowed).gates.unwrap();
        assert!(!report.failed && report.gates[0].status == GateStatus::Missing);
    }
    insta::assert_snapshot!(hints);
    assert!(!ask(&["prefill: time > 5%"], &side, &side, true).failed);
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
    assert_eq!(new("prefill: time > 5%"), GateStatus::NotJudged);
    assert_eq!(new("prefill: time > 1ms"), GateStatus::NotJudged);
    // One region that cannot be judged is enough.
    assert_eq!(new("*: time > 5%"), GateStatus::NotJudged);
    let gone = |gate| {
        ask(&[gate], std::slice::from_ref(&with), std::slice::from_ref(&without), false).gates[0]
            .status
    };
    assert_eq!(gone("prefill: time < -5%"), GateStatus::NotJudged);
    assert_eq!(gone("prefill: dram_bytes < -5%"), GateStatus::NotJudged);
    assert!(
        ask(
            &["prefill: time > 5%"],
            std::slice::from_ref(&with),
            std::slice::from_ref(&without),
            true
        )
        .failed
    );
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
        prop_assume!((difference - f64::from(limit)).abs() > 1e-6 && (factor - 1.0).abs() > 0.01);
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
