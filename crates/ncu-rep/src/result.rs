//! One result of a report, decoded on demand.
//!
//! [`ResultView`] is only a position; [`ResultParts`] holds a copy of the result's bytes and what one walk over its top-level fields finds there: small fields decoded, texts and large ones (metrics, sections, rules, NVTX) as places that are decoded when asked for.
//!
//! Most of a large result is instances of metrics and bodies of sections. [`ResultView::read_parts`] has no use for them, so that it reads a large result through a small window and does not read the rest of those that reach beyond it.

use std::borrow::Cow;
use std::io;
use std::ops::Range;

use crate::decode;
use crate::decode::metric::{self, MetricSink, MetricView};
use crate::grid::{Counted, Stated};
use crate::index::ResultEntry;
use crate::layout::{API_CALL, Layout, THREAD};
use crate::limits::{self, Budget};
use crate::model::{Metric, NvtxState, Process, ResultData, ResultKind, RuleResult, Section, Text};
use crate::owned::IntoOwned;
use crate::report::Report;
use crate::wire::{Fields, LONGEST_NUMBER, Wire, range_in};

/// A result of at most this many bytes is read at once.
const SMALL: usize = 128 << 10;
/// Bytes of results that are read at once where they follow each other, and the most that may lie between two of them.
const AHEAD: usize = 256 << 10;
const GAP: usize = 4 << 10;
/// Bytes of a larger one that are read at a time. Fields that are not longer are not worth passing over: copying them costs less than another read.
const WINDOW: usize = 8 << 10;

/// The position of one result.
#[derive(Clone, Copy, Debug)]
pub struct ResultView<'a> {
    report: &'a Report,
    entry: &'a ResultEntry,
    index: usize,
}

/// A place in a result, which is shorter than 4 GiB because its length is stored in 32 bits.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    start: u32,
    end: u32,
}

/// A result's bytes and its fields after one walk over them.
#[derive(Clone, Debug, Default)]
pub struct ResultParts {
    pub kind: ResultKind,
    pub thread: u32,
    pub api_call: u64,
    /// In blocks; absent where it may be in threads.
    pub grid: Option<[u64; 3]>,
    pub block: Option<[u64; 3]>,
    /// Unix time in seconds.
    pub time: Option<u64>,
    pub context: Option<u32>,
    pub stream: Option<u32>,
    /// The module that a kernel is in, see [`Report::source`].
    pub source: Option<u64>,
    pub unknown_fields: u64,
    /// The instances of all metrics were read.
    instances: bool,
    /// Results are read in their order up to this one.
    until: usize,
    /// Begins with what was read; what follows is left from longer results before.
    bytes: Vec<u8>,
    /// The part of the file that `bytes` begins with, if it is one.
    held: Range<usize>,
    mangled: Place,
    function: Place,
    demangled: Place,
    context_name: Place,
    stream_name: Place,
    nvtx: Option<Place>,
    metrics: Vec<Place>,
    sections: Vec<Place>,
    rules: Vec<Place>,
}

impl<'a> ResultView<'a> {
    pub(crate) fn new(report: &'a Report, entry: &'a ResultEntry, index: usize) -> Self {
        Self { report, entry, index }
    }

    /// Position in the file, counted from 0.
    pub fn index(&self) -> usize {
        self.index
    }

    pub fn kind(&self) -> ResultKind {
        self.entry.kind
    }

    /// Index of the process in [`Report::processes`].
    pub fn process_index(&self) -> usize {
        self.entry.process as usize
    }

