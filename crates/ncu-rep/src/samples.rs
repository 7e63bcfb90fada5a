//! Samples of the performance monitor, cut to the workload as NVIDIA's reader cuts them.
//!
//! The device samples its counters in passes, each a run of the workload of its own, from before it begins until after it ends. Where it says when it switched to another
//! context, the samples taken there are left out and what follows moves up; else the passes are made to begin equally long before the workload. Values never change.
//! What the rule has not been seen to do is unknown: such a series is left as it was taken, with the reason.

use std::collections::hash_map::Entry;
use std::fmt;
use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::model::{Instance, Metric, ResultData, Value};

/// Which counters were sampled in which pass.
pub const PASSES: &str = "profiler__pmsampler_pass_groups";
const SWITCHES: &str = "profiler__pmsampler_ctxsw_";
const BEGIN: &str = "profiler__timestamp_workload_start_";
const END: &str = "profiler__timestamp_workload_end_";
/// The state of the context in which the workload runs.
const ON: f64 = 1.0;

/// A counter and its samples.
#[derive(Clone, Debug)]
pub struct Sampled<'a> {
    pub metric: &'a Metric<'a>,
    /// Nanoseconds of the device's clock, and the value if it is a number.
    pub samples: Vec<(u64, Option<f64>)>,
    /// When the workload began and ended, on the clock of the samples.
    pub workload: Option<(u64, u64)>,
    /// Why it is not known how NVIDIA's reader would cut it; the samples are then all that there are.
    pub uncut: Option<Uncut>,
}

/// Why a series is left as it was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Uncut {
    NoSampler,
    NoTimeline,
    NoPass,
    Unreadable,
    Unordered,
    Disagree,
    FromZero,
}

impl fmt::Display for Uncut {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::NoSampler => "the result does not say that the counter was sampled over time",
            Self::NoTimeline => "no timeline of the result's sections names the counter",
            Self::NoPass => "the result does not say in which one pass the counter was sampled",
            Self::Unreadable => "a sample has no time stamp, or a context switch no state",
            Self::Unordered => "time stamps of samples or context switches do not ascend",
            Self::Disagree => "counters of one pass have different time stamps",
            Self::FromZero => "time stamps begin at 0",
        })
    }
}

/// Whether a name is that of a sampled counter where the result does not say it.
pub fn looks_sampled(name: &str) -> bool {
    name.starts_with("pmsampling:") || name.starts_with("Triage") || name.contains(".Triage")
}

/// Every sampled counter of a result that was decoded as a whole, in the order of its metrics.
pub fn sampled<'a>(data: &'a ResultData<'a>) -> Vec<Sampled<'a>> {
    let timelines = data.sections.iter().flat_map(|section| &section.timeline);
    let timelines: FxHashSet<&str> = timelines.map(|name| &**name).collect();
    let samplers: FxHashSet<&str> = data.sampled.iter().map(|name| &**name).collect();
    let passes = Passes::of(data);
    let is_sampled = |metric: &&Metric<'_>| {
        let name = &*metric.name;
        timelines.contains(name)
            || passes.of.contains_key(name)
            || (looks_sampled(name) && !metric.instances.is_empty())
    };
    let cut = |metric: &'a Metric<'a>| {
        let pass = passes.of.get(&*metric.name).copied().flatten();
        let pass = pass.and_then(|pass| passes.all.get(&pass));
        let raw: Vec<Sample> = metric.instances.iter().filter_map(sample).collect();
        let cut = match pass {
            _ if !samplers.contains(&*metric.name) => Err(Uncut::NoSampler),
            _ if !timelines.contains(&*metric.name) => Err(Uncut::NoTimeline),
            None => Err(Uncut::NoPass),
            Some(pass) => passes.cut(pass, &raw),
        };
        // Where samples begin at 0, they are of another clock.
        let workload = pass
            .and_then(|pass| pass.workload)
            .filter(|_| raw.first().is_none_or(|first| first.0 > 0));
        match cut {
            Ok(Cut { samples, left_out }) => {
                let moved = |at| at - left_out_before(&left_out, at);
                let workload = workload.map(|(begin, end)| (moved(begin), moved(end)));
                Sampled { metric, samples, workload, uncut: None }
            }
            Err(why) => Sampled { metric, samples: raw, workload, uncut: Some(why) },
        }
    };
    let is_something =
        |one: &Sampled<'_>| !one.samples.is_empty() || !one.metric.instances.is_empty();
    data.metrics.iter().filter(is_sampled).map(cut).filter(is_something).collect()
}

