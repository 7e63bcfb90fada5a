//! Names that resemble one that was not found, for messages.

use crate::text::clip;

/// How many names are suggested.
const SUGGESTIONS: usize = 5;
/// How many characters of a name are looked at; names may be arbitrarily long.
const LOOKED_AT: usize = 64;
/// How many names are looked at.
const CANDIDATES: usize = 5_000;

/// Up to five of the names that resemble `wanted` most, the closest first; a name that contains it is closer than one that only looks like it.
pub fn nearest<'n>(wanted: &str, names: impl Iterator<Item = &'n str>) -> Vec<String> {
    let wanted = folded(wanted.rsplit(['/', ':', '@']).next().unwrap_or(wanted));
    let mut scored: Vec<(usize, &str)> =
        names.take(CANDIDATES).map(|name| (distance(&wanted, &folded(name)), name)).collect();
    scored.sort_unstable();
    scored.dedup();
    scored.into_iter().take(SUGGESTIONS).map(|(_, name)| clip(name, 60).into_owned()).collect()
}

/// A list of names in code quotes, for messages.
pub fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

fn folded(name: &str) -> String {
    name.chars()
        .filter(|character| !matches!(character, '*' | '?' | '\\'))
        .take(LOOKED_AT)
        .flat_map(char::to_lowercase)
        .collect()
}

/// Edit distance; a name that contains the other is as close as a single edit.
fn distance(wanted: &str, name: &str) -> usize {
    if !wanted.is_empty() && name.contains(wanted) {
        usize::from(name != wanted)
    } else {
        strsim::levenshtein(wanted, name)
    }
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
    fn a_contained_name_is_one_edit_away() {
        assert_eq!(distance("ab", "xaby"), 1);
        assert_eq!(distance("", "ab"), 2);
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
