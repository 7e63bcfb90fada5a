//! Choosing regions, kernels, metrics and sections.

use super::common::{Run, Sample, check, codes, in_words, region, samples};
use rangescope_analyze::aggregate::Analysis;
use rangescope_model::KernelNameBase;
use rangescope_model::launch::{OpenRanges, SectionInfo};
use rangescope_model::select::{RegionPredicate, SelectError};

const STEPS: &str = "
    a: step/decode/attn
    b: step/decode/mlp
    c: step/prefill/attn
    d: step
    e:";

fn selected(selectors: &[&str]) -> String {
    in_words(&Run::new(samples(STEPS)).select(selectors).aggregate())
}

#[test]
fn a_selected_region_brings_what_is_below_but_not_what_is_around() {
    check(
        &selected(&["decode"]),
        "
          step::decode 2/0
            step::decode::attn 1/1
            step::decode::mlp 1/1
        outside 0, all 2",
    );
}

#[test]
fn one_segment_selects_at_any_depth_several_from_the_root() {
    check(
        &selected(&["attn"]),
        "
            step::decode::attn 1/1
            step::prefill::attn 1/1
        outside 0, all 2",
    );
    check(
        &selected(&["step/*/mlp"]),
        "
            step::decode::mlp 1/1
        outside 0, all 1",
    );
    assert_eq!(selected(&["attn; mlp"]), selected(&["attn", "mlp"]));
}

#[test]
fn what_is_left_out_wins_over_what_is_selected() {
    let leave_out = |selectors: &[&str], excluded: &[&str]| {
        let mut run = Run::new(samples(STEPS)).select(selectors);
        run.options.exclude_regions = excluded.iter().map(|&text| text.to_owned()).collect();
        run
    };
    check(
        &in_words(&leave_out(&["step"], &["decode", "nowhere"]).aggregate()),
        "
        step 2/1
          step::prefill 1/0
            step::prefill::attn 1/1
        outside 0, all 2",
    );
    check(
        &in_words(&leave_out(&[], &["step/**/attn; mlp"]).aggregate()),
        "
        step 1/1
        outside 1, all 2",
    );
    let report = leave_out(&[], &["mlp;attn"]).aggregate();
    assert_eq!(report.selection.regions_exclude, ["mlp", "attn"]);
    assert_eq!((report.selection.results_seen, report.selection.results_selected), (5, 2));
}

#[test]
fn what_the_capture_was_to_collect_and_did_not_is_listed() {
    let mut run = Run::new(vec![Sample::parse("a: A").with("dram__bytes.sum", 1.0)]);
    let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    run.options.expected_metrics = names(&["dram__bytes", "dram__bytes.sum", "dram__byte", "x.y"]);
    run.options.expected_sections = names(&["Occupancy"]);
    let selection = run.aggregate().selection;
    assert_eq!(selection.metrics_not_found, ["dram__byte", "x.y"]);
    assert_eq!(selection.sections_not_found, ["Occupancy"]);
    assert!(selection.metrics.is_empty() && selection.sections.is_empty());
}

#[test]
fn the_report_says_which_selector_named_a_region() {
    let report = Run::new(samples(STEPS)).select(&["mlp", "dec*"]).aggregate();
    let selector = |name: &str| region(&report, name).selection.selector.clone();
    assert_eq!(selector("step::decode").as_deref(), Some("dec*"));
    assert_eq!(selector("step::decode::attn").as_deref(), Some("dec*"));
    assert_eq!(selector("step::decode::mlp").as_deref(), Some("mlp"));
    assert_eq!((report.selection.results_seen, report.selection.results_selected), (5, 2));
}

#[test]
fn a_selector_that_names_nothing_is_reported_with_what_there_is() {
    let outcome = Run::new(samples(STEPS)).select(&["decod", "attn"]).outcome();
    assert_eq!(outcome.reports[0].selection.regions_not_seen, ["decod"]);
    let note = outcome.notes.iter().find(|note| note.code == "region-not-seen").unwrap();
    assert!(note.message.contains("`decode`"), "{}", note.message);
    assert!(!codes(&outcome).contains(&"nothing-selected"));
}

#[test]
fn a_selector_hidden_behind_another_counts_as_seen() {
    let report = Run::new(samples(STEPS)).select(&["*", "attn"]).aggregate();
    assert!(report.selection.regions_not_seen.is_empty());
}

#[test]
fn an_empty_selection_is_said_and_is_no_error() {
    let outcome = Run::new(samples(STEPS)).select(&["nowhere"]).outcome();
    assert!(codes(&outcome).contains(&"nothing-selected"));
    let report = &outcome.reports[0];
    assert!(report.regions.is_empty());
    assert_eq!((report.totals.kernel_count, report.selection.results_seen), (0, 5));
    assert!(codes(&Run::new(Vec::new()).outcome()).contains(&"nothing-selected"));
}

