//! Names that resemble one that was not found, for messages.

use crate::tally::summary::shortened;

/// How many names are suggested.
const SUGGESTIONS: usize = 5;
/// How many characters of a name are looked at; names may be arbitrarily long.
const LOOKED_AT: usize = 64;
/// How many names are looked at.
const CANDIDATES: usize = 5_000;

/// Up to five of the names that resemble `wanted` most, the closest first; names in it count more than names like it.
pub(crate) fn nearest<'n>(wanted: &str, names: impl Iterator<Item = &'n str>) -> Vec<String> {
    let wanted = folded(wanted.rsplit(['/', ':', '@']).next().unwrap_or(wanted));
    let mut scored: Vec<(usize, &str)> =
        names.take(CANDIDATES).map(|name| (distance(&wanted, &folded(name)), name)).collect();
    scored.sort_unstable();
    scored.dedup();
    scored.into_iter().take(SUGGESTIONS).map(|(_, name)| shortened(name)).collect()
}

/// A list of names in code quotes, for messages.
pub(crate) fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

fn folded(name: &str) -> Vec<char> {
    name.chars()
        .filter(|character| !matches!(character, '*' | '?' | '\\'))
        .take(LOOKED_AT)
        .flat_map(char::to_lowercase)
        .collect()
}

/// Edit distance; a name that contains the other is as close as a single edit.
fn distance(wanted: &[char], name: &[char]) -> usize {
    if !wanted.is_empty() && name.windows(wanted.len()).any(|window| window == wanted) {
        return usize::from(name.len() != wanted.len());
    }
    let mut row: Vec<usize> = (0..=name.len()).collect();
    for (index, wanted) in wanted.iter().enumerate() {
        let mut diagonal = index;
        let mut left = index + 1;
        if let Some(first) = row.first_mut() {
            *first = left;
        }
        for (cell, found) in row.iter_mut().skip(1).zip(name) {
            let substituted = diagonal + usize::from(wanted != found);
            diagonal = *cell;
            left = substituted.min(diagonal + 1).min(left + 1);
            *cell = left;
        }
    }
    row.last().copied().unwrap_or(wanted.len())
}

#[cfg(test)]
mod tests {
    use super::{distance, nearest};

    #[test]
    fn close_names_come_first() {
        let names = ["prefill", "decode", "decode_step", "attention"];
        assert_eq!(nearest("decod", names.into_iter())[..2], ["decode", "decode_step"]);
        assert_eq!(nearest("model/Decode*", names.into_iter())[0], "decode");
    }

    #[test]
    fn edits_are_counted() {
        let distance = |left: &str, right: &str| {
            distance(&left.chars().collect::<Vec<_>>(), &right.chars().collect::<Vec<_>>())
        };
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "ab"), 2);
        assert_eq!(distance("ab", ""), 2);
        assert_eq!(distance("ab", "xaby"), 1);
    }
}
