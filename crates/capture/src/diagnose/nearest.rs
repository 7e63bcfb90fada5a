//! Names that were perhaps meant.

use super::ObservedRange;

/// The most names that are suggested.
const SUGGESTIONS: usize = 5;
/// The most ranges that are looked at: a program may have opened any number.
const LOOKED_AT: usize = 10_000;

/// The names that share most with the selector.
pub(super) fn nearest(selector: &str, ranges: &[ObservedRange]) -> Vec<String> {
    let wanted = selector
        .rsplit(['/', '@', ':'])
        .next()
        .unwrap_or(selector)
        .trim_matches('*')
        .to_lowercase();
    let mut scored: Vec<(usize, &str)> = ranges
        .iter()
        .take(LOOKED_AT)
        .map(|range| (distance(&wanted, &range.name.to_lowercase()), range.name.as_str()))
        .collect();
    scored.sort_unstable();
    scored.dedup();
    scored.into_iter().take(SUGGESTIONS).map(|(_, name)| format!("`{name}`")).collect()
}

/// How many characters have to change; names are compared as far as it matters.
fn distance(left: &str, right: &str) -> usize {
    const COMPARED: usize = 64;
    let right: Vec<char> = right.chars().take(COMPARED).collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (line, wanted) in left.chars().take(COMPARED).enumerate() {
        let mut diagonal = line;
        let mut before = line + 1;
        if let Some(first) = row.first_mut() {
            *first = before;
        }
        for (cell, found) in row.iter_mut().skip(1).zip(&right) {
            let replaced = diagonal + usize::from(wanted != *found);
            diagonal = *cell;
            before = replaced.min(diagonal + 1).min(before + 1);
            *cell = before;
        }
    }
    row.last().copied().unwrap_or_default()
}
