//! Expressions for common selectors, and that on random stacks they select what the selectors select.

mod generate;
mod real;

use ncu_rep::filter::NvtxFilter;
use proptest::prelude::*;
use rangescope_model::region::RangeKind;
use rangescope_model::select::RegionSelector;

use self::generate::{Domains, any_selector, any_state, nvtx_state};
use super::{Compiled, Repeats, compile, compile_region};

fn selector(text: &str) -> RegionSelector {
    RegionSelector::parse(&[text.to_owned()]).unwrap().remove(0)
}

/// Several selectors, any of which may match.
fn compile_all(selectors: &[RegionSelector], repeats: Repeats) -> Compiled {
    Compiled::join(selectors.iter().map(|selector| compile(selector, repeats).unwrap()))
}

fn compiled(text: &str, repeats: Repeats) -> String {
    let compiled = compile(&selector(text), repeats).unwrap();
    format!(
        "{}{}",
        compiled.expressions().join("  "),
        if compiled.is_exact() { "" } else { "  and more" }
    )
}

#[test]
fn a_name_becomes_one_expression_for_each_kind() {
    let check =
        |text: &str, expected: &str| assert_eq!(compiled(text, Repeats::Possible), expected);
    check("decode", r"regex:.*@\A(?:decode)\z/  regex:.*@\A(?:decode)\z");
    check("decode*", r"regex:.*@\A(?:decode.*)\z/  regex:.*@\A(?:decode.*)\z");
    check("*", "regex:.*@.*/  regex:.*@.*");
    check("**", "regex:.*@.*/  regex:.*@.*");
    check("LLM@*", r"regex:\A(?:LLM)\z@.*/  regex:\A(?:LLM)\z@.*");
    check("LLM@decode", "LLM@decode/  LLM@decode");
    check(r"LLM@a\/b", r"regex:\A(?:LLM)\z@\A(?:a\/b)\z/  regex:\A(?:LLM)\z@\A(?:a\/b)\z");
    check(
        "regex:.*attn.*",
        r"regex:.*@\A(?:(?:[^\x0A]*attn[^\x0A]*))\z/  regex:.*@\A(?:(?:[^\x0A]*attn[^\x0A]*))\z",
    );
    check("ncu:A/*/B]", "A/*/B]");
    assert!(compile(&selector("ncu:A@"), Repeats::Possible).is_err());
}

#[test]
fn display_names_become_paths() {
    assert_eq!(compiled("d@A::A1", Repeats::Absent), "d@A::A1/  d@[A/A1/  d@A::A1");
    assert_eq!(compiled("d@A::A1", Repeats::Possible), "d@A::A1/  d@[A/A1/  d@A::A1  and more");
    assert_eq!(
        compiled("d@a::b::c", Repeats::Absent),
        "d@a::b::c/  d@[a/b::c/  d@[a::b/c/  d@[a/b/c/  d@[a/a::b/c/  d@a::b::c"
    );
    // `A` inside `A` shows as `A::A`; ncu sees only one of them.
    assert_eq!(compiled("d@A::A", Repeats::Possible), "d@A::A/  d@[A/  d@A::A  and more");
}

#[test]
fn paths_are_anchored_at_the_bottom() {
    let absent = |text: &str, expected: &str| assert_eq!(compiled(text, Repeats::Absent), expected);
    let possible =
        |text: &str, expected: &str| assert_eq!(compiled(text, Repeats::Possible), expected);
    absent("d@A/B", "d@[A/B/");
    possible("d@A/B", "d@[A/B/  and more");
    absent("d@A/**/B", "d@[A/*/B/");
    possible("d@A/**/B", "d@[A/*/B/");
    absent("d@A/**", "d@[A/  d@A");
    absent("d@**/A", "d@A/  d@A");
    absent("d@**/A/B", "d@A/B/");
    possible("d@**/A/B", "d@A/*/B/  d@B/*/A/  and more");
    absent("A/*", "regex:.*@[(?:A)/.*/");
    // Or the child has the name of its parent, and cannot be seen.
    possible("A/*", r"regex:.*@[\A(?:A)\z/  and more");
    possible("layers.*/attn", r"regex:.*@[(?:layers\..*)/(?:attn)/  and more");
    possible("*/attn", r"regex:.*@[.*/  and more");
    absent("A*/**/AB", "regex:.*@[(?:A.*)/.*/*/(?:AB)/");
}

#[test]
fn long_patterns_end_and_select_more_rather_than_less() {
    let state: Domains = vec![("d", vec![&*"a".repeat(6_000).leak()], Vec::new())];
    for text in [
        "*a".repeat(5_000),
        "a::".repeat(3_000) + "b",
        "?*:".repeat(3_000),
        vec!["*a*"; 2_000].join("/**/"),
    ] {
        let selector = selector(&text);
        let wanted = selected_by_selector(&selector, &state);
        for repeats in [Repeats::Possible, Repeats::Absent] {
            let expressions = compile(&selector, repeats).unwrap().expressions();
            assert!(!expressions.is_empty(), "{}", &text[..20]);
            let taken = selected_by_ncu(&expressions, &state);
            assert!(taken || !wanted, "{}: {:?}", &text[..20], &expressions[0][..20]);
        }
    }
}