#[test]
fn expressions_of_ncu_select_results_and_show_all_their_regions() {
    let compiler = |expression: &str| -> Result<Box<dyn RegionPredicate>, String> {
        let wanted = expression.strip_suffix('/').ok_or("no push/pop expression")?.to_owned();
        Ok(Box::new(move |domains: &[OpenRanges<'_>]| {
            domains.iter().any(|domain| domain.push_pop.contains(&wanted.as_str()))
        }))
    };
    let outcome = Run::new(samples(STEPS)).select(&["ncu:mlp/"]).outcome_with_ncu(&compiler);
    let report =
        super::common::report(&outcome, "aggregate", rangescope_model::document::Basis::Kernel);
    check(
        &in_words(&report),
        "
        step 1/0
          step::decode 1/0
            step::decode::mlp 1/1
        outside 0, all 1",
    );
    assert_eq!(region(&report, "step").selection.selector.as_deref(), Some("ncu:mlp/"));
    assert_eq!(region(&report, "step").selection.results_seen, 1);
    let run = Run::new(samples(STEPS)).select(&["ncu:nothing/"]);
    assert_eq!(
        run.outcome_with_ncu(&compiler).reports[0].selection.regions_not_seen,
        ["ncu:nothing/"]
    );
    let vocabulary = rangescope_model::launch::Vocabulary::default();
    let refused = Analysis::with_ncu(
        &Run::new(Vec::new()).select(&["ncu:x"]).options,
        &vocabulary,
        &compiler,
    );
    assert!(matches!(refused, Err(SelectError::NcuExpression { .. })));
}

#[test]
fn kernels_that_are_left_out_are_still_counted_as_seen() {
    let mut run = Run::new(samples("gemm: A\n copy: A/B\n gemm: A"));
    run.options.kernel_include = vec!["glob:ge*".to_owned()];
    let outcome = run.outcome();
    let report = run.aggregate();
    check(
        &in_words(&report),
        "
        A 2/2
        outside 0, all 2",
    );
    let a = region(&report, "A");
    assert_eq!((a.selection.results_seen, a.selection.results_selected), (3, 2));
    assert_eq!((report.selection.results_seen, report.selection.results_selected), (3, 2));
    assert!(codes(&outcome).contains(&"kernels-left-out"));
}

#[test]
fn an_exact_name_that_matches_nothing_gets_a_suggestion() {
    let samples = vec![Sample::parse("gemm: A").demangled("void gemm<float>(int)")];
    let mut run = Run::new(samples);
    run.options.kernel_include = vec!["gemm".to_owned()];
    let outcome = run.outcome();
    let note = outcome.notes.iter().find(|note| note.code == "nothing-matched").unwrap();
    assert!(note.message.contains("`glob:*gemm*`"), "{}", note.message);
    assert!(note.message.contains("`void gemm<float>(int)`"), "{}", note.message);
    run.options.kernel_name_base = KernelNameBase::Function;
    assert_eq!(run.aggregate().totals.kernels[0].kernel_name, "gemm");
}

#[test]
fn metrics_are_chosen_by_name_or_wildcard() {
    let mut run = Run::new(vec![
        Sample::parse("k: A").with("sm__a.sum", 1.0).with("sm__b.sum", 2.0).with("lts__c.sum", 3.0),
    ]);
    run.options.metrics = vec!["sm__*".to_owned(), "nope.sum".to_owned()];
    let outcome = run.outcome();
    let report = run.aggregate();
    assert_eq!(
        region(&report, "A").set.metrics.keys().collect::<Vec<_>>(),
        ["sm__a.sum", "sm__b.sum"]
    );
    assert_eq!(report.selection.metrics_not_found, ["nope.sum"]);
    assert!(codes(&outcome).contains(&"metric-not-found"));
    assert_eq!(
        report.totals.kernels[0].metrics.len(),
        2,
        "few metrics that were asked for are shown per kernel"
    );
}

#[test]
fn sections_are_chosen_by_identifier_or_title() {
    let section = |id: &str, name: &str, order| SectionInfo {
        id: id.to_owned(),
        name: name.to_owned(),
        order,
        header: vec![
            ("a__b.sum".to_owned(), "Bytes".to_owned()),
            ("not__there.sum".to_owned(), "Gone".to_owned()),
        ],
    };
    let mut run = Run::new(vec![
        Sample::parse("k: A").with("a__b.sum", 1.0).section(0).section(1),
        Sample::parse("k: A").with("a__b.sum", 2.0).section(1),
    ]);
    run.sections = vec![section("Late", "Shown late", 9), section("Early", "Shown early", 1)];
    let all = run.aggregate();
    let sections = &region(&all, "A").set.sections;
    assert_eq!(
        sections.iter().map(|section| (section.id.as_str(), section.covered)).collect::<Vec<_>>(),
        [("Early", 2), ("Late", 1)]
    );
    assert_eq!(sections[0].metrics.len(), 1);
    assert_eq!(sections[0].metrics[0].label, "Bytes");
    run.options.sections = vec!["Shown l*".to_owned(), "Missing".to_owned()];
    let some = run.aggregate();
    assert_eq!(region(&some, "A").set.sections.len(), 1);
    assert_eq!(some.selection.sections_not_found, ["Missing"]);
}
