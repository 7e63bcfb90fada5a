//! From cells to the summaries of the report: the value, how it was made, whether it is exact, and if not, why.

use super::cells::{QuotientCell, Tallies};
use super::plan::{MeanCell, MeanOption, MetricPlan, Slot};
use crate::aggregate::rules::Combine;
use rangescope_model::document::{Method, MetricSummary, Scalar};
use rangescope_model::text::clip;

/// The texts that a metric had: the first and the last in order, which do not depend on the order of results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TextRange {
    pub(crate) covered: u64,
    pub(crate) first: Box<str>,
    pub(crate) last: Box<str>,
}

impl TextRange {
    pub(crate) fn new(text: &str) -> Self {
        Self { covered: 1, first: text.into(), last: text.into() }
    }

    pub(crate) fn add(&mut self, text: &str) {
        self.covered += 1;
        self.widen(text);
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.covered += other.covered;
        self.widen(&other.first);
        self.widen(&other.last);
    }

    fn widen(&mut self, text: &str) {
        if *text < *self.first {
            self.first = text.into();
        }
        if *text > *self.last {
            self.last = text.into();
        }
    }
}

/// What is known about the values of one metric in a set of results.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Evidence<'t> {
    pub(crate) plan: &'t MetricPlan,
    pub(crate) tallies: &'t Tallies,
    pub(crate) texts: Option<&'t TextRange>,
    /// Results that have the metric without a finite number.
    pub(crate) unusable: u64,
    /// Results in the set.
    pub(crate) results: u64,
    pub(crate) unit: &'t str,
}

/// A value before it is put into words.
struct Made {
    value: Option<Scalar>,
    method: Method,
    exact: bool,
    covered: u64,
    extremes: Option<(f64, f64)>,
    reason: Option<String>,
}

