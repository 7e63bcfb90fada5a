//! Advice and facts from documents made by hand.

use rangescope_analyze::insight::Insight;
use rangescope_analyze::insight::model::{BoundClass, FactKind, Finding, Severity};
use rangescope_model::document::{Limit, RegionDocument};
use rangescope_testing::documents::{
    DRAM, MEMORY, OCCUPANCY, SM, document, kernel, limited, metric, metrics, region, rule,
};
use std::fmt::Write as _;

fn finding<'i>(findings: &'i [Finding], code: &str) -> &'i Finding {
    let codes: Vec<&str> = findings.iter().map(|finding| finding.code.as_str()).collect();
    findings.iter().find(|finding| finding.code == code).unwrap_or_else(|| panic!("{codes:?}"))
}

/// Decode is 40 % of the run; a rule could gain 7.5 % of it.
fn run() -> RegionDocument {
    let decode = [(SM, 20.0), (MEMORY, 90.0), (DRAM, 88.0)];
    let mut told = document(
        vec![
            region(&["prefill"], vec![limited(kernel("gemm", 10, 5.0, &[]), Limit::Compute, None)]),
            region(
                &["decode"],
                vec![limited(kernel("gemv", 100, 4.0, &decode), Limit::Memory, Some("dram"))],
            ),
        ],
        vec![kernel("memset", 1, 1.0, &[])],
    );
    let report = &mut told.reports[0];
    let second = std::sync::Arc::make_mut(&mut report.regions[1]);
    second.metrics = metrics(&decode);
    second.rules = vec![
        rule("CPIStall", 60, Some(7.5), "gemv"),
        rule("Unestimated", 3, None, "gemv"),
        rule("Larger", 10, Some(25.0), "gemv"),
    ];
    told
}

#[test]
fn rules_are_rolled_up_by_what_they_could_gain() {
    let insight = Insight::of(&run());
    let findings = &insight.reports[0].regions[1].findings;
    let first = &findings[0];
    assert_eq!((first.code.as_str(), first.severity), ("rule:Larger", Severity::High));
    let gain = findings[1].gain.as_ref().unwrap();
    assert_eq!(findings[1].code, "rule:CPIStall");
    assert!((gain.region - 0.075).abs() < 1e-12);
    assert!((gain.run - 0.03).abs() < 1e-12);
    assert!((gain.ms - 0.3).abs() < 1e-12);
    assert_eq!(findings[1].section.as_deref(), Some("WarpStateStats"));
    assert_eq!(findings[1].kernels, [0]);
    insta::assert_snapshot!(findings[1].text, @"At most 7.5 % of `decode` and 3 % of the run (300 µs). Concerns 60 results, foremost gemv. First sentence. Second.");
    assert!(finding(findings, "rule:Unestimated").gain.is_none());
}

#[test]
fn a_memory_bound_region_near_and_far_from_its_roof() {
    let mut told = run();
    let insight = Insight::of(&told);
    assert_eq!(insight.reports[0].regions[1].bound.class, BoundClass::Memory);
    let near = finding(&insight.reports[0].regions[1].findings, "memory-near-roof");
    assert_eq!(near.evidence[0].label, DRAM);
    assert_eq!(near.evidence[0].value, 88.0);
    std::sync::Arc::make_mut(&mut told.reports[0].regions[1])
        .metrics
        .insert(DRAM.to_owned(), metric(30.0));
    let insight = Insight::of(&told);
    finding(&insight.reports[0].regions[1].findings, "memory-far-from-roof");
    let metrics = &mut std::sync::Arc::make_mut(&mut told.reports[0].regions[1]).metrics;
    metrics.insert(DRAM.to_owned(), metric(70.0));
    metrics.insert(MEMORY.to_owned(), metric(72.0));
    let insight = Insight::of(&told);
    finding(&insight.reports[0].regions[1].findings, "memory-below-roof");
}

#[test]
fn many_short_kernels() {
    let short = |calls, total| vec![region(&["A"], vec![kernel("k", calls, total, &[])])];
    let insight = Insight::of(&document(short(100, 0.4), Vec::new()));
    let found = finding(&insight.reports[0].regions[0].findings, "launch-bound");
    let numbers: Vec<(&str, f64)> =
        found.evidence.iter().map(|evidence| (evidence.label.as_str(), evidence.value)).collect();
    assert!(numbers.contains(&("launches", 100.0)), "{numbers:?}");
    assert!(numbers.contains(&("median duration (by kernel)", 4.0)), "{numbers:?}");
    assert!(numbers.contains(&("threshold", 10.0)), "{numbers:?}");
    for (calls, total) in [(9, 0.01), (100, 1.5)] {
        let insight = Insight::of(&document(short(calls, total), Vec::new()));
        assert!(insight.reports[0].regions[0].findings.is_empty(), "{calls} {total}");
    }
}

