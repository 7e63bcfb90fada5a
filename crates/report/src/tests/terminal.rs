//! The screen.

use rangescope_model::document::{Basis, Method, RegionDocument};
use rangescope_testing::documents::measured;

use super::support::{exported_with, kernels, plain};
use crate::formats::{ExportOptions, markdown, terminal};
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
fn without_regions_and_kernels_the_screen_still_says_something() {
    insta::assert_snapshot!(screen(&document(Vec::new()), 100), @"
    run.ncu-rep · NVIDIA A100-SXM4-80GB · ncu 2024.1.1.0 · 12 results · 10.000 ms GPU time

    this report lists no kernels

    No NVTX range was open in any result: mark the parts of your program with NVTX ranges, then
    `rangescope profile -- PROGRAM` reports by region.

    More: `rangescope advice` says why and what else; --format html is a page to explore, --format
    markdown shows every metric, section and rule; --out DIR writes a folder with all of them
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
    for width in WIDTHS {
        fits(&screen(&document, width), width);
    }
}

/// Screens that are laid out for; narrower ones get the first.
const WIDTHS: [usize; 6] = [50, 60, 80, 100, 120, 200];

#[track_caller]
fn fits(screen: &str, width: usize) {
    for line in screen.lines() {
        assert!(rangescope_model::text::width(line) <= width, "{width}: {line}");
    }
}

#[test]
fn a_report_of_kernels_keeps_to_the_screen_and_leaves_no_number_half() {
    for width in WIDTHS {
        for document in [kernels(1), kernels(5)] {
            let screen = screen(&document, width);
            fits(&screen, width);
            assert!(screen.contains("1,234,567 cycle") && screen.contains("6.000"), "{screen}");
        }
    }
}

#[test]
fn a_kernel_is_shown_as_on_ncus_details_page() {
    insta::assert_snapshot!(screen(&kernels(1), 100));
}

#[test]
fn of_several_kernels_each_has_its_own_numbers() {
    insta::assert_snapshot!(screen(&kernels(2), 60));
}

#[test]
fn metrics_that_were_asked_for_have_columns_beside_the_usual_ones() {
    let mut document = sample();
    for report in &mut document.reports {
        report.selection.metrics = vec!["dram__bytes.sum".to_owned()];
        let bytes = measured(302_809_980.0, "byte", Method::Sum, 4);
        report.totals.metrics.insert("dram__bytes.sum".to_owned(), bytes.clone());
        for region in &mut report.regions {
            region.set.metrics.insert("dram__bytes.sum".to_owned(), bytes.clone());
            for kernel in &mut region.set.kernels {
                kernel.metrics.insert("dram__bytes.sum".to_owned(), bytes.clone());
            }
        }
    }
    let wide = screen(&document, 100);
    let heads: Vec<&str> = wide.lines().filter(|line| line.ends_with("dram__bytes.sum")).collect();
    assert_eq!(heads.len(), 2, "{wide}");
    assert!(heads.iter().all(|head| head.contains("SM %  DRAM %")), "{heads:?}");
    assert!(wide.contains("302.81 MB"), "{wide}");
    let narrow = screen(&document, 60);
    fits(&narrow, 60);
    assert!(narrow.contains("no room for 1 metric; see --format markdown"), "{narrow}");
    let markdown = exported_with(markdown::write, &document, &ExportOptions::default());
    assert!(markdown.contains("| SM % | DRAM % | `dram__bytes.sum` |"), "{markdown}");
}

#[test]
fn ranges_are_counted_as_ranges() {
    let mut document = document(vec![region(&["A"], 1.0, 1.0)]);
    document.reports.iter_mut().for_each(|report| report.basis = Basis::Range);
    let shown = screen(&document, 100);
    assert!(shown.contains("Ranges") && !shown.contains("Kernels"), "{shown}");
    let markdown = exported_with(markdown::write, &document, &ExportOptions::default());
    assert!(markdown.contains("| Region | Total ms | Ranges |"), "{markdown}");
}