#[test]
fn a_known_region_is_named_by_its_path() {
    let path = ["A".to_owned(), "A1".to_owned()];
    let of = |domain, kind, repeats| compile_region(domain, &path, kind, repeats);
    assert_eq!(
        of("<default domain>", RangeKind::PushPop, Repeats::Absent).expressions(),
        ["<default domain>@[A/A1/"]
    );
    assert!(!of("x", RangeKind::PushPop, Repeats::Possible).is_exact());
    let range = compile_region("x", &["S*".to_owned()], RangeKind::StartEnd, Repeats::Possible);
    assert_eq!(
        (range.expressions(), range.is_exact()),
        (vec![r"regex:\A(?:x)\z@\A(?:S\*)\z".to_owned()], true)
    );
}

#[test]
fn chains_come_last_and_each_in_a_domain_of_its_own() {
    let selectors: Vec<RegionSelector> =
        ["a/b*", "c*", "d/e*", "f/*/g", "x@a/b*"].map(selector).into();
    assert_eq!(
        compile_all(&selectors, Repeats::Absent).expressions(),
        [
            r"regex:.*@\A(?:c.*)\z/",
            "regex:.*@[(?:a)/(?:b.*)/",
            "regex:.*(?:){1}@[(?:d)/(?:e.*)/",
            "regex:.*(?:){2}@[(?:f)/.*/(?:g)/",
            r"regex:\A(?:x)\z@[(?:a)/(?:b.*)/",
            r"regex:.*@\A(?:c.*)\z",
        ]
    );
    let with_foreign: Vec<RegionSelector> = ["a/b*", "ncu:regex:.*@A/B/", "c"].map(selector).into();
    let expressions = compile_all(&with_foreign, Repeats::Absent).expressions();
    assert_eq!(
        expressions,
        [
            r"regex:.*@\A(?:c)\z/",
            "regex:.*(?:){1}@[(?:a)/(?:b.*)/",
            r"regex:.*@\A(?:c)\z",
            "regex:.*@A/B/"
        ]
    );
}

#[test]
fn start_end_ranges_get_one_domain() {
    let together = |texts: &[&str]| {
        let selectors: Vec<RegionSelector> = texts.iter().map(|text| selector(text)).collect();
        let compiled = compile_all(&selectors, Repeats::Absent);
        let expressions = compiled.expressions();
        let start_end: Vec<String> =
            expressions.into_iter().filter(|expression| !expression.ends_with('/')).collect();
        (start_end.join("  "), compiled.is_exact())
    };
    let exact =
        |texts: &[&str], expected: &str| assert_eq!(together(texts), (expected.to_owned(), true));
    let more =
        |texts: &[&str], expected: &str| assert_eq!(together(texts), (expected.to_owned(), false));
    exact(&["a", "b"], r"regex:.*@\A(?:a)\z  regex:.*@\A(?:b)\z");
    exact(&["x@a", "x@b"], "x@a  x@b");
    exact(&["x@a", "x@b*"], r"regex:\A(?:x)\z@\A(?:a)\z  regex:\A(?:x)\z@\A(?:b.*)\z");
    exact(&["ncu:S"], "S");
    more(&["x@a", "b"], r"regex:.*@\A(?:a)\z  regex:.*@\A(?:b)\z");
    more(&["x@a", "y@a"], r"regex:.*@\A(?:a)\z");
    more(&["a", "ncu:S"], "regex:.*@.*  S");
    exact(&["a", "ncu:S/"], r"regex:.*@\A(?:a)\z");
}

fn selected_by_selector(selector: &RegionSelector, state: &Domains) -> bool {
    state.iter().any(|(domain, stack, open)| {
        let named = |path: &[&str]| selector.names(domain, path);
        (1..=stack.len()).any(|depth| named(&stack[..depth]))
            || open.iter().any(|name| named(&[name]))
    })
}

fn selected_by_ncu(expressions: &[String], state: &Domains) -> bool {
    NvtxFilter::parse(expressions, &[] as &[&str]).unwrap().selects(Some(&nvtx_state(state)))
}

fn has_repeats(state: &Domains) -> bool {
    state.iter().any(|(_, stack, _)| (1..stack.len()).any(|at| stack[..at].contains(&stack[at])))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3_000, ..ProptestConfig::default() })]

    #[test]
    fn ncu_selects_what_the_selector_selects(
        text in any_selector(),
        states in prop::collection::vec(any_state(), 1..12),
    ) {
        let Ok(mut parsed) = RegionSelector::parse(std::slice::from_ref(&text)) else { return Ok(()) };
        let selector = parsed.remove(0);
        for repeats in [Repeats::Possible, Repeats::Absent] {
            let compiled = compile(&selector, repeats).unwrap();
            for state in &states {
                if repeats == Repeats::Absent && has_repeats(state) {
                    continue;
                }
                let wanted = selected_by_selector(&selector, state);
                let taken = selected_by_ncu(&compiled.expressions(), state);
                prop_assert!(
                    if compiled.is_exact() { wanted == taken } else { taken || !wanted },
                    "{text} ({repeats:?}) on {state:?}: wanted {wanted}, {compiled:?} takes {taken}"
                );
            }
        }
    }
}
