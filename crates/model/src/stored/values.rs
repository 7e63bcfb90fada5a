//! Values of metrics by name, and beside them what is not as the table says.

use crate::document::{Method, MetricSummary, Metrics, Scalar};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a metric is made wherever nothing else is said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "MetricInfo")]
pub(super) struct StoredMetric {
    /// Base unit, empty if it has none or it is not known.
    unit: String,
    method: Method,
    /// Whether values are exactly what a measurement of the whole set would give.
    exact: bool,
    /// Why there is no value, or why it is not exact.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    reason: Option<String>,
}

/// Values by the name of the metric; null where none can be made.
pub(super) type Values = IndexMap<String, Option<Scalar>>;

pub(super) type Details = IndexMap<String, MetricDetail>;

/// What is not as the table says of a metric; what is absent is as usual.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct MetricDetail {
    #[serde(skip_serializing_if = "Option::is_none", default)]
    unit: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    method: Option<Method>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    exact: Option<bool>,
    /// Results with a usable value; as usual, all of the set.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    covered: Option<u64>,
    /// Results asked; as usual, all of the set.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    of: Option<u64>,
    /// The smallest value of one result, for methods that need it (`varies`, and `largest_part` of several results).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    min: Option<f64>,
    /// The largest value of one result, likewise.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    max: Option<f64>,
    /// For the largest of several counters over several results: the mean of the results' own values, weighted by time.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    mean: Option<f64>,
    /// For the largest of several counters: which one that is.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    busiest: Option<String>,
    /// Why there is no value or why it is not exact; an empty text where the table has a reason that does not hold here.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    reason: Option<String>,
}

impl MetricDetail {
    /// What is unusual about a metric over `results` results.
    fn about(summary: &MetricSummary, usual: &StoredMetric, results: u64) -> Option<Self> {
        let MetricSummary {
            value: _,
            unit,
            method,
            exact,
            covered,
            of,
            min,
            max,
            mean,
            busiest,
            reason,
        } = summary;
        let other = |is_usual: bool| (!is_usual).then_some(());
        let unusual = Self {
            unit: other(*unit == usual.unit).map(|()| unit.clone()),
            method: other(*method == usual.method).map(|()| *method),
            exact: other(*exact == usual.exact).map(|()| *exact),
            covered: other(*covered == results).map(|()| *covered),
            of: other(*of == results).map(|()| *of),
            min: *min,
            max: *max,
            mean: *mean,
            busiest: busiest.clone(),
            reason: other(*reason == usual.reason).map(|()| reason.clone().unwrap_or_default()),
        };
        (unusual != Self::default()).then_some(unusual)
    }

    fn summary(self, value: Option<Scalar>, usual: &StoredMetric, results: u64) -> MetricSummary {
        MetricSummary {
            value,
            unit: self.unit.unwrap_or_else(|| usual.unit.clone()),
            method: self.method.unwrap_or(usual.method),
            exact: self.exact.unwrap_or(usual.exact),
            covered: self.covered.unwrap_or(results),
            of: self.of.unwrap_or(results),
            min: self.min,
            max: self.max,
            mean: self.mean,
            busiest: self.busiest,
            reason: match self.reason {
                Some(reason) => Some(reason).filter(|reason| !reason.is_empty()),
                None => usual.reason.clone(),
            },
        }
    }
}

/// How each metric of a document is usually made, by name.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub(super) struct MetricTable<'d>(IndexMap<&'d str, StoredMetric>);

impl MetricTable<'_> {
    /// Metrics over `results` results as values; what is unusual about them is added to `details`.
    pub(super) fn split<'m>(
        &self,
        metrics: impl IntoIterator<Item = (&'m str, &'m MetricSummary)>,
        results: u64,
        details: &mut Details,
    ) -> Values {
        let value = |(name, summary): (&str, &MetricSummary)| {
            let unusual = MetricDetail::about(summary, self.0.get(name)?, results);
            details.extend(unusual.map(|unusual| (name.to_owned(), unusual)));
            Some((name.to_owned(), summary.value.clone()))
        };
        metrics.into_iter().filter_map(value).collect()
    }
}

/// What was split. The name of a metric that the table does not have is the error.
pub(super) fn joined(
    table: &IndexMap<String, StoredMetric>,
    values: Values,
    details: &mut Details,
    results: u64,
) -> Result<Metrics, String> {
    let summary = |(name, value): (String, Option<Scalar>)| {
        let Some(usual) = table.get(&name) else { return Err(name) };
        let detail = details.swap_remove(&name).unwrap_or_default();
        let summary = detail.summary(value, usual, results);
        Ok((name, summary))
    };
    values.into_iter().map(summary).collect()
}

/// A table of metrics in the making: how often each was made in which way.
#[derive(Default)]
pub(super) struct Ways<'d> {
    metrics: IndexMap<&'d str, IndexMap<Way<'d>, u64>>,
}

type Way<'d> = (&'d str, Method, bool, Option<&'d str>);

impl<'d> Ways<'d> {
    pub(super) fn count(&mut self, name: &'d str, summary: &'d MetricSummary) {
        let way = (summary.unit.as_str(), summary.method, summary.exact, summary.reason.as_deref());
        *self.metrics.entry(name).or_default().entry(way).or_default() += 1;
    }

    /// The metrics by name, each in the way in which most of its values were made.
    pub(super) fn table(mut self) -> MetricTable<'d> {
        self.metrics.sort_unstable_keys();
        let metric = |(name, ways): (&'d str, IndexMap<Way<'d>, u64>)| {
            let first =
                ways.into_iter().reduce(|most, next| if next.1 > most.1 { next } else { most });
            let ((unit, method, exact, reason), _) = first?;
            let (unit, reason) = (unit.to_owned(), reason.map(str::to_owned));
            Some((name, StoredMetric { unit, method, exact, reason }))
        };
        MetricTable(self.metrics.into_iter().filter_map(metric).collect())
    }
}
