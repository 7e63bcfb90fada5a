//! Advice and facts from documents made by hand.

use rangescope_analyze::insight::Insight;
use rangescope_analyze::insight::advice::AdviceReport;
use rangescope_analyze::insight::model::{BoundClass, FactKind, Finding, Severity};
use rangescope_analyze::outcome::FindingKind;
use rangescope_model::document::{Limit, RegionDocument};
use rangescope_testing::documents::{
    DRAM, MEMORY, SM, cause, document, kernel, limited, metric, metrics, region, rule, told_of,
};
use std::fmt::Write as _;

fn finding<'i>(findings: &'i [Finding], outcome: &str) -> &'i Finding {
    let known: Vec<&str> = findings.iter().map(|finding| finding.outcome.as_str()).collect();
    findings
        .iter()
        .find(|finding| finding.outcome == outcome)
        .unwrap_or_else(|| panic!("{known:?}"))
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
    let second = &mut report.regions[1];
    second.set.metrics = metrics(&decode);
    second.set.rules = vec![
        told_of(rule("Known", 60, Some(7.5), "gemv"), "0-59", 2.0, Some(0.3)),
        told_of(rule("Unestimated", 3, None, "gemv"), "3-5", 0.5, None),
        told_of(rule("Larger", 10, Some(50.0), "gemv"), "0-9", 2.0, Some(1.0)),
        told_of(rule("Tiny", 10, Some(0.5), "gemv"), "0-9", 2.0, Some(0.02)),
    ];
    second.set.causes = vec![cause("limited-by-dram", "dram", 7, 3.0, "gemv")];
    told
}

/// A finding is about the time of its results, not of its kernels, and gains no more than the busiest unit leaves.
#[test]
fn a_finding_is_about_its_results() {
    let told = run();
    let insight = Insight::of(&told);
    let findings = &insight.reports[0].regions[1].findings;
    let first = &findings[0];
    assert_eq!((first.rule.as_deref(), first.severity), (Some("Larger"), Severity::High));
    assert_eq!((first.region_share, first.run_share), (Some(0.5), Some(0.2)));
    let gain = first.gain.as_ref().unwrap();
    assert_eq!((gain.region, gain.run, gain.ms, gain.stated_ms), (0.25, 0.1, 1.0, 2.0));
    assert_eq!(first.section.as_deref(), Some("WarpStateStats"));
    // What the table does not know is quoted, without advice of ours.
    assert_eq!(first.title, "ncu says: “Larger title”");
    insta::assert_snapshot!(first.text, @"At most 25 % of `decode` and 10 % of the run (1 ms), as ncu estimates; the estimate is 50 %, but the busiest unit leaves no more. Concerns 10 results, foremost gemv. First sentence. Second.");
    let unestimated = findings.iter().find(|found| found.rule.as_deref() == Some("Unestimated"));
    assert!(unestimated.unwrap().gain.is_none());
}

/// What is worth less than half a per cent of the run is no advice unless all is asked for.
#[test]
fn what_is_worth_little_is_left_out() {
    let told = run();
    let insight = Insight::of(&told);
    let rules = |all: bool| -> Vec<String> {
        let findings = insight.findings(&told, all).into_iter();
        findings.filter_map(|(_, finding)| finding.rule.clone()).collect()
    };
    assert_eq!(rules(false), ["Larger", "Known", "Unestimated"]);
    assert_eq!(rules(true), ["Larger", "Known", "Unestimated", "Tiny"]);
    let report = AdviceReport::of(&told, &insight, false);
    assert_eq!(report.findings.len(), insight.findings(&told, false).len());
    assert_eq!(report.left_out, 1);
    let larger = &report.findings[0];
    assert_eq!(larger.place.as_deref(), Some(&["decode".to_owned()][..]));
    assert_eq!(larger.launches.as_deref(), Some(&(0..10).collect::<Vec<_>>()[..]));
    assert_eq!((larger.share, larger.gain), (Some(0.2), Some(0.1)));
}

