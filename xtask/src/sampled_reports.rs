//! Results with counters that were sampled over time in every way that the rule for cutting them tells apart, by chance but always the same.

use std::borrow::Cow;

use ncu_rep::samples::PASSES;
use ncu_rep::{Instance, Metric, ResultData, Section, Value};

const VARIANTS: u64 = 240;

/// Each of these results with passes, context switches and times of the workload of its own.
pub(crate) fn samples(results: &[ResultData<'static>]) -> Vec<ResultData<'static>> {
    results.iter().cycle().zip(1..=VARIANTS).map(|(data, seed)| variant(data, seed)).collect()
}

fn variant(data: &ResultData<'static>, seed: u64) -> ResultData<'static> {
    let mut chance = Chance(seed);
    let switches = chance.below(4);
    let mut metrics = Vec::new();
    let (mut groups, mut timeline) = (Vec::new(), Vec::new());
    for pass in 0..=chance.below(3) {
        let base = 1_000_000 + chance.below(1_000);
        let mut at = base;
        let mut stamps = Vec::new();
        // Now and then a pass without a sample.
        for _ in 0..chance.below(25) {
            stamps.push(at);
            at += 8 + chance.below(5);
        }
        let mut names = Vec::new();
        for counter in 0..=chance.below(2) {
            let name = format!("pmsampling:pass{pass}_counter{counter}.sum");
            let values =
                stamps.iter().map(|at| (*at, Value::F64(chance.below(1_000) as f64 / 8.0)));
            metrics.push(metric(name.clone(), values.collect()));
            // Now and then a counter that no timeline names.
            if chance.below(12) > 0 {
                timeline.push(Cow::Owned(name.clone()));
            }
            names.push(name);
        }
        groups.push((pass, Value::Text(Cow::Owned(names.join(",")))));
        // Seldom without the times of the workload, which then hold for no pass.
        if chance.below(10) > 0 {
            for (what, place) in [("start", 40), ("end", 120)] {
                let name = format!("profiler__timestamp_workload_{what}_{pass}");
                let at = base + place + chance.below(80);
                metrics.push(metric(name, vec![(at, Value::F64(0.0))]));
            }
        }
        // Half of all results have no context switches at all, in some of the others a pass has none.
        if switches > 1 && chance.below(5) > 0 {
            let mut at = (base + chance.below(60)).saturating_sub(20);
            let mut events = Vec::new();
            for _ in 0..chance.below(5) {
                events.push((at, Value::F64(if chance.below(3) > 0 { 1.0 } else { 0.0 })));
                at += 1 + chance.below(60);
            }
            metrics.push(metric(format!("profiler__pmsampler_ctxsw_{pass}"), events));
        }
    }
    let sampled = metrics.iter().map(|metric: &Metric<'_>| metric.name.clone()).collect();
    metrics.push(metric(PASSES.to_owned(), groups));
    let section = Section {
        id: Cow::Borrowed("PmSampling"),
        name: Cow::Borrowed("PM Sampling"),
        order: 95,
        timeline,
        ..Section::default()
    };
    let is_other =
        |metric: &&Metric<'_>| metric.name != PASSES && !data.sampled.contains(&metric.name);
    metrics.extend(data.metrics.iter().filter(is_other).cloned());
    ResultData { metrics, sampled, sections: vec![section], ..data.clone() }
}

fn metric(name: String, instances: Vec<(u64, Value<'static>)>) -> Metric<'static> {
    let instances = instances.into_iter().map(|(correlation, value)| Instance {
        correlation: Some(Value::U64(correlation)),
        value: Some(value),
    });
    Metric { name: Cow::Owned(name), value: None, instances: instances.collect() }
}

/// Numbers that look like chance; the same for the same seed.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}
