//! Data that no honest program writes must not break anything.

use super::common::{Run, Sample, codes};
use rangescope_analyze::aggregate::{Analysis, AnalysisOptions, Partial};
use rangescope_model::launch::{
    Launch, LaunchKind, MetricId, OpenRanges, RuleMessage, SectionId, Vocabulary,
};

#[test]
fn an_analysis_can_be_shared_and_a_partial_sent() {
    fn is_shared<T: Send + Sync>() {}
    fn is_sent<T: Send>() {}
    is_shared::<Analysis<'_>>();
    is_sent::<Partial>();
}

#[test]
fn handles_that_mean_nothing_are_ignored() {
    let vocabulary = Vocabulary { metrics: vec!["a__b.sum".to_owned()], ..Vocabulary::default() };
    let analysis = Analysis::new(&AnalysisOptions::default(), &vocabulary).unwrap();
    let domains = [OpenRanges { domain: "", push_pop: vec!["", ""], start_end: vec![(0, "")] }];
    let rules = [RuleMessage {
        rule: "",
        name: "",
        section: "",
        kind: "",
        title: "@",
        text: "@@section",
        speedup: Some((f64::NAN, "")),
    }];
    let launch = Launch {
        kind: LaunchKind::Graph,
        process: usize::MAX,
        device: Some(u32::MAX),
        function: "",
        demangled: "",
        mangled: "",
        grid: None,
        block: Some([u64::MAX; 3]),
        domains: &domains,
        numbers: &[(MetricId(0), f64::MAX), (MetricId(u32::MAX), 1.0), (MetricId(7), f64::NAN)],
        texts: &[(MetricId(u32::MAX), "text"), (MetricId(0), "text")],
        sections: &[SectionId(u32::MAX), SectionId(0)],
        rules: &rules,
    };
    let mut partial = analysis.partial();
    for _ in 0..3 {
        partial.add(&analysis, &launch);
    }
    let outcome = analysis.finish(partial, &[]);
    let report = outcome.reports.last().unwrap();
    assert_eq!((report.totals.kernel_count, report.regions.len()), (3, 3));
    let summary = &report.totals.metrics["a__b.sum"];
    assert_eq!((&summary.value, summary.covered), (&None, 3), "the sum left the range of numbers");
    assert!(summary.reason.is_some());
}

#[test]
fn a_region_per_launch_is_survived_and_remarked() {
    let samples = (0..1_500).map(|number| {
        let mut sample = Sample::parse("k");
        sample.push("d", vec!["step".to_owned(), format!("aten::copy_, op_id = {number}")]);
        sample
    });
    let run = Run::new(samples.collect());
    let outcome = run.outcome();
    assert!(codes(&outcome).contains(&"many-regions"));
    assert_eq!(outcome.reports[0].regions.len(), 1_501);
}

#[test]
fn odd_characters_are_kept_in_names() {
    let odd = ["a\nb", "\u{0}", "..", "a/b", "CON", "\u{202e}txt", "💥", &"é".repeat(5_000)];
    let samples = odd.map(|name| {
        let mut sample = Sample::parse("k");
        sample.push("d", vec![name.to_owned()]);
        sample
    });
    let report = Run::new(samples.to_vec()).aggregate();
    assert_eq!(report.regions.iter().map(|region| region.name.as_str()).collect::<Vec<_>>(), odd);
}
