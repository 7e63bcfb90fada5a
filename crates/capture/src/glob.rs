//! What two wildcard patterns have in common, and where a name that matches one could be cut in two.

use std::collections::BTreeSet;
use std::ops::Range;

pub(crate) use rangescope_model::glob::{Part as GlobPart, parse};

/// The text that a pattern without wildcards stands for.
pub(crate) fn literal(parts: &[GlobPart]) -> Option<String> {
    parts
        .iter()
        .map(|part| match part {
            GlobPart::Literal(character) => Some(*character),
            GlobPart::AnyCharacter | GlobPart::AnyRun => None,
        })
        .collect()
}

/// Whether some text matches both patterns.
pub(crate) fn overlap(left: &[GlobPart], right: &[GlobPart]) -> bool {
    // `reached[j]`: some text matches what has been read of the left and the first `j` parts of the right.
    let mut reached = vec![false; right.len() + 1];
    if let Some(start) = reached.first_mut() {
        *start = true;
    }
    skip_runs(&mut reached, right);
    for part in left {
        let mut next = vec![false; right.len() + 1];
        for (index, _) in reached.iter().enumerate().filter(|(_, here)| **here) {
            match (part, right.get(index)) {
                (GlobPart::AnyRun, _) => {
                    // The run takes whatever the right has from here on, which is all that follows.
                    next.iter_mut().skip(index).for_each(|cell| *cell = true);
                    break;
                }
                (_, Some(GlobPart::AnyRun)) => set(&mut next, index),
                (GlobPart::Literal(wanted), Some(GlobPart::Literal(found))) if wanted != found => {}
                (_, Some(_)) => set(&mut next, index + 1),
                (_, None) => {}
            }
        }
        skip_runs(&mut next, right);
        reached = next;
    }
    reached.last() == Some(&true)
}

/// A run may take nothing.
fn skip_runs(reached: &mut [bool], right: &[GlobPart]) {
    for (index, part) in right.iter().enumerate() {
        if *part == GlobPart::AnyRun && reached.get(index) == Some(&true) {
            set(reached, index + 1);
        }
    }
}

fn set(cells: &mut [bool], index: usize) {
    if let Some(cell) = cells.get_mut(index) {
        *cell = true;
    }
}

/// All ways to write a pattern as two with `::` between them: a text with `::` in it matches the whole if and only if what stands before it and what
/// stands after it match the halves of one of the ways.
pub(crate) fn splits(parts: &[GlobPart]) -> Vec<(&[GlobPart], &[GlobPart])> {
    // Where the first half ends and the second begins, which are the same for no two ways.
    let mut found: BTreeSet<(usize, usize)> = BTreeSet::new();
    let mut ways = Vec::new();
    for start in 0..parts.len() {
        let head_end = if parts.get(start) == Some(&GlobPart::AnyRun) { start + 1 } else { start };
        let after_first =
            after_colon(parts, start).map(|state| and_past_run(parts, state)).unwrap_or_default();
        for end in after_first.into_iter().filter_map(|state| after_colon(parts, state)) {
            if found.insert((head_end, end)) {
                let half = |range: Range<usize>| parts.get(range).unwrap_or_default();
                ways.push((half(0..head_end), half(end..parts.len())));
            }
        }
    }
    ways
}

/// Which part comes next after the part at `state` has taken a colon; a run may take more.
fn after_colon(parts: &[GlobPart], state: usize) -> Option<usize> {
    match parts.get(state)? {
        GlobPart::AnyRun => Some(state),
        GlobPart::AnyCharacter | GlobPart::Literal(':') => Some(state + 1),
        GlobPart::Literal(_) => None,
    }
}

/// A run may be left without taking anything.
fn and_past_run(parts: &[GlobPart], state: usize) -> Vec<usize> {
    if parts.get(state) == Some(&GlobPart::AnyRun) { vec![state, state + 1] } else { vec![state] }
}

#[cfg(test)]
mod tests {
    use super::{GlobPart, overlap, parse, splits};

    fn shown(parts: &[GlobPart]) -> String {
        parts
            .iter()
            .map(|part| match part {
                GlobPart::Literal(character) => *character,
                GlobPart::AnyCharacter => '?',
                GlobPart::AnyRun => '*',
            })
            .collect()
    }

    fn split(pattern: &str) -> Vec<String> {
        splits(&parse(pattern))
            .iter()
            .map(|(head, tail)| format!("{} {}", shown(head), shown(tail)))
            .collect()
    }

    #[test]
    fn a_pattern_is_cut_wherever_colons_can_be() {
        assert_eq!(split("A::B"), ["A B"]);
        assert_eq!(split("decode"), Vec::<String>::new());
        assert_eq!(split("decode*"), ["decode* *"]);
        assert_eq!(split("a::b::c"), ["a b::c", "a::b c"]);
        assert_eq!(split("a*b"), ["a* *b"]);
        assert_eq!(split("a?:b"), ["a b"]);
        assert_eq!(split("*::b"), ["* *::b", "* :b", "* b"]);
    }

    #[test]
    fn patterns_overlap_if_a_text_matches_both() {
        for (left, right) in
            [("a*", "*b"), ("a", "a"), ("*", ""), ("a?c", "ab*"), ("*a*", "*b*"), ("a*c", "ab?c")]
        {
            assert!(overlap(&parse(left), &parse(right)), "{left} {right}");
            assert!(overlap(&parse(right), &parse(left)), "{right} {left}");
        }
        for (left, right) in
            [("a", "b"), ("a*", "b*"), ("?", ""), ("*a", "*b"), ("layers.*", "attn"), ("a?", "a")]
        {
            assert!(!overlap(&parse(left), &parse(right)), "{left} {right}");
            assert!(!overlap(&parse(right), &parse(left)), "{right} {left}");
        }
    }
}