    pub fn process(&self) -> Process<'a> {
        self.report.process(self.process_index())
    }

    /// The result's first byte in the file, for messages.
    pub fn offset(&self) -> u64 {
        self.entry.bytes.start as u64
    }

    pub(crate) fn raw_bytes(&self) -> io::Result<Vec<u8>> {
        self.report.copy(self.entry.bytes.clone())
    }

    /// Reads the result and walks over it once. Nothing is returned for a result whose bytes are damaged, or gone because the file has been shortened.
    pub fn parts(&self) -> Option<ResultParts> {
        let mut parts = ResultParts::new(self.entry.kind);
        parts.instances = true;
        let is_whole = parts.read(self.report, self.entry.bytes.clone(), usize::MAX);
        parts.count_blocks(self.report);
        is_whole.then_some(parts)
    }

    /// Like [`ResultView::parts`] without the instances of metrics, into parts that were used before, to save allocations. False means that the result is damaged or gone.
    pub fn read_parts(&self, parts: &mut ResultParts) -> bool {
        parts.reset(self.entry.kind);
        let is_whole = if self.entry.bytes.len() <= SMALL {
            parts.read_small(self)
        } else {
            parts.read(self.report, self.entry.bytes.clone(), WINDOW)
        };
        parts.count_blocks(self.report);
        is_whole
    }

    /// Where the results end that are read together with this one.
    fn ahead(&self, until: usize) -> usize {
        let own = &self.entry.bytes;
        let later = self.report.entries().get(self.index + 1..until).unwrap_or_default();
        let mut end = own.end;
        for later in later.iter().map(|entry| &entry.bytes) {
            let follows = later.start.checked_sub(end).is_some_and(|gap| gap <= GAP);
            if !follows || later.end - own.start > AHEAD {
                break;
            }
            end = later.end;
        }
        end
    }

    /// The NVTX state, if it was collected.
    pub fn nvtx(&self) -> Option<NvtxState<'static>> {
        let mut parts = ResultParts::new(self.entry.kind);
        if !self.read_parts(&mut parts) {
            return None;
        }
        parts.nvtx().owned()
    }

    /// Decodes everything. Of a repeated metric the last entry counts, in the place of the first.
    pub fn decode(&self) -> Option<ResultData<'a>> {
        let parts = self.parts()?;
        let mut budget = Budget::of_decoded(self.report.stored());
        let mut metrics: Vec<Metric<'a>> = Vec::new();
        let mut sampled: Vec<Text<'a>> = Vec::new();
        let mut seen = rustc_hash::FxHashMap::default();
        for view in parts.metrics() {
            let Some(name) = self.report.string(view.name_id) else { continue };
            let mut instances = Vec::new();
            for instance in view.instances() {
                budget.push(&mut instances, instance.owned()).ok()?;
            }
            if view.is_sampled() {
                budget.push(&mut sampled, Cow::Borrowed(name)).ok()?;
            }
            let value = view.value.clone().owned();
            let metric = Metric { name: Cow::Borrowed(name), value, instances };
            let place = *seen.entry(name).or_insert(metrics.len());
            match metrics.get_mut(place) {
                Some(earlier) => *earlier = metric,
                None => budget.push(&mut metrics, metric).ok()?,
            }
        }
        let mut sections: Vec<Section<'static>> = parts.sections().map(IntoOwned::owned).collect();
        for (section, place) in sections.iter_mut().zip(&parts.sections) {
            for name in decode::section::timeline(parts.at(*place)) {
                budget.push(&mut section.timeline, name.owned()).ok()?;
            }
        }
        Some(ResultData { metrics, sampled, sections, ..self.described(&parts) })
    }

    /// Everything of parts that were read of this result but its metrics and sections.
    pub fn described(&self, parts: &ResultParts) -> ResultData<'static> {
        ResultData {
            kind: parts.kind,
            process: self.process().owned(),
            thread: parts.thread,
            api_call: parts.api_call,
            nvtx: parts.nvtx().owned(),
            sections: Vec::new(),
            rules: parts.rules().map(IntoOwned::owned).collect(),
            function: parts.function().owned(),
            demangled: parts.demangled().owned(),
            mangled: parts.mangled().owned(),
            grid: parts.grid,
            block: parts.block,
            context: parts.context,
            stream: parts.stream,
            context_name: parts.text(parts.context_name).owned(),
            stream_name: parts.text(parts.stream_name).owned(),
            time: parts.time,
            source: parts.source.filter(|&source| source > 0),
            metrics: Vec::new(),
            sampled: Vec::new(),
        }
    }
}

