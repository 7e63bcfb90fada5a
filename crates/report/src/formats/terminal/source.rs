//! The hottest lines and instructions on the screen.

use std::io::{self, Write};

use anstyle::Style;
use rangescope_model::number::{self, Milliseconds, percent, thousands, three_digits, time};
use rangescope_model::source::{
    Counts, InstructionCode, KernelCode, LineAt, SourceDocument, SourceFile, TextOrigin,
};
use rangescope_model::text::{clip, pad_left, shorten, shorten_kernel, visible, width, wrap};

use super::table::{Column, Table};
use super::{HEADING, QUIET, notes, write_quietly};
use crate::source::{
    Listing, SourceView, excess_bytes, excessive, hottest, short_path, stall, unknown,
};

/// Functions and lines of a region that are shown.
const FUNCTIONS: usize = 5;
const LINES_OF_REGION: usize = 3;
const REGIONS: usize = 8;
const EXECUTED: &str = "inst_executed";

/// Writes the hottest lines, and then what the view lists.
pub fn write(
    document: &SourceDocument,
    view: &SourceView<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let screen = view.width;
    if document.simulated {
        writeln!(
            out,
            "{HEADING}SIMULATED: no measurement, the numbers come from a simulated device{HEADING:#}"
        )?;
    }
    for line in wrap(&crate::source::summary(document), screen) {
        writeln!(out, "{line}")?;
    }
    let cells = Cells::new(document);
    match view.listing {
        Listing::Summary => {
            lines(document, view, &cells, out)?;
            excess(document, view, out)?;
            functions(document, view, &cells, out)?;
            regions(document, view, &cells, out)?;
        }
        Listing::File(file) => listing(file, screen, &cells, out)?,
        Listing::Instructions => {
            for kernel in document.kernels.iter().take(view.top) {
                instructions(document, kernel, screen, &cells, out)?;
            }
        }
    }
    let without =
        document.kernels.iter().filter_map(|kernel| Some((kernel, kernel.no_lines.as_ref()?)));
    for (kernel, reason) in without.take(view.top) {
        let name = shorten_kernel(&visible(&kernel.kernel_name), 60).into_owned();
        write_quietly(&format!("{name}: no lines, {reason}"), screen, out)?;
    }
    for sentence in unknown(&document.totals) {
        write_quietly(&sentence, screen, out)?;
    }
    notes::write_all(&document.notes, screen, out)?;
    out.flush()
}

/// What every table shows of counts.
struct Cells {
    time: Option<Milliseconds>,
    sampled: bool,
    executed: bool,
}

impl Cells {
    fn new(document: &SourceDocument) -> Self {
        let counts = &document.totals.counts;
        Self {
            time: counts.time_ms.map(|ms| Milliseconds::for_total(Some(ms))),
            sampled: counts.samples.is_some(),
            executed: document.metrics.iter().any(|metric| metric == EXECUTED),
        }
    }

    fn columns(&self) -> Vec<Column> {
        let mut columns = Vec::new();
        if self.sampled {
            columns.push(Column::number("samples", 0));
            columns.push(Column::number("±", 3));
        }
        if self.time.is_some() {
            columns.push(Column::number("ms", 2));
        }
        if self.executed {
            columns.push(Column::number("executed", 4));
        }
        if self.sampled {
            columns.push(Column::word("waits for", 1));
        }
        columns
    }

    fn of(&self, counts: &Counts) -> Vec<String> {
        let mut cells = Vec::new();
        if self.sampled {
            cells.push(percent(counts.share));
            cells.push(
                counts
                    .share_error
                    .map_or_else(String::new, |error| number::percent_figure(error * 100.0)),
            );
        }
        if let Some(time) = self.time {
            cells.push(time.show(counts.time_ms));
        }
        if self.executed {
            cells.push(three_digits(counts.metric(EXECUTED) as f64));
        }
        if self.sampled {
            cells.push(stall(counts));
        }
        cells
    }
}

fn table<'c>(
    title: &'static str,
    cells: &Cells,
    rows: impl IntoIterator<Item = &'c Vec<String>>,
    screen: usize,
) -> Table {
    Table::new(title, cells.columns(), rows, screen)
}