/// The heaviest places say what limits them, how near that is, and what helps.
#[test]
fn the_heaviest_place_says_what_limits_it() {
    let limits = |outcome: &str, unit: &str| {
        let mut told = run();
        told.reports[0].regions[1].set.causes = vec![cause(outcome, unit, 7, 3.0, "gemv")];
        let insight = Insight::of(&told);
        let found = finding(&insight.reports[0].regions[1].findings, outcome).clone();
        (found.title, found.text)
    };
    let (title, text) = limits("limited-by-dram", "dram");
    assert_eq!(title, "Memory is the limit: DRAM");
    insta::assert_snapshot!(text, @"Launches with 75 % of the time of `decode`: in the heaviest, gemv, Numbers of the launch. That is near the peak: only moving less helps (fusion, smaller types, reuse from cache).");
    let (title, text) = limits("limited-by-compute", "issue");
    assert_eq!(title, "What computes is the limit: issue slots");
    assert!(text.contains("fewer operations"), "{text}");
    let (_, text) = limits("limited-by-latency", "");
    assert!(text.contains("What warps wait for was not measured"), "{text}");
}

#[test]
fn an_unknown_limit_is_said_to_be_unknown() {
    let regions = vec![region(&["A"], vec![kernel("k", 1, 1.0, &[])])];
    let insight = Insight::of(&document(regions, Vec::new()));
    let found = finding(&insight.reports[0].regions[0].findings, "limited-by-unknown");
    assert!(found.text.contains("SpeedOfLight"), "{}", found.text);
    assert_eq!((found.kind, found.run_share), (FindingKind::Note, None));
}

/// Advice about what computes comes after all others where memory is the limit.
#[test]
fn advice_beside_the_limit_comes_last() {
    let mut told = run();
    let second = &mut told.reports[0].regions[1];
    let pipes = |relieved: &str| rangescope_model::document::RuleSummary {
        outcome: relieved.to_owned(),
        kernels: vec![0],
        ..told_of(rule("P", 60, Some(50.0), "gemv"), "0-59", 4.0, Some(2.0))
    };
    second.set.rules.push(pipes("double-in-float-code"));
    let insight = Insight::of(&told);
    let findings = insight.findings(&told, true);
    let last = findings.iter().rfind(|(_, found)| found.kind == FindingKind::Advice).unwrap();
    assert_eq!(last.1.outcome, "double-in-float-code");
    assert!(last.1.beside_the_limit);
}

/// Launches that are short matter where they are many.
#[test]
fn many_short_launches() {
    let short = |results: u64, of: u64| {
        let mut told = region(&["A"], vec![kernel("k", of, 1.0, &[])]);
        let said = cause("short-launches", "", 0, 0.5, "k");
        told.set.causes = vec![rangescope_model::document::RuleSummary { results, ..said }];
        let insight = Insight::of(&document(vec![told], Vec::new()));
        insight.reports[0].regions[0].findings.iter().any(|found| found.outcome == "short-launches")
    };
    assert!(short(10, 20));
    assert!(!short(10, 21) && !short(9, 9));
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
    assert!((unlabeled.run_share.unwrap() - 0.1).abs() < 1e-12);
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
    Advice: First in `decode`: ncu says: “Larger title”; at most 10 % of the run, 1 ms.
    Uncovered: All 0 metrics cover all 111 results.
    Unlabeled: 10 % of the time (1 result) is outside of all regions.
    ");
}

#[test]
fn the_advice_of_the_innermost_region_is_the_fact() {
    let mut outer = region(&["A"], vec![kernel("k", 1, 10.0, &[])]);
    let mut inner = region(&["A", "B"], vec![kernel("k", 1, 10.0, &[])]);
    outer.exclusive_ms = Some(0.0);
    outer.set.rules = vec![told_of(rule("R", 1, Some(20.0), "k"), "0", 10.0, Some(2.0))];
    inner.set.rules = outer.set.rules.clone();
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
    outer.set.rules = vec![told_of(rule("R", 2, Some(20.0), "k"), "0-1", 10.0, Some(2.0))];
    let mut regions = vec![outer];
    for ((name, ms, gain), kernel_name) in parts.into_iter().zip(["k", "l"]) {
        let path: Vec<&str> = name.split("::").collect();
        let mut inner = region(&path, vec![kernel(kernel_name, 1, ms, &[])]);
        let gain_ms = Some(ms * gain / 100.0);
        inner.set.rules = vec![told_of(rule("R", 1, Some(gain), kernel_name), "0", ms, gain_ms)];
        regions.push(inner);
    }
    let mut told = document(regions, Vec::new());
    told.reports[0].totals.rules =
        vec![told_of(rule("R", 2, Some(20.0), "k"), "0-1", 10.0, Some(2.0))];
    let insight = Insight::of(&told);
    let said: Vec<Option<&str>> = insight
        .findings(&told, true)
        .into_iter()
        .filter(|(_, finding)| finding.rule.as_deref() == Some("R"))
        .map(|(region, _)| region.map(|region| region.name.as_str()))
        .collect();
    assert_eq!(said, [Some("A")]);
    let text = &finding(&insight.reports[0].regions[0].findings, "unknown-advice").text;
    assert!(text.ends_with("90 % of it is in `A::x`."), "{text}");
}

