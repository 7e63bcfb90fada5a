//! Values of metrics: a bare number or text where the table says how it was made.

use crate::document::{Method, MetricSummary, Scalar};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A metric, and how its values are made wherever an entry does not say otherwise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(super) struct StoredMetric {
    pub(super) name: String,
    /// Base unit, empty if it has none or it is not known.
    pub(super) unit: String,
    pub(super) method: Method,
    /// Whether values are exactly what a measurement of the whole set would give.
    pub(super) exact: bool,
    /// Why there is no value, or why it is not exact.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) reason: Option<String>,
}

/// The value of a metric over a set of results; null if no result of the set has it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum StoredValue {
    Absent(()),
    /// Made as the table says, from all results of the set.
    Usual(Scalar),
    Unusual(Box<UnusualValue>),
}

/// A value with what is not as the table says; what is absent is as usual.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct UnusualValue {
    /// Absent when it cannot be made.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    value: Option<Scalar>,
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

impl StoredValue {
    pub(super) const ABSENT: Self = Self::Absent(());

    /// The value of a metric over `results` results.
    pub(super) fn of(summary: &MetricSummary, usual: &StoredMetric, results: u64) -> Self {
        let MetricSummary {
            value,
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
        let unusual = UnusualValue {
            value: None,
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
        match value {
            Some(value) if unusual == UnusualValue::default() => Self::Usual(value.clone()),
            _ => Self::Unusual(Box::new(UnusualValue { value: value.clone(), ..unusual })),
        }
    }

    pub(super) fn summary(self, usual: &StoredMetric, results: u64) -> Option<MetricSummary> {
        let unusual = match self {
            Self::Absent(()) => return None,
            Self::Usual(value) => UnusualValue { value: Some(value), ..UnusualValue::default() },
            Self::Unusual(unusual) => *unusual,
        };
        Some(MetricSummary {
            value: unusual.value,
            unit: unusual.unit.unwrap_or_else(|| usual.unit.clone()),
            method: unusual.method.unwrap_or(usual.method),
            exact: unusual.exact.unwrap_or(usual.exact),
            covered: unusual.covered.unwrap_or(results),
            of: unusual.of.unwrap_or(results),
            min: unusual.min,
            max: unusual.max,
            mean: unusual.mean,
            busiest: unusual.busiest,
            reason: match unusual.reason {
                Some(reason) => Some(reason).filter(|reason| !reason.is_empty()),
                None => usual.reason.clone(),
            },
        })
    }
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
            Some((name, StoredMetric { name: name.to_owned(), unit, method, exact, reason }))
        };
        MetricTable(self.metrics.into_iter().filter_map(metric).collect())
    }
}

/// The metrics of a document by name.
pub(super) struct MetricTable<'d>(IndexMap<&'d str, StoredMetric>);

impl MetricTable<'_> {
    pub(super) fn position(&self, name: &str) -> Option<u32> {
        u32::try_from(self.0.get_index_of(name)?).ok()
    }

    /// Values in the order of the table, without those at its end that are absent.
    pub(super) fn values<'m>(
        &self,
        metrics: impl IntoIterator<Item = (&'m str, &'m MetricSummary)>,
        results: u64,
    ) -> Vec<StoredValue> {
        let mut values = Vec::new();
        for (name, summary) in metrics {
            let Some((position, _, usual)) = self.0.get_full(name) else { continue };
            if values.len() <= position {
                values.resize(position + 1, StoredValue::ABSENT);
            }
            if let Some(value) = values.get_mut(position) {
                *value = StoredValue::of(summary, usual, results);
            }
        }
        values
    }

    pub(super) fn into_rows(self) -> Vec<StoredMetric> {
        self.0.into_values().collect()
    }
}
