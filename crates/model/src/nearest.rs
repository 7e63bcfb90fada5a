//! Names that resemble one that was not found, for messages.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use crate::text::clip;

/// Names are compared as far as it matters; what a program calls its ranges may be of any length.
const COMPARED: usize = 64;
const CANDIDATES: usize = 5_000;
const SUGGESTIONS: usize = 5;
/// From this likeness on a name may be what was meant.
const NEAR: f64 = 0.75;

/// The candidate nearest to `wrong`, if one is near enough to be what was meant.
pub fn nearest<'a>(wrong: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let (score, candidate) = ranked(wrong, candidates).into_iter().next()?;
    (score >= NEAR).then(|| candidate.to_owned())
}

/// What to say of a pattern for regions, kernels, metrics or sections that matched none of these names: the one that was probably meant, and the few that
/// resemble it most. Nothing if there are no names.
pub fn suggestion<'a>(pattern: &str, names: impl Iterator<Item = &'a str>) -> Option<String> {
    let names: Vec<&str> = names.take(CANDIDATES).collect();
    let plain = pattern.replace(['*', '?', '\\'], "");
    // Either the last part or the whole may be what somebody mistyped.
    let last = plain.rsplit(['/', ':', '@']).next().unwrap_or(&plain);
    let of = |wanted| ranked(wanted, names.iter().copied());
    let ranked = best_first([of(last), of(&plain)].concat());
    let (best, _) = *ranked.first()?;
    let mut few = ranked.iter().take(SUGGESTIONS).map(|(_, name)| format!("`{}`", clip(name, 60)));
    if best < NEAR {
        return Some(format!("there are {}", few.collect::<Vec<_>>().join(", ")));
    }
    let meant = few.next()?;
    let others = few.collect::<Vec<_>>().join(", ");
    let others = if others.is_empty() { others } else { format!(" There are also {others}") };
    Some(format!("did you mean {meant}?{others}"))
}

/// A sentence about a pattern that matched none of these names.
pub fn not_seen<'a>(what: &str, pattern: &str, names: impl Iterator<Item = &'a str>) -> String {
    let suggestion = suggestion(pattern, names).unwrap_or_else(|| "there are none".to_owned());
    format!("No {what} matches `{}`; {suggestion}", clip(pattern, 60))
}

/// The candidates, each once, those nearest to `wrong` first, with their likeness from 0 to 1.
pub fn ranked<'a>(
    wrong: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Vec<(f64, &'a str)> {
    let lower = |text: &str| text.chars().take(COMPARED).collect::<String>().to_lowercase();
    let wrong = lower(wrong);
    let scored = candidates.into_iter();
    best_first(scored.map(|candidate| (likeness(&wrong, &lower(candidate)), candidate)).collect())
}

/// Each once.
fn best_first(mut scored: Vec<(f64, &str)>) -> Vec<(f64, &str)> {
    // Equally near ones stay in their order, so that the answer does not depend on anything else.
    scored.sort_by(|(left, _), (right, _)| right.partial_cmp(left).unwrap_or(Ordering::Equal));
    let mut seen = BTreeSet::new();
    scored.retain(|(_, name)| seen.insert(*name));
    scored
}

/// A name that only lacks something around it, such as `high` of `ncu.high`, is alike too.
fn likeness(wrong: &str, candidate: &str) -> f64 {
    let whole = strsim::jaro_winkler(wrong, candidate)
        .max(strsim::normalized_damerau_levenshtein(wrong, candidate));
    let part = wrong.len() >= 3 && candidate.contains(wrong);
    if part { whole.max(0.8) } else { whole }
}

#[cfg(test)]
mod tests {
    use super::{nearest, not_seen, ranked, suggestion};

    #[test]
    fn finds_what_was_meant_and_nothing_far_away() {
        let keys = ["replay_mode", "range_filter", "sections", "metrics"];
        assert_eq!(nearest("replay_mod", keys).as_deref(), Some("replay_mode"));
        assert_eq!(nearest("section", keys).as_deref(), Some("sections"));
        assert_eq!(nearest("quux", keys), None);
        assert_eq!(nearest("high", ["ncu.default", "ncu.high"]).as_deref(), Some("ncu.high"));
    }

    #[test]
    fn equally_near_ones_stay_in_order_and_come_once() {
        let names: Vec<&str> =
            ranked("ab", ["xx", "aB", "Ab", "xx"]).into_iter().map(|(_, name)| name).collect();
        assert_eq!(names, ["aB", "Ab", "xx"]);
    }

    #[test]
    fn a_pattern_is_compared_without_its_wildcards_and_path() {
        let names = ["prefill", "decode", "decode_step", "attention"];
        let said = |pattern: &str| suggestion(pattern, names.into_iter()).unwrap();
        assert!(said("decod").starts_with("did you mean `decode`? There are also `decode_step`"));
        assert!(said("model/Decode*").starts_with("did you mean `decode`?"));
        assert!(said("xyzzy").starts_with("there are `"), "{}", said("xyzzy"));
        assert_eq!(suggestion("decode", [].into_iter()), None);
        assert_eq!(
            not_seen("region", "decod", ["decode"].into_iter()),
            "No region matches `decod`; did you mean `decode`?"
        );
    }
}