#[test]
fn low_occupancy_names_its_limiter() {
    let low = [
        (OCCUPANCY, 16.0),
        ("sm__maximum_warps_per_active_cycle_pct", 16.7),
        ("launch__occupancy_limit_registers", 1.0),
        ("launch__occupancy_limit_shared_mem", 3.0),
        ("launch__occupancy_limit_warps", 6.0),
        (SM, 30.0),
        (MEMORY, 40.0),
    ];
    let insight =
        Insight::of(&document(vec![region(&["A"], vec![kernel("k", 1, 1.0, &low)])], Vec::new()));
    let found = finding(&insight.reports[0].regions[0].findings, "low-occupancy");
    insta::assert_snapshot!(found.text, @"Kernels with 100 % of the time of `A` keep less than 50 % of the warps at work. The heaviest, k, reaches 16 %; limited by registers to 1 block per SM.");
    // Where the launch allows more, no limit is to blame.
    let mut uneven = low;
    uneven[1].1 = 100.0;
    let insight = Insight::of(&document(
        vec![region(&["A"], vec![kernel("k", 1, 1.0, &uneven)])],
        Vec::new(),
    ));
    let found = finding(&insight.reports[0].regions[0].findings, "low-occupancy");
    assert!(found.text.contains("would allow 100 %"), "{}", found.text);
    // A kernel that keeps the SMs busy needs no more warps.
    let busy = limited(kernel("k", 1, 1.0, &low), Limit::Compute, None);
    let insight = Insight::of(&document(vec![region(&["A"], vec![busy])], Vec::new()));
    assert!(insight.reports[0].regions[0].findings.is_empty());
    // A grid that does not fill the device explains few warps.
    let mut small = low;
    small[1].1 = 12.5;
    let small = limited(kernel("k", 1, 1.0, &small), Limit::SmallGrid, None);
    let insight = Insight::of(&document(vec![region(&["A"], vec![small])], Vec::new()));
    let codes: Vec<&str> = insight.reports[0].regions[0]
        .findings
        .iter()
        .map(|finding| finding.code.as_str())
        .collect();
    assert_eq!(codes, ["small-grid"]);
}

#[test]
fn a_grid_of_less_than_a_wave() {
    let waves = |waves| {
        let kernels = vec![kernel("k", 1, 1.0, &[("launch__waves_per_multiprocessor", waves)])];
        Insight::of(&document(vec![region(&["A"], kernels)], Vec::new()))
    };
    let insight = waves(0.5);
    let found = finding(&insight.reports[0].regions[0].findings, "small-grid");
    assert_eq!(found.evidence[0].value, 0.5);
    assert!(waves(1.0).reports[0].regions[0].findings.is_empty());
}

#[test]
fn what_the_report_does_not_know() {
    let mut told = run();
    let report = &mut told.reports[0];
    report.selection.metrics_not_found = vec!["nope.sum".to_owned()];
    let mut part = metric(1.0);
    (part.covered, part.of) = (41, 111);
    report.totals.metrics.insert("part.sum".to_owned(), part);
    let insight = Insight::of(&told);
    let findings = &insight.reports[0].findings;
    assert_eq!(finding(findings, "not-collected").evidence[0].label, "nope.sum");
    assert!(finding(findings, "partly-covered").text.contains("41 of 111"));
    let unlabeled = finding(findings, "unlabeled");
    assert!((unlabeled.run_share - 0.1).abs() < 1e-12);
    finding(findings, "bound-unknown");
    assert!(finding(findings, "no-roofline").text.contains("ncu.high"));
}