fn lines(
    document: &SourceDocument,
    view: &SourceView<'_>,
    cells: &Cells,
    out: &mut dyn Write,
) -> io::Result<()> {
    let hottest = hottest(document, view.top);
    if hottest.is_empty() {
        return Ok(());
    }
    let rows: Vec<Vec<String>> = hottest.iter().map(|(_, line)| cells.of(&line.counts)).collect();
    let mut shown = table("Hottest lines", cells, &rows, view.width);
    for ((file, line), row) in hottest.iter().zip(rows) {
        let name = placed(file, line.line, line.text.as_deref(), shown.room);
        shown.row(Style::new(), name, row);
    }
    writeln!(out)?;
    shown.write(out)?;
    let all: usize = document.files.iter().map(|file| file.lines.len()).sum();
    if all > hottest.len() {
        writeln!(
            out,
            "{QUIET}… {} more lines with code{QUIET:#}",
            thousands((all - hottest.len()) as u64)
        )?;
    }
    Ok(())
}

/// What is moved and not used, by line.
fn excess(document: &SourceDocument, view: &SourceView<'_>, out: &mut dyn Write) -> io::Result<()> {
    let lines = excessive(document);
    if lines.is_empty() {
        return Ok(());
    }
    let cells = |counts: &Counts| vec![excess_bytes(counts), time(counts.excess_ms), stall(counts)];
    let rows: Vec<Vec<String>> = lines.iter().map(|(_, line)| cells(&line.counts)).collect();
    let columns = vec![
        Column::number("bytes", 0),
        Column::number("at most", 1),
        Column::word("waits for", 2),
    ];
    let mut shown = Table::new("Moved and not used, global memory", columns, &rows, view.width);
    for ((file, line), row) in lines.iter().zip(rows) {
        let name = placed(file, line.line, line.text.as_deref(), shown.room);
        shown.row(Style::new(), name, row);
    }
    writeln!(out)?;
    shown.write(out)
}

fn functions(
    document: &SourceDocument,
    view: &SourceView<'_>,
    cells: &Cells,
    out: &mut dyn Write,
) -> io::Result<()> {
    if document.functions.len() <= document.kernels.len() {
        return Ok(());
    }
    let functions: Vec<_> = document.functions.iter().take(FUNCTIONS).collect();
    let rows: Vec<Vec<String>> =
        functions.iter().map(|function| cells.of(&function.inclusive)).collect();
    let mut shown = table("Functions, with what they hold or call", cells, &rows, view.width);
    for (function, row) in functions.iter().zip(rows) {
        let name = shorten_kernel(&visible(&function.name), shown.room).into_owned();
        shown.row(Style::new(), name, row);
    }
    writeln!(out)?;
    shown.write(out)
}

fn regions(
    document: &SourceDocument,
    view: &SourceView<'_>,
    cells: &Cells,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut regions: Vec<_> =
        document.regions.iter().filter(|region| !region.lines.is_empty()).collect();
    let weight = |counts: &Counts| {
        number::weight(counts.time_ms.or(counts.samples.map(|samples| samples as f64)))
    };
    regions
        .sort_by(|one, other| weight(&other.totals.counts).total_cmp(&weight(&one.totals.counts)));
    regions.truncate(REGIONS);
    if regions.is_empty() {
        return Ok(());
    }
    let rows: Vec<Vec<Vec<String>>> = regions
        .iter()
        .map(|region| {
            region.lines.iter().take(LINES_OF_REGION).map(|line| cells.of(&line.counts)).collect()
        })
        .collect();
    let mut shown = table("Hottest lines by region", cells, rows.iter().flatten(), view.width);
    for (region, rows) in regions.iter().zip(rows) {
        let samples = region
            .totals
            .counts
            .samples
            .map_or_else(String::new, |samples| format!(", {} samples", thousands(samples)));
        shown.heading(format!("in {}{samples}", shorten(&visible(&region.name), view.width / 2)));
        for (line, row) in region.lines.iter().zip(rows) {
            let name = place(document, line.at, shown.room.saturating_sub(2));
            shown.row(Style::new(), format!("  {name}"), row);
        }
    }
    writeln!(out)?;
    shown.write(out)?;
    if document.regions.len() > regions.len() {
        writeln!(out, "{QUIET}… more regions with --region, or all with --format json{QUIET:#}")?;
    }
    Ok(())
}

