//! "Did you mean": the nearest of the valid names.

/// The candidate nearest to `wrong`, if one is near enough to be what was meant.
pub(crate) fn nearest<'a>(
    wrong: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    let lower = wrong.to_lowercase();
    candidates
        .into_iter()
        .map(|candidate| (score(&lower, &candidate.to_lowercase()), candidate))
        .filter(|(score, _)| *score >= 0.75)
        // The first of equally near ones, so that the answer does not depend on anything else.
        .fold(None, |best: Option<(f64, &str)>, next| match best {
            Some(best) if best.0 >= next.0 => Some(best),
            _ => Some(next),
        })
        .map(|(_, candidate)| candidate.to_owned())
}

/// Likeness from 0 to 1. A name that only lacks its beginning or end, such as `high` of `ncu.high`, is alike too.
fn score(wrong: &str, candidate: &str) -> f64 {
    let whole = strsim::jaro_winkler(wrong, candidate)
        .max(strsim::normalized_damerau_levenshtein(wrong, candidate));
    let part = wrong.len() >= 3 && (candidate.ends_with(wrong) || candidate.starts_with(wrong));
    if part { whole.max(0.8) } else { whole }
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn finds_what_was_meant_and_nothing_far_away() {
        let keys = ["replay_mode", "range_filter", "sections", "metrics"];
        assert_eq!(nearest("replay_mod", keys).as_deref(), Some("replay_mode"));
        assert_eq!(nearest("section", keys).as_deref(), Some("sections"));
        assert_eq!(nearest("quux", keys), None);
        assert_eq!(nearest("high", ["ncu.default", "ncu.high"]).as_deref(), Some("ncu.high"));
    }
}
