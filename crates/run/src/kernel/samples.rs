//! The samples of one result over its time, each pass from its own beginning.

use ncu_rep::ResultData;
use ncu_rep::samples::{Sampled, sampled};
use rangescope_analyze::insight::kernel::{PmSampling, PmSeries, sampled_label};
use rangescope_read::results::base_unit;

/// Why it is not known when the kernel ended.
const NO_STAMPS: &str =
    "the result does not say at which times of this pass the kernel began and ended";

pub(super) fn pm_sampling(
    data: &ResultData<'_>,
    launch: u64,
    duration_ns: f64,
) -> Option<PmSampling> {
    let series: Vec<PmSeries> = sampled(data).into_iter().map(one_series).collect();
    let duration_ms = duration_ns.is_finite().then_some(duration_ns / 1e6);
    (!series.is_empty()).then_some(PmSampling { launch, duration_ms, series })
}

fn one_series(sampled: Sampled<'_>) -> PmSeries {
    let Sampled { metric, samples, workload, uncut } = sampled;
    let first = samples.first().map_or(0, |(at, _)| *at);
    let origin_ns = workload.map_or(first, |(begin, _)| begin);
    let since = |at: u64| i64::try_from(i128::from(at) - i128::from(origin_ns)).unwrap_or(i64::MAX);
    PmSeries {
        metric: metric.name.to_string(),
        label: sampled_label(&metric.name),
        unit: base_unit(&metric.name).to_owned(),
        origin_ns,
        end_ns: workload.map(|(_, end)| since(end)),
        end_unknown: workload.is_none().then(|| NO_STAMPS.to_owned()),
        uncut: uncut.map(|why| why.to_string()),
        at_ns: samples.iter().map(|(at, _)| since(*at)).collect(),
        values: samples.into_iter().map(|(_, value)| value).collect(),
    }
}