/// Rules that say one thing of the same launches are one finding, with the estimate of the one that speaks; of other launches they are two.
#[test]
fn one_cause_is_one_finding() {
    let findings = |second: &str| -> Vec<Finding> {
        let mut told = region(&["A"], vec![kernel("k", 4, 1.0, &[])]);
        let occupancy = |name: &str, outcome: &str, ids: &str, gain: f64| {
            let told = told_of(rule(name, 2, Some(gain), "k"), ids, 0.5, Some(gain / 200.0));
            rangescope_model::document::RuleSummary { outcome: outcome.to_owned(), ..told }
        };
        told.set.rules = vec![
            occupancy("Occupancy", "occupancy-limited-by-registers", "0-1", 30.0),
            occupancy("IssueSlotUtilization", "issue-slots-limited-by-occupancy", second, 50.0),
        ];
        let insight = Insight::of(&document(vec![told], Vec::new()));
        let findings = insight.reports[0].regions[0].findings.iter();
        findings.filter(|found| found.rule.is_some()).cloned().collect()
    };
    let [one] = &findings("0-1")[..] else { panic!("one finding") };
    assert_eq!(one.rule.as_deref(), Some("IssueSlotUtilization"));
    assert_eq!(one.gain.as_ref().map(|gain| gain.ms), Some(0.25));
    assert!(
        one.text.contains(
            "The same cause: “Allow more warps per SM: registers limit occupancy” (Occupancy)"
        ),
        "{}",
        one.text
    );
    assert_eq!(findings("2-3").len(), 2);
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

/// A set of one region of ten results in which rules said these, each with outcome, results, milliseconds and gain.
fn of_rules(said: &[(&str, &str, f64, Option<f64>)]) -> Vec<Finding> {
    let mut told = region(&["A"], vec![kernel("k", 10, 10.0, &[])]);
    let rules = said.iter().map(|(outcome, ids, ms, gain)| {
        let rule = told_of(rule("R", 1, *gain, "k"), ids, *ms, *gain);
        let results = rule.launches.as_ref().map_or(0, rangescope_model::ResultIds::len);
        rangescope_model::document::RuleSummary { outcome: (*outcome).to_owned(), results, ..rule }
    });
    told.set.rules = rules.collect();
    let insight = Insight::of(&document(vec![told], Vec::new()));
    insight.reports[0].regions[0].findings.clone()
}

/// What is quoted was said on the results of the finding, and on nearly all of their time.
#[test]
fn what_was_said_on_other_launches_is_not_quoted() {
    let texts = |second: (&'static str, f64)| -> Vec<String> {
        let findings = of_rules(&[
            ("issue-slots-idle", "0-4", 9.0, None),
            ("pipes-idle", second.0, second.1, None),
        ]);
        let rules = findings.iter().filter(|found| found.rule.is_some());
        rules.map(|found| found.text.clone()).collect()
    };
    let joined = texts(("0-3", 8.9));
    assert_eq!(joined.len(), 1);
    assert!(joined[0].ends_with("all compute pipes are mostly idle” (R, on 4 of them)."));
    // On little of the time, and on others.
    for apart in [("0-1", 0.1), ("1-5", 9.0)] {
        let texts = texts(apart);
        assert_eq!(texts.len(), 2);
        assert!(texts.iter().all(|text| !text.contains("The same cause")), "{texts:?}");
    }
}

/// ncu's estimate of more occupancy is none of a larger grid.
#[test]
fn an_estimate_of_occupancy_is_none_of_the_grid() {
    let findings = of_rules(&[("occupancy-of-small-grid", "0-9", 10.0, Some(7.5))]);
    let found = finding(&findings, "occupancy-of-small-grid");
    assert!(found.gain.is_none());
}

/// Advice of which nothing is left is worth nothing, not what its launches take.
#[test]
fn a_gain_of_nothing_is_minor() {
    let findings = of_rules(&[("bank-conflicts-load", "0-9", 10.0, Some(0.0))]);
    assert!(finding(&findings, "bank-conflicts-load").is_minor());
}

/// A few broken results are said, with how many they are, after what is worth doing; many come first in all outputs.
#[test]
fn broken_results_come_first_where_they_are_many() {
    let first = |results: u64| {
        let mut told = run();
        let said = cause("not-measured", "", 0, 0.0, "gemv");
        let broken = rangescope_model::document::RuleSummary {
            results,
            time_ms: None,
            kind: "ok".to_owned(),
            ..said
        };
        told.reports[0].regions[1].set.causes = vec![broken];
        let insight = Insight::of(&told);
        let all: Vec<String> =
            insight.findings(&told, false).iter().map(|(_, found)| found.title.clone()).collect();
        let screen: Vec<String> = insight
            .worth_doing_first(&told, 3)
            .iter()
            .map(|(_, found)| found.title.clone())
            .collect();
        assert_eq!(screen, all[..screen.len()]);
        let title = all.iter().find(|title| title.contains("broken")).unwrap().clone();
        (title, all[0].contains("broken"))
    };
    let title = |few: &str| {
        format!("A broken measurement: ncu measured nothing here ({few} of 100 results)")
    };
    assert_eq!(first(24), (title("24"), false));
    assert_eq!(first(25), (title("25"), true));
}

/// The heaviest kernel of a run has a sentence on its limit, whatever limits most of the run.
#[test]
fn the_heaviest_kernel_says_what_limits_it() {
    let kernels = vec![
        limited(kernel("stencil", 1, 4.0, &[]), Limit::Compute, Some("fp64")),
        limited(kernel("copy", 1, 3.5, &[]), Limit::Memory, Some("dram")),
        limited(kernel("scan", 1, 2.5, &[]), Limit::Memory, Some("dram")),
    ];
    let mut told = region(&["A"], kernels);
    told.set.causes = vec![
        cause("limited-by-dram", "dram", 1, 6.0, "copy"),
        cause("limited-by-compute", "fp64", 0, 4.0, "stencil"),
        cause("limited-by-latency", "", 2, 0.1, "tiny"),
    ];
    let insight = Insight::of(&document(vec![told], Vec::new()));
    let findings = &insight.reports[0].regions[0].findings;
    let limits = findings.iter().filter(|found| found.outcome.starts_with("limited-by"));
    let limits: Vec<&str> = limits.map(|found| found.outcome.as_str()).collect();
    assert_eq!(limits, ["limited-by-dram", "limited-by-compute"]);
}

/// What takes work off what computes is beside the limit of launches, and of a run, that memory limits.
#[test]
fn launches_and_the_run_decide_what_is_beside_the_limit() {
    let is_beside = |limit: Limit, beside_ms: f64| {
        let mut told = region(&["A"], vec![limited(kernel("k", 10, 10.0, &[]), limit, None)]);
        let rule = told_of(rule("R", 10, None, "k"), "0-9", 10.0, None);
        told.set.rules = vec![rangescope_model::document::RuleSummary {
            outcome: "double-arithmetic".to_owned(),
            beside_ms: Some(beside_ms),
            ..rule
        }];
        let insight = Insight::of(&document(vec![told], Vec::new()));
        finding(&insight.reports[0].regions[0].findings, "double-arithmetic").beside_the_limit
    };
    assert!(is_beside(Limit::Compute, 6.0));
    assert!(!is_beside(Limit::Compute, 4.0));
    assert!(is_beside(Limit::Memory, 4.0));
}
