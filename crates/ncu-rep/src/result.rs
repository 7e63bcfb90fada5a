//! One result of a report, decoded on demand.
//!
//! [`ResultView`] is only a position; [`ResultParts`] is what one walk over the result's top-level fields finds: small fields decoded, large ones (metrics, sections, rules, NVTX) as byte ranges that are decoded when asked for.

use std::borrow::Cow;

use crate::decode;
use crate::decode::metric::MetricView;
use crate::index::ResultEntry;
use crate::model::{Metric, NvtxState, Process, ResultData, ResultKind, RuleResult, Section, Text};
use crate::report::Report;
use crate::wire::{Fields, Wire};

/// The position of one result.
#[derive(Clone, Copy, Debug)]
pub struct ResultView<'a> {
    report: &'a Report,
    entry: &'a ResultEntry,
    index: usize,
}

/// A result's fields after one walk over them.
#[derive(Clone, Debug)]
pub struct ResultParts<'a> {
    /// What the result stands for.
    pub kind: ResultKind,
    /// Launching thread.
    pub thread: u32,
    /// Number of the API call.
    pub api_call: u64,
    /// Mangled name.
    pub mangled: Text<'a>,
    /// Function name; `range` or `graph` for those kinds, the display name for command lists.
    pub function: Text<'a>,
    /// Demangled name; empty for C and Triton kernels.
    pub demangled: Text<'a>,
    /// Grid dimensions.
    pub grid: Option<[u64; 3]>,
    /// Block dimensions.
    pub block: Option<[u64; 3]>,
    /// Unix time in seconds.
    pub time: Option<u64>,
    /// Context id.
    pub context: Option<u32>,
    /// Stream id.
    pub stream: Option<u32>,
    /// Name of the context, may be empty.
    pub context_name: Text<'a>,
    /// Name of the stream, may be empty.
    pub stream_name: Text<'a>,
    /// Fields that this reader does not know.
    pub unknown_fields: u64,
    nvtx: Option<&'a [u8]>,
    metrics: Vec<&'a [u8]>,
    sections: Vec<&'a [u8]>,
    rules: Vec<&'a [u8]>,
}

/// The field numbers of one kind of result; 0 means that the kind has no such field.
struct Layout {
    metrics: u32,
    sections: u32,
    rules: u32,
    nvtx: u32,
    time: u32,
    context: u32,
    stream: u32,
    context_name: u32,
    stream_name: u32,
    mangled: u32,
    function: u32,
    demangled: u32,
    grid: u32,
    block: u32,
    /// A message with grid and block inside.
    launch: u32,
    /// The highest number that is known; larger ones are counted as unknown.
    last: u32,
}

const NONE: Layout = Layout {
    metrics: 0,
    sections: 0,
    rules: 0,
    nvtx: 0,
    time: 0,
    context: 0,
    stream: 0,
    context_name: 0,
    stream_name: 0,
    mangled: 0,
    function: 0,
    demangled: 0,
    grid: 0,
    block: 0,
    launch: 0,
    last: 0,
};
const KERNEL: Layout = Layout {
    metrics: 13,
    sections: 17,
    rules: 19,
    nvtx: 21,
    time: 14,
    context: 22,
    stream: 23,
    context_name: 26,
    stream_name: 27,
    mangled: 5,
    function: 6,
    demangled: 7,
    grid: 10,
    block: 11,
    last: 39,
    ..NONE
};
const RANGE: Layout = Layout {
    metrics: 4,
    sections: 7,
    rules: 20,
    nvtx: 10,
    time: 5,
    context: 11,
    context_name: 13,
    last: 23,
    ..NONE
};
const CMDLIST: Layout = Layout {
    rules: 21,
    stream: 12,
    context_name: 14,
    stream_name: 15,
    function: 18,
    launch: 20,
    last: 27,
    ..RANGE
};
const GRAPH: Layout =
    Layout { rules: 22, stream: 12, context_name: 14, stream_name: 15, last: 26, ..RANGE };

