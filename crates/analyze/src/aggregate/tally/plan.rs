//! The rule table bound to the metrics that a run has: which number of a result goes into which cell.
//!
//! Cells of one kind lie together, because a loop over equal work is much faster than a decision per metric.

use crate::aggregate::rules::Combine;
use crate::aggregate::rules::RuleRow;
use crate::aggregate::rules::recipe::{Alternative, Candidate, DURATION_NAMES, Recipe, Source};
use rangescope_model::document::Method;
use rangescope_model::launch::{MetricId, Vocabulary};
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
    pub(crate) pairs: Vec<(usize, usize)>,
    /// The weights that cells refer to; the first is the duration.
    weights: Vec<Vec<BoundAlternative>>,
}

/// One metric of the plan.
#[derive(Debug)]
pub(crate) struct MetricPlan {
    pub(crate) id: MetricId,
    pub(crate) row: &'static RuleRow,
    pub(crate) slot: Slot,
}

/// Where the numbers of a metric are.
#[derive(Debug)]
pub(crate) enum Slot {
    Sum(usize),
    Max(usize),
    Min(usize),
    Same(usize),
    /// Several cells, of which the best that covers the results is used.
    Mean {
        /// The cell with the values themselves.
        values: usize,
        options: Vec<MeanOption>,
    },
    /// Only counted.
    Count(usize),
}

/// One way to make a mean, with the cell that holds it.
#[derive(Debug)]
pub(crate) struct MeanOption {
    pub(crate) method: Method,
    pub(crate) exact: bool,
    pub(crate) cell: MeanCell,
    /// What the quotient of the cell is multiplied with.
    pub(crate) scale: f64,
}

/// Where a mean lies.
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

#[derive(Clone, Copy, Debug)]
struct BoundAlternative {
    metric: usize,
    times_duration: bool,
}

/// The values of one result, ready for the cells.
#[derive(Debug, Default)]
pub(crate) struct ResultValues {
    /// By metric handle; not a number where the result has none.
    pub(crate) values: Vec<f64>,
    /// By weight of the plan that was prepared last.
    pub(crate) weights: Vec<f64>,
}

impl ResultValues {
    /// Empty scratch space for metrics with handles below `metrics`.
    pub(crate) fn new(metrics: usize) -> Self {
        Self { values: vec![f64::NAN; metrics], weights: Vec::new() }
    }

    /// Lays the finite numbers of a result out.
    pub(crate) fn load(&mut self, numbers: &[(MetricId, f64)]) {
        for &(MetricId(id), number) in numbers {
            if let Some(value) = self.values.get_mut(id as usize)
                && number.is_finite()
            {
                *value = number;
            }
        }
    }

    /// Takes the numbers of a result away again.
    pub(crate) fn clear(&mut self, numbers: &[(MetricId, f64)]) {
        for &(MetricId(id), _) in numbers {
            if let Some(value) = self.values.get_mut(id as usize) {
                *value = f64::NAN;
            }
        }
    }

    /// Whether the vocabulary has a metric of this handle.
    pub(crate) fn knows(&self, metric: MetricId) -> bool {
        (metric.0 as usize) < self.values.len()
    }

    /// The number of a metric; not a number if the result has none.
    #[inline]
    pub(crate) fn value(&self, metric: usize) -> f64 {
        self.values.get(metric).copied().unwrap_or(f64::NAN)
    }
}

impl TallyPlan {
    /// Binds the rules to those metrics of the vocabulary that are wanted.
    pub(crate) fn new(vocabulary: &Vocabulary, wanted: impl Fn(usize, &RuleRow) -> bool) -> Self {
        let handles: FxHashMap<&str, usize> =
            vocabulary.metrics.iter().enumerate().map(|(id, name)| (name.as_str(), id)).collect();
        let mut binder = Binder { handles, plan: Self::default(), weight_of: FxHashMap::default() };
        let duration = DURATION_NAMES.iter().filter_map(|name| binder.handles.get(name).copied());
        binder.plan.weights.push(
            duration.map(|metric| BoundAlternative { metric, times_duration: false }).collect(),
        );
        let mut by_name: Vec<usize> = (0..vocabulary.metrics.len()).collect();
        by_name.sort_by(|left, right| {
            vocabulary.metrics.get(*left).cmp(&vocabulary.metrics.get(*right))
        });
        for id in by_name {
            let Some(name) = vocabulary.metrics.get(id) else { continue };
            let recipe = Recipe::of(name);
            if wanted(id, recipe.row) {
                binder.bind(id, &recipe);
            }
        }
        binder.plan
    }

