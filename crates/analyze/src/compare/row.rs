//! What one run knows about a region, kernel, launch shape or other set of results.
//!
//! Renaming can make one region of several; their times and counts then add up, and so do metrics that are sums. Means of several regions are weighed by time,
//! which is an estimate and says so.

use crate::compare::delta::Reading;
use crate::compare::quantity::{self, Value};
use indexmap::IndexMap;
use rangescope_model::document::{
    KernelSummary, LaunchShape, Method, MetricSummary, Region, ResultSet,
};

type Metrics = IndexMap<String, MetricSummary>;

/// A set of results in one run. A time that is not that of all its results is unknown.
#[derive(Clone, Debug, Default)]
pub(crate) struct Row<'d> {
    time: Option<f64>,
    exclusive_time: Option<f64>,
    pub(crate) calls: u64,
    pub(crate) exclusive_calls: u64,
    parts: Vec<(&'d Metrics, Option<f64>)>,
    pub(crate) kernels: Vec<&'d KernelSummary>,
}

impl<'d> Row<'d> {
    pub(crate) fn totals(totals: &'d ResultSet) -> Self {
        let is_complete = totals.timed_count == totals.kernel_count;
        let time = totals.total_ms.filter(|_| is_complete);
        Self {
            parts: vec![(&totals.metrics, time)],
            kernels: totals.kernels.iter().collect(),
            ..Self::timed(time, totals.kernel_count)
        }
    }

    pub(crate) fn kernel(kernel: &'d KernelSummary) -> Self {
        let time = kernel.total_ms.filter(|_| is_timed(kernel));
        Self {
            parts: vec![(&kernel.metrics, time)],
            kernels: vec![kernel],
            ..Self::timed(time, kernel.calls)
        }
    }

    /// The launches of a kernel in one shape.
    pub(crate) fn shape(shape: &LaunchShape, kernel: &KernelSummary) -> Self {
        Self::timed(shape.total_ms.filter(|_| is_timed(kernel)), shape.calls)
    }

    pub(crate) fn region(region: &'d Region) -> Self {
        let is_complete = region.set.timed_count == region.set.kernel_count;
        let time = region.set.total_ms.filter(|_| is_complete);
        Self {
            time,
            exclusive_time: region.exclusive_ms.filter(|_| is_complete),
            calls: region.set.kernel_count,
            exclusive_calls: region.exclusive_kernel_count,
            parts: vec![(&region.set.metrics, time)],
            kernels: region.set.kernels.iter().collect(),
        }
    }

    fn timed(time: Option<f64>, calls: u64) -> Self {
        Self { time, exclusive_time: time, calls, exclusive_calls: calls, ..Self::default() }
    }

    /// Takes another set in.
    pub(crate) fn add(&mut self, other: Self) {
        let sum = |left: Option<f64>, right: Option<f64>| Some(left? + right?);
        self.time = sum(self.time, other.time);
        self.exclusive_time = sum(self.exclusive_time, other.exclusive_time);
        self.calls = self.calls.saturating_add(other.calls);
        self.exclusive_calls = self.exclusive_calls.saturating_add(other.exclusive_calls);
        self.parts.extend(other.parts);
        self.kernels.extend(other.kernels);
    }

    pub(crate) fn time(&self) -> Reading {
        reading(self.time, self.calls)
    }

    pub(crate) fn exclusive_time(&self) -> Reading {
        reading(self.exclusive_time, self.exclusive_calls)
    }

    pub(crate) fn time_per_call(&self) -> Reading {
        reading(self.time.map(|time| time / self.calls as f64), self.calls)
    }

    /// The value of a metric or short name.
    pub(crate) fn value(&self, name: &str) -> Option<Value> {
        let values = self
            .parts
            .iter()
            .map(|(metrics, time)| Some((quantity::value(name, metrics, *time)?, *time)));
        combine(&values.collect::<Option<Vec<_>>>()?)
    }
}

/// Whether all launches of a kernel have a duration: the mean is over those that have one.
fn is_timed(kernel: &KernelSummary) -> bool {
    kernel.total_ms.zip(kernel.mean_ms).is_some_and(|(total, mean)| {
        // The mean was rounded once, and is off by far more where a launch is missing.
        (total - mean * kernel.calls as f64).abs() <= 1e-9 * total.abs()
    })
}

/// Where there are no results there is no time to measure.
fn reading(time: Option<f64>, calls: u64) -> Reading {
    match time {
        _ if calls == 0 => Reading::Missing,
        Some(time) if time.is_finite() => Reading::Value(time),
        _ => Reading::Unknown,
    }
}

fn combine(parts: &[(Value, Option<f64>)]) -> Option<Value> {
    let (first, _) = parts.first()?;
    if parts.len() == 1 {
        return Some(first.clone());
    }
    let numbers = || parts.iter().map(|(value, _)| value.number);
    let method =
        first.method.filter(|_| parts.iter().all(|(value, _)| value.method == first.method));
    let mut exact = parts.iter().all(|(value, _)| value.exact);
    let number = match method {
        // A quantity that is made of several metrics is a count.
        None if parts.iter().all(|(value, _)| value.method.is_none()) => numbers().sum(),
        Some(Method::Sum) => numbers().sum(),
        Some(Method::Max) => numbers().fold(f64::NEG_INFINITY, f64::max),
        Some(Method::Min) => numbers().fold(f64::INFINITY, f64::min),
        #[expect(clippy::float_cmp, reason = "a property of the device is the same or it is not")]
        Some(Method::Same) if numbers().all(|number| number == first.number) => first.number,
        _ => {
            exact = false;
            let weights = parts.iter().map(|(_, time)| *time).collect::<Option<Vec<f64>>>()?;
            numbers().zip(&weights).map(|(number, weight)| number * weight).sum::<f64>()
                / weights.iter().sum::<f64>()
        }
    };
    number.is_finite().then_some(Value { number, method, exact, ..first.clone() })
}
