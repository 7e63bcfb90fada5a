//! Lines of source and instructions with what was counted at them, as the page shows them.
//!
//! What is kept of everything is bounded, the heaviest first; the page says what was left out.

use rangescope_model::document::Note;
use rangescope_model::region::RangeKind;
use rangescope_model::source::{
    Counts, InstructionCode, KernelCode, LineAt, LineCode, RegionCode, RegionLine, SourceDocument,
    SourceFile, TextLine, TextOrigin, Weight,
};
use serde::Serialize;

use super::number::Number;
use super::pool::{Pool, Texts};

/// The counter that has a column of its own.
const EXECUTED: &str = "inst_executed";
/// Counters of samples by reason are in the stalls already.
const SAMPLES: &str = "smsp__pcsamp";
/// Bytes that a page should have at the most, and bytes of it that code gets whatever else there is, and at the most.
const MOST_BYTES: usize = 14_500_000;
const LEAST_ROOM: usize = 1_500_000;
const MOST_ROOM: usize = 8_000_000;
/// Bytes of room for each line, line of a region and instruction; a quarter of the room is for texts. They take a quarter of that themselves.
const BYTES_EACH: usize = 240;
/// Kernels that are named at a line.
const NAMED_KERNELS: usize = 8;
/// Characters of a line of source that are kept; generated code has lines of any length.
const LONGEST_LINE: usize = 400;

/// Everything that the page shows of the code.
#[derive(Debug, Serialize)]
pub(crate) struct PageSource<'d> {
    ordered_by: Weight,
    launches: u64,
    counted: u64,
    notes: &'d [Note],
    totals: Row,
    /// Reasons for which warps wait, and the other counters.
    reasons: Pool<u32>,
    metrics: Pool<u32>,
    files: Vec<PageFile>,
    kernels: Vec<PageKernel>,
    regions: Vec<PageRegion>,
    /// Lines, lines of regions and kernels with instructions for which there was no room.
    left_out: [u64; 3],
}

/// Samples, time, instructions executed, stalls as pairs of reason and samples, other counters as pairs.
type Row = (Option<u64>, Number, Option<u64>, Vec<u64>, Vec<u64>);

/// Number, text, counts, some kernels with code from it and the number of all.
type Line = (u32, Option<u32>, Row, Vec<u32>, usize);

/// Offset, file and line or −1, what it does in words, counts, and the called function that it is in.
type Instruction = (u32, i64, i64, Option<u32>, Row, Option<u32>);

#[derive(Debug, Serialize)]
struct PageFile {
    path: u32,
    /// Why there is no text.
    absent: Option<u32>,
    row: Row,
    lines: Vec<Line>,
    /// Number and text of lines without code.
    around: Vec<(u32, u32)>,
}

#[derive(Debug, Serialize)]
struct PageKernel {
    name: u32,
    /// Null where there was no room for its instructions.
    row: Option<Row>,
    no_lines: Option<u32>,
    /// Null likewise.
    instructions: Option<Vec<Instruction>>,
}

#[derive(Debug, Serialize)]
struct PageRegion {
    domain: u32,
    start_end: u8,
    path: Vec<u32>,
    row: Row,
    /// Its hottest lines: file, line, counts.
    lines: Vec<(u32, u32, Row)>,
}

/// How much more is kept of something.
#[derive(Debug)]
struct Room(usize);

impl Room {
    /// Whether there is room for so many; then it is taken.
    fn take(&mut self, wanted: usize) -> bool {
        let left = self.0.checked_sub(wanted);
        self.0 = left.unwrap_or(self.0);
        left.is_some()
    }
}

impl<'d> PageSource<'d> {
    /// For a page that has so many bytes already.
    pub(crate) fn of(texts: &mut Texts, document: &'d SourceDocument, used: usize) -> Self {
        let bytes = MOST_BYTES.saturating_sub(used).clamp(LEAST_ROOM, MOST_ROOM);
        let most = bytes / BYTES_EACH;
        let mut rows = Rows {
            texts,
            reasons: Pool::default(),
            metrics: Pool::default(),
            executed: document.metrics.iter().any(|name| name == EXECUTED),
            text_room: Room(bytes / 4),
        };
        let mut left_out = [0; 3];
        let mut room = Room(most);
        let mut files = Vec::with_capacity(document.files.len());
        for file in &document.files {
            let fits = room.take(file.lines.len());
            left_out[0] += if fits { 0 } else { file.lines.len() as u64 };
            files.push(rows.file(file, fits));
        }
        let mut room = Room(most);
        let mut kernels = Vec::with_capacity(document.kernels.len());
        for kernel in &document.kernels {
            let fits = room.take(kernel.instructions.len());
            left_out[2] += u64::from(!fits);
            kernels.push(rows.kernel(kernel, fits));
        }
        let lines: usize = document.regions.iter().map(|region| region.lines.len()).sum();
        // Each region keeps the same number of its hottest lines, so that small ones are not empty.
        let each = if lines <= most { usize::MAX } else { most / document.regions.len().max(1) };
        let mut regions = Vec::with_capacity(document.regions.len());
        for region in &document.regions {
            left_out[1] += region.lines.len().saturating_sub(each) as u64;
            regions.push(rows.region(region, each));
        }
        Self {
            ordered_by: document.ordered_by,
            launches: document.totals.launches,
            counted: document.totals.counted,
            notes: &document.notes,
            totals: rows.row(&document.totals.counts),
            reasons: rows.reasons,
            metrics: rows.metrics,
            files,
            kernels,
            regions,
            left_out,
        }
    }
}