type Sample = (u64, Option<f64>);

struct Cut {
    samples: Vec<Sample>,
    /// Spans of the device's time that are gone.
    left_out: Vec<Range<u64>>,
}

/// One run of the workload.
struct Pass {
    /// Time stamps of the samples, the same for all counters; nothing before the first counter is known.
    stamps: Option<Result<Vec<u64>, Uncut>>,
    /// When the context was switched, and to what state.
    switches: Result<Vec<(u64, f64)>, Uncut>,
    workload: Option<(u64, u64)>,
}

struct Passes<'a> {
    all: FxHashMap<u64, Pass>,
    /// The pass of each counter; none where several are stated.
    of: FxHashMap<&'a str, Option<u64>>,
    /// How long before the workload every pass is made to begin, where that is done.
    lead: Option<Result<u64, Uncut>>,
}

impl<'a> Passes<'a> {
    fn of(data: &'a ResultData<'a>) -> Self {
        let metrics = data.metrics.iter().map(|metric| (&*metric.name, metric));
        let metrics: FxHashMap<&str, &Metric<'_>> = metrics.collect();
        let mut of = FxHashMap::default();
        let mut all: FxHashMap<u64, Pass> = FxHashMap::default();
        for instance in metrics.get(PASSES).map_or(&[][..], |metric| &metric.instances) {
            let Some(number) = instance.correlation.as_ref().and_then(whole) else { continue };
            let pass = all.entry(number).or_insert_with(|| Pass::new(number, &metrics));
            let names = instance.value.as_ref().and_then(Value::as_text).unwrap_or_default();
            for name in names.split(',') {
                let Some((&name, metric)) = metrics.get_key_value(name) else { continue };
                match of.entry(name) {
                    Entry::Vacant(entry) => {
                        entry.insert(Some(number));
                        pass.add(metric);
                    }
                    Entry::Occupied(mut entry) if *entry.get() != Some(number) => {
                        entry.insert(None);
                    }
                    Entry::Occupied(_) => {}
                }
            }
        }
        let is_switched = metrics.keys().any(|name| name.starts_with(SWITCHES));
        let is_timed = all.values().all(|pass| pass.workload.is_some());
        let longest = |longest: u64, pass: &Pass| Ok(pass.lead()?.max(longest));
        let lead = (!is_switched && is_timed).then(|| all.values().try_fold(0, longest));
        Self { all, of, lead }
    }

    fn cut(&self, pass: &Pass, raw: &[Sample]) -> Result<Cut, Uncut> {
        let own = pass.lead()?;
        let switches = pass.switches.as_deref().map_err(|why| *why)?;
        if !switches.is_empty() {
            return Ok(without_others(raw, switches));
        }
        let mut samples = raw.to_vec();
        let missing = self.lead.transpose()?.map_or(0, |longest| longest.saturating_sub(own));
        if missing > 0 {
            let first = samples.first().map_or(0, |first| first.0);
            samples.insert(0, (first.saturating_sub(missing), Some(0.0)));
        }
        Ok(Cut { samples, left_out: Vec::new() })
    }
}

