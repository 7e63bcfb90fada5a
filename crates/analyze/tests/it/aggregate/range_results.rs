//! Results of range replay: each stands for a whole range.

use super::common::{Run, Sample, codes, region, report};
use rangescope_model::document::{Basis, ScopeReport};

fn ranges(texts: &[(&str, f64)]) -> Run {
    Run::new(texts.iter().map(|(text, time)| Sample::parse(text).time(*time).range()).collect())
}

fn report_of(run: &Run) -> ScopeReport {
    report(&run.outcome(), "aggregate", Basis::Range)
}

#[test]
fn what_was_measured_of_a_region_stands_for_everything_in_it() {
    let report =
        report_of(&ranges(&[("range: A", 10e6), ("range: A/B", 3e6), ("range: A/C", 4e6)]));
    let outer = region(&report, "A");
    assert_eq!((outer.set.total_ms, outer.exclusive_ms), (Some(10.0), Some(3.0)));
    assert_eq!((outer.set.kernel_count, outer.exclusive_kernel_count), (1, 1));
    assert_eq!(report.totals.total_ms, Some(10.0));
    assert_eq!(region(&report, "A::B").set.total_ms, Some(3.0));
    assert!(outer.exclusive_metrics.as_ref().unwrap().is_empty());
}

#[test]
fn a_region_that_was_not_measured_is_the_union_of_those_below() {
    let report = report_of(&ranges(&[("range: A/B", 3e6), ("range: A/C", 4e6), ("range:", 5e6)]));
    let outer = region(&report, "A");
    assert_eq!((outer.set.total_ms, outer.exclusive_ms), (Some(7.0), Some(0.0)));
    assert_eq!((outer.set.kernel_count, outer.exclusive_kernel_count), (2, 0));
    assert_eq!((report.totals.total_ms, report.unlabeled.total_ms), (Some(12.0), Some(5.0)));
}

#[test]
fn parts_that_take_longer_than_the_whole_leave_the_rest_unknown() {
    let outcome = ranges(&[("range: A", 2e6), ("range: A/B", 3e6)]).outcome();
    let report = report(&outcome, "aggregate", Basis::Range);
    assert_eq!(region(&report, "A").exclusive_ms, None);
    let note = outcome.notes.iter().find(|note| note.code == "exclusive-unknown").unwrap();
    assert!(note.message.contains("`A`"), "{}", note.message);
}

#[test]
fn processes_captured_at_different_levels_are_not_lost() {
    let mut run = ranges(&[("range: A", 10e6), ("range: A/B", 4e6)]);
    run.processes
        .push(rangescope_model::launch::ProcessInfo { pid: Some(200), ..Default::default() });
    run.samples[1].process = 1;
    let report = report_of(&run);
    assert_eq!(
        (region(&report, "A").set.total_ms, report.totals.total_ms),
        (Some(14.0), Some(14.0))
    );
}

#[test]
fn a_result_is_an_instance_of_the_innermost_region_that_was_selected() {
    let report = report_of(&ranges(&[("range: A/B/C", 3e6)]).select(&["A/B"]));
    assert_eq!(report.regions.len(), 1);
    assert_eq!(
        (report.regions[0].name.as_str(), report.regions[0].exclusive_kernel_count),
        ("A::B", 1)
    );
}

#[test]
fn kernel_and_range_results_are_reported_apart() {
    let mut run = ranges(&[("range: A", 10e6)]);
    run.samples.push(Sample::parse("k: A").time(1e6));
    let outcome = run.outcome();
    assert!(codes(&outcome).contains(&"mixed-basis"));
    assert_eq!(report(&outcome, "aggregate", Basis::Kernel).totals.total_ms, Some(1.0));
    assert_eq!(report(&outcome, "aggregate", Basis::Range).totals.total_ms, Some(10.0));
    assert_eq!(outcome.reports.len(), 6);
}
