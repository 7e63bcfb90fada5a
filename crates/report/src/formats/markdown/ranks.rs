//! The section `Ranks`: slow everywhere or slow on one rank, with the sentence of every region in which ranks differ.

use std::io::{self, Write};

use rangescope_analyze::View;
use rangescope_model::document::RegionDocument;

use super::escape::{name, text};
use crate::ranks::{totals, uneven};
use rangescope_model::number::{ABSENT, Milliseconds, count, three_digits};

/// Regions shown; the JSON has more.
const MAX_ROWS: usize = 40;

pub(super) fn write(document: &RegionDocument, view: &View, out: &mut dyn Write) -> io::Result<()> {
    let Some(imbalance) = &document.ranks else { return Ok(()) };
    let (_, many) = imbalance.members.words();
    writeln!(out, "## {}\n", if many == "ranks" { "Ranks" } else { "Processes" })?;
    let all = imbalance.counted();
    for total in totals(imbalance) {
        writeln!(out, "{all}: {}.\n", text(&total.sentence))?;
    }
    for out_of_line in &imbalance.standing_out {
        let who = out_of_line.member.name_and_host(imbalance.members);
        writeln!(
            out,
            "- {} stands out in {}",
            text(&who),
            count(out_of_line.rows, "region", "regions")
        )?;
    }
    if !imbalance.standing_out.is_empty() {
        writeln!(out)?;
    }
    let rows = uneven(imbalance, view);
    if !rows.is_empty() {
        let longest = rows.iter().map(|row| row.time.as_ref().map(|time| time.max.value));
        let milliseconds = Milliseconds::for_all(longest);
        writeln!(
            out,
            "| Region | Min ms | Mean ms | Max ms | Max/mean | Where |\n|---|---:|---:|---:|---:|---|"
        )?;
        for row in rows.iter().take(MAX_ROWS) {
            let time = row.time.as_ref();
            let factor = time.and_then(|time| time.max_over_mean);
            writeln!(
                out,
                "| {} | {} | {} | {} | {} | {} |",
                name(&row.name),
                milliseconds.show(time.map(|time| time.min.value)),
                milliseconds.show(time.map(|time| time.mean)),
                milliseconds.show(time.map(|time| time.max.value)),
                factor.map_or_else(|| ABSENT.to_owned(), three_digits),
                text(&row.sentence),
            )?;
        }
        writeln!(out)?;
        if let Some(more) = rows.len().checked_sub(MAX_ROWS).filter(|more| *more > 0) {
            writeln!(out, "{more} more are in the JSON.\n")?;
        }
    }
    writeln!(out, "{}\n", text(&imbalance.rule))
}
