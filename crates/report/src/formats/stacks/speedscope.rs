//! The file format of speedscope: a profile of GPU time for each tree, and one of bytes to and from device memory where they were counted.

use std::io::{self, BufWriter, Write};

use rangescope_model::document::RegionDocument;
use serde::Serialize;

use super::{Profile, Stack, Stacks};
use crate::formats::ExportOptions;

const SCHEMA: &str = "https://www.speedscope.app/file-format-schema.json";

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct File<'s> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    exporter: String,
    active_profile_index: usize,
    shared: Shared<'s>,
    profiles: Vec<Sampled<'s>>,
}

#[derive(Serialize)]
struct Shared<'s> {
    frames: Vec<NamedFrame<'s>>,
}

#[derive(Serialize)]
struct NamedFrame<'s> {
    name: &'s str,
    file: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Sampled<'s> {
    r#type: &'static str,
    name: String,
    unit: &'static str,
    start_value: u64,
    end_value: u64,
    samples: Vec<&'s [usize]>,
    weights: Vec<u64>,
}

pub fn write(
    document: &RegionDocument,
    options: &ExportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let stacks = Stacks::of(document);
    let frames = stacks.frames.iter().map(|frame| NamedFrame {
        name: &frame.name,
        file: if frame.is_kernel { "kernel" } else { "NVTX range" },
    });
    let what = if options.ranges_are_timed { "time" } else { "GPU time" };
    let times = stacks.profiles.iter().map(|one| sampled(one, what, "nanoseconds", |it| it.ns));
    let bytes =
        stacks.profiles.iter().map(|one| sampled(one, "DRAM bytes", "bytes", |it| it.bytes));
    // A file without a profile is none.
    let is_worth = |(at, one): &(usize, Sampled<'_>)| *at == 0 || !one.weights.is_empty();
    let profiles = times.chain(bytes).enumerate().filter(is_worth).map(|(_, one)| one).collect();
    let file = File {
        schema: SCHEMA,
        exporter: format!("{}@{}", document.tool.name, document.tool.version),
        active_profile_index: 0,
        shared: Shared { frames: frames.collect() },
        profiles,
    };
    let mut out = BufWriter::new(out);
    serde_json::to_writer(&mut out, &file)?;
    out.flush()
}

fn sampled<'s>(
    profile: &'s Profile,
    what: &str,
    unit: &'static str,
    value: fn(&Stack) -> Option<u64>,
) -> Sampled<'s> {
    let known = profile.stacks.iter().filter_map(|stack| Some((stack, value(stack)?)));
    let (samples, weights): (Vec<_>, Vec<_>) = known
        .filter(|(_, weight)| *weight > 0)
        .map(|(stack, weight)| (stack.frames.as_slice(), weight))
        .unzip();
    let name = match profile.name.as_str() {
        "" => what.to_owned(),
        name => format!("{what}, {name}"),
    };
    let end_value = weights.iter().sum();
    Sampled { r#type: "sampled", name, unit, start_value: 0, end_value, samples, weights }
}
