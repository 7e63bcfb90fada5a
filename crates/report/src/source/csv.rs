//! Lines or instructions as CSV: one row each, with a column for every stall reason and every counter.
//!
//! Counts are over all launches of the selection. A name that a spreadsheet would take for a formula has `'` before it.

use std::io::{self, BufWriter, Write};

use indexmap::IndexSet;
use rangescope_model::source::{Counts, LineAt, SourceDocument};

use super::{Listing, SourceView};
use crate::formats::csv::harmless;

/// The columns of lines; instructions have [`OF_INSTRUCTIONS`] between.
const PLACE: [&str; 3] = ["file", "line", "text"];
const OF_INSTRUCTIONS: [&str; 5] = ["kernel_name", "function", "offset", "sass", "ptx"];
const COUNTS: [&str; 4] = ["samples", "share", "share_error", "time_ms"];

pub fn write(
    document: &SourceDocument,
    view: &SourceView<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let reasons: IndexSet<&str> =
        document.totals.counts.stalls.keys().map(String::as_str).collect();
    let mut writer = csv::WriterBuilder::new()
        .terminator(csv::Terminator::CRLF)
        .from_writer(BufWriter::new(out));
    let by_instruction = matches!(view.listing, Listing::Instructions);
    let own: &[&str] = if by_instruction { &OF_INSTRUCTIONS } else { &[] };
    let fixed = PLACE.iter().chain(own).chain(&COUNTS).copied();
    let stalls = reasons.iter().map(|reason| format!("stall_{reason}"));
    let names = fixed.map(str::to_owned).chain(stalls).chain(document.metrics.iter().cloned());
    writer.write_record(names.map(|name| harmless(&name).into_owned()))?;
    let mut row = |place: [String; 3], own: Vec<String>, counts: &Counts| {
        let optional =
            |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
        let samples = counts.samples.map_or_else(String::new, |samples| samples.to_string());
        let of_counts = [
            samples,
            optional(counts.share),
            optional(counts.share_error),
            optional(counts.time_ms),
        ];
        let stalls = reasons
            .iter()
            .map(|reason| counts.stalls.get(*reason).copied().unwrap_or(0).to_string());
        let metrics = document.metrics.iter().map(|metric| counts.metric(metric).to_string());
        let texts = place.into_iter().chain(own).map(|text| harmless(&text).into_owned());
        writer.write_record(texts.chain(of_counts).chain(stalls).chain(metrics))
    };
    if by_instruction {
        for kernel in &document.kernels {
            for one in &kernel.instructions {
                let own = vec![
                    kernel.kernel_name.clone(),
                    one.function.clone().unwrap_or_default(),
                    one.offset.to_string(),
                    one.sass.clone().unwrap_or_default(),
                    one.ptx.clone().unwrap_or_default(),
                ];
                row(place(document, one.line), own, &one.counts)?;
            }
        }
    } else {
        let only = match view.listing {
            Listing::File(file) => Some(file),
            _ => None,
        };
        let is_shown = |file: &&_| only.is_none_or(|only| std::ptr::eq(only, *file));
        for file in document.files.iter().filter(is_shown) {
            for line in &file.lines {
                let text = line.text.clone().unwrap_or_default();
                row([file.path.clone(), line.line.to_string(), text], Vec::new(), &line.counts)?;
            }
        }
    }
    writer.flush()
}

fn place(document: &SourceDocument, at: Option<LineAt>) -> [String; 3] {
    let file = at.and_then(|at| Some((at, document.files.get(at.file as usize)?)));
    let Some((at, file)) = file else { return Default::default() };
    let line = file.lines.binary_search_by_key(&at.line, |line| line.line).ok();
    let text = line.and_then(|line| file.lines.get(line)?.text.clone()).unwrap_or_default();
    [file.path.clone(), at.line.to_string(), text]
}
