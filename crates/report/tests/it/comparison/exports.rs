//! The formats, as they look.

use rangescope_analyze::compare::{CompareOptions, Gate, compare};
use rangescope_model::comparison::Comparison;
use rangescope_model::document::{KernelSummary, RegionDocument, SourceInfo};
use rangescope_report::{ExportOptions, FORMATS, Format};
use rangescope_testing::documents::{kernel, run, totals};

/// Three runs a side: prefill slower, attention faster, twice as many launches outside of regions, a kernel that is new, and one whose time nobody knows.
fn comparison() -> Comparison {
    let side = |prefill: f64, attn: f64, name: &str| -> Vec<RegionDocument> {
        let runs = [1.0, 1.01, 0.99, 1.005, 0.995].into_iter().enumerate().map(|(at, noise)| {
            let mut made = run(prefill * noise, attn * noise, 2.0 - noise);
            made.sources = vec![SourceInfo {
                file: format!("{name}{at}.ncu-rep"),
                format: "ncu-rep".to_owned(),
                profiler: Some(if name == "new" { "2024.3" } else { "2024.1" }.to_owned()),
                results: 151,
                lost: 0,
            }];
            let failed =
                KernelSummary { total_ms: None, mean_ms: None, ..kernel("failed", 1, 0.0, &[]) };
            made.reports[0].totals.kernels.push(if name == "new" {
                failed
            } else {
                kernel("failed", 1, 0.5, &[])
            });
            made
        });
        runs.collect()
    };
    let (base, mut new) = (side(1.0, 1.0, "base"), side(1.5, 0.5, "new"));
    for (made, noise) in new.iter_mut().zip([1.0, 1.002, 0.998, 1.001, 0.999]) {
        made.reports[0].unlabeled = totals(vec![kernel("memset", 2, 2.0 * noise, &[])]).into();
        let extra = kernel("void extra<float, (int)4>(float *)", 3, 0.25, &[]);
        made.reports[0].totals.kernels.push(extra);
    }
    let gates = ["prefill: time > 5%", "decode: time > 2%", "nowhere: time > 1ms"];
    let options = CompareOptions {
        gates: gates.iter().map(|gate| Gate::parse(gate).unwrap()).collect(),
        base_names: vec!["monday".to_owned()],
        new_names: vec!["tuesday".to_owned()],
        ..CompareOptions::default()
    };
    compare(&base, &new, &options)
}

/// What a format writes, without the colours that it adds.
pub(crate) fn text(comparison: &Comparison, format: &str, width: usize) -> String {
    let mut text = coloured(comparison, format, width);
    for code in ["\u{1b}[0m", "\u{1b}[1m", "\u{1b}[31m", "\u{1b}[32m"] {
        text = text.replace(code, "");
    }
    text
}

fn coloured(comparison: &Comparison, format: &str, width: usize) -> String {
    let options = ExportOptions { width, ..ExportOptions::default() };
    let new = [run(1.2, 0.5, 1.0)];
    let mut bytes = Vec::new();
    let writer = Format::find(format).unwrap().comparison.unwrap();
    writer(comparison, &new, &options, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

#[test]
fn terminal() {
    insta::assert_snapshot!(text(&comparison(), "terminal", 100));
}

#[test]
fn narrow_terminal() {
    let shown = text(&comparison(), "terminal", 60);
    insta::assert_snapshot!(shown);
    for line in shown.lines() {
        assert!(rangescope_model::text::width(line) <= 60, "{line}");
    }
}

#[test]
fn what_is_slower_is_red_and_a_format_without_colours_has_none() {
    assert!(coloured(&comparison(), "terminal", 100).contains("\u{1b}[31mprefill"));
    for format in FORMATS.iter().filter(|format| format.comparison.is_some() && !format.coloured) {
        let shown = coloured(&comparison(), format.name, 100);
        assert!(!shown.contains('\u{1b}'), "{}", format.name);
    }
}

#[test]
fn markdown() {
    insta::assert_snapshot!(text(&comparison(), "markdown", 100));
}

#[test]
fn github() {
    insta::assert_snapshot!(text(&comparison(), "github", 100));
}

#[test]
fn junit() {
    insta::assert_snapshot!(text(&comparison(), "junit", 100));
}

#[test]
fn json_is_the_comparison() {
    let comparison = comparison();
    let read: Comparison = serde_json::from_str(&text(&comparison, "json", 100)).unwrap();
    assert_eq!(read.scopes.len(), 1);
    assert_eq!(read.gates, comparison.gates);
    assert_eq!(read.notes, comparison.notes);
}

#[test]
fn every_format_writes_an_empty_comparison() {
    let empty = compare(&[], &[], &CompareOptions::default());
    for format in FORMATS.iter().filter(|format| format.comparison.is_some()) {
        assert!(!text(&empty, format.name, 80).is_empty(), "{}", format.name);
    }
}
