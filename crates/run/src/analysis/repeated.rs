//! Files that were given twice, under one name or two: their results would count twice.
//!
//! Reports of different ranks are different ones, whatever is in them. Of the others only files of one size are read, at most once each, and to the end only if they begin and end alike.

use std::fs::Metadata;
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;

use indexmap::IndexMap;
use rangescope_model::document::{Note, NoteLevel};
use rangescope_read::Input;
use rustc_hash::{FxHashMap, FxHashSet};

/// Bytes at the beginning and at the end that are compared first.
const ENDS: usize = 1 << 16;

/// An input that is a file.
struct Given<'i> {
    position: usize,
    input: &'i Input,
    /// Device and inode: the same under all names that a file has.
    file: (u64, u64),
    size: u64,
    /// The ranks of its processes; nothing if one of them has none.
    ranks: Option<Vec<u32>>,
}

/// A note for each input that has the content of an earlier one.
pub(super) fn notes(inputs: &[Input]) -> Vec<Note> {
    if inputs.len() < 2 {
        return Vec::new();
    }
    let all: Vec<Given<'_>> = inputs.iter().enumerate().filter_map(given).collect();
    let mut by_size: IndexMap<u64, Vec<&Given<'_>>> = IndexMap::new();
    for given in &all {
        by_size.entry(given.size).or_default().push(given);
    }
    let mut notes: Vec<(usize, Note)> = Vec::new();
    for group in by_size.values() {
        if group.len() > 1 && !are_different_ranks(group) {
            repeated(group, &mut notes);
        }
    }
    notes.sort_by_key(|(position, _)| *position);
    notes.into_iter().map(|(_, note)| note).collect()
}

fn given((position, input): (usize, &Input)) -> Option<Given<'_>> {
    let file = fs_err::metadata(&input.path).ok().filter(Metadata::is_file)?;
    let processes = input.source.processes();
    let ranks: Option<Vec<u32>> = processes.iter().map(|process| process.rank).collect();
    let ranks = ranks.filter(|ranks| !ranks.is_empty());
    Some(Given { position, input, file: (file.dev(), file.ino()), size: file.len(), ranks })
}

fn are_different_ranks(group: &[&Given<'_>]) -> bool {
    let mut seen = FxHashSet::default();
    group.iter().all(|given| given.ranks.as_ref().is_some_and(|ranks| seen.insert(ranks)))
}

/// Adds notes for those files of one size that repeat an earlier one.
fn repeated(group: &[&Given<'_>], notes: &mut Vec<(usize, Note)>) {
    let ends = alike(group, false);
    for group in ends.iter().flat_map(|group| alike(group, true)) {
        for (nth, given) in group.iter().enumerate() {
            let is_other_rank = |first: &Given<'_>| {
                given.ranks.is_some() && first.ranks.is_some() && given.ranks != first.ranks
            };
            let mut earlier = group.iter().take(nth);
            if let Some(first) = earlier.find(|first| !is_other_rank(first)) {
                notes.push((given.position, note(given.input, first.input)));
            }
        }
    }
}

/// The files that have the same content, or the same beginning and end, as others.
fn alike<'g, 'i>(group: &[&'g Given<'i>], whole: bool) -> Vec<Vec<&'g Given<'i>>> {
    let mut groups: IndexMap<blake3::Hash, Vec<&'g Given<'i>>> = IndexMap::new();
    let mut known: FxHashMap<(u64, u64), Option<blake3::Hash>> = FxHashMap::default();
    let is_one_file = group.windows(2).all(|two| matches!(two, [a, b] if a.file == b.file));
    if is_one_file {
        return vec![group.to_vec()];
    }
    for given in group {
        let hash = known.entry(given.file).or_insert_with(|| content(given, whole));
        // What cannot be read is not the same as anything.
        if let Some(hash) = *hash {
            groups.entry(hash).or_default().push(given);
        }
    }
    groups.into_values().filter(|group| group.len() > 1).collect()
}

fn note(input: &Input, first: &Input) -> Note {
    let (name, first) = (input.file_name(), first.file_name());
    let message = if name == first {
        format!("{name}: this file was given twice; its results count twice")
    } else {
        format!("{name}: this file has the same content as {first}; its results count twice")
    };
    Note::new(NoteLevel::Warning, "same-input-twice", message)
}

/// A hash of a file, or of its beginning and end; nothing if it cannot be read.
fn content(given: &Given<'_>, whole: bool) -> Option<blake3::Hash> {
    let mut file = fs_err::File::open(&given.input.path).ok()?;
    let mut hasher = blake3::Hasher::new();
    if whole {
        hasher.update_reader(file).ok()?;
    } else {
        hasher.update_reader((&mut file).take(ENDS as u64)).ok()?;
        file.seek(SeekFrom::Start(given.size.saturating_sub(ENDS as u64))).ok()?;
        hasher.update_reader(file.take(ENDS as u64)).ok()?;
    }
    Some(hasher.finalize())
}
