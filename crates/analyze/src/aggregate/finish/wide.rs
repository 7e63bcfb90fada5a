//! A tree that is too wide to be read, and the normalisation that would help.
//!
//! The rule: more than [`WIDE`] regions lie beside each other that no family takes together. Their names then carry something that differs from launch to
//! launch and is more than a number: shapes, lists of ids, printed dictionaries. Every preset is tried on the names; it helps if it leaves at most half of them.

use crate::aggregate::normalise::{Normaliser, PRESETS, preset};
use indexmap::{IndexMap, IndexSet};
use rangescope_model::document::{Note, NoteLevel, ScopeReport};
use rangescope_model::text::clip;
use rustc_hash::FxHashSet;

/// More regions than this beside each other are not read one by one.
const WIDE: usize = 50;

/// What to do about the widest place of the largest tree, if it is too wide.
pub(super) fn note(reports: &[ScopeReport]) -> Option<Note> {
    let report = reports.iter().max_by_key(|report| report.regions.len())?;
    let (around, names) = widest(report)?;
    let place = match around.last() {
        None => "the top".to_owned(),
        Some(name) => format!("`{}`", clip(name, 60)),
    };
    let start = format!(
        "{} regions lie side by side in {place} and no family takes them together",
        names.len()
    );
    let message = match best_preset(&names) {
        Some((name, left)) => format!("{start}; `--normalise {name}` makes {left} of them."),
        None => format!(
            "{start}; a rule of your own, `--normalise 'REGEX=>REPLACEMENT'`, can fold what differs in their names, such as `{}`.",
            clip(names.first().copied().unwrap_or_default(), 60)
        ),
    };
    Some(Note::new(NoteLevel::Info, "many-regions", message))
}

/// The region around the most names that are no family's, with these names; nothing if they are few enough.
fn widest(report: &ScopeReport) -> Option<(&[String], IndexSet<&str>)> {
    let families = report.families.iter().filter_map(|family| family.family.as_ref());
    let folded: FxHashSet<u32> =
        families.flat_map(|family| family.members.iter().copied()).collect();
    let mut places: IndexMap<(&str, &[String]), IndexSet<&str>> = IndexMap::new();
    let single = (0..).zip(&report.regions).filter(|(position, _)| !folded.contains(position));
    for (_, region) in single {
        if let Some((name, around)) = region.path.split_last() {
            places.entry((&region.domain, around)).or_default().insert(name);
        }
    }
    // Of equally wide ones the first.
    let widest = places.into_iter().rev().max_by_key(|(_, names)| names.len())?;
    let ((_, around), names) = widest;
    (names.len() > WIDE).then_some((around, names))
}

/// The preset that leaves the fewest of the names, and how many.
fn best_preset(names: &IndexSet<&str>) -> Option<(&'static str, usize)> {
    let left = |name: &&'static str| {
        let normaliser = Normaliser::new(&preset(name)?).ok()?;
        let folded: FxHashSet<_> = names.iter().map(|name| normaliser.fold(name).0).collect();
        Some((*name, folded.len()))
    };
    // Of equally good ones the first, which folds less elsewhere.
    let best = PRESETS.iter().filter_map(left).min_by_key(|(_, left)| *left)?;
    (best.1 <= names.len() / 2).then_some(best)
}