impl Pass {
    fn new(number: u64, metrics: &FxHashMap<&str, &Metric<'_>>) -> Self {
        let named = |stem: &str| metrics.get(&*format!("{stem}{number}"));
        let stamp = |stem| whole(named(stem)?.instances.first()?.correlation.as_ref()?);
        let switch = |one: &Instance<'_>| Some((stamp_of(one)?, one.value.as_ref()?.as_f64()?));
        let switches = named(SWITCHES).map_or(&[][..], |metric| &metric.instances);
        let switches: Option<Vec<_>> = switches.iter().map(switch).collect();
        let ascend = |switches: &Vec<(u64, f64)>| switches.is_sorted_by_key(|switch| switch.0);
        Self {
            stamps: None,
            switches: switches
                .ok_or(Uncut::Unreadable)
                .and_then(|all| if ascend(&all) { Ok(all) } else { Err(Uncut::Unordered) }),
            workload: stamp(BEGIN).zip(stamp(END)),
        }
    }

    /// Compares the time stamps of a counter with those of the others.
    fn add(&mut self, metric: &Metric<'_>) {
        let stamps = metric.instances.iter().map(stamp_of);
        match &self.stamps {
            None => {
                let stamps: Option<Vec<u64>> = stamps.collect();
                self.stamps = Some(match stamps {
                    None => Err(Uncut::Unreadable),
                    Some(stamps) if !stamps.is_sorted() => Err(Uncut::Unordered),
                    Some(stamps) if stamps.first() == Some(&0) => Err(Uncut::FromZero),
                    Some(stamps) => Ok(stamps),
                });
            }
            Some(Ok(known)) if !stamps.eq(known.iter().copied().map(Some)) => {
                self.stamps = Some(Err(Uncut::Disagree));
            }
            Some(_) => {}
        }
    }

    /// How long before the workload its samples begin.
    fn lead(&self) -> Result<u64, Uncut> {
        let stamps = self
            .stamps
            .as_ref()
            .map_or(Ok(&[][..]), |stamps| stamps.as_deref().map_err(|why| *why))?;
        let lead = stamps
            .first()
            .zip(self.workload)
            .map(|(first, (begin, _))| begin.saturating_sub(*first));
        Ok(lead.unwrap_or(0))
    }
}

/// The samples that were taken while the context was on, each moved up by what is left out before it.
fn without_others(raw: &[Sample], switches: &[(u64, f64)]) -> Cut {
    let mut cut = Cut { samples: Vec::new(), left_out: Vec::new() };
    let (mut gap, mut gone) = (None, 0);
    let first = switches.first().map_or(0, |first| raw.partition_point(|one| one.0 < first.0));
    for (place, &(at, value)) in raw.iter().enumerate() {
        let passed = switches.partition_point(|switch| switch.0 <= at);
        // The first sample after the first switch has that one's state, whatever follows between them.
        let passed = if place == first && place > 0 { 1 } else { passed };
        let state = passed.checked_sub(1).and_then(|last| switches.get(last));
        if !state.is_some_and(|(_, state)| *state == ON) {
            gap.get_or_insert(at);
            continue;
        }
        if let Some(from) = gap.take() {
            gone += at - from;
            cut.left_out.push(from..at);
        }
        cut.samples.push((at - gone, value));
    }
    cut.left_out.extend(gap.map(|from| from..u64::MAX));
    cut
}

fn left_out_before(left_out: &[Range<u64>], at: u64) -> u64 {
    left_out.iter().map(|gap| at.min(gap.end).saturating_sub(gap.start)).sum()
}

fn sample(instance: &Instance<'_>) -> Option<Sample> {
    let value = instance.value.as_ref().and_then(Value::as_f64);
    Some((stamp_of(instance)?, value.filter(|value| value.is_finite())))
}

fn stamp_of(instance: &Instance<'_>) -> Option<u64> {
    instance.correlation.as_ref().and_then(whole)
}

fn whole(value: &Value<'_>) -> Option<u64> {
    match value {
        Value::U64(value) => Some(*value),
        Value::U32(value) => Some(u64::from(*value)),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
