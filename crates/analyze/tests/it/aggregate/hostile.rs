//! Data that no honest program writes must not break anything.

use super::common::{Run, Sample};
use rangescope_analyze::aggregate::{Analysis, AnalysisOptions, Outcome, Partial};
use rangescope_model::launch::{
    DeviceId, Launch, LaunchKind, MetricId, OpenRanges, RuleMessage, SectionId, Vocabulary,
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
    let domains =
        [OpenRanges { domain: "", nth: 0, push_pop: vec!["", ""], start_end: vec![(0, "")] }];
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
        index: 0,
        large: &[],
        kind: LaunchKind::Graph,
        process: usize::MAX,
        device: Some(DeviceId { index: u32::MAX, pci: None }),
        function: "",
        demangled: "",
        mangled: "",
        grid: None,
        block: Some([u64::MAX; 3]),
        domains: &domains,
        is_placed: false,
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

/// A run with a region of its own for every launch, named by its number.
fn a_region_per_launch(launches: usize, name: impl Fn(usize) -> String) -> Outcome {
    let samples = (0..launches).map(|number| {
        let mut sample = Sample::parse("k");
        sample.push("d", vec!["step".to_owned(), name(number)]);
        sample
    });
    Run::new(samples.collect()).outcome()
}

#[test]
fn a_wide_tree_is_remarked_with_the_preset_that_helps() {
    let said = |outcome: &Outcome| -> Option<String> {
        let mut notes = outcome.notes.iter();
        notes.find(|note| note.code == "many-regions").map(|note| note.message.clone())
    };
    let family = a_region_per_launch(1_500, |number| format!("aten::copy_, op_id = {number}"));
    assert_eq!(family.reports[0].regions.len(), 1_501);
    assert_eq!(said(&family), None, "a family takes them together");
    let shape = |number: usize| format!("aten::mm, sizes = [[{}8]]", "4, ".repeat(number));
    assert_eq!(said(&a_region_per_launch(50, shape)), None, "few enough to be read");
    let shapes = said(&a_region_per_launch(51, shape)).unwrap();
    assert_eq!(
        shapes,
        "51 regions lie side by side in `step` and no family takes them together; `--normalise pytorch` makes 1 of them."
    );
    let word = |number: usize| "ab".repeat(number + 1);
    let words = said(&a_region_per_launch(51, word)).unwrap();
    assert!(words.contains("a rule of your own") && words.contains("`ab`"), "{words}");
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
