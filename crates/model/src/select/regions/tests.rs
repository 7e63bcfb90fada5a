//! Selectors against regions written as `domain@path/of/names`.

use super::{SelectorKind, compile, split_list};
use crate::select::{SelectError, SelectorProblem};

fn selects(selector: &str, domain: &str, path: &[&str]) -> bool {
    let compiled = compile(&[selector.to_owned()], None).unwrap();
    let display = path.join("::");
    compiled.iter().any(|selector| match &selector.kind {
        SelectorKind::Pattern(pattern) => pattern.matches(domain, path, &display),
        SelectorKind::Predicate(_) => false,
    })
}

#[test]
fn one_segment_matches_at_any_depth_by_own_or_display_name() {
    assert!(selects("decode*", "d", &["run", "decode_1"]));
    assert!(selects("A::A1", "d", &["A", "A1"]));
    assert!(selects("A1", "d", &["A", "A1"]));
    assert!(!selects("A", "d", &["A", "A1"]));
    assert!(selects("*", "d", &[""]));
}

#[test]
fn several_segments_are_the_path_from_the_root() {
    assert!(selects("A/B", "d", &["A", "B"]));
    assert!(!selects("A/B", "d", &["X", "A", "B"]));
    assert!(selects("**/A/B", "d", &["X", "A", "B"]));
    assert!(selects("A/**/B", "d", &["A", "B"]));
    assert!(selects("A/**/B", "d", &["A", "x", "y", "B"]));
    assert!(selects("A/**", "d", &["A"]));
    assert!(selects("**/a/**/b", "d", &["a", "x", "a", "b", "b"]));
    assert!(!selects("A/*", "d", &["A"]));
    assert!(selects("layers.?/att*", "d", &["layers.3", "attention"]));
}

#[test]
fn domains_are_matched_when_given() {
    assert!(selects("LLM@*", "LLM", &["x"]));
    assert!(!selects("LLM@*", "other", &["x"]));
    assert!(selects("<default domain>@x", "<default domain>", &["x"]));
}

#[test]
fn escapes_make_special_characters_literal() {
    assert!(selects(r"a\/b", "d", &["a/b"]));
    assert!(selects(r"\*\?\@\;\\", "d", &[r"*?@;\"]));
    assert!(!selects(r"\*", "d", &["x"]));
}

#[test]
fn regular_expressions_match_whole_segments() {
    assert!(selects(r"regex:layers\.\d+/attn", "d", &["layers.17", "attn"]));
    assert!(!selects(r"regex:layers\.\d+", "d", &["layers.17.attn"]));
    assert!(selects("regex:a|b", "d", &["b"]));
    assert!(!selects("regex:a|b", "d", &["bb"]));
    assert!(selects(r"regex:x\/y", "d", &["x/y"]));
    assert!(selects("regex:D.*@**/b", "Dom", &["a", "b"]));
}

#[test]
fn lists_split_at_semicolons() {
    let split = |text: &str| split_list(&[text.to_owned()]);
    assert_eq!(split("a; b ;c"), ["a", "b", "c"]);
    assert_eq!(split("a;"), ["a"]);
    assert_eq!(split(r"a\;b"), [r"a\;b"]);
    assert_eq!(split(" a "), [" a "]);
    assert_eq!(split(""), [""]);
}

#[test]
fn mistakes_name_the_position() {
    let problem = |selector: &str| match compile(&[selector.to_owned()], None).unwrap_err() {
        SelectError::Selector { position, problem, .. } => (position, problem),
        other => panic!("{other}"),
    };
    assert_eq!(problem(""), (0, SelectorProblem::Empty));
    assert_eq!(problem("regex:"), (6, SelectorProblem::Empty));
    assert_eq!(problem("A/"), (2, SelectorProblem::EmptySegment));
    assert_eq!(problem("/A"), (0, SelectorProblem::EmptySegment));
    assert_eq!(problem("d@A//B"), (4, SelectorProblem::EmptySegment));
    assert_eq!(problem("@A"), (0, SelectorProblem::EmptyDomain));
    assert_eq!(problem("d@"), (2, SelectorProblem::EmptyDomain));
    assert_eq!(problem("a@b@c"), (3, SelectorProblem::SecondDomain));
    let error = compile(&["regex:a(b".to_owned()], None).unwrap_err();
    assert!(matches!(&error, SelectError::Regex { position: Some(1), .. }), "{error}");
    assert!(!error.hint().is_empty());
    assert!(matches!(
        compile(&["ncu:A/".to_owned()], None),
        Err(SelectError::NcuUnavailable { .. })
    ));
}
