use std::borrow::Cow;

use super::*;
use crate::model::Section;

const A: &str = "pmsampling:a.sum";
const B: &str = "Triage.b.avg";

fn metric(name: String, instances: &[(u64, Value<'static>)]) -> Metric<'static> {
    let instance = |(at, value): &(u64, Value<'static>)| Instance {
        correlation: Some(Value::U64(*at)),
        value: Some(value.clone()),
    };
    let instances = instances.iter().map(instance).collect();
    Metric { name: Cow::Owned(name), value: None, instances }
}

fn numbers(name: &str, instances: &[(u64, f64)]) -> Metric<'static> {
    let instances: Vec<_> = instances.iter().map(|(at, value)| (*at, Value::F64(*value))).collect();
    metric(name.to_owned(), &instances)
}

fn stamps(begin: u64, end: u64, pass: u64) -> [Metric<'static>; 2] {
    [(BEGIN, begin), (END, end)].map(|(stem, at)| numbers(&format!("{stem}{pass}"), &[(at, 0.0)]))
}

/// A in pass 0, sampled every 10 ns from 100 on; B in pass 1, every 10 ns from 1000 on.
fn result(more: impl IntoIterator<Item = Metric<'static>>) -> ResultData<'static> {
    let ramp =
        |from: u64| (0..5_u32).map(move |step| (from + u64::from(step) * 10, f64::from(step)));
    let groups = [(0, A), (1, B)].map(|(pass, names)| (pass, Value::Text(Cow::Borrowed(names))));
    let mut metrics = vec![
        numbers(A, &ramp(100).collect::<Vec<_>>()),
        numbers(B, &ramp(1000).collect::<Vec<_>>()),
        metric(PASSES.to_owned(), &groups),
    ];
    metrics.extend(more);
    let timeline = vec![Cow::Borrowed(A), Cow::Borrowed(B)];
    let sections = vec![Section { timeline, ..Section::default() }];
    let sampled = metrics.iter().map(|metric| metric.name.clone()).collect();
    ResultData { metrics, sampled, sections, ..ResultData::default() }
}

type Read = (Vec<(u64, f64)>, Option<(u64, u64)>, Option<Uncut>);

fn read(data: &ResultData<'_>) -> Vec<Read> {
    let numbers =
        |samples: Vec<Sample>| samples.into_iter().map(|(at, value)| (at, value.unwrap()));
    let all = sampled(data).into_iter();
    all.map(|one| (numbers(one.samples).collect(), one.workload, one.uncut)).collect()
}

fn first(more: impl IntoIterator<Item = Metric<'static>>) -> Read {
    read(&result(more)).swap_remove(0)
}

fn switched(switches: &[(u64, f64)]) -> Metric<'static> {
    numbers("profiler__pmsampler_ctxsw_0", switches)
}

#[test]
fn samples_of_other_contexts_go_and_the_rest_moves_up() {
    let more = || stamps(115, 135, 0);
    let (samples, workload, uncut) = first(more().into_iter().chain([switched(&[(112, 1.0)])]));
    assert_eq!(samples, [(100, 2.0), (110, 3.0), (120, 4.0)]);
    assert_eq!((workload, uncut), (Some((100, 115)), None));
    let (samples, ..) = first([switched(&[(90, 1.0), (109, 0.0), (121, 1.0)])]);
    assert_eq!(samples, [(100, 0.0), (110, 3.0), (120, 4.0)]);
    // The first sample after the first switch has the state of that one, unless it is the first of all.
    let (samples, ..) = first([switched(&[(103, 1.0), (104, 0.0)])]);
    assert_eq!(samples, [(100, 1.0)]);
    let (samples, ..) = first([switched(&[(93, 1.0), (94, 0.0)])]);
    assert!(samples.is_empty());
    // Another state is none of the workload's.
    assert!(first([switched(&[(103, 2.0)])]).0.is_empty());
}

#[test]
fn passes_begin_equally_long_before_the_workload() {
    let timed = || stamps(115, 135, 0).into_iter().chain(stamps(1035, 1040, 1));
    let both = read(&result(timed()));
    assert_eq!(both[0].0[..2], [(80, 0.0), (100, 0.0)]);
    assert_eq!((both[0].1, both[1].0.len()), (Some((115, 135)), 5));
    // Not where the times of a pass are not known, nor where there are context switches at all.
    let lacking = timed().filter(|metric| !metric.name.ends_with("end_1"));
    assert_eq!(first(lacking).0.len(), 5);
    let switches = numbers("profiler__pmsampler_ctxsw_7", &[]);
    assert_eq!(first(timed().chain([switches])).0.len(), 5);
}

#[test]
fn a_pass_without_samples_is_one_zero() {
    let mut data = result(stamps(115, 135, 0).into_iter().chain(stamps(1035, 1040, 1)));
    data.metrics[0].instances.clear();
    let both = read(&data);
    assert_eq!((both[0].0.as_slice(), both[1].0.len()), (&[(0, 0.0)][..], 5));
}

#[test]
fn what_the_rule_does_not_cover_is_left_with_the_reason() {
    let raw = |data: &ResultData<'_>| {
        let (samples, _, uncut) = read(data).swap_remove(0);
        assert_eq!(samples.len(), 5);
        uncut
    };
    assert_eq!(raw(&result([])), None);
    let mut data = result([]);
    data.sections.clear();
    assert_eq!(raw(&data), Some(Uncut::NoTimeline));
    data.sampled.clear();
    assert_eq!(raw(&data), Some(Uncut::NoSampler));
    let mut data = result([]);
    data.metrics.remove(2);
    assert_eq!(raw(&data), Some(Uncut::NoPass));
    let groups = [0, 1].map(|pass| (pass, Value::Text(Cow::Borrowed(A))));
    data.metrics.push(metric(PASSES.to_owned(), &groups));
    assert_eq!(raw(&data), Some(Uncut::NoPass));
    let mut data = result([switched(&[(112, 1.0), (111, 0.0)])]);
    assert_eq!(raw(&data), Some(Uncut::Unordered));
    data.metrics[3].instances[0].value = None;
    assert_eq!(raw(&data), Some(Uncut::Unreadable));
    let mut data = result([]);
    data.metrics[0].instances.swap(1, 2);
    assert_eq!(raw(&data), Some(Uncut::Unordered));
    let mut data = result(stamps(115, 135, 0));
    data.metrics[0].instances[0].correlation = Some(Value::U64(0));
    assert_eq!(raw(&data), Some(Uncut::FromZero));
    assert_eq!(read(&data)[0].1, None);
    let mut data = result([numbers("pmsampling:c", &[(100, 1.0)])]);
    data.metrics[2].instances[0].value = Some(Value::Text(Cow::Owned(format!("{A},pmsampling:c"))));
    assert_eq!(raw(&data), Some(Uncut::Disagree));
}
