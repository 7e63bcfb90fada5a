//! Names that try to act.

use super::exports::text;
use rangescope_analyze::compare::{CompareOptions, Gate, compare};
use rangescope_model::comparison::Comparison;
use rangescope_testing::documents::hostile::{acting, fill, names};
use rangescope_testing::documents::{document, kernel, region};

/// A comparison in which everything that can be named has the name.
fn compared(name: &str) -> Comparison {
    let side = |ms: f64| {
        let mut one = region(&[name], vec![kernel(name, 1, ms, &[(name, 1.0)])]);
        one.domain = format!("<img src=x>\n{name}");
        let mut made = document(vec![one], Vec::new());
        fill(&mut made, name);
        made
    };
    let options = CompareOptions {
        gates: vec![Gate::parse("*: time > 5%").unwrap()],
        metrics: vec![name.to_owned()],
        ..CompareOptions::default()
    };
    compare(&[side(1.0)], &[side(2.0)], &options)
}

#[test]
fn no_format_lets_a_name_act() {
    for name in names() {
        let comparison = compared(&name);
        for format in ["terminal", "markdown", "github", "junit"] {
            let shown = text(&comparison, format, 100);
            assert_eq!(acting(&shown), None, "{format}: {name:?}");
            if format != "terminal" {
                assert!(!shown.contains("<script") && !shown.contains("<img"), "{format}: {shown}");
            }
            if format == "junit" {
                assert!(!shown.contains('\u{ffff}') && !shown.contains("]]>"), "{shown}");
            }
            if matches!(format, "markdown" | "github") {
                assert!(!shown.contains("[x]("), "{format}: {shown}");
                assert!(!shown.contains("https://"), "{format}: {shown}");
                assert!(!shown.contains("@someone") && !shown.contains("`code`"), "{format}");
                assert!(!shown.lines().any(|line| line.starts_with("# head")), "{format}");
            }
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

#[test]
fn no_line_is_wider_than_the_screen() {
    for name in names() {
        let comparison = compared(&name);
        for columns in [50, 60, 80, 200] {
            for line in text(&comparison, "terminal", columns).lines() {
                let width = rangescope_model::text::width(line);
                assert!(width <= columns, "{columns}: {name:?}: {line}");
            }
        }
    }
}
