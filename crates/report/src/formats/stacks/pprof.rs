//! The profile of pprof (a protocol buffer): GPU time, launches, and bytes to and from device memory where they were counted.
//!
//! The handful of messages is written by hand; numbers of fields are those of pprof's `profile.proto`.

use std::io::{self, Write};

use indexmap::IndexSet;
use rangescope_model::document::RegionDocument;

use super::{Frame, Stacks};
use crate::formats::ExportOptions;

/// Fields of the message `Profile`.
mod profile {
    pub(super) const SAMPLE_TYPE: u32 = 1;
    pub(super) const SAMPLE: u32 = 2;
    pub(super) const LOCATION: u32 = 4;
    pub(super) const FUNCTION: u32 = 5;
    pub(super) const STRING: u32 = 6;
    pub(super) const DURATION_NS: u32 = 10;
    pub(super) const COMMENT: u32 = 13;
    pub(super) const DEFAULT_TYPE: u32 = 14;
}

/// Type and unit of the values of a sample, in their order.
const VALUES: [(&str, &str); 3] =
    [("gpu_time", "nanoseconds"), ("launches", "count"), ("dram", "bytes")];
/// The same where ranges are timed.
const OF_RANGES: [(&str, &str); 3] =
    [("time", "nanoseconds"), ("ranges", "count"), ("dram", "bytes")];

pub fn write(
    document: &RegionDocument,
    options: &ExportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let stacks = Stacks::of(document);
    let several = stacks.profiles.len() > 1;
    // The first text has to be the empty one.
    let mut texts = Texts(std::iter::once(String::new()).collect());
    let mut message = Message::default();
    let values = if options.ranges_are_timed { OF_RANGES } else { VALUES };
    for (what, unit) in values {
        let mut value = Message::default();
        value.number(1, texts.of(what));
        value.number(2, texts.of(unit));
        message.bytes(profile::SAMPLE_TYPE, &value.0);
    }
    // Trees show the same results: their names are frames, so that one can be focused on.
    let mut frames: IndexSet<&Frame> = stacks.frames.iter().collect();
    let trees: Vec<Frame> = stacks
        .profiles
        .iter()
        .map(|profile| Frame { name: profile.name.clone(), is_kernel: false })
        .collect();
    let mut total = 0_u64;
    for (one, tree) in stacks.profiles.iter().zip(&trees) {
        let tree = several.then(|| frames.insert_full(tree).0);
        for stack in &one.stacks {
            let mut sample = Message::default();
            // Ids begin at 1, and the innermost frame comes first.
            let ids = stack.frames.iter().rev().copied().chain(tree).map(|frame| frame as u64 + 1);
            sample.numbers(1, ids);
            let counted = [stack.ns, Some(stack.launches), stack.bytes];
            sample.numbers(2, counted.map(Option::unwrap_or_default).into_iter());
            message.bytes(profile::SAMPLE, &sample.0);
            total = total.saturating_add(stack.ns.unwrap_or_default());
        }
    }
    for (at, frame) in frames.iter().enumerate() {
        let id = at as u64 + 1;
        let mut line = Message::default();
        line.number(1, id);
        let mut location = Message::default();
        location.number(1, id);
        location.bytes(4, &line.0);
        message.bytes(profile::LOCATION, &location.0);
        let mut function = Message::default();
        function.number(1, id);
        function.number(2, texts.of(&frame.name));
        function.number(3, texts.of(&frame.name));
        function.number(4, texts.of(if frame.is_kernel { "kernel" } else { "NVTX range" }));
        message.bytes(profile::FUNCTION, &function.0);
    }
    message.number(profile::DURATION_NS, total);
    let mut comments = vec![format!("{} {}", document.tool.name, document.tool.version)];
    if document.simulated {
        comments.push("SIMULATED: no measurement".to_owned());
    }
    if several {
        comments.push("trees of different domains show the same launches: focus on one".to_owned());
    }
    let unknown = stacks.profiles.iter().flat_map(|one| &one.stacks);
    let unknown: u64 = unknown.filter(|stack| stack.ns.is_none()).map(|stack| stack.launches).sum();
    if unknown > 0 {
        comments.push(format!("{unknown} launches without a duration stand as 0 ns"));
    }
    message.numbers(profile::COMMENT, comments.iter().map(|comment| texts.of(comment)));
    message.number(profile::DEFAULT_TYPE, texts.of(values[0].0));
    for text in &texts.0 {
        message.bytes(profile::STRING, text.as_bytes());
    }
    out.write_all(&message.0)
}

struct Texts(IndexSet<String>);

impl Texts {
    fn of(&mut self, text: &str) -> u64 {
        let found = self.0.get_index_of(text);
        found.unwrap_or_else(|| self.0.insert_full(text.to_owned()).0) as u64
    }
}

/// A message of a protocol buffer, as far as it is written.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn number(&mut self, field: u32, value: u64) {
        self.varint(u64::from(field) << 3);
        self.varint(value);
    }

    fn bytes(&mut self, field: u32, bytes: &[u8]) {
        self.varint(u64::from(field) << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    /// A list of numbers, packed.
    fn numbers(&mut self, field: u32, values: impl Iterator<Item = u64>) {
        let mut packed = Self::default();
        values.for_each(|value| packed.varint(value));
        self.bytes(field, &packed.0);
    }

    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value.to_le_bytes()[0] | 0x80);
            value >>= 7;
        }
        self.0.push(value.to_le_bytes()[0]);
    }
}
