//! What one run knows about a region, kernel or other set of results.
//!
//! Renaming can make one region of several; their times and counts then add up, and so do metrics that are sums. Other metrics of several regions cannot be
//! combined from summaries and are left out.

use crate::compare::quantity::{self, Value};
use indexmap::IndexMap;
use rangescope_model::document::{KernelSummary, Method, MetricSummary, NCUProfileRegion, Totals};

type Metrics = IndexMap<String, MetricSummary>;

/// A set of results in one run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Row<'d> {
    pub(crate) time: f64,
    pub(crate) exclusive_time: f64,
    pub(crate) calls: u64,
    pub(crate) exclusive_calls: u64,
    parts: Vec<(&'d Metrics, f64)>,
    pub(crate) kernels: Vec<&'d KernelSummary>,
}

impl<'d> Row<'d> {
    pub(crate) fn totals(totals: &'d Totals) -> Self {
        Self {
            time: known(totals.total_ms),
            exclusive_time: known(totals.total_ms),
            calls: totals.kernel_count,
            exclusive_calls: totals.kernel_count,
            parts: vec![(&totals.metrics, known(totals.total_ms))],
            kernels: totals.kernels.iter().collect(),
        }
    }

    pub(crate) fn kernel(kernel: &'d KernelSummary) -> Self {
        Self {
            time: known(kernel.total_ms),
            exclusive_time: known(kernel.total_ms),
            calls: kernel.calls,
            exclusive_calls: kernel.calls,
            parts: vec![(&kernel.metrics, known(kernel.total_ms))],
            kernels: vec![kernel],
        }
    }

    pub(crate) fn region(region: &'d NCUProfileRegion) -> Self {
        Self {
            time: known(region.total_ms),
            exclusive_time: known(region.exclusive_ms),
            calls: region.kernel_count,
            exclusive_calls: region.exclusive_kernel_count,
            parts: vec![(&region.metrics, known(region.total_ms))],
            kernels: region.kernels.iter().collect(),
        }
    }

    /// Takes another set in.
    pub(crate) fn add(&mut self, other: Self) {
        self.time += other.time;
        self.exclusive_time += other.exclusive_time;
        self.calls += other.calls;
        self.exclusive_calls += other.exclusive_calls;
        self.parts.extend(other.parts);
        self.kernels.extend(other.kernels);
    }

    /// The value of a metric or short name.
    pub(crate) fn value(&self, name: &str) -> Option<Value> {
        let mut values =
            self.parts.iter().map(|(metrics, time)| quantity::value(name, metrics, *time));
        let first = values.next()??;
        values.try_fold(first, |sum, next| combine(sum, &next?))
    }
}

/// An unknown time is not a number, which no comparison takes for one.
fn known(ms: Option<f64>) -> f64 {
    ms.unwrap_or(f64::NAN)
}

fn combine(left: Value, right: &Value) -> Option<Value> {
    let number = match (left.method, right.method) {
        // A quantity that is made of several metrics is a count.
        (None, None) | (Some(Method::Sum), Some(Method::Sum)) => left.number + right.number,
        (Some(Method::Max), Some(Method::Max)) => left.number.max(right.number),
        (Some(Method::Min), Some(Method::Min)) => left.number.min(right.number),
        #[expect(clippy::float_cmp, reason = "a property of the device is the same or it is not")]
        (Some(Method::Same), Some(Method::Same)) if left.number == right.number => left.number,
        _ => return None,
    };
    let exact = left.exact && right.exact;
    number.is_finite().then_some(Value { number, exact, ..left })
}