impl ResultParts {
    /// Empty parts, to be filled by [`ResultView::read_parts`].
    pub fn new(kind: ResultKind) -> Self {
        Self { kind, ..Self::default() }
    }

    /// Empty parts for the results before this one, in their order: small ones are read several at a time.
    pub fn up_to(until: usize) -> Self {
        Self { until, ..Self::default() }
    }

    pub fn mangled(&self) -> Text<'_> {
        self.text(self.mangled)
    }

    /// Function name; `range` or `graph` for those kinds, the display name for command lists.
    pub fn function(&self) -> Text<'_> {
        match self.kind {
            ResultKind::Range => Cow::Borrowed("range"),
            ResultKind::Graph => Cow::Borrowed("graph"),
            ResultKind::Kernel | ResultKind::Cmdlist => self.text(self.function),
        }
    }

    /// Demangled name; empty for C and Triton kernels.
    pub fn demangled(&self) -> Text<'_> {
        self.text(self.demangled)
    }

    /// The metrics in stored order; a name may come more than once, then the last counts.
    pub fn metrics(&self) -> impl Iterator<Item = MetricView<'_>> {
        self.metrics.iter().map(|place| MetricView::new(self.at(*place), self.instances))
    }

    pub fn metric_count(&self) -> usize {
        self.metrics.len()
    }

    /// Hands the metrics over in stored order, without their instances.
    #[inline]
    pub fn give_metrics<'s>(&'s self, to: &mut impl MetricSink<'s>) {
        for place in &self.metrics {
            let (start, end) = (place.start as usize, place.end as usize);
            metric::give(self.bytes.get(start..).unwrap_or_default(), end - start, to);
        }
    }

    /// The NVTX state, if it was collected.
    pub fn nvtx(&self) -> Option<NvtxState<'_>> {
        self.nvtx.map(|place| decode::nvtx::state(self.at(place), self.thread))
    }

    pub fn sections(&self) -> impl Iterator<Item = Section<'_>> {
        self.sections.iter().map(|place| decode::section::section(self.at(*place)))
    }

    /// For each section the bytes that decide what [`ResultParts::sections`] gives for it: equal keys mean equal sections.
    pub fn section_keys(&self) -> impl Iterator<Item = &[u8]> {
        self.sections.iter().map(|place| {
            let bytes = self.at(*place);
            decode::section::head(bytes).unwrap_or(bytes)
        })
    }

    pub fn section(&self, position: usize) -> Option<Section<'_>> {
        self.sections.get(position).map(|place| decode::section::section(self.at(*place)))
    }

    pub fn rules(&self) -> impl Iterator<Item = RuleResult<'_>> {
        self.rules.iter().map(|place| decode::rule::rule(self.at(*place)))
    }

    /// Makes the grid one of blocks, where it may be one of threads; it is absent where that is not certain.
    fn count_blocks(&mut self, report: &Report) {
        let (Some(stored), Some(block)) = (self.grid, self.block) else { return };
        if report.counted() == Counted::Blocks {
            return;
        }
        let mut stated = Stated::default();
        for metric in self.metrics() {
            if let Some(name) = report.string(metric.name_id) {
                stated.take(name, metric.value.as_ref());
            }
        }
        self.grid = stated.grid(stored, block, report.counted());
    }

    #[inline]
    fn at(&self, place: Place) -> &[u8] {
        self.bytes.get(place.start as usize..place.end as usize).unwrap_or_default()
    }

    fn text(&self, place: Place) -> Text<'_> {
        Wire::Bytes(self.at(place)).text()
    }

    fn reset(&mut self, kind: ResultKind) {
        let mut old = std::mem::replace(self, Self::new(kind));
        old.metrics.clear();
        old.sections.clear();
        old.rules.clear();
        (self.until, self.bytes, self.held) = (old.until, old.bytes, old.held);
        (self.metrics, self.sections, self.rules) = (old.metrics, old.sections, old.rules);
    }

    /// Reads a small result, with those that follow it if they are to be read too. False means that it is damaged or gone.
    fn read_small(&mut self, view: &ResultView<'_>) -> bool {
        let place = &view.entry.bytes;
        let mut bytes = std::mem::take(&mut self.bytes);
        if place.start < self.held.start || place.end > self.held.end {
            let mut fill = |end: usize| {
                let length = end - place.start;
                if bytes.len() < length {
                    bytes.resize(length, 0);
                }
                let is_read = view.report.read_at(place.start, &mut bytes[..length]).is_ok();
                is_read.then_some(place.start..end)
            };
            // Where the file has been shortened, this one may be there still.
            let ahead = view.ahead(self.until);
            self.held = fill(ahead).or_else(|| fill(place.end)).unwrap_or_default();
        }
        let is_whole = place.start >= self.held.start && place.end <= self.held.end && {
            let end = place.end - self.held.start;
            let walked =
                self.walk(Layout::of(self.kind), &bytes[..end], place.start - self.held.start);
            walked == end && !place.is_empty() && self.is_reasonable(&bytes)
        };
        self.bytes = bytes;
        is_whole
    }

    /// Reads the result at `place` window by window. False means that it is damaged or gone.
    fn read(&mut self, report: &Report, place: Range<usize>, window: usize) -> bool {
        self.held = 0..0;
        let mut bytes = std::mem::take(&mut self.bytes);
        let whole = self.read_windows(report, place, window, &mut bytes);
        self.bytes = bytes;
        whole.is_some()
    }

    fn read_windows(
        &mut self,
        report: &Report,
        mut place: Range<usize>,
        mut window: usize,
        bytes: &mut Vec<u8>,
    ) -> Option<()> {
        let layout = Layout::of(self.kind);
        let most = limits::held(report.stored());
        // The first `held` bytes are read and the first `walked` of them done; `place` is still to be read, and the field between them lacks `missing`.
        let (mut held, mut walked, mut missing) = (0, 0, 0);
        while !place.is_empty() {
            let length = window.max(std::mem::take(&mut missing)).min(place.len());
            if let Some(more) = (held + length).checked_sub(bytes.len()).filter(|more| *more > 0) {
                if held + length > most || bytes.try_reserve(more).is_err() {
                    return None;
                }
                bytes.resize(held + length, 0);
            }
            report.read_at(place.start, &mut bytes[held..held + length]).ok()?;
            place.start += length;
            held += length;
            walked = self.walk(layout, &bytes[..held], walked);
            // The walk ends at the end or at a field that is not all there.
            let rest = &bytes[walked..held];
            let Some((number, length, start)) = Fields::new(rest).cut_bytes() else {
                // It is a number that the window cuts, or a group, or damaged.
                if rest.len() >= LONGEST_NUMBER {
                    window = Some(usize::MAX).filter(|_| Fields::new(rest).begins_group())?;
                }
                continue;
            };
            missing = length.checked_sub(start.len()).filter(|&missing| missing <= place.len())?;
            let (head, places) = match number {
                n if n == layout.metrics => (metric::head(start), &mut self.metrics),
                n if n == layout.sections => (decode::section::head(start), &mut self.sections),
                _ => continue,
            };
            if let Some(head) = head {
                let kept = Place::of(bytes, head);
                places.push(kept);
                held = kept.end as usize;
                walked = held;
                place.start += std::mem::take(&mut missing);
                if place.is_empty() {
                    // Nothing is read any more, and so nothing else would tell that the file ends inside what was passed over.
                    report.read_at(place.end - 1, &mut [0]).ok()?;
                }
            }
        }
        (walked == held && held > 0 && self.is_reasonable(bytes)).then_some(())
    }

    /// Whether its parts are no more than a result could ever have; each becomes much larger when it is decoded.
    fn is_reasonable(&self, bytes: &[u8]) -> bool {
        let items = |places: &[Place], count: fn(&[u8]) -> usize| {
            let at = |place: &Place| &bytes[place.start as usize..place.end as usize];
            let total: usize = places.iter().map(|place| at(place).len()).sum();
            places.len().saturating_add(if total <= limits::FEW {
                0
            } else {
                places.iter().map(|place| count(at(place))).fold(0, usize::saturating_add)
            })
        };
        self.sections.len() <= limits::ITEMS
            && items(&self.rules, decode::rule::items) <= limits::ITEMS
            && items(self.nvtx.as_slice(), decode::nvtx::items) <= limits::ITEMS
    }

    /// Walks over the fields of `bytes` from `at` on and returns where it comes to their end, or to a field that is not all there.
    fn walk(&mut self, layout: &Layout, bytes: &[u8], at: usize) -> usize {
        let mut fields = Fields::new(&bytes[at..]);
        loop {
            let at = bytes.len() - fields.left();
            let Some((number, content)) = fields.next() else { return at };
            if number == layout.metrics {
                self.metrics.push(Place::of(bytes, content.bytes()));
                while let Some(metric) = fields.next_bytes_of(number) {
                    self.metrics.push(Place::of(bytes, metric));
                }
            } else {
                self.read_field(layout, number, content, Place::of(bytes, content.bytes()));
            }
        }
    }

    fn read_field(&mut self, layout: &Layout, number: u32, content: Wire<'_>, place: Place) {
        match number {
            THREAD => self.thread = content.number32(),
            API_CALL => self.api_call = content.number(),
            n if n == layout.sections => self.sections.push(place),
            n if n == layout.rules => self.rules.push(place),
            n if n == layout.nvtx => self.nvtx = Some(place),
            n if n == layout.function => self.function = place,
            n if n == layout.demangled => self.demangled = place,
            n if n == layout.mangled => self.mangled = place,
            n if n == layout.grid => self.grid = Some(xyz(content.message())),
            n if n == layout.block => self.block = Some(xyz(content.message())),
            n if n == layout.time => self.time = Some(content.number()),
            n if n == layout.context => self.context = Some(content.number32()),
            n if n == layout.stream => self.stream = Some(content.number32()),
            n if n == layout.source => {
                let reference = content.message().find(|(number, _)| *number == 1);
                self.source = reference.map(|(_, content)| content.number());
            }
            n if n == layout.context_name => self.context_name = place,
            n if n == layout.stream_name => self.stream_name = place,
            // A command list may hold several launches; the first stands for it.
            n if n == layout.launch && self.grid.is_none() => {
                for (number, content) in content.message() {
                    match number {
                        1 => self.grid = Some(xyz(content.message())),
                        2 => self.block = Some(xyz(content.message())),
                        _ => {}
                    }
                }
            }
            n if n > layout.last => self.unknown_fields += 1,
            _ => {}
        }
    }
}

impl Place {
    #[inline]
    fn of(bytes: &[u8], piece: &[u8]) -> Self {
        let range = range_in(bytes, piece);
        let short = |position| u32::try_from(position).unwrap_or_default();
        Self { start: short(range.start), end: short(range.end) }
    }
}

fn xyz(fields: Fields<'_>) -> [u64; 3] {
    let mut xyz = [0; 3];
    for (number, content) in fields {
        if let Some(slot) = (number as usize).checked_sub(1).and_then(|slot| xyz.get_mut(slot)) {
            *slot = content.number();
        }
    }
    xyz
}

#[cfg(test)]
mod tests;
