//! What to beware of: warnings, what was asked for in vain, and what is good to know.

use std::io::{self, Write};

use anstyle::Style;
use rangescope_model::document::{Note, NoteLevel, RegionDocument, ScopeReport, Selection};

use super::{ALERT, QUIET};
use rangescope_model::text::{shorten, visible, visible_name, wrap};

/// Warnings; there are rarely more, and the first ones say what kind of trouble there is.
const MAX_WARNINGS: usize = 12;

/// Notes that are good to know, as many as leave room for the rest.
const MAX_INFO_NOTES: usize = 5;

/// Columns of one note; names in it may be endless.
const MAX_NOTE: usize = 600;

/// Names that were asked for in vain, as many as one note holds.
const MAX_MISSING: usize = 10;

/// Writes all notes.
pub(super) fn write(
    document: &RegionDocument,
    reports: &[&ScopeReport],
    width: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut warnings = messages(&document.notes, NoteLevel::Warning, MAX_WARNINGS);
    if let Some(report) = reports.first() {
        warnings.extend(missing(document, &report.selection));
    }
    let infos = messages(&document.notes, NoteLevel::Info, MAX_INFO_NOTES);
    write_messages(&warnings, &infos, width, out)
}

/// Writes notes that are nobody's but their document's.
pub(super) fn write_all(notes: &[Note], width: usize, out: &mut dyn Write) -> io::Result<()> {
    let warnings = messages(notes, NoteLevel::Warning, MAX_WARNINGS);
    let infos = messages(notes, NoteLevel::Info, MAX_INFO_NOTES);
    write_messages(&warnings, &infos, width, out)
}

fn write_messages(
    warnings: &[String],
    infos: &[String],
    width: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    if !warnings.is_empty() || !infos.is_empty() {
        writeln!(out)?;
    }
    for warning in warnings {
        write_note(ALERT, "warning", warning, width, out)?;
    }
    for info in infos {
        write_note(QUIET, "note", info, width, out)?;
    }
    Ok(())
}

/// The notes of one level; what is too much is counted.
fn messages(notes: &[Note], level: NoteLevel, limit: usize) -> Vec<String> {
    let notes: Vec<&Note> = notes.iter().filter(|note| note.level == level).collect();
    let mut messages: Vec<String> = notes
        .iter()
        .take(limit)
        .map(|note| shorten(&visible(&note.message), MAX_NOTE).into_owned())
        .collect();
    if notes.len() > limit {
        let more = notes.len() - limit;
        messages.push(format!("… {more} more; --format markdown shows them all"));
    }
    messages
}

/// Selected names that were not found, unless a note of the document says so already.
fn missing(document: &RegionDocument, selection: &Selection) -> Vec<String> {
    let mut messages = Vec::new();
    for (what, missing) in [
        ("regions", &selection.regions_not_seen),
        ("metrics", &selection.metrics_not_found),
        ("sections", &selection.sections_not_found),
    ] {
        let says_so = |note: &Note| missing.iter().all(|name| note.message.contains(name));
        if missing.is_empty() || document.notes.iter().any(says_so) {
            continue;
        }
        let mut names: Vec<String> = missing
            .iter()
            .take(MAX_MISSING)
            .map(|name| shorten(&visible_name(name), 50).into_owned())
            .collect();
        if missing.len() > MAX_MISSING {
            names.push(format!("… {} more", missing.len() - MAX_MISSING));
        }
        messages.push(format!("{what} asked for but in no result: {}", names.join(", ")));
    }
    messages
}

/// One note, with its further lines below its first word.
fn write_note(
    style: Style,
    word: &str,
    message: &str,
    width: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let indent = word.len() + 2;
    for (index, line) in wrap(message, width - indent).iter().enumerate() {
        if index == 0 {
            writeln!(out, "{style}{word}:{style:#} {line}")?;
        } else {
            writeln!(out, "{:indent$}{line}", "")?;
        }
    }
    Ok(())
}
