//! Random selectors and random states, with few names, so that matches are likely, and with every character that means something somewhere.

use ncu_rep::{NvtxDomain, NvtxRange, NvtxState};
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// Names with everything in them that means something somewhere.
const NAMES: [&str; 36] = [
    "A", "B", "A1", "AB", "A::A1", "A::A", "A::B", "B::A", "a::b::c", "a", "b", "c", "b::c",
    "a::b", "decode", "decode_1", "layers.3", "x.attn", "attn", "a/b", "x@y", "[A", "A]", "]", "*",
    "+", "a,b", r"\", r"a\", r"\@A", "größe", "é", "", "A\nB", "regex:A", ":",
];
const DOMAINS: [&str; 5] = ["<default domain>", "LLM", "x@y", "", "NCCL"];
const REGEXES: [&str; 23] = [
    "decode.*",
    ".*attn.*",
    "A|B",
    "A::.*",
    "a.*c",
    r"layers\.\d+",
    ".",
    "..",
    "[A-B]",
    "[^:]*",
    r"\w+",
    "a?b?",
    "(A){1,2}",
    r"A\/?",
    ".*",
    "x{0}",
    r"\bA",
    "(?i)a",
    "é+",
    r"A::A\d",
    ".+.+",
    "[^A]*[^B]+",
    ".*.",
];

/// What a user may write for one segment: a name, wildcards in it, or nothing but wildcards.
fn wildcard() -> impl Strategy<Value = String> {
    let escaped = |name: &str| {
        let mut out = String::new();
        for character in name.chars() {
            if matches!(character, '\\' | '*' | '?' | '@' | '/' | ';') {
                out.push('\\');
            }
            out.push(character);
        }
        out
    };
    let cut = (select(&NAMES[..]), any::<Index>(), select(&["*", "?", "*?", ""][..])).prop_map(
        move |(name, at, with)| {
            let mut characters: Vec<char> = name.chars().collect();
            let at = at.index(characters.len() + 1);
            let rest = characters
                .split_off(at)
                .into_iter()
                .skip(usize::from(!with.is_empty()))
                .collect::<String>();
            format!(
                "{}{with}{}",
                escaped(&characters.into_iter().collect::<String>()),
                escaped(&rest)
            )
        },
    );
    let piece = select(
        &[
            "A*", "*A", "a*c", "*::*", "A::*", "*::A1", "?", "*", "**", "a*b*c", "*:*", "?::?",
            "A*1", "*b*",
        ][..],
    );
    prop_oneof![3 => select(&NAMES[..]).prop_map(escaped), 3 => cut, 2 => piece.prop_map(str::to_owned)]
        .prop_filter("an empty segment is refused", |text| !text.is_empty())
}

pub(super) fn any_selector() -> impl Strategy<Value = String> {
    let regex = || select(&REGEXES[..]).prop_map(str::to_owned);
    let segments = prop_oneof![
        3 => (Just(""), prop::collection::vec(wildcard(), 1)),
        3 => (Just(""), prop::collection::vec(wildcard(), 1..5)),
        1 => (Just("regex:"), prop::collection::vec(regex(), 1..3)),
    ];
    let domain = prop_oneof![2 => Just(""), 1 => Just("LLM@"), 1 => Just(r"x\@y@"), 1 => Just("<default domain>@"), 1 => Just("*L*@")];
    (segments, domain).prop_map(|((mode, segments), domain)| {
        // A star means something else in a regular expression.
        let domain = if mode.is_empty() { domain } else { domain.trim_matches(['*', '@']) };
        let domain = if !mode.is_empty() && !domain.is_empty() {
            format!("{domain}@")
        } else {
            domain.to_owned()
        };
        format!("{mode}{domain}{}", segments.join("/"))
    })
}

/// Domains with their stack and their open start/end ranges.
pub(super) type Domains = Vec<(&'static str, Vec<&'static str>, Vec<&'static str>)>;

pub(super) fn any_state() -> impl Strategy<Value = Domains> {
    let names = |most| prop::collection::vec(select(&NAMES[..]), 0..=most);
    // Few different names make repetitions and matches likely.
    let few =
        || prop::collection::vec(select(&["A", "B", "A1", "A::A1", "a", "b", "c"][..]), 0..=5);
    let domain =
        (select(&DOMAINS[..]), prop_oneof![names(4), few(), few()], prop_oneof![names(2), few()]);
    prop::collection::vec(domain, 0..3).prop_map(|mut domains| {
        domains.sort_by_key(|domain| domain.0);
        domains.dedup_by_key(|domain| domain.0);
        domains
    })
}

/// The state as a report holds it.
pub(super) fn nvtx_state(state: &Domains) -> NvtxState<'static> {
    let ranges = |names: &[&'static str]| {
        names
            .iter()
            .map(|name| NvtxRange { name: (*name).into(), ..NvtxRange::default() })
            .collect()
    };
    let domains = state
        .iter()
        .map(|(name, stack, open)| NvtxDomain {
            name: (*name).into(),
            push_pop: ranges(stack),
            start_end: ranges(open),
        })
        .collect();
    NvtxState { domains, ..NvtxState::default() }
}
