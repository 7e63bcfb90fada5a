//! The rule table bound to the metrics that a run has: which number of a result goes into which cell.
//!
//! Cells of one kind lie together, because a loop over equal work is much faster than a decision per metric.

use crate::aggregate::rules::RuleRow;
use crate::aggregate::rules::recipe::Devices;
use rangescope_model::document::Method;
use rangescope_model::launch::MetricId;
use rustc_hash::FxHashMap;

/// Which metrics are tallied, and how.
#[derive(Debug, Default)]
pub(crate) struct TallyPlan {
    /// The metrics of the plan, by name.
    pub(crate) metrics: Vec<MetricPlan>,
    /// The metric of each cell that holds a sum.
    pub(crate) sums: Vec<usize>,
    /// The metric of each cell that holds extremes.
    pub(crate) extremes: Vec<usize>,
    /// The metric of each cell that only counts results with a value.
    pub(crate) counts: Vec<usize>,
    /// The metric and the weight of each cell that holds a weighted mean.
    pub(crate) means: Vec<MeanCellPlan>,
    /// Numerator and denominator of each cell that holds a ratio of sums.
    pub(crate) pairs: Vec<PairCellPlan>,
    /// The extremes of the number of multiprocessors, if the run states it.
    pub(crate) multiprocessors: Option<usize>,
    /// The extremes of the compute capability, likewise.
    pub(crate) capability: Vec<usize>,
    /// What says at which intervals samples were taken, if the run states that.
    pub(crate) sampling: Option<Sampling>,
    /// Positions in `metrics`.
    pub(super) positions: FxHashMap<MetricId, usize>,
    /// What cells refer to as weights, numerators and denominators; the first is the duration.
    pub(super) quantities: Vec<BoundQuantity>,
    /// A ratio that is stored as 0 where there was nothing to divide, and counts of which any is 0 then too.
    pub(super) empty_if_zero: Option<(usize, Vec<usize>)>,
}

#[derive(Debug)]
pub(crate) struct Sampling {
    /// The metric with the interval, and the quantity that it is as a weight.
    pub(crate) interval: usize,
    pub(crate) weight: usize,
    /// Metrics of which any that is not 0 shows that a result was sampled.
    pub(crate) counts: Vec<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    No,
    /// Tallied, because others are made of it.
    AsPart,
    Shown,
    /// In every way that any run could need.
    Fully,
}

/// One metric of the plan.
#[derive(Debug)]
pub(crate) struct MetricPlan {
    pub(crate) id: MetricId,
    pub(crate) row: &'static RuleRow,
    pub(crate) slot: Slot,
    pub(crate) is_shown: bool,
}

#[derive(Debug)]
pub(crate) enum Slot {
    Sum {
        cell: usize,
        over: Devices,
    },
    Samples {
        sum: usize,
        /// The cell with the samples weighted by their interval.
        by_interval: Option<usize>,
    },
    Max(usize),
    Min(usize),
    Same(usize),
    /// Several cells, of which the best that covers the results is used.
    Mean {
        /// The cell with the values themselves; only for metrics that are shown.
        values: Option<usize>,
        options: Vec<MeanOption>,
    },
    /// Only counted.
    Count(usize),
}

/// One way to make a mean, with the cell that holds it.
#[derive(Debug)]
pub(crate) struct MeanOption {
    pub(crate) method: Method,
    pub(crate) inexact: Option<&'static str>,
    pub(crate) over: Devices,
    pub(crate) cell: MeanCell,
    pub(crate) scale: f64,
    /// Its position among the candidates of the recipe.
    pub(crate) candidate: usize,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum MeanCell {
    Mean(usize),
    Pair(usize),
}

/// The inputs of a cell that holds a weighted mean.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MeanCellPlan {
    pub(crate) metric: usize,
    pub(crate) weight: usize,
    /// A result whose weight is zero counts as covered without a value of its own: a ratio with nothing below the line is not a number.
    pub(crate) empty_is_covered: bool,
}

/// The inputs of a cell that holds a ratio of sums: where both quantities give the value of a result, they are added.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PairCellPlan {
    pub(crate) metric: usize,
    pub(crate) above: usize,
    pub(crate) below: usize,
    pub(crate) scale: f64,
}

