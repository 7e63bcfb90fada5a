//! From cells to the summaries of the report: the value, how it was made, whether it is exact, and if not, why.

use super::cells::{LargeCell, QuotientCell, SumCell, Tallies};
use super::made::{Made, finite, mixed, no_value, text, varies, whole};
use super::plan::{MeanCell, MeanOption, MetricPlan, Slot, TallyPlan};
use crate::aggregate::constituents::Constituents;
use crate::aggregate::rules::Combine;
use crate::aggregate::rules::recipe::Devices;
use crate::aggregate::sampling::Scale;
use rangescope_model::document::{Method, MetricSummary, Scalar};
use rangescope_model::launch::{MetricId, Vocabulary};

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
    /// The plan that the cells follow.
    pub(crate) plans: &'t TallyPlan,
    pub(crate) tallies: &'t Tallies,
    pub(crate) texts: Option<&'t TextRange>,
    /// Results that have the metric without a finite number.
    pub(crate) unusable: u64,
    /// What the results list as the counters of which the value is the largest.
    pub(crate) constituents: Option<&'t Constituents>,
    /// Results in the set.
    pub(crate) results: u64,
    pub(crate) vocabulary: &'t Vocabulary,
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
        let unit = self.vocabulary.units.get(self.plan.id.0 as usize).cloned().unwrap_or_default();
        Some(MetricSummary {
            value: made.value,
            unit,
            method: made.method,
            exact: made.exact,
            covered: made.covered,
            of: self.results,
            min,
            max,
            mean: made.mean,
            busiest: made.busiest.map(|metric| self.name(metric).to_owned()),
            reason: made.reason,
        })
    }

    fn number(&self) -> Option<Made> {
        let tallies = self.tallies;
        match &self.plan.slot {
            Slot::Sum { cell, over } => {
                let cell = tallies.sums.get(*cell).filter(|cell| cell.covered > 0)?;
                let sum = self.sum(cell);
                let is_windows = self.plan.row.combine == Combine::Windows && cell.covered > 1;
                let why = is_windows.then_some(self.plan.row.why);
                Some(match why.or_else(|| self.devices_differ(*over)) {
                    Some(why) => sum.estimated(why),
                    None => sum,
                })
            }
            Slot::Samples { sum, by_interval } => self.samples(*sum, *by_interval),
            Slot::Max(cell) => {
                let cell = tallies.extremes.get(*cell).filter(|cell| cell.covered > 0)?;
                Some(self.extreme(cell.max, Method::Max, cell.covered))
            }
            Slot::Min(cell) => {
                let cell = tallies.extremes.get(*cell).filter(|cell| cell.covered > 0)?;
                Some(self.extreme(cell.min, Method::Min, cell.covered))
            }
            Slot::Same(cell) => {
                let cell = tallies.extremes.get(*cell).filter(|cell| cell.covered > 0)?;
                // Two large counters may differ although they are the same when rounded.
                let digits = self.large().filter(|large| large.min < large.max);
                let same = cell.min >= cell.max && digits.is_none();
                Some(if same {
                    self.extreme(cell.min, Method::Same, cell.covered)
                } else {
                    let reason = digits
                        .filter(|large| cell.min >= large.min as f64)
                        .map(|large| format!("from {} to {}", large.min, large.max));
                    varies(cell.covered, Some((cell.min, cell.max)), reason)
                })
            }
            Slot::Count(cell) => {
                let covered = tallies.counts.get(*cell).copied().filter(|covered| *covered > 0)?;
                Some(self.not_aggregated(covered))
            }
            Slot::Mean { values, options } => {
                let Some(values) = values.and_then(|values| tallies.extremes.get(values)) else {
                    // A part is only asked for where results have it.
                    return self.mean(1, options);
                };
                let largest = self.largest_part(values.covered);
                if self.results == 1 && values.covered == 1 {
                    // One result is a measurement of the whole set, whatever its value means.
                    let method = match &largest {
                        Some(largest) => largest.method,
                        None => {
                            self.best(options).map_or(Method::TimeWeighted, |best| best.0.method)
                        }
                    };
                    let is_explained = self.constituents.is_some_and(|listed| listed.explained > 0);
                    let busiest =
                        largest.filter(|_| is_explained).and_then(|largest| largest.busiest);
                    return Some(Made { busiest, ..self.extreme(values.min, method, 1) });
                }
                // The largest of means may lie below what every single result had.
                let own = |largest: Made| Made {
                    extremes: Some((values.min, values.max)),
                    mean: self.mean_by_time(options),
                    ..largest
                };
                largest.map(own).or_else(|| self.mean(values.covered, options))
            }
        }
    }

    /// The sum of the values, with all digits where they are whole numbers.
    fn sum(&self, cell: &SumCell) -> Made {
        let lost = self.large().map_or(0, |large| large.lost);
        let exactly = cell.sum.whole().and_then(|sum| u64::try_from(sum + i128::from(lost)).ok());
        match exactly.filter(|sum| *sum > Scalar::LARGEST_EXACT) {
            Some(sum) => whole(sum, Method::Sum, cell.covered),
            None => finite(cell.sum.value(), Method::Sum, cell.covered),
        }
    }

    /// The value of one result, with all digits where it is a large counter.
    fn extreme(&self, value: f64, method: Method, covered: u64) -> Made {
        let counters = self.large().map_or([None; 2], |large| [large.min, large.max].map(Some));
        let counter = match method {
            Method::Max => counters[1],
            _ => counters[0],
        };
        #[expect(clippy::float_cmp, reason = "the value is the counter, rounded")]
        match counter.filter(|counter| *counter as f64 == value) {
            Some(counter) => whole(counter, method, covered),
            None => finite(value, method, covered),
        }
    }

    fn large(&self) -> Option<&LargeCell> {
        self.tallies.large.get(&(self.plan.id.0 as usize))
    }

    /// The largest of the counters that the results list, if every result that has the metric lists the same ones and has them all.
    fn largest_part(&self, with_value: u64) -> Option<Made> {
        let constituents = self.constituents?;
        let counters = constituents.counters()?;
        if with_value == 0 || constituents.complete < with_value {
            return None;
        }
        let mut largest: Option<(f64, MetricId, Made)> = None;
        for &counter in counters {
            let plan = self.plans.metric(counter)?;
            let evidence = Evidence { plan, texts: None, unusable: 0, constituents: None, ..*self };
            let made = evidence.number().filter(|made| made.covered >= with_value)?;
            let value = made.number()?;
            let is_larger = largest.as_ref().is_none_or(|(most, best, _)| {
                value > *most || (value >= *most && self.name(counter) < self.name(*best))
            });
            if is_larger {
                largest = Some((value, counter, made));
            }
        }
        let (value, counter, made) = largest?;
        let unexplained = with_value.saturating_sub(constituents.explained);
        let reason = match made.reason {
            _ if unexplained > 0 => Some(format!(
                "in {unexplained} of {with_value} results the value is not that of the largest listed counter"
            )),
            Some(reason) if !made.exact => Some(format!("`{}`: {reason}", self.name(counter))),
            _ => None,
        };
        Some(Made {
            exact: made.exact && unexplained == 0,
            busiest: (value > 0.0).then_some(counter),
            reason,
            ..finite(value, Method::LargestPart, with_value)
        })
    }

    /// Samples that were taken at different intervals stand for different times: they are counted as if all had been taken at the shortest.
    fn samples(&self, sum: usize, by_interval: Option<usize>) -> Option<Made> {
        let cell = self.tallies.sums.get(sum).filter(|cell| cell.covered > 0)?;
        let plain = self.sum(cell);
        let scaled = by_interval.and_then(|cell| self.tallies.means.get(cell));
        let scale = self.tallies.intervals.scale();
        let Some(reason) = scale.reason() else { return Some(plain) };
        let made = match (scale, scaled) {
            (Scale::Shortest(shortest), Some(scaled)) => {
                finite(scaled.above.value() / shortest, Method::Sum, cell.covered)
            }
            _ => plain,
        };
        Some(made.estimated(reason))
    }

    /// Why an outcome that is exact over these devices is not exact over those of the set.
    fn devices_differ(&self, over: Devices) -> Option<&'static str> {
        let differ = |cell: usize| {
            self.tallies.extremes.get(cell).is_some_and(|extremes| extremes.min < extremes.max)
        };
        let kinds_differ = || self.plans.capability.iter().any(|cell| differ(*cell));
        match over {
            Devices::OneSize if self.plans.multiprocessors.is_some_and(differ) => {
                Some("the devices have different numbers of units, which were not collected")
            }
            Devices::OneKind | Devices::OneSize if kinds_differ() => {
                Some("the devices are of different compute capability")
            }
            _ => None,
        }
    }

    fn name(&self, metric: MetricId) -> &str {
        self.vocabulary.metrics.get(metric.0 as usize).map_or("", String::as_str)
    }

    /// The first option that covers the most results.
    fn best<'o>(&self, options: &'o [MeanOption]) -> Option<(&'o MeanOption, QuotientCell)> {
        let with_cells =
            || options.iter().filter_map(|option| Some((option, self.cell(option.cell)?)));
        let most = with_cells().map(|(_, cell)| cell.covered).max().filter(|most| *most > 0)?;
        with_cells().find(|(_, cell)| cell.covered == most)
    }

    fn mean_by_time(&self, options: &[MeanOption]) -> Option<f64> {
        let by_time = options.iter().find(|option| option.method == Method::TimeWeighted)?;
        let cell = self.cell(by_time.cell)?;
        cell.above.over(cell.below).filter(|mean| mean.is_finite())
    }

    fn mean(&self, with_value: u64, options: &[MeanOption]) -> Option<Made> {
        let best = self.best(options);
        // Numerator and denominator alone do not make the metric appear where no result has it.
        if with_value == 0 && (best.is_none() || self.unusable == 0) {
            return None;
        }
        let Some((option, cell)) = best else {
            let reason = Some("no result has a duration to weigh by".to_owned());
            return Some(Made { reason, ..no_value(Method::TimeWeighted, 0) });
        };
        let value = cell.above.over(cell.below).map(|quotient| quotient * option.scale);
        let value = value.filter(|value| value.is_finite());
        let is_by_time = option.method == Method::TimeWeighted;
        let inexact = option.inexact.or_else(|| self.devices_differ(option.over));
        let mut reasons: Vec<String> = Vec::new();
        match value {
            None if is_by_time => reasons.push("the durations add up to zero".to_owned()),
            None => reasons.push("the weights add up to zero".to_owned()),
            Some(_) => reasons.extend(inexact.map(str::to_owned)),
        }
        match self.constituents {
            Some(listed) if listed.differ() => {
                reasons.push("the results list different counters".to_owned());
            }
            Some(listed) if listed.complete < with_value => {
                let lacking = with_value - listed.complete;
                reasons.push(format!(
                    "{lacking} of {with_value} results lack a counter that they list"
                ));
            }
            _ => {}
        }
        let untimed = with_value.saturating_sub(cell.covered);
        if is_by_time && untimed > 0 {
            reasons.push(format!("{untimed} values have no duration to be weighted by"));
        }
        Some(Made {
            exact: inexact.is_none() && value.is_some(),
            value: value.map(Scalar::Number),
            reason: (!reasons.is_empty()).then(|| reasons.join("; ")),
            ..no_value(option.method, cell.covered)
        })
    }

    fn cell(&self, cell: MeanCell) -> Option<QuotientCell> {
        match cell {
            MeanCell::Mean(index) => self.tallies.means.get(index).copied(),
            MeanCell::Pair(index) => self.tallies.pairs.get(index).copied(),
        }
    }

    fn not_aggregated(&self, covered: u64) -> Made {
        let reason = Some(self.plan.row.why.to_owned());
        Made { reason, ..no_value(Method::NotAggregated, covered) }
    }

    /// The metric is there, but in no usable form.
    fn nothing(&self) -> Made {
        if matches!(self.plan.slot, Slot::Count(_)) {
            return self.not_aggregated(self.texts.map_or(0, |texts| texts.covered));
        }
        let method = match &self.plan.slot {
            Slot::Sum { .. } | Slot::Samples { .. } => Method::Sum,
            Slot::Max(_) => Method::Max,
            Slot::Min(_) => Method::Min,
            Slot::Same(_) => Method::Same,
            Slot::Mean { options, .. } => {
                options.first().map_or(Method::TimeWeighted, |option| option.method)
            }
            Slot::Count(_) => Method::NotAggregated,
        };
        Made { reason: Some("no value is a finite number".to_owned()), ..no_value(method, 0) }
    }
}

/// Texts are compared; lists and series are not even that.
pub(crate) fn takes_texts(plan: &MetricPlan) -> bool {
    matches!(plan.row.id, "constant" | "other")
}
