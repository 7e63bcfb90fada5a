//! Parsing, error messages, oddities of ncu that the recorded cases do not hold, and hostile input.

use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::{Expression, FilterError, FilterProblem, NvtxFilter};
use crate::{DEFAULT_DOMAIN, NvtxDomain, NvtxRange, NvtxState};

fn ranges(names: &[&str]) -> Vec<NvtxRange<'static>> {
    names
        .iter()
        .map(|name| NvtxRange { name: (*name).to_owned().into(), ..NvtxRange::default() })
        .collect()
}

fn state_in(domain: &str, push_pop: &[&str], start_end: &[&str]) -> NvtxState<'static> {
    NvtxState {
        domains: vec![NvtxDomain {
            name: domain.to_owned().into(),
            push_pop: ranges(push_pop),
            start_end: ranges(start_end),
        }],
        ..NvtxState::default()
    }
}

fn on_stack(expression: &str, stack: &[&str]) -> bool {
    Expression::parse(expression).unwrap().matches(&state_in(DEFAULT_DOMAIN, stack, &[]))
}

fn on_open(expression: &str, open: &[&str]) -> bool {
    Expression::parse(expression).unwrap().matches(&state_in(DEFAULT_DOMAIN, &[], open))
}

fn error(expression: &str) -> FilterError {
    Expression::parse(expression).unwrap_err()
}

#[test]
fn errors_say_what_where_and_how_to_fix_it() {
    assert_eq!(
        error("dom@").to_string(),
        "invalid NVTX filter `dom@` at position 4: the part after `@` is empty; write a range after it, such as `domain@name/` for push/pop or `domain@name` for start/end, or `\\@` if it belongs to a name"
    );
    assert_eq!(
        error("regex:A/(B").to_string(),
        "invalid NVTX filter `regex:A/(B` at position 8: the group is not closed; correct the regular expression, or drop `regex:` to match the name as it is"
    );
    assert_eq!(
        error("regex:A(?=B)/").to_string(),
        "invalid NVTX filter `regex:A(?=B)/` at position 7: look-around (`(?=…)`, `(?!…)`, `(?<=…)`, `(?<!…)`) is not supported here; use plain groups, classes and repetitions"
    );
}