impl Evidence<'_> {
    /// The summary; nothing if no result of the set has the metric.
    pub(crate) fn summary(self) -> Option<MetricSummary> {
        let texts = self.texts.filter(|_| takes_texts(self.plan));
        let mut made = match (texts, self.number()) {
            (Some(texts), Some(number)) => mixed(texts, &number),
            (Some(texts), None) => text(texts),
            (None, Some(number)) => number,
            (None, None) if self.unusable > 0 || self.texts.is_some() => self.nothing(),
            (None, None) => return None,
        };
        if made.covered < self.results && made.method != Method::NotAggregated {
            made.exact = false;
            let missing = format!(
                "{} of {} results have no usable value",
                self.results - made.covered,
                self.results
            );
            made.reason = Some(match made.reason {
                Some(reason) => format!("{reason}; {missing}"),
                None => missing,
            });
        }
        let (min, max) = made.extremes.unzip();
        let unit = self.unit.to_owned();
        Some(MetricSummary {
            value: made.value,
            unit,
            method: made.method,
            exact: made.exact,
            covered: made.covered,
            of: self.results,
            min,
            max,
            busiest: None,
            reason: made.reason,
        })
    }

    fn number(&self) -> Option<Made> {
        let tallies = self.tallies;
        match &self.plan.slot {
            Slot::Sum(cell) => {
                let cell = tallies.sums.get(*cell).filter(|cell| cell.covered > 0)?;
                Some(finite(cell.sum.value(), Method::Sum, cell.covered))
            }
            Slot::Max(cell) => {
                let cell = tallies.extremes.get(*cell).filter(|cell| cell.covered > 0)?;
                Some(finite(cell.max, Method::Max, cell.covered))
            }
            Slot::Min(cell) => {
                let cell = tallies.extremes.get(*cell).filter(|cell| cell.covered > 0)?;
                Some(finite(cell.min, Method::Min, cell.covered))
            }
            Slot::Same(cell) => {
                let cell = tallies.extremes.get(*cell).filter(|cell| cell.covered > 0)?;
                let same = cell.min >= cell.max;
                Some(if same {
                    finite(cell.min, Method::Same, cell.covered)
                } else {
                    varies(cell.covered, Some((cell.min, cell.max)), None)
                })
            }
            Slot::Count(cell) => {
                let covered = tallies.counts.get(*cell).copied().filter(|covered| *covered > 0)?;
                Some(self.not_aggregated(covered))
            }
            Slot::Mean { values, options } => {
                let values = tallies.extremes.get(*values).copied().unwrap_or_default();
                if self.results == 1 && values.covered == 1 {
                    // One result is a measurement of the whole set, whatever its value means.
                    let method =
                        self.best(options).map_or(Method::TimeWeighted, |best| best.0.method);
                    return Some(finite(values.min, method, 1));
                }
                self.mean(values.covered, options)
            }
        }
    }

    /// The first option that covers the most results.
    fn best<'o>(&self, options: &'o [MeanOption]) -> Option<(&'o MeanOption, QuotientCell)> {
        let with_cells =
            || options.iter().filter_map(|option| Some((option, self.cell(option.cell)?)));
        let most = with_cells().map(|(_, cell)| cell.covered).max().filter(|most| *most > 0)?;
        with_cells().find(|(_, cell)| cell.covered == most)
    }

    fn mean(&self, with_value: u64, options: &[MeanOption]) -> Option<Made> {
        let best = self.best(options);
        // Numerator and denominator alone do not make the metric appear where no result has it.
        if with_value == 0 && (best.is_none() || self.unusable == 0) {
            return None;
        }
        let Some((option, cell)) = best else {
            let reason = Some("no result has a duration to weigh by".to_owned());
            let method = Method::TimeWeighted;
            return Some(Made {
                value: None,
                method,
                exact: false,
                covered: 0,
                extremes: None,
                reason,
            });
        };
        let value = cell.above.over(cell.below).map(|quotient| quotient * option.scale);
        let value = value.filter(|value| value.is_finite());
        let is_by_time = option.method == Method::TimeWeighted;
        let mut reasons: Vec<String> = Vec::new();
        match value {
            None if is_by_time => reasons.push("the durations add up to zero".to_owned()),
            None => reasons.push("the weights add up to zero".to_owned()),
            Some(_) if option.exact => {}
            Some(_) => reasons.push(self.why_inexact(option.method).to_owned()),
        }
        let untimed = with_value.saturating_sub(cell.covered);
        if is_by_time && untimed > 0 {
            reasons.push(format!("{untimed} values have no duration to be weighted by"));
        }
        Some(Made {
            exact: option.exact && value.is_some(),
            value: value.map(Scalar::Number),
            method: option.method,
            covered: cell.covered,
            extremes: None,
            reason: (!reasons.is_empty()).then(|| reasons.join("; ")),
        })
    }

    fn cell(&self, cell: MeanCell) -> Option<QuotientCell> {
        match cell {
            MeanCell::Mean(index) => self.tallies.means.get(index).copied(),
            MeanCell::Pair(index) => self.tallies.pairs.get(index).copied(),
        }
    }

    fn why_inexact(&self, method: Method) -> &'static str {
        match (self.plan.row.combine, method) {
            (Combine::Throughput, _) => {
                "the largest of several counters, which may change from result to result"
            }
            (Combine::PerCycle(_), Method::TimeWeighted) => {
                "weighted by time: the unit's cycles were not collected with every value"
            }
            (Combine::Ratio, _) => {
                "weighted by time: the counts behind the ratio were not collected with every value"
            }
            _ => "the unit with the extreme value may change from result to result",
        }
    }

    fn not_aggregated(&self, covered: u64) -> Made {
        Made {
            value: None,
            method: Method::NotAggregated,
            exact: false,
            covered,
            extremes: None,
            reason: Some(self.plan.row.why.to_owned()),
        }
    }

    /// The metric is there, but in no usable form.
    fn nothing(&self) -> Made {
        if matches!(self.plan.slot, Slot::Count(_)) {
            return self.not_aggregated(self.texts.map_or(0, |texts| texts.covered));
        }
        let method = match &self.plan.slot {
            Slot::Sum(_) => Method::Sum,
            Slot::Max(_) => Method::Max,
            Slot::Min(_) => Method::Min,
            Slot::Same(_) => Method::Same,
            Slot::Mean { options, .. } => {
                options.first().map_or(Method::TimeWeighted, |option| option.method)
            }
            Slot::Count(_) => Method::NotAggregated,
        };
        Made {
            value: None,
            method,
            exact: false,
            covered: 0,
            extremes: None,
            reason: Some("no value is a finite number".to_owned()),
        }
    }
}

/// Texts are compared; lists and series are not even that.
pub(crate) fn takes_texts(plan: &MetricPlan) -> bool {
    matches!(plan.row.id, "constant" | "other")
}

fn finite(value: f64, method: Method, covered: u64) -> Made {
    let reason = (!value.is_finite()).then(|| "the outcome is too large for a number".to_owned());
    let value = value.is_finite().then_some(Scalar::Number(value));
    Made { exact: value.is_some(), value, method, covered, extremes: None, reason }
}

fn varies(covered: u64, extremes: Option<(f64, f64)>, reason: Option<String>) -> Made {
    Made { value: None, method: Method::Varies, exact: true, covered, extremes, reason }
}

fn text(texts: &TextRange) -> Made {
    if texts.first == texts.last {
        let value = Some(Scalar::Text(texts.first.to_string()));
        return Made {
            value,
            method: Method::Same,
            exact: true,
            covered: texts.covered,
            extremes: None,
            reason: None,
        };
    }
    varies(
        texts.covered,
        None,
        Some(format!("texts from `{}` to `{}`", clip(&texts.first, 60), clip(&texts.last, 60))),
    )
}

fn mixed(texts: &TextRange, number: &Made) -> Made {
    varies(
        texts.covered + number.covered,
        number.extremes,
        Some("a number in some results and a text in others".to_owned()),
    )
}