const THREAD: u32 = 1;
const API_CALL: u32 = 2;

impl<'a> ResultView<'a> {
    pub(crate) fn new(report: &'a Report, entry: &'a ResultEntry, index: usize) -> Self {
        Self { report, entry, index }
    }

    /// Position in the file, counted from 0.
    pub fn index(&self) -> usize {
        self.index
    }

    /// What the result stands for.
    pub fn kind(&self) -> ResultKind {
        self.entry.kind
    }

    /// Index of the process in [`Report::processes`].
    pub fn process_index(&self) -> usize {
        self.entry.process as usize
    }

    /// The process.
    pub fn process(&self) -> Process<'a> {
        self.report.process(self.process_index())
    }

    /// Where the result's bytes begin, for messages.
    pub fn offset(&self) -> u64 {
        self.entry.bytes.start as u64
    }

    pub(crate) fn raw_bytes(&self) -> &'a [u8] {
        self.report.bytes(self.entry.bytes.clone())
    }

    /// Walks over the result once. Nothing is returned for a result whose bytes are damaged.
    pub fn parts(&self) -> Option<ResultParts<'a>> {
        let mut parts = ResultParts::new(self.entry.kind);
        self.read_parts(&mut parts).then_some(parts)
    }

    /// Like [`ResultView::parts`], into parts that were used before, to save allocations. False means that the result is damaged.
    pub fn read_parts(&self, parts: &mut ResultParts<'a>) -> bool {
        parts.reset(self.entry.kind);
        parts.read(self.raw_bytes())
    }

    /// The NVTX state, if it was collected.
    pub fn nvtx(&self) -> Option<NvtxState<'a>> {
        self.parts()?.nvtx()
    }

    /// Decodes everything. Of a repeated metric the last entry counts, in the place of the first.
    pub fn decode(&self) -> Option<ResultData<'a>> {
        let parts = self.parts()?;
        let mut metrics: Vec<Metric<'a>> = Vec::with_capacity(parts.metrics.len());
        let mut seen = rustc_hash::FxHashMap::default();
        for view in parts.metrics() {
            let Some(name) = self.report.string(view.name_id) else { continue };
            let metric = Metric {
                name: Cow::Borrowed(name),
                value: view.value.clone(),
                instances: view.instances().collect(),
            };
            let place = *seen.entry(name).or_insert(metrics.len());
            match metrics.get_mut(place) {
                Some(earlier) => *earlier = metric,
                None => metrics.push(metric),
            }
        }
        Some(ResultData {
            kind: parts.kind,
            process: self.process(),
            thread: parts.thread,
            api_call: parts.api_call,
            nvtx: parts.nvtx(),
            sections: parts.sections().collect(),
            rules: parts.rules().collect(),
            function: parts.function,
            demangled: parts.demangled,
            mangled: parts.mangled,
            grid: parts.grid,
            block: parts.block,
            context: parts.context,
            stream: parts.stream,
            context_name: parts.context_name,
            stream_name: parts.stream_name,
            time: parts.time,
            metrics,
        })
    }
}

impl<'a> ResultParts<'a> {
    /// Empty parts, to be filled by [`ResultView::read_parts`].
    pub fn new(kind: ResultKind) -> Self {
        Self {
            kind,
            thread: 0,
            api_call: 0,
            mangled: Text::default(),
            function: Text::default(),
            demangled: Text::default(),
            grid: None,
            block: None,
            time: None,
            context: None,
            stream: None,
            context_name: Text::default(),
            stream_name: Text::default(),
            unknown_fields: 0,
            nvtx: None,
            metrics: Vec::new(),
            sections: Vec::new(),
            rules: Vec::new(),
        }
    }

