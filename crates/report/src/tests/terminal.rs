//! The screen.

use rangescope_model::document::{Basis, RegionDocument};

use super::support::{exported_with, plain};
use crate::formats::{ExportOptions, terminal};
use rangescope_testing::documents::sample::{document, region, sample, two_ranks};

fn screen(document: &RegionDocument, width: usize) -> String {
    let options = ExportOptions { width, ..ExportOptions::default() };
    plain(&exported_with(terminal::write, document, &options))
}

#[test]
fn a_run_fits_one_screen() {
    insta::assert_snapshot!(screen(&sample(), 100));
}

#[test]
fn a_narrow_screen_has_no_bars() {
    insta::assert_snapshot!(screen(&sample(), 80));
}

#[test]
fn several_ranks_get_a_table_of_scopes() {
    let mut document = two_ranks();
    document.simulated = true;
    insta::assert_snapshot!(screen(&document, 100));
}

#[test]
fn without_an_aggregate_each_scope_has_a_tree() {
    let mut document = two_ranks();
    document.reports.remove(0);
    insta::assert_snapshot!(screen(&document, 90));
}

#[test]
fn kernel_and_range_results_are_shown_apart() {
    let mut document = document(vec![region(&["A"], 1.0, 1.0)]);
    let mut ranges = document.reports[0].clone();
    ranges.basis = Basis::Range;
    document.reports.push(ranges);
    let screen = screen(&document, 100);
    assert!(screen.contains("\naggregate: 10.000 ms, 12 results\nRegion"), "{screen}");
    assert!(
        screen.contains("\naggregate (whole ranges): 10.000 ms, 12 results\nRegion"),
        "{screen}"
    );
}

#[test]
fn colours_are_only_ever_on_top_of_words() {
    let mut document = sample();
    document.simulated = true;
    let coloured = exported_with(terminal::write, &document, &ExportOptions::default());
    assert!(coloured.contains("\u{1b}["));
    assert!(plain(&coloured).contains("SIMULATED") && plain(&coloured).contains("\nwarning: "));
}

#[test]
fn without_regions_the_kernels_are_shown() {
    insta::assert_snapshot!(screen(&document(Vec::new()), 100), @"
    run.ncu-rep · NVIDIA A100-SXM4-80GB · ncu 2024.1.1.0 · 12 results · 10.000 ms GPU time

    Region       Total ms  Excl. ms            Share  Kernels  SM %  DRAM %
    no result was in a selected NVTX range; mark parts of the program to see regions
    (unlabeled)     0.500            ▍          5.0%        1     –       –

    Top kernels    Total ms   Share  Calls   SM %  DRAM %
    outside of all regions
      fill(int *)     0.500  100.0%      1  ~50.0    25.0

    ~ is an estimate: a weighted mean, not what one measurement of the whole region would give

    More: `rangescope advice` says why and what else; --format html is a page to explore, --format
    markdown shows every metric, section and rule; --out DIR writes a folder with a report per region
    ");
}

#[test]
fn nothing_at_all_is_no_reason_to_fail() {
    let mut document = document(Vec::new());
    document.reports.clear();
    document.sources.clear();
    document.devices.clear();
    assert!(screen(&document, 0).starts_with("0 results\n"));
}

#[test]
fn only_the_heaviest_regions_are_shown_with_those_around_them() {
    let document = document(vec![
        region(&["a"], 4.0, 1.0),
        region(&["a", "small"], 0.5, 0.5),
        region(&["a", "b"], 2.5, 0.25),
        region(&["a", "b", "c"], 2.25, 2.25),
        region(&["d"], 1.0, 1.0),
    ]);
    let options = ExportOptions { max_regions: 3, ..ExportOptions::default() };
    let screen = plain(&exported_with(terminal::write, &document, &options));
    let tree: Vec<&str> = screen.lines().skip(3).take(4).collect();
    insta::assert_snapshot!(tree.join("\n"), @"
    a               4.000     1.000  ███▎      40.0%        4  ~40.0    33.2
    └ b             2.500     0.250  ██        25.0%        4  ~25.0    33.2
      └ c           2.250     2.250  █▊        22.5%        4  ~22.5    33.2
    … 2 more regions, 1.500 ms exclusive
    ");
}

#[test]
fn no_line_is_wider_than_the_screen() {
    let segments: Vec<String> =
        (0..60).map(|level| format!("a_rather_long_name_{level}")).collect();
    let regions = (1..=60)
        .map(|depth| {
            let path: Vec<&str> = segments[..depth].iter().map(String::as_str).collect();
            region(&path, 5.0, 0.1)
        })
        .collect();
    let document = document(regions);
    for width in [80, 100, 120, 200] {
        for line in screen(&document, width).lines() {
            assert!(rangescope_model::text::width(line) <= width, "{width}: {line}");
        }
    }
}
