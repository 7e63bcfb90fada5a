//! The trace event format, which Perfetto and `chrome://tracing` read: one track for each tree of regions, one box for each region and kernel.
//!
//! A document knows how long things took and not when, so they stand one after the other; the track says so. Recordings and exports of Nsight Systems know it, and are written as they were.

use std::io::{self, BufWriter, Write};
use std::sync::Arc;

use rangescope_model::document::RegionDocument;
use rangescope_model::text::{shorten, visible_name};
use rangescope_model::timeline::{Timeline, What};
use serde::Serialize;
use serde_json::json;

use super::{Frame, LONGEST, Stack, Stacks};
use crate::formats::ExportOptions;

const TRACK: &str = "GPU time by region, laid end to end: lengths are measured, positions are not";

/// The beginning or the end of a box. Both are written, because a length that is added to a beginning need not give the beginning of the next one.
#[derive(Serialize)]
struct Event<'s> {
    ph: &'static str,
    name: &'s str,
    cat: &'static str,
    pid: usize,
    tid: usize,
    /// Microseconds.
    ts: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    args: Option<Launches>,
}

#[derive(Serialize)]
struct Launches {
    launches: u64,
}

/// A box with its beginning and its length.
#[derive(Serialize)]
struct Timed<'s> {
    ph: &'static str,
    name: &'s str,
    cat: &'static str,
    pid: usize,
    tid: usize,
    /// Microseconds.
    ts: f64,
    dur: f64,
}

/// Writes timelines as they were: a process for each process, a thread for each track.
pub fn write_timelines(
    timelines: &[(String, Arc<Timeline>)],
    (tool, version): (&str, &str),
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    let about = json!({"exporter": tool, "version": version});
    write!(out, "{{\"displayTimeUnit\":\"ns\",\"otherData\":{about},\"traceEvents\":[")?;
    let mut comma = "";
    let mut tell = |event: String| {
        write!(out, "{comma}\n{event}")?;
        comma = ",";
        Ok::<(), io::Error>(())
    };
    // Clocks of the wall have more digits than a number of microseconds can hold.
    let spans = timelines.iter().flat_map(|(_, timeline)| &timeline.spans);
    let first = spans.map(|span| span.start_ns).min().unwrap_or(0);
    let mut before = 0;
    for (file, timeline) in timelines {
        for (at, process) in timeline.processes.iter().enumerate() {
            let pid = process.pid.map(|pid| format!("process {pid}"));
            let rank = process.rank.map(|rank| format!("rank {rank}"));
            let host = Some(process.host.clone()).filter(|host| !host.is_empty());
            let parts = [rank, Some(process.name.clone()).filter(|name| !name.is_empty()), pid];
            let parts = parts.into_iter().chain([host, Some(file.clone())]).flatten();
            let name = visible_name(&parts.collect::<Vec<_>>().join(", ")).into_owned();
            let args = json!({"name": name});
            let named =
                json!({"ph": "M", "name": "process_name", "pid": before + at, "args": args});
            tell(named.to_string())?;
        }
        for (tid, track) in timeline.tracks.iter().enumerate() {
            let (pid, args) = (before + track.process, json!({"name": visible_name(&track.name)}));
            let named =
                json!({"ph": "M", "name": "thread_name", "pid": pid, "tid": tid, "args": args});
            tell(named.to_string())?;
        }
        for span in &timeline.spans {
            let (name, cat) = match &span.what {
                What::Kernel { kernel, .. } => {
                    let name = timeline.kernels.get(*kernel);
                    (name.map_or("", |name| name.demangled.as_str()), "kernel")
                }
                What::Range { region } => {
                    let key = timeline.regions.get(*region);
                    (key.and_then(|key| key.path.last()).map_or("", String::as_str), "range")
                }
            };
            let pid = before + timeline.tracks.get(span.track).map_or(0, |track| track.process);
            let name = visible_name(name);
            let ts = span.start_ns.saturating_sub(first) as f64 / 1e3;
            let dur = span.end_ns.saturating_sub(span.start_ns) as f64 / 1e3;
            let name = shorten(&name, LONGEST);
            let event = Timed { ph: "X", name: &name, cat, pid, tid: span.track, ts, dur };
            tell(serde_json::to_string(&event)?)?;
        }
        before += timeline.processes.len();
    }
    writeln!(out, "\n]}}")?;
    out.flush()
}

/// A box that is not finished.
struct Open {
    frame: usize,
    launches: u64,
}

pub fn write(
    document: &RegionDocument,
    _options: &ExportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let stacks = Stacks::of(document);
    let mut out = BufWriter::new(out);
    let about = json!({"exporter": document.tool.name, "version": document.tool.version,
        "simulated": document.simulated});
    write!(out, "{{\"displayTimeUnit\":\"ns\",\"otherData\":{about},\"traceEvents\":[")?;
    for (at, profile) in stacks.profiles.iter().enumerate() {
        let track = [profile.name.as_str(), TRACK].into_iter().filter(|part| !part.is_empty());
        let name = track.collect::<Vec<_>>().join(": ");
        let comma = if at == 0 { "" } else { "," };
        let named = json!({"ph": "M", "name": "process_name", "pid": at, "args": {"name": name}});
        write!(out, "{comma}\n{named}")?;
        boxes(&stacks, &profile.stacks, at, &mut out)?;
    }
    writeln!(out, "\n]}}")?;
    out.flush()
}

/// Stacks come in the order of the tree, so that what two neighbours have in common is one box.
fn boxes(stacks: &Stacks, all: &[Stack], pid: usize, out: &mut dyn Write) -> io::Result<()> {
    let mut open: Vec<Open> = Vec::new();
    let mut now = 0_u64;
    let mut tell = |ph, frame, now: u64, args| {
        let Some(Frame { name, is_kernel }) = stacks.frames.get_index(frame) else { return Ok(()) };
        let cat = if *is_kernel { "kernel" } else { "range" };
        let event = Event { ph, name, cat, pid, tid: 0, ts: now as f64 / 1e3, args };
        write!(out, ",\n{}", serde_json::to_string(&event)?)
    };
    let timed = all.iter().filter_map(|stack| Some((stack, stack.ns.filter(|ns| *ns > 0)?)));
    // After the last one nothing is open.
    let stacks = timed.map(|(stack, ns)| (stack.frames.as_slice(), ns, stack.launches));
    for (frames, ns, launches) in stacks.chain([(&[][..], 0, 0)]) {
        let common = open.iter().zip(frames).take_while(|(one, frame)| one.frame == **frame);
        for done in open.drain(common.count()..).rev() {
            tell("E", done.frame, now, Some(Launches { launches: done.launches }))?;
        }
        for &frame in frames.iter().skip(open.len()) {
            tell("B", frame, now, None)?;
            open.push(Open { frame, launches: 0 });
        }
        for one in &mut open {
            one.launches = one.launches.saturating_add(launches);
        }
        now = now.saturating_add(ns);
    }
    Ok(())
}