    /// The metrics in stored order; a name may come more than once, then the last counts.
    pub fn metrics(&self) -> impl Iterator<Item = MetricView<'a>> + use<'_, 'a> {
        self.metrics.iter().map(|bytes| MetricView::new(bytes))
    }

    /// The NVTX state, if it was collected.
    pub fn nvtx(&self) -> Option<NvtxState<'a>> {
        self.nvtx.map(|bytes| decode::nvtx::state(bytes, self.thread))
    }

    /// The bytes of the NVTX state with the thread that they are to be read for: equal keys mean equal states.
    pub fn nvtx_key(&self) -> Option<(u32, &'a [u8])> {
        self.nvtx.map(|bytes| (self.thread, bytes))
    }

    /// The sections.
    pub fn sections(&self) -> impl Iterator<Item = Section<'a>> + use<'_, 'a> {
        self.sections.iter().map(|bytes| decode::section::section(bytes))
    }

    /// For each section the bytes that decide what [`ResultParts::sections`] gives for it: equal keys mean equal sections.
    pub fn section_keys(&self) -> impl Iterator<Item = &'a [u8]> + use<'_, 'a> {
        self.sections.iter().map(|bytes| decode::section::head(bytes))
    }

    /// One section.
    pub fn section(&self, position: usize) -> Option<Section<'a>> {
        self.sections.get(position).map(|bytes| decode::section::section(bytes))
    }

    /// The rule results.
    pub fn rules(&self) -> impl Iterator<Item = RuleResult<'a>> + use<'_, 'a> {
        self.rules.iter().map(|bytes| decode::rule::rule(bytes))
    }

    fn reset(&mut self, kind: ResultKind) {
        let (mut metrics, mut sections, mut rules) = (
            std::mem::take(&mut self.metrics),
            std::mem::take(&mut self.sections),
            std::mem::take(&mut self.rules),
        );
        metrics.clear();
        sections.clear();
        rules.clear();
        *self = Self { metrics, sections, rules, ..Self::new(kind) };
    }

    fn read(&mut self, bytes: &'a [u8]) -> bool {
        let layout = match self.kind {
            ResultKind::Kernel => &KERNEL,
            ResultKind::Range => &RANGE,
            ResultKind::Cmdlist => &CMDLIST,
            ResultKind::Graph => &GRAPH,
        };
        let mut fields = Fields::new(bytes);
        while let Some((number, content)) = fields.next() {
            if number == layout.metrics {
                self.metrics.push(content.bytes());
                while let Some(metric) = fields.next_bytes_of(number) {
                    self.metrics.push(metric);
                }
            } else {
                self.read_field(layout, number, content);
            }
        }
        match self.kind {
            ResultKind::Range => self.function = Cow::Borrowed("range"),
            ResultKind::Graph => self.function = Cow::Borrowed("graph"),
            ResultKind::Kernel | ResultKind::Cmdlist => {}
        }
        !fields.is_malformed() && !bytes.is_empty()
    }

    fn read_field(&mut self, layout: &Layout, number: u32, content: Wire<'a>) {
        match number {
            THREAD => self.thread = content.number32(),
            API_CALL => self.api_call = content.number(),
            n if n == layout.sections => self.sections.push(content.bytes()),
            n if n == layout.rules => self.rules.push(content.bytes()),
            n if n == layout.nvtx => self.nvtx = Some(content.bytes()),
            n if n == layout.function => self.function = content.text(),
            n if n == layout.demangled => self.demangled = content.text(),
            n if n == layout.mangled => self.mangled = content.text(),
            n if n == layout.grid => self.grid = Some(xyz(content.message())),
            n if n == layout.block => self.block = Some(xyz(content.message())),
            n if n == layout.time => self.time = Some(content.number()),
            n if n == layout.context => self.context = Some(content.number32()),
            n if n == layout.stream => self.stream = Some(content.number32()),
            n if n == layout.context_name => self.context_name = content.text(),
            n if n == layout.stream_name => self.stream_name = content.text(),
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

fn xyz(fields: Fields<'_>) -> [u64; 3] {
    let mut xyz = [0; 3];
    for (number, content) in fields {
        if let Some(slot) = (number as usize).checked_sub(1).and_then(|slot| xyz.get_mut(slot)) {
            *slot = content.number();
        }
    }
    xyz
}
