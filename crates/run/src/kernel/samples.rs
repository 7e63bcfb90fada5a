//! The samples of one result over its time, each pass from its own beginning.

use ncu_rep::{Metric, ResultData, Value};
use rangescope_analyze::insight::kernel::{PmSampling, PmSeries, sampled_label};
use rangescope_read::results::base_unit;
use rustc_hash::FxHashMap;

use super::collect::is_sampled;

/// Which counters were sampled in which pass.
const PASSES: &str = "profiler__pmsampler_pass_groups";
const BEGIN: &str = "profiler__timestamp_workload_start_";
const END: &str = "profiler__timestamp_workload_end_";

pub(super) fn pm_sampling(
    data: &ResultData<'_>,
    launch: u64,
    duration_ns: f64,
) -> Option<PmSampling> {
    let mut passes: FxHashMap<&str, u64> = FxHashMap::default();
    for instance in data.metric(PASSES).map_or(&[][..], |metric| &metric.instances) {
        let names = instance.value.as_ref().and_then(Value::as_text).unwrap_or_default();
        if let Some(pass) = instance.correlation.as_ref().and_then(whole) {
            passes.extend(names.split(',').map(|name| (name, pass)));
        }
    }
    let stamp = |stem: &str, pass: u64| {
        let metric = data.metric(&format!("{stem}{pass}"))?;
        whole(metric.instances.first()?.correlation.as_ref()?)
    };
    let sampled = data.metrics.iter().filter(|metric| {
        !metric.instances.is_empty()
            && (is_sampled(&metric.name) || passes.contains_key(&*metric.name))
    });
    let series: Vec<PmSeries> = sampled
        .filter_map(|metric| {
            let pass = passes.get(&*metric.name).copied();
            let begin = pass.and_then(|pass| stamp(BEGIN, pass));
            let end = pass.and_then(|pass| stamp(END, pass)).filter(|_| begin.is_some());
            one_series(metric, begin, end)
        })
        .collect();
    let duration_ms = duration_ns.is_finite().then_some(duration_ns / 1e6);
    (!series.is_empty()).then_some(PmSampling { launch, duration_ms, series })
}

fn one_series(metric: &Metric<'_>, begin: Option<u64>, end: Option<u64>) -> Option<PmSeries> {
    let samples = metric.instances.iter().filter_map(|instance| {
        let at = whole(instance.correlation.as_ref()?)?;
        let value = instance.value.as_ref().and_then(Value::as_f64);
        Some((at, value.filter(|value| value.is_finite())))
    });
    let samples: Vec<(u64, Option<f64>)> = samples.collect();
    let origin_ns = begin.or_else(|| samples.first().map(|(at, _)| *at))?;
    let since = |at: u64| i64::try_from(i128::from(at) - i128::from(origin_ns)).unwrap_or(i64::MAX);
    Some(PmSeries {
        metric: metric.name.to_string(),
        label: sampled_label(&metric.name),
        unit: base_unit(&metric.name).to_owned(),
        origin_ns,
        end_ns: end.map(since),
        at_ns: samples.iter().map(|(at, _)| since(*at)).collect(),
        values: samples.into_iter().map(|(_, value)| value).collect(),
    })
}

fn whole(value: &Value<'_>) -> Option<u64> {
    match value {
        Value::U64(value) => Some(*value),
        Value::U32(value) => Some(u64::from(*value)),
        _ => None,
    }
}
