//! Lines and instructions: what all formats show of a source document.

use std::cmp::Reverse;

use rangescope_model::number::{count, percent, time, with_unit};
use rangescope_model::source::{
    CodeTotals, Counts, LineCode, SourceDocument, SourceFile, UnknownCode, Weight,
};

pub mod csv;
pub mod markdown;
pub use crate::formats::terminal::source as terminal;

/// What is shown of a document.
#[derive(Clone, Copy, Debug)]
pub struct SourceView<'a> {
    /// Lines, kernels.
    pub top: usize,
    /// Columns of the screen.
    pub width: usize,
    pub listing: Listing<'a>,
}

#[derive(Clone, Copy, Debug)]
pub enum Listing<'a> {
    /// The hottest lines, functions and regions.
    Summary,
    /// A file with its heat.
    File(&'a SourceFile),
    /// Instruction by instruction.
    Instructions,
}

/// The hottest lines of all files.
pub(crate) fn hottest(document: &SourceDocument, top: usize) -> Vec<(&SourceFile, &LineCode)> {
    let mut lines: Vec<_> = document.files.iter().flat_map(lines_of).collect();
    lines.sort_by(|(_, one), (_, other)| {
        heat(document, &other.counts).total_cmp(&heat(document, &one.counts))
    });
    lines.truncate(top);
    lines
}

/// Lines that are listed for what they move and do not use.
const EXCESS_LINES: usize = 5;

/// Below this part of the time, what is moved and not used is not worth a list.
const EXCESS_WORTH: f64 = 0.005;

/// The lines whose accesses to global memory move most bytes that are not used; none where that costs little.
pub(crate) fn excessive(document: &SourceDocument) -> Vec<(&SourceFile, &LineCode)> {
    let totals = &document.totals;
    let is_little = |ms: f64| totals.total_ms.is_some_and(|all| ms < EXCESS_WORTH * all);
    if totals.counts.excess_ms.is_some_and(is_little) {
        return Vec::new();
    }
    let mut lines: Vec<_> = document.files.iter().flat_map(lines_of).collect();
    lines.retain(|(_, line)| line.counts.excess_bytes.is_some());
    lines.sort_by_key(|(_, line)| Reverse(line.counts.excess_bytes));
    lines.truncate(EXCESS_LINES);
    lines
}

fn lines_of(file: &SourceFile) -> impl Iterator<Item = (&SourceFile, &LineCode)> {
    file.lines.iter().map(move |line| (file, line))
}

/// `1.23 MB`.
pub(crate) fn excess_bytes(counts: &Counts) -> String {
    counts.excess_bytes.map_or_else(String::new, |bytes| with_unit(bytes as f64, "byte"))
}

fn heat(document: &SourceDocument, counts: &Counts) -> f64 {
    match document.ordered_by {
        Weight::Time => counts.time_ms.unwrap_or(0.0),
        Weight::Samples => counts.samples.unwrap_or(0) as f64,
        Weight::Instructions => counts.metric("inst_executed") as f64,
    }
}

/// What the document is about, in a sentence.
pub(crate) fn summary(document: &SourceDocument) -> String {
    let totals = &document.totals;
    let mut facts = vec![
        count(totals.launches, "launch", "launches"),
        count(document.kernels.len() as u64, "kernel with counts", "kernels with counts"),
    ];
    facts.extend(totals.total_ms.map(|ms| time(Some(ms))));
    if let Some(samples) = totals.counts.samples {
        let sampled = count(totals.sampled, "launch", "launches");
        facts.push(format!("{} of {sampled}", count(samples, "sample", "samples")));
    } else if totals.counted > 0 {
        facts.push("nothing was sampled: ordered by instructions executed".to_owned());
    }
    facts.join(", ")
}

/// What of the counts is at no known instruction, a sentence a reason.
pub(crate) fn unknown(totals: &CodeTotals) -> impl Iterator<Item = String> {
    totals.unknown.iter().map(|UnknownCode { reason, counts }| {
        let what = match counts.samples {
            Some(samples) => {
                let share = counts.share.map(|share| format!(" ({})", percent(Some(share))));
                count(samples, "sample", "samples") + &share.unwrap_or_default()
            }
            None => count(counts.metric("inst_executed"), "instruction", "instructions"),
        };
        format!("{what} at no known instruction: {reason}")
    })
}

/// What most samples wait for.
pub(crate) fn stall(counts: &Counts) -> String {
    let Some((reason, share)) = counts.dominant_stall() else { return String::new() };
    format!("{reason} {}", percent(Some(share)))
}

/// The end of a path: the file and the folder that it is in.
pub(crate) fn short_path(path: &str) -> &str {
    let mut slashes = path.rmatch_indices('/').map(|(at, _)| at + 1);
    slashes.next();
    slashes.next().and_then(|start| path.get(start..)).unwrap_or(path)
}

/// The files whose path is this, or ends with this behind a `/`; all that are equally near.
pub fn find_files<'d>(document: &'d SourceDocument, wanted: &str) -> Vec<&'d SourceFile> {
    let ends = |file: &&SourceFile| {
        file.path.strip_suffix(wanted).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    };
    let mut found: Vec<&SourceFile> = document.files.iter().filter(ends).collect();
    found.sort_by_key(|file| Reverse(file.path == wanted));
    if found.first().is_some_and(|file| file.path == wanted) {
        found.truncate(1);
    }
    found
}
