//! Names that try to act.

use super::exports::text;
use rangescope_analyze::compare::{CompareOptions, Gate, compare};
use rangescope_testing::documents::{document, kernel, region};

const HOSTILE: [&str; 10] = [
    "<script>alert(1)</script>",
    "a|b|c",
    "\u{1b}[35mpurple\u{1b}[39m",
    "line\nbreak\r\n# head",
    "[x](javascript:alert(1)) @someone #1 https://x.example",
    "`code` ``more``",
    "\u{202e}backwards",
    "]]> & \"quotes\" 'single'",
    "",
    "\u{0}\u{ffff}\u{7f}",
];

#[test]
fn no_format_lets_a_name_act() {
    let with = |ms: f64| {
        let mut regions: Vec<_> = HOSTILE
            .iter()
            .map(|name| region(&[name], vec![kernel(name, 1, ms, &[(name, 1.0)])]))
            .collect();
        for region in &mut regions {
            region.domain = "<img src=x>\n".to_owned();
        }
        let mut made = document(regions, Vec::new());
        made.sources = Vec::new();
        made
    };
    let options = CompareOptions {
        gates: vec![Gate::parse("*: time > 5%").unwrap()],
        metrics: HOSTILE.iter().map(|&name| name.to_owned()).collect(),
        ..CompareOptions::default()
    };
    let comparison = compare(&[with(1.0)], &[with(2.0)], &options);
    for format in ["terminal", "markdown", "github", "junit"] {
        let shown = text(&comparison, format, 100);
        assert!(!shown.contains('\u{1b}') && !shown.contains('\0'), "{format}");
        assert!(!shown.contains('\u{202e}') && !shown.contains('\r'), "{format}");
        if format != "terminal" {
            assert!(!shown.contains("<script") && !shown.contains("<img"), "{format}: {shown}");
        }
        if format == "junit" {
            assert!(!shown.contains('\u{ffff}') && !shown.contains("]]>"), "{shown}");
        }
        if matches!(format, "markdown" | "github") {
            assert!(!shown.contains("[x]("), "{format}");
            assert!(!shown.contains("https://"), "{format}");
            assert!(!shown.contains("@someone") && !shown.contains("`code`"), "{format}");
            assert!(!shown.lines().any(|line| line.starts_with("# head")), "{format}");
        }
    }
}

#[test]
fn very_long_names_stay_short() {
    let name = "x".repeat(20_000);
    let with = |ms| document(vec![region(&[&name], vec![kernel(&name, 1, ms, &[])])], Vec::new());
    let comparison = compare(&[with(1.0)], &[with(2.0)], &CompareOptions::default());
    for format in ["terminal", "markdown", "github"] {
        let shown = text(&comparison, format, 80);
        assert!(shown.len() < 4_000, "{format}: {}", shown.len());
    }
}