fn place(document: &SourceDocument, at: LineAt, room: usize) -> String {
    let Some(file) = document.files.get(at.file as usize) else { return String::new() };
    let text = file.lines.binary_search_by_key(&at.line, |line| line.line).ok();
    let text = text.and_then(|place| file.lines.get(place)?.text.as_deref());
    placed(file, at.line, text, room)
}

/// The place, and as much of its text as there is room for.
fn placed(file: &SourceFile, line: u32, text: Option<&str>, room: usize) -> String {
    let place = format!("{}:{line}", short_path(&file.path));
    let place = shorten(&visible(&place), room).into_owned();
    let text = visible(text.unwrap_or_default().trim());
    match room.saturating_sub(width(&place) + 2) {
        0..8 => place,
        room => format!("{place}  {}", clip(&text, room - 1)),
    }
}

/// A file with its heat beside it; what is far from any code is left out.
fn listing(file: &SourceFile, screen: usize, cells: &Cells, out: &mut dyn Write) -> io::Result<()> {
    let origin = match &file.text {
        TextOrigin::Report => "text from the report".to_owned(),
        TextOrigin::Disk(path) => format!("text from {}", visible(path)),
        TextOrigin::Absent(reason) => format!("no text: {reason}"),
    };
    writeln!(out, "\n{HEADING}{}{HEADING:#}", visible(&file.path))?;
    write_quietly(&origin, screen, out)?;
    writeln!(out)?;
    let rows: Vec<Vec<String>> = file.lines.iter().map(|line| cells.of(&line.counts)).collect();
    let mut shown = table("line", cells, &rows, screen);
    let with_code =
        file.lines.iter().zip(rows).map(|(line, row)| (line.line, line.text.as_deref(), Some(row)));
    let around = file.around.iter().map(|line| (line.line, Some(line.text.as_str()), None));
    let mut all: Vec<_> = with_code.chain(around).collect();
    all.sort_by_key(|(line, ..)| *line);
    let mut before = 0;
    for (line, text, row) in all {
        if line > before + 1 && before > 0 {
            shown.text("    ⋮".to_owned());
        }
        before = line;
        let text = visible(text.unwrap_or_default()).replace("\\t", "    ");
        let name =
            shorten(&format!("{} {text}", pad_left(&line.to_string(), 5)), shown.room).into_owned();
        match row {
            Some(row) => shown.row(Style::new(), name, row),
            None => shown.row(QUIET, name, Vec::new()),
        }
    }
    shown.write(out)
}

/// The instructions of a kernel, each group under the line that it comes from.
fn instructions(
    document: &SourceDocument,
    kernel: &KernelCode,
    screen: usize,
    cells: &Cells,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(
        out,
        "\n{HEADING}{}{HEADING:#}",
        shorten_kernel(&visible(&kernel.kernel_name), screen)
    )?;
    let rows: Vec<Vec<String>> =
        kernel.instructions.iter().map(|one| cells.of(&one.counts)).collect();
    let mut shown = table("instruction", cells, &rows, screen);
    let (mut function, mut line) = (None, None);
    for (instruction, row) in kernel.instructions.iter().zip(rows) {
        if instruction.function != function {
            (function, line) = (instruction.function.clone(), None);
            let called = function.as_deref().unwrap_or_default();
            shown.heading(format!(
                "in {}, which it calls",
                shorten_kernel(&visible(called), screen / 2)
            ));
        }
        if instruction.line != line {
            line = instruction.line;
            shown.heading(
                line.map_or_else(|| "no line".to_owned(), |at| place(document, at, screen)),
            );
        }
        let name = shorten(&words(instruction), shown.room).into_owned();
        shown.row(Style::new(), name, row);
    }
    writeln!(out)?;
    shown.write(out)
}

fn words(instruction: &InstructionCode) -> String {
    let sass = instruction.sass.as_deref().or(instruction.ptx.as_deref()).unwrap_or_default();
    format!("  {:05x}  {}", instruction.offset, visible(sass.trim()))
}