#[test]
fn errors_know_their_position() {
    let expected = [
        ("@A/", 0),
        ("A@", 2),
        ("a@b@c/", 3),
        ("/", 0),
        ("//", 0),
        ("dom@/", 4),
        ("*/A", 0),
        ("dom@+/A", 4),
        ("regex:*/A", 6),
        (r"\@A/", 0),
        ("regex:A/)B", 8),
        ("regex:A/[B", 8),
        (r"regex:(A)\1/", 9),
        ("regex:A/*]", 8),
        ("regex:A**/", 8),
        (r"regex:A\", 7),
        ("regex:dom(@A/", 9),
    ];
    for (expression, position) in expected {
        assert_eq!(error(expression).position, position, "{expression}");
    }
    assert_eq!(
        error(&"x".repeat(70_000)).problem,
        FilterProblem::TooLong { length: 70_000, limit: 65_536 }
    );
    assert_eq!(
        error(&format!("regex:{}", "a/".repeat(300))).problem,
        FilterProblem::TooManyRegexes { count: 300, limit: 256 }
    );
    assert!(matches!(error("regex:(a{1000}){1000}/").problem, FilterProblem::RegexTooBig { .. }));
}

/// Each was tried on ncu 2024.1.1 with a report written for it.
#[test]
fn oddities_of_ncu() {
    // Anchors belong to names, also in the middle of a chain.
    assert!(on_stack("A/*/[A", &["A", "B"]) && !on_stack("A/*/[A", &["B", "A"]));
    assert!(on_stack("A]/*/A", &["B", "A"]) && !on_stack("A/[B", &["A", "B"]));
    assert!(on_stack("A/B]/*", &["A", "B"]) && !on_stack("A/B]/*", &["A", "B", "C"]));
    // A lone bracket: `]` is a name, `[` an empty name at the bottom.
    assert!(
        on_stack("]", &["A", "]", "B"]) && on_stack("A/]", &["A", "]"]) && on_stack("[", &[""])
    );
    assert!(on_stack("[A]", &["A]", "B"]) && !on_stack("[A]", &["A"]));
    // An empty name is a name of start/end ranges.
    assert!(on_open("", &[""]) && on_open(",S", &["S", ""]) && !on_open("", &["S"]));
    // A doubled backslash protects nothing from being a separator, but stays doubled; before brackets and the like it halves.
    assert!(on_stack(r"A\\/B", &[r"A\\", "B"]) && on_stack(r"\\[/", &[r"\["]));
    // Empty parts between `@` do not count.
    let state = state_in("dom", &["A"], &[]);
    assert!(
        Expression::parse("dom@@A/").unwrap().matches(&state)
            && Expression::parse("@dom@A/").unwrap().matches(&state)
    );
    assert!(Expression::parse("regex:@A/").unwrap().matches(&state));
    assert!(Expression::parse(r"<default domain>@\@A/").unwrap().matches(&state_in(
        DEFAULT_DOMAIN,
        &["@A"],
        &[]
    )));
    // In regular-expression mode a slash at the start follows an empty name and does not make it push/pop.
    assert!(
        on_stack("regex:/A/", &["", "A"])
            && !on_stack("regex:/A/", &["A"])
            && on_open("regex:/A", &["x/A"])
    );
    assert!(on_stack("regex:A//B", &["A", "B"]) && on_stack("regex:B]/", &["B]", "C"]));
    assert!(on_open("regex:/[ST/]", &["xT"]) && on_stack("regex:A/[B/]", &["A", "B"]));
}

#[test]
fn regular_expressions_mean_what_boost_means() {
    let matching = [
        ("regex:^b$/", "a\nb\nc"),
        ("regex:a.c/", "a\nc"),
        ("regex:gr....e/", "größe"),
        ("regex:gr[ö]/", "größe"),
        (r"regex:\<A\>/", "x A y"),
        (r"regex:\QA+\E/", "A+"),
        (r"regex:A\Z/", "A\n"),
        (r"regex:^\l\u\h\'/", "aB "),
        ("regex:a{b}/", "a{b}"),
        ("regex:/[[x]/", "["),
        ("regex:/[x&&y]/", "&"),
        ("regex:/[+--]/", ","),
        ("regex:/[]x]/", "]"),
        ("regex:(?i)RANGE(?#note)/", "range"),
        ("regex:(?<name>A)|(?:B)/", "B"),
        (r"regex:\x41\x{42}\cI/", "AB\t"),
        ("regex:/[[:digit:][:^upper:]]/", "1"),
        ("regex:A||B/", "anything"),
    ];
    for (expression, name) in matching {
        assert!(on_stack(expression, &[name]), "{expression} on {name}");
    }
    assert!(!on_stack("regex:gr..e/", &["größe"]), "two bytes are not two letters");
    for unsupported in [
        r"regex:(a)\1",
        "regex:a*+",
        "regex:(?>a)",
        "regex:(?<!a)b",
        r"regex:\p{L}",
        "regex:/[[.a.]/]",
        "regex:(?R)",
    ] {
        assert!(
            matches!(error(unsupported).problem, FilterProblem::UnsupportedRegex(_)),
            "{unsupported}"
        );
    }
}

#[test]
fn a_filter_takes_what_is_included_and_not_excluded() {
    let nothing: &[&str] = &[];
    let everything = NvtxFilter::parse(nothing, nothing).unwrap();
    assert!(
        everything.is_empty() && everything.selects(None) && NvtxFilter::default().selects(None)
    );
    let state = state_in(DEFAULT_DOMAIN, &["A", "B"], &["S"]);
    let selects = |include: &[&str], exclude: &[&str]| {
        NvtxFilter::parse(include, exclude).unwrap().selects(Some(&state))
    };
    assert!(selects(&["X/", "S"], &[]) && !selects(&["A/"], &["B]"]) && selects(&[], &["X/"]));
    assert!(
        !NvtxFilter::parse(nothing, &["X/"]).unwrap().selects(None),
        "a result without NVTX state passes no filter"
    );
}

#[test]
fn hostile_expressions_take_little_time() {
    let name = "a".repeat(300);
    let names: Vec<String> = (0..400).map(|number| format!("{name}{number}")).collect();
    let stack: Vec<&str> = names.iter().map(String::as_str).collect();
    let start = Instant::now();
    assert!(!on_stack(&format!("regex:{}b", "(a*)*.*/*/".repeat(200)), &stack));
    assert!(!on_stack(&format!("{}b", "a/*/".repeat(10_000)), &stack));
    assert!(start.elapsed() < Duration::from_secs(20), "took {:?}", start.elapsed());
}

/// Texts made of the characters that have a meaning, more often than of any others.
fn expressions() -> impl Strategy<Value = String> {
    prop_oneof![
        r"(regex:)?[AB/\[\]*+,@\\]{0,12}",
        r"regex:[AB/\[\]*+?.,@\\(){}|^$0-9:=!<>#Q-]{0,16}",
        ".*"
    ]
}

proptest! {
    #[test]
    fn nothing_panics_or_hangs(expression in expressions(), stack in prop::collection::vec(r"[AB/\[\]*+,@\\ö]{0,4}", 0..6), open in prop::collection::vec(".{0,6}", 0..4)) {
        let start = Instant::now();
        let (stack, open): (Vec<&str>, Vec<&str>) = (stack.iter().map(String::as_str).collect(), open.iter().map(String::as_str).collect());
        match Expression::parse(&expression) {
            Ok(parsed) => {
                parsed.matches(&state_in(DEFAULT_DOMAIN, &stack, &open));
                prop_assert_eq!(parsed.as_str(), &expression);
            }
            Err(error) => prop_assert!(error.position <= expression.len() && error.to_string().contains(" at position ")),
        }
        prop_assert!(start.elapsed() < Duration::from_secs(5));
    }

    /// A name with every special character escaped matches itself and only itself.
    #[test]
    fn an_escaped_name_matches_itself(name in r"[AB/\[\]*+,@ ö.]{1,6}", other in "[AB/@]{1,3}") {
        let escaped: String = name.chars().flat_map(|character| r"@,[]/*+".contains(character).then_some('\\').into_iter().chain([character])).collect();
        let (push_pop, start_end) = (format!("{DEFAULT_DOMAIN}@{escaped}/"), format!("{DEFAULT_DOMAIN}@{escaped}"));
        prop_assert!(on_stack(&push_pop, &[&other, &name]));
        prop_assert_eq!(on_stack(&push_pop, &[&other]), name == other);
        prop_assert!(on_open(&start_end, &[&name]));
    }
}
