//! The hottest lines as Markdown tables.

use std::io::{self, Write};

use rangescope_model::number::{percent, thousands, time};
use rangescope_model::source::{Counts, SourceDocument};

use super::{
    Listing, SourceView, excess_bytes, excessive, hottest, short_path, stall, summary, unknown,
};
use crate::formats::markdown::escape::{cell_code, name, text};

const HEAD: &str = "| Where | Text | Samples | Share | ± | Time (estimated) | Waits for | Executed |\n|---|---|---:|---:|---:|---:|---|---:|";

pub fn write(
    document: &SourceDocument,
    view: &SourceView<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "# Source lines\n")?;
    if document.simulated {
        writeln!(
            out,
            "**SIMULATED: no measurement, the numbers come from a simulated device.**\n"
        )?;
    }
    writeln!(out, "{}\n", text(&summary(document)))?;
    for note in &document.notes {
        writeln!(out, "- {}\n", text(&note.message))?;
    }
    match view.listing {
        Listing::File(file) => {
            writeln!(out, "## {}\n\n{HEAD}", name(&file.path))?;
            for line in &file.lines {
                row(&line.line.to_string(), line.text.as_deref(), &line.counts, out)?;
            }
        }
        Listing::Instructions => {
            for kernel in document.kernels.iter().take(view.top) {
                writeln!(out, "## {}\n\n{HEAD}", name(&kernel.kernel_name))?;
                for one in &kernel.instructions {
                    let words = one.sass.as_deref().or(one.ptx.as_deref());
                    let called = one.function.as_ref().map(|called| format!("{called} "));
                    let place = format!("{}{:05x}", called.unwrap_or_default(), one.offset);
                    row(&place, words, &one.counts, out)?;
                }
                writeln!(out)?;
            }
        }
        Listing::Summary => {
            writeln!(out, "## Hottest lines\n\n{HEAD}")?;
            for (file, line) in hottest(document, view.top) {
                let place = format!("{}:{}", short_path(&file.path), line.line);
                row(&place, line.text.as_deref(), &line.counts, out)?;
            }
            let lines = excessive(document);
            if !lines.is_empty() {
                writeln!(out, "\n## Moved and not used, global memory\n")?;
                writeln!(out, "| Where | Text | Bytes | Time (at most) |\n|---|---|---:|---:|")?;
            }
            for (file, line) in lines {
                let words = line.text.as_deref().map(|words| cell_code(words.trim()));
                writeln!(
                    out,
                    "| {} | {} | {} | {} |",
                    text(&format!("{}:{}", short_path(&file.path), line.line)),
                    words.unwrap_or_default(),
                    excess_bytes(&line.counts),
                    time(line.counts.excess_ms),
                )?;
            }
            for region in document.regions.iter().filter(|region| !region.lines.is_empty()) {
                writeln!(out, "\n## In {}\n\n{HEAD}", name(&region.name))?;
                for line in region.lines.iter().take(view.top) {
                    let Some(file) = document.files.get(line.at.file as usize) else { continue };
                    let place = format!("{}:{}", short_path(&file.path), line.at.line);
                    let known = file.lines.binary_search_by_key(&line.at.line, |line| line.line);
                    let known = known.ok().and_then(|known| file.lines.get(known));
                    row(&place, known.and_then(|line| line.text.as_deref()), &line.counts, out)?;
                }
            }
        }
    }
    let without =
        document.kernels.iter().filter_map(|kernel| Some((kernel, kernel.no_lines.as_ref()?)));
    for (kernel, reason) in without {
        writeln!(out, "\n{}: no lines, {}", name(&kernel.kernel_name), text(reason))?;
    }
    for sentence in unknown(&document.totals) {
        writeln!(out, "\n{}", text(&sentence))?;
    }
    Ok(())
}

fn row(place: &str, words: Option<&str>, counts: &Counts, out: &mut dyn Write) -> io::Result<()> {
    let words = words.map(|words| cell_code(words.trim())).unwrap_or_default();
    let samples = counts.samples.map_or_else(|| "–".to_owned(), thousands);
    writeln!(
        out,
        "| {} | {words} | {samples} | {} | {} | {} | {} | {} |",
        text(place),
        percent(counts.share),
        percent(counts.share_error),
        time(counts.time_ms),
        text(&stall(counts)),
        thousands(counts.metric("inst_executed")),
    )
}
