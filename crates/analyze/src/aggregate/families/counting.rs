//! Which names that are spelled alike repeat: those whose numbers count, or are identifiers. docs/regions.md states the rule.

use super::FEWEST;
use super::spelling::{Label, Slot, Spelled};
use rustc_hash::FxHashMap;

/// Names with more numbers in them are not folded.
const MOST_SLOTS: usize = 16;

/// Fewer numbers behind a word for a size or a kind are choices, although they count.
const FEWEST_TURNS: usize = 8;

/// Numbers from here on that are not round are identifiers, even without a word that says so.
const LARGE: i64 = 10_000;

/// How sure it is by their names that regions repeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Evidence {
    Names,
    /// The names may be choices too; the shapes of launches decide.
    NamesAndShapes,
}

/// Names that repeat, as positions among those that were given.
#[derive(Debug)]
pub(super) struct Repeating {
    pub(super) names: Vec<usize>,
    pub(super) evidence: Evidence,
}

enum Found {
    Same,
    Repeats(Evidence),
    /// Few identifiers among numbers.
    Mixed,
    Choice,
}

/// What repeats among names of one template. Names in which a number is a choice are told apart by it, and looked at again.
pub(super) fn repeating(names: &[&Spelled<'_>]) -> Vec<Repeating> {
    let slots: Vec<Vec<(&str, Slot)>> = names.iter().map(|name| name.slots().collect()).collect();
    let width = slots.first().map_or(0, Vec::len);
    let mut found = Vec::new();
    if width > MOST_SLOTS {
        return found;
    }
    let mut waiting = vec![(0..names.len()).collect::<Vec<usize>>()];
    while let Some(names) = waiting.pop() {
        if names.len() < FEWEST {
            continue;
        }
        let column = |at: usize| {
            let values = names.iter().filter_map(|name| slots.get(*name)?.get(at));
            values.copied().collect::<Vec<_>>()
        };
        let columns: Vec<_> = (0..width).map(column).collect();
        let judged: Vec<Found> = columns.iter().map(|column| judge(column)).collect();
        let evidence = judged.iter().try_fold(None, |most, found| match found {
            Found::Same => Some(most),
            Found::Repeats(evidence) => Some(most.max(Some(*evidence))),
            Found::Mixed | Found::Choice => None,
        });
        if let Some(evidence) = evidence {
            found.extend(evidence.map(|evidence| Repeating { names, evidence }));
            continue;
        }
        let mut parts: FxHashMap<Vec<&str>, Vec<usize>> = FxHashMap::default();
        for (at, name) in names.iter().enumerate() {
            let apart =
                judged.iter().zip(&columns).map(|(found, column)| match (found, column.get(at)) {
                    (Found::Choice, Some((text, _))) => *text,
                    (Found::Mixed, Some((_, Slot::Number(..)))) => "0",
                    _ => "",
                });
            parts.entry(apart.collect()).or_default().push(*name);
        }
        // Names of one part go on; where all are one part, there is nothing to tell them apart by.
        waiting.extend(parts.into_values().filter(|part| part.len() < names.len()));
    }
    found.sort_by(|left, right| left.names.cmp(&right.names));
    found
}

/// What the numbers or identifiers are that different names have in one place.
fn judge(column: &[(&str, Slot)]) -> Found {
    let first = column.first().map(|(text, _)| *text);
    if column.iter().all(|(text, _)| Some(*text) == first) {
        return Found::Same;
    }
    let mut numbers = Vec::new();
    let mut label = Label::Nothing;
    let mut fractions = 0;
    for (_, slot) in column {
        match slot {
            Slot::Number(value, one) => {
                numbers.push(*value);
                label = label.max(*one);
            }
            Slot::Identifier => {}
            Slot::Fraction => fractions += 1,
        }
    }
    match 2 * numbers.len() {
        twice if twice > column.len() && numbers.len() < column.len() => Found::Mixed,
        twice if twice <= column.len() && fractions > 0 => Found::Repeats(Evidence::NamesAndShapes),
        twice if twice <= column.len() => Found::Repeats(Evidence::Names),
        _ => {
            numbers.sort_unstable();
            numbers.dedup();
            counting(&numbers, label).map_or(Found::Choice, Found::Repeats)
        }
    }
}

/// Whether different numbers, ascending, count, and how sure that is. Where a zero is met, they are an index: nothing has a size of zero.
fn counting(numbers: &[i64], label: Label) -> Option<Evidence> {
    let is_index = numbers.binary_search(&0).is_ok();
    if label == Label::Shape && !is_index {
        return None;
    }
    let sized = label == Label::SizeWord && !is_index;
    let gaps: Vec<i64> =
        numbers.iter().zip(numbers.iter().skip(1)).map(|(one, next)| next - one).collect();
    let stride = most_frequent(&gaps)?;
    let regular = gaps.iter().filter(|gap| **gap == stride).count();
    if stride == 1 && regular == gaps.len() {
        // `v1`, `v2`, `v3` are versions; `batch 1` to `batch 64` are turns.
        return match sized {
            true if numbers.len() < FEWEST_TURNS => None,
            true => Some(Evidence::NamesAndShapes),
            false => Some(Evidence::Names),
        };
    }
    // Two numbers are no series, and a stride of 16 is that of blocks, tiles and matrices.
    let by_blocks = stride % 16 == 0 && stride % 100 != 0 && !is_index;
    if numbers.len() < FEWEST || sized {
        return None;
    }
    let has_holes =
        is_index && 2 * regular >= gaps.len() && gaps.iter().all(|gap| gap % stride == 0);
    if has_holes || (4 * regular >= 3 * gaps.len() && !by_blocks) {
        return Some(if is_index { Evidence::Names } else { Evidence::NamesAndShapes });
    }
    let round = numbers.iter().filter(|one| *one % 16 == 0 || *one % 100 == 0).count();
    let are_identifiers = numbers.first() >= Some(&LARGE) && 2 * round < numbers.len();
    are_identifiers.then_some(Evidence::NamesAndShapes)
}

/// Of equally frequent ones the smallest.
fn most_frequent(gaps: &[i64]) -> Option<i64> {
    let mut times: FxHashMap<i64, usize> = FxHashMap::default();
    for gap in gaps {
        *times.entry(*gap).or_default() += 1;
    }
    times.into_iter().max_by_key(|(gap, times)| (*times, -gap)).map(|(gap, _)| gap)
}
