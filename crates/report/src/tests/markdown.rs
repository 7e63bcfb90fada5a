//! The Markdown report.

use super::support::{exported, exported_with, kernels};
use crate::formats::{ExportOptions, markdown};
use rangescope_testing::documents::sample::{DRAM, busy, document, region, sample, two_ranks};

#[test]
fn a_run_as_markdown() {
    insta::assert_snapshot!(exported(markdown::write, &sample()));
}

#[test]
fn without_an_aggregate_each_scope_has_its_turn() {
    let mut document = two_ranks();
    document.reports.remove(0);
    let text = exported(markdown::write, &document);
    let headings: Vec<&str> = text.lines().filter(|line| line.starts_with('#')).take(16).collect();
    insta::assert_snapshot!(headings.join("\n"), @r"
    # NCU Region Reports
    ## Summary
    ### Scope: process:41 (python3, host n1, rank 0)
    ### Scope: process:42 (python3, host n1, rank 1)
    ### Scope: device:0
    ### Scope: device:1
    ### Scopes
    ## Worth doing first
    ## Selected Sections
    ## Selected Metrics
    ## Region: prefill
    ### Scope: process:41 (python3, host n1, rank 0)
    #### Top Kernels
    #### Metrics
    ### Scope: process:42 (python3, host n1, rank 1)
    #### Top Kernels
    ");
}

#[test]
fn a_region_is_compared_between_scopes() {
    let text = exported(markdown::write, &two_ranks());
    let table = text[text.rfind("### Scopes").unwrap()..].split("\n## ").next().unwrap();
    insta::assert_snapshot!(table.trim_end(), @r"
    ### Scopes

    | Scope | Total ms | Results | Exclusive ms | Share | SM % | DRAM % |
    |---|---:|---:|---:|---:|---:|---:|
    | process:41 (python3, host n1, rank 0) | 9.000 | 4 | 9.000 | 90.0 % | \~90.0 | 33.2 |
    | process:42 (python3, host n1, rank 1) | 9.000 | 4 | 9.000 | 90.0 % | \~90.0 | 33.2 |
    ");
}

#[test]
fn simulated_data_says_so_before_anything_else() {
    let mut document = sample();
    document.simulated = true;
    let text = exported(markdown::write, &document);
    assert_eq!(text.lines().nth(2).map(|line| line.starts_with("> **Simulated.**")), Some(true));
}

#[test]
fn a_selector_that_matched_nothing_is_reported() {
    let mut document = document(vec![region(&["A"], 1.0, 1.0)]);
    document.reports[0].selection.regions = vec!["A".to_owned(), "- B".to_owned()];
    document.reports[0].selection.regions_not_seen = vec!["- B".to_owned()];
    let text = exported(markdown::write, &document);
    assert!(text.contains("## Selected Regions\n\n- A\n- \\- B (**not seen**)\n"), "{text}");
}

#[test]
fn only_so_many_metrics_are_shown_and_the_rest_is_counted() {
    let mut one = region(&["A"], 1.0, 1.0);
    for number in 0..60 {
        let (_, metric) = busy(1.0, 1.0).pop().unwrap();
        one.set.metrics.insert(format!("m{number}.sum"), metric);
    }
    let document = document(vec![one]);
    let short = exported(markdown::write, &document);
    assert!(short.contains("| `m37.sum` |") && !short.contains("`m38.sum`"));
    assert!(short.contains("… 22 more are in"));
    let full = ExportOptions { max_metrics: None, ..ExportOptions::default() };
    assert!(exported_with(markdown::write, &document, &full).contains("`m59.sum`"));
}

#[test]
fn a_document_without_results_is_still_a_report() {
    let mut document = document(Vec::new());
    document.reports.clear();
    assert!(exported(markdown::write, &document).contains("## Summary\n\nThere are no results.\n"));
    assert!(!exported(markdown::write, &document).contains(DRAM));
}

#[test]
fn a_report_without_ranges_tells_everything_of_each_kernel() {
    let text = exported(markdown::write, &kernels(1));
    for rule in 0..12 {
        assert!(text.contains(&format!("- **Rule {rule}** (")), "{rule}: {text}");
    }
    assert!(text.contains("may gain 30.0 % of the time here"), "{text}");
    assert!(text.contains("\n#### Source Counters\n"), "{text}");
    assert!(text.contains("| Elapsed Cycles | 1,234,567 | cycle |"), "{text}");
    assert!(text.contains("then `rangescope profile -- PROGRAM` reports by region."), "{text}");
    let several = exported(markdown::write, &kernels(3));
    let headings: Vec<&str> = several.lines().filter(|line| line.starts_with("## ")).collect();
    insta::assert_snapshot!(headings.join("\n"), @r"
    ## Summary
    ## Worth doing first
    ## Selected Sections
    ## Selected Metrics
    ## Kernel: void ns::sort_0&lt;ns::Tile&lt;(int)64&gt;, float&gt;(float \*, int)
    ## Kernel: void ns::sort_1&lt;ns::Tile&lt;(int)64&gt;, float&gt;(float \*, int)
    ## Kernel: void ns::sort_2&lt;ns::Tile&lt;(int)64&gt;, float&gt;(float \*, int)
    ## (all)
    ## Sources
    ");
}

#[test]
fn what_the_device_is_comes_behind_what_was_measured() {
    let mut one = region(&["A"], 1.0, 1.0);
    let (_, metric) = busy(1.0, 1.0).pop().unwrap();
    for name in ["device__attribute_chip", "launch__grid_size", "sm__inst.sum"] {
        one.set.metrics.insert(name.to_owned(), metric.clone());
    }
    let text = exported(markdown::write, &document(vec![one]));
    let place = |name: &str| text.find(&format!("| `{name}` |")).unwrap();
    assert!(place("sm__inst.sum") < place("launch__grid_size"));
    assert!(place("launch__grid_size") < place("device__attribute_chip"));
}