/// The sum of what the result has of some terms.
#[derive(Debug)]
pub(super) struct BoundQuantity {
    pub(super) terms: Vec<Vec<BoundAlternative>>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct BoundAlternative {
    pub(super) metric: usize,
    pub(super) times_duration: bool,
    pub(super) times_units: Option<usize>,
}

/// The values of one result, ready for the cells.
#[derive(Debug, Default)]
pub(crate) struct ResultValues {
    /// By metric handle; not a number where the result has none.
    pub(crate) values: Vec<f64>,
    /// The counters from 2^53 on of the result, by metric handle, with every digit.
    pub(super) large: Vec<(usize, u64)>,
    /// Metrics that the result states without a finite number.
    unusable: Vec<usize>,
    /// By quantity of the plan that was prepared last.
    quantities: Vec<f64>,
}

impl ResultValues {
    /// Empty scratch space for metrics with handles below `metrics`.
    pub(crate) fn new(metrics: usize) -> Self {
        Self { values: vec![f64::NAN; metrics], ..Self::default() }
    }

    /// Lays the finite numbers of a result out.
    pub(crate) fn load(&mut self, numbers: &[(MetricId, f64)], large: &[(MetricId, u64)]) {
        self.large.extend(large.iter().map(|&(MetricId(id), counter)| (id as usize, counter)));
        for &(MetricId(id), number) in numbers {
            match self.values.get_mut(id as usize) {
                Some(value) if number.is_finite() => *value = number,
                Some(_) => self.unusable.push(id as usize),
                None => {}
            }
        }
    }

    /// Takes the numbers of a result away again.
    pub(crate) fn clear(&mut self, numbers: &[(MetricId, f64)]) {
        self.large.clear();
        self.unusable.clear();
        for &(MetricId(id), _) in numbers {
            if let Some(value) = self.values.get_mut(id as usize) {
                *value = f64::NAN;
            }
        }
    }

    pub(crate) fn knows(&self, metric: MetricId) -> bool {
        (metric.0 as usize) < self.values.len()
    }

    /// The number of a metric; not a number if the result has none.
    #[inline]
    pub(crate) fn value(&self, metric: usize) -> f64 {
        self.values.get(metric).copied().unwrap_or(f64::NAN)
    }

    /// Whether the result states the metric, be it as no number.
    #[inline]
    pub(super) fn states(&self, metric: usize) -> bool {
        !self.value(metric).is_nan() || self.unusable.contains(&metric)
    }

    /// A quantity of the plan that was prepared last; not a number if the result does not state it.
    #[inline]
    pub(crate) fn quantity(&self, quantity: usize) -> f64 {
        self.quantities.get(quantity).copied().unwrap_or(f64::NAN)
    }
}

impl TallyPlan {
    /// The plan of a metric, if it is tallied.
    pub(crate) fn metric(&self, id: MetricId) -> Option<&MetricPlan> {
        self.metrics.get(*self.positions.get(&id)?)
    }

    /// Works out the quantities of the result in the scratch space.
    pub(crate) fn prepare(&self, scratch: &mut ResultValues) {
        if let Some((ratio, counts)) = &self.empty_if_zero
            && scratch.value(*ratio) == 0.0
            && counts.iter().any(|count| scratch.value(*count) == 0.0)
            && let Some(value) = scratch.values.get_mut(*ratio)
        {
            *value = f64::NAN;
            scratch.unusable.push(*ratio);
        }
        let duration = self.duration(scratch);
        scratch.quantities.clear();
        for quantity in &self.quantities {
            let stated = |alternative: &BoundAlternative| {
                let mut value = scratch.value(alternative.metric);
                if alternative.times_duration {
                    value *= duration * 1e-9;
                }
                if let Some(units) = alternative.times_units {
                    value *= scratch.value(units);
                }
                (value >= 0.0 && value.is_finite()).then_some(value)
            };
            let terms = quantity.terms.iter().filter_map(|term| term.iter().find_map(stated));
            let total = terms.reduce(|sum, term| sum + term);
            scratch.quantities.push(total.unwrap_or(f64::NAN));
        }
    }

    /// The duration in nanoseconds of the result in the scratch space; not a number if it has none.
    pub(crate) fn duration(&self, scratch: &ResultValues) -> f64 {
        let duration = self.quantities.first().and_then(|quantity| quantity.terms.first());
        duration
            .map_or(&[][..], Vec::as_slice)
            .iter()
            .map(|alternative| scratch.value(alternative.metric))
            .find(|value| *value >= 0.0)
            .unwrap_or(f64::NAN)
    }
}