#[test]
fn the_facts_of_a_run() {
    let insight = Insight::of(&run());
    let mut facts = String::new();
    for fact in &insight.reports[0].facts {
        let _ = writeln!(facts, "{:?}: {}", fact.kind, fact.sentence);
    }
    insta::assert_snapshot!(facts, @"
    Heaviest: The heaviest regions of 10 ms GPU time are `prefill` (50 %, 5 ms) and `decode` (40 %, 4 ms).
    Limiter: `prefill` is compute-bound.
    Advice: Worth most in `decode`: Larger title; at most 10 % of the run (1 ms).
    Uncovered: All 0 metrics cover all 111 results.
    Unlabeled: 10 % of the time (1 result) is outside of all regions.
    ");
}

#[test]
fn the_advice_of_the_innermost_region_is_the_fact() {
    let mut outer = region(&["A"], vec![kernel("k", 1, 10.0, &[])]);
    let mut inner = region(&["A", "B"], vec![kernel("k", 1, 10.0, &[])]);
    outer.exclusive_ms = Some(0.0);
    outer.rules = vec![rule("R", 1, Some(20.0), "k")];
    inner.rules = outer.rules.clone();
    let insight = Insight::of(&document(vec![outer, inner], Vec::new()));
    let facts = &insight.reports[0].facts;
    let advice = facts.iter().find(|fact| fact.kind == FactKind::Advice).unwrap();
    assert_eq!(advice.regions, [1]);
}

#[test]
fn a_mix_of_kernels() {
    let kernels = vec![
        limited(kernel("c", 1, 1.0, &[]), Limit::Compute, None),
        limited(kernel("m", 1, 1.0, &[]), Limit::Memory, Some("l2")),
        limited(kernel("u", 1, 0.5, &[]), Limit::Unknown, None),
    ];
    let insight = Insight::of(&document(vec![region(&["A"], kernels)], Vec::new()));
    let bound = &insight.reports[0].regions[0].bound;
    assert_eq!(bound.class, BoundClass::Mixed);
    let shares: Vec<(BoundClass, f64)> =
        bound.mix.iter().map(|part| (part.class, part.share)).collect();
    assert_eq!(
        shares,
        [(BoundClass::Compute, 0.4), (BoundClass::Memory, 0.4), (BoundClass::Unknown, 0.2)]
    );
}

/// A rule over two regions belongs to the region around them, which names where most of it is; the regions do not repeat it.
#[test]
fn a_finding_is_said_once() {
    let parts = [("A::x", 6.0, 30.0), ("A::y", 4.0, 5.0)];
    let mut outer = region(&["A"], vec![kernel("k", 1, 6.0, &[]), kernel("l", 1, 4.0, &[])]);
    outer.rules = vec![rule("R", 2, Some(20.0), "k")];
    let mut regions = vec![outer];
    for ((name, ms, gain), kernel_name) in parts.into_iter().zip(["k", "l"]) {
        let path: Vec<&str> = name.split("::").collect();
        let mut inner = region(&path, vec![kernel(kernel_name, 1, ms, &[])]);
        inner.rules = vec![rule("R", 1, Some(gain), kernel_name)];
        regions.push(inner);
    }
    let mut told = document(regions, Vec::new());
    told.reports[0].totals.rules = vec![rule("R", 2, Some(20.0), "k")];
    let insight = Insight::of(&told);
    let said: Vec<Option<&str>> = insight
        .findings_by_worth(&told)
        .into_iter()
        .filter(|(_, finding)| finding.code == "rule:R")
        .map(|(region, _)| region.map(|region| region.name.as_str()))
        .collect();
    assert_eq!(said, [Some("A")]);
    let text = &finding(&insight.reports[0].regions[0].findings, "rule:R").text;
    assert!(text.ends_with("90 % of it is in `A::x`."), "{text}");
}

/// ncu's rules about occupancy and grids and our own finding have one cause.
#[test]
fn one_cause_is_one_finding() {
    let small = limited(kernel("k", 1, 1.0, &[]), Limit::SmallGrid, None);
    let mut told = region(&["A"], vec![small]);
    told.rules = vec![
        rule("AchievedOccupancy", 1, Some(30.0), "k"),
        rule("LaunchConfiguration", 1, Some(50.0), "k"),
        rule("CPIStall", 1, Some(10.0), "k"),
    ];
    let insight = Insight::of(&document(vec![told], Vec::new()));
    let findings = &insight.reports[0].regions[0].findings;
    let codes: Vec<&str> = findings.iter().map(|finding| finding.code.as_str()).collect();
    assert_eq!(codes, ["small-grid", "rule:CPIStall"]);
    assert_eq!(findings[0].gain.as_ref().map(|gain| gain.region), Some(0.5));
    assert!(findings[0].text.contains("LaunchConfiguration title"), "{}", findings[0].text);
}

#[test]
fn nothing_comes_of_nothing() {
    let insight = Insight::of(&document(Vec::new(), Vec::new()));
    let report = &insight.reports[0];
    assert!(report.facts.is_empty() && report.findings.is_empty());
    assert!(report.roofline_missing.is_empty());
    let mut empty = document(Vec::new(), Vec::new());
    empty.reports.clear();
    assert_eq!(Insight::of(&empty).main_report, None);
}