    /// Works out the weights of the result in the scratch space.
    pub(crate) fn prepare(&self, scratch: &mut ResultValues) {
        let duration = self.duration(scratch);
        scratch.weights.clear();
        for alternatives in &self.weights {
            let weight = alternatives.iter().find_map(|alternative| {
                let value = scratch.value(alternative.metric);
                let weight =
                    if alternative.times_duration { value * duration * 1e-9 } else { value };
                (weight >= 0.0 && weight.is_finite()).then_some(weight)
            });
            scratch.weights.push(weight.unwrap_or(f64::NAN));
        }
    }

    /// The duration in nanoseconds of the result in the scratch space; not a number if it has none.
    pub(crate) fn duration(&self, scratch: &ResultValues) -> f64 {
        let alternatives = self.weights.first().map_or(&[][..], Vec::as_slice);
        alternatives
            .iter()
            .map(|alternative| scratch.value(alternative.metric))
            .find(|value| *value >= 0.0)
            .unwrap_or(f64::NAN)
    }
}

/// The state of building a plan.
struct Binder<'v> {
    handles: FxHashMap<&'v str, usize>,
    plan: TallyPlan,
    weight_of: FxHashMap<Vec<Alternative>, usize>,
}

impl Binder<'_> {
    fn bind(&mut self, id: usize, recipe: &Recipe) {
        let Ok(handle) = u32::try_from(id) else { return };
        let plan = &mut self.plan;
        let slot = match recipe.row.combine {
            Combine::Sum => Slot::Sum(push(&mut plan.sums, id)),
            Combine::Max => Slot::Max(push(&mut plan.extremes, id)),
            Combine::Min => Slot::Min(push(&mut plan.extremes, id)),
            Combine::Same => Slot::Same(push(&mut plan.extremes, id)),
            Combine::Nothing => Slot::Count(push(&mut plan.counts, id)),
            Combine::PerSecond | Combine::PerCycle(_) | Combine::Throughput | Combine::Ratio => {
                let values = push(&mut plan.extremes, id);
                Slot::Mean { values, options: self.bind_mean(id, &recipe.candidates) }
            }
        };
        self.plan.metrics.push(MetricPlan { id: MetricId(handle), row: recipe.row, slot });
    }

    /// Binds the candidates that the run can serve, at most one of each method: the best.
    fn bind_mean(&mut self, id: usize, candidates: &[Candidate]) -> Vec<MeanOption> {
        let mut options: Vec<MeanOption> = Vec::new();
        for candidate in candidates {
            if options.iter().any(|option| option.method == candidate.method) {
                continue;
            }
            let bound = match &candidate.source {
                Source::Duration => Some((MeanCell::Mean(self.push_mean(id, 0, false)), 1.0)),
                Source::Weight(alternatives) => self.bind_weight(alternatives).map(|weight| {
                    let empty_is_covered = candidate.method == Method::DenominatorWeighted;
                    (MeanCell::Mean(self.push_mean(id, weight, empty_is_covered)), 1.0)
                }),
                Source::Pair { pairs, scale } => {
                    pairs.iter().find_map(|(numerator, denominator)| {
                        let pair = (
                            *self.handles.get(numerator.as_str())?,
                            *self.handles.get(denominator.as_str())?,
                        );
                        Some((MeanCell::Pair(push(&mut self.plan.pairs, pair)), *scale))
                    })
                }
            };
            if let Some((cell, scale)) = bound {
                options.push(MeanOption {
                    method: candidate.method,
                    exact: candidate.exact,
                    cell,
                    scale,
                });
            }
        }
        options
    }

    fn push_mean(&mut self, metric: usize, weight: usize, empty_is_covered: bool) -> usize {
        push(&mut self.plan.means, MeanCellPlan { metric, weight, empty_is_covered })
    }

    /// The weight that these alternatives state, shared by all metrics that need it; nothing if the run has none of them.
    fn bind_weight(&mut self, alternatives: &[Alternative]) -> Option<usize> {
        if let Some(weight) = self.weight_of.get(alternatives) {
            return Some(*weight);
        }
        let bound: Vec<BoundAlternative> = alternatives
            .iter()
            .filter_map(|alternative| {
                let metric = *self.handles.get(alternative.metric.as_str())?;
                Some(BoundAlternative { metric, times_duration: alternative.times_duration })
            })
            .collect();
        if bound.is_empty() {
            return None;
        }
        let weight = push(&mut self.plan.weights, bound);
        self.weight_of.insert(alternatives.to_vec(), weight);
        Some(weight)
    }
}

/// Appends an item and gives its position.
fn push<T>(list: &mut Vec<T>, item: T) -> usize {
    list.push(item);
    list.len() - 1
}