/// Makes rows, and stores what they refer to.
struct Rows<'t> {
    texts: &'t mut Texts,
    reasons: Pool<u32>,
    metrics: Pool<u32>,
    executed: bool,
    text_room: Room,
}

impl Rows<'_> {
    fn row(&mut self, counts: &Counts) -> Row {
        let texts = &mut *self.texts;
        let stalls = pairs(&mut self.reasons, texts, counts.stalls.iter());
        let other =
            |(name, _): &(&String, &u64)| name.as_str() != EXECUTED && !name.starts_with(SAMPLES);
        let metrics = pairs(&mut self.metrics, texts, counts.metrics.iter().filter(other));
        let executed = self.executed.then(|| counts.metric(EXECUTED));
        (counts.samples, Number::ns(counts.time_ms), executed, stalls, metrics)
    }

    /// The number of a line of source, if there is room for it.
    fn text(&mut self, text: &str) -> Option<u32> {
        let kept = text.char_indices().nth(LONGEST_LINE).map_or(text, |(end, _)| &text[..end]);
        if kept.len() == text.len() {
            return self.text_room.take(kept.len()).then(|| self.texts.add(kept));
        }
        let cut = format!("{kept}…");
        self.text_room.take(cut.len()).then(|| self.texts.add(&cut))
    }

    fn file(&mut self, file: &SourceFile, fits: bool) -> PageFile {
        let absent = match &file.text {
            TextOrigin::Absent(reason) => Some(self.texts.add(reason)),
            TextOrigin::Report | TextOrigin::Disk(_) => None,
        };
        let (lines, around): (&[LineCode], &[TextLine]) =
            if fits { (&file.lines, &file.around) } else { (&[], &[]) };
        PageFile {
            path: self.texts.add(&file.path),
            absent,
            row: self.row(&file.counts),
            lines: lines
                .iter()
                .map(|line| {
                    let text = line.text.as_deref().and_then(|text| self.text(text));
                    let named = line.kernels.iter().copied().take(NAMED_KERNELS).collect();
                    (line.line, text, self.row(&line.counts), named, line.kernels.len())
                })
                .collect(),
            around: around
                .iter()
                .filter_map(|line| Some((line.line, self.text(&line.text)?)))
                .collect(),
        }
    }

    fn kernel(&mut self, kernel: &KernelCode, fits: bool) -> PageKernel {
        let instructions = kernel.instructions.iter().map(|one| self.instruction(one));
        PageKernel {
            instructions: fits.then(|| instructions.collect()),
            name: self.texts.add(&kernel.kernel_name),
            row: fits.then(|| self.row(&kernel.totals.counts)),
            no_lines: self.texts.add_option(kernel.no_lines.as_deref()),
        }
    }

    fn instruction(&mut self, one: &InstructionCode) -> Instruction {
        let (file, line) =
            one.line.map_or((-1, -1), |LineAt { file, line }| (file.into(), line.into()));
        let words = one.sass.as_deref().or(one.ptx.as_deref());
        let words = words.and_then(|words| self.text(words));
        let mut row = self.row(&one.counts);
        // By instruction they are in `rangescope source`; here they would be most of the page.
        row.4.clear();
        let called = self.texts.add_option(one.function.as_deref());
        (one.offset, file, line, words, row, called)
    }

    fn region(&mut self, region: &RegionCode, most: usize) -> PageRegion {
        PageRegion {
            domain: self.texts.add(&region.domain),
            start_end: u8::from(region.kind == RangeKind::StartEnd),
            path: region.path.iter().map(|part| self.texts.add(part)).collect(),
            row: self.row(&region.totals.counts),
            lines: region
                .lines
                .iter()
                .take(most)
                .map(|RegionLine { at, counts }| (at.file, at.line, self.row(counts)))
                .collect(),
        }
    }
}

/// Names with counts other than 0, as numbers one after the other.
fn pairs<'c>(
    pool: &mut Pool<u32>,
    texts: &mut Texts,
    counts: impl Iterator<Item = (&'c String, &'c u64)>,
) -> Vec<u64> {
    let mut flat = Vec::new();
    for (name, count) in counts.filter(|(_, count)| **count > 0) {
        flat.extend([u64::from(pool.add(texts.add(name)).0), *count]);
    }
    flat
}
