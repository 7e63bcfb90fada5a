//! Which region a result counts to.

use super::common::{Run, Sample, attributed, check, codes, in_words, region, samples};
use rangescope_analyze::aggregate::normalisation;

#[test]
fn a_result_belongs_to_the_innermost_range_and_counts_in_those_around_it() {
    check(
        &attributed("k: A\n k: A/B\n k: A/B/C"),
        "
        A 3/1
          A::B 2/1
            A::B::C 1/1
        outside 0, all 3",
    );
}

#[test]
fn siblings_stand_in_order_of_first_appearance_below_their_parent() {
    check(
        &attributed("k: Z\n k: A/b\n k: Z/y\n k: A/a\n k: Z/x"),
        "
        Z 3/1
          Z::y 1/1
          Z::x 1/1
        A 2/0
          A::b 1/1
          A::a 1/1
        outside 0, all 5",
    );
}

#[test]
fn results_without_a_range_stand_apart() {
    check(
        &attributed("k:\n k: A\n k:"),
        "
        A 1/1
        outside 2, all 3",
    );
}

#[test]
fn a_result_counts_once_in_each_domain() {
    let text = "k: A/B lib@X\n k: lib@X/Y";
    check(
        &attributed(text),
        "
        A 1/0
          A::B 1/1
        lib@X 2/1
          lib@X::Y 1/1
        outside 0, all 2",
    );
    assert!(codes(&Run::new(samples(text)).outcome()).contains(&"overlapping-trees"));
    assert!(!codes(&Run::new(samples("k: A")).outcome()).contains(&"overlapping-trees"));
}

#[test]
fn start_end_ranges_do_not_nest_and_all_open_ones_count() {
    check(
        &attributed("k: ~S ~T\n k: ~T A\n k: ~S"),
        "
        ~S 2/2
        ~T 2/2
        A 1/1
        outside 0, all 3",
    );
}

#[test]
fn the_same_start_end_range_twice_counts_once() {
    check(
        &attributed("k: ~S ~S"),
        "
        ~S 1/1
        outside 0, all 1",
    );
}

#[test]
fn equal_names_inside_each_other_are_different_regions() {
    check(
        &attributed("k: A\n k: A/A\n k: A/A/A"),
        "
        A 3/1
          A::A 2/1
            A::A::A 1/1
        outside 0, all 3",
    );
}

#[test]
fn a_name_that_repeats_its_parent_shows_like_one_that_does_not() {
    let report = Run::new(samples("k: A/A::A1\n k: A/A2")).aggregate();
    let first = region(&report, "A::A1");
    assert_eq!((first.parent, first.depth), (Some(0), 1));
    assert_eq!(first.path, ["A", "A::A1"]);
    let second = region(&report, "A::A2");
    assert_eq!((second.parent, second.depth), (Some(0), 1));
    assert_eq!(second.path, ["A", "A2"]);
}

#[test]
fn a_start_end_range_and_a_push_pop_range_of_one_name_are_different_regions() {
    check(
        &attributed("k: A ~A"),
        "
        A 1/1
        ~A 1/1
        outside 0, all 1",
    );
}

#[test]
fn empty_names_make_regions_too() {
    let report = Run::new(samples("k: A/<>/B\n k: <>")).aggregate();
    assert_eq!(report.regions.len(), 4);
    assert_eq!(report.unlabeled.kernel_count, 0);
    assert_eq!(report.regions[3].path, [""]);
}

#[test]
fn two_entries_of_one_domain_make_one_stack() {
    check(
        &attributed("k: A B"),
        "
        A 1/0
          A::B 1/1
        outside 0, all 1",
    );
}

#[test]
fn names_are_folded_before_regions_are_made() {
    let mut run = Run::new(samples("k: layers.0/attn\n k: layers.1/attn\n k: layers.2"));
    run.options.normalisation = normalisation(&["layers".to_owned()]).unwrap();
    let report = run.aggregate();
    check(
        &in_words(&report),
        "
        layers.* 3/1
          layers.*::attn 2/2
        outside 0, all 3",
    );
    let folded: Vec<u64> =
        report.selection.normalisation.iter().map(|rule| rule.names_folded).collect();
    assert_eq!(folded, [3, 0, 0]);
    let split = run.outcome_in_parts(&[1, 2]);
    assert_eq!(split, run.outcome(), "names that several parts fold count once");
}

#[test]
fn a_stack_that_never_ends_is_cut_and_said_so() {
    let mut sample = Sample::parse("k");
    sample.push("d", vec!["x".to_owned(); 10_000]);
    let run = Run::new(vec![sample, Sample::parse("k: A")]);
    let outcome = run.outcome();
    assert!(codes(&outcome).contains(&"stack-too-deep"));
    let report = run.aggregate();
    let deepest = report.regions.iter().map(|region| region.depth).max();
    assert_eq!(deepest, Some(255));
    assert_eq!(report.regions[0].set.kernel_count, 1);
    assert_eq!(report.totals.kernel_count, 2);
}

#[test]
fn very_long_names_are_kept_while_paths_stay_bounded() {
    let long = "n".repeat(10_000);
    let mut sample = Sample::parse("k");
    sample.push("d", vec![long.clone(); 300]);
    let report = Run::new(vec![sample]).aggregate();
    assert_eq!(report.regions[0].name, long);
    assert!(
        report
            .regions
            .iter()
            .all(|region| region.path.iter().map(String::len).sum::<usize>() <= 256 * 1024)
    );
    assert!(report.regions.len() > 20);
}

#[test]
fn domains_of_one_name_are_trees_of_their_own() {
    let text = "
        k: lib@A lib#2@B
        k: lib#2@A/C
        k: lib@A
    ";
    check(
        &attributed(text),
        "
        lib@A 2/2
        lib#2@B 1/1
        lib#2@A 1/0
          lib#2@A::C 1/1
        outside 0, all 3
        ",
    );
    let outcome = Run::new(samples(text)).outcome();
    let note = outcome.notes.iter().find(|note| note.code == "domains-of-one-name").unwrap();
    assert!(note.message.contains("`lib#2`"), "{note:?}");
    // ncu's filters know the name alone, so the name selects both; with the number it is one of them.
    let selected = |pattern: &str| Run::new(samples(text)).select(&[pattern]).aggregate();
    assert_eq!(selected("lib@A").totals.kernel_count, 3);
    assert_eq!(selected("lib#2@A").totals.kernel_count, 1);
}

#[test]
fn what_nobody_can_place_is_not_called_unlabeled() {
    let reported = |text| Run::new(samples(text)).aggregate();
    let [all, some, none] = ["k: A\n k: ?\n k: ?", "k: A\n k: ?\n k:", "k: A\n k:"].map(|text| {
        let report = reported(text);
        (report.unlabeled_name(), report.unplaced.kernel_count, report.unplaced.total_ms)
    });
    assert_eq!(all, ("(unknown)", 2, 0.002));
    assert_eq!(some, ("(unlabeled or unknown)", 1, 0.001));
    assert_eq!(none, ("(unlabeled)", 0, 0.0));
}
