//! The rule table bound to the metrics that a run has: which number of a result goes into which cell.
//!
//! Cells of one kind lie together, because a loop over equal work is much faster than a decision per metric.

use crate::aggregate::rules::name::{MetricName, Rollup};
use crate::aggregate::rules::ratios::EMPTY_IF_ZERO;
use crate::aggregate::rules::recipe::{
    Alternative, CAPABILITY, Candidate, DURATION_NAMES, Devices, MULTIPROCESSORS, Quantity, Recipe,
    Source, kind_of,
};
use crate::aggregate::rules::{Combine, RuleRow};
use rangescope_model::document::Method;
use rangescope_model::launch::{MetricId, Vocabulary};
use rustc_hash::FxHashMap;

/// How many cycles lie between two samples of the program counter.
const SAMPLING_INTERVAL: &str = "smsp__pcsamp_interval_cycles";

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
    /// The extremes of the sampling interval, and the interval as a weight, if the run states it.
    pub(crate) interval: Option<(usize, usize)>,
    /// Positions in `metrics`.
    positions: FxHashMap<MetricId, usize>,
    /// What cells refer to as weights, numerators and denominators; the first is the duration.
    quantities: Vec<BoundQuantity>,
    /// A ratio that is stored as 0 where there was nothing to divide, and counts of which any is 0 then too.
    empty_if_zero: Option<(usize, Vec<usize>)>,
}

/// What a plan does with a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    No,
    /// Tallied, because others are made of it.
    AsPart,
    Shown,
}

/// One metric of the plan.
#[derive(Debug)]
pub(crate) struct MetricPlan {
    pub(crate) id: MetricId,
    pub(crate) row: &'static RuleRow,
    pub(crate) slot: Slot,
    pub(crate) is_shown: bool,
}

/// Where the numbers of a metric are.
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
struct BoundQuantity {
    terms: Vec<Vec<BoundAlternative>>,
}

#[derive(Clone, Copy, Debug)]
struct BoundAlternative {
    metric: usize,
    times_duration: bool,
    times_units: Option<usize>,
}

/// The values of one result, ready for the cells.
#[derive(Debug, Default)]
pub(crate) struct ResultValues {
    /// By metric handle; not a number where the result has none.
    pub(crate) values: Vec<f64>,
    /// By quantity of the plan that was prepared last.
    quantities: Vec<f64>,
}

impl ResultValues {
    /// Empty scratch space for metrics with handles below `metrics`.
    pub(crate) fn new(metrics: usize) -> Self {
        Self { values: vec![f64::NAN; metrics], quantities: Vec::new() }
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

    /// A quantity of the plan that was prepared last; not a number if the result does not state it.
    #[inline]
    pub(crate) fn quantity(&self, quantity: usize) -> f64 {
        self.quantities.get(quantity).copied().unwrap_or(f64::NAN)
    }
}

impl TallyPlan {
    /// Binds the rules to those metrics of the vocabulary that are wanted.
    pub(crate) fn new(vocabulary: &Vocabulary, wanted: impl Fn(usize, &RuleRow) -> Wanted) -> Self {
        let handles: FxHashMap<&str, usize> =
            vocabulary.metrics.iter().enumerate().map(|(id, name)| (name.as_str(), id)).collect();
        let mut binder = Binder {
            handles,
            names: &vocabulary.metrics,
            plan: Self::default(),
            quantity_of: FxHashMap::default(),
        };
        binder.bind_what_cells_share();
        let mut by_name: Vec<usize> = (0..vocabulary.metrics.len()).collect();
        by_name.sort_by(|left, right| {
            vocabulary.metrics.get(*left).cmp(&vocabulary.metrics.get(*right))
        });
        for id in by_name {
            let Some(name) = vocabulary.metrics.get(id) else { continue };
            let recipe = Recipe::of(name);
            let wanted = wanted(id, recipe.row);
            if wanted != Wanted::No {
                binder.bind(id, name, &recipe, wanted);
            }
        }
        binder.plan
    }

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

/// The state of building a plan.
struct Binder<'v> {
    handles: FxHashMap<&'v str, usize>,
    names: &'v [String],
    plan: TallyPlan,
    quantity_of: FxHashMap<Quantity, usize>,
}

impl Binder<'_> {
    fn handle(&self, name: &str) -> Option<usize> {
        self.handles.get(name).copied()
    }

    fn bind_what_cells_share(&mut self) {
        let alternatives = DURATION_NAMES.map(|name| Alternative::plain(name.to_owned()));
        let duration = self.bound(&alternatives);
        self.plan.quantities.push(BoundQuantity { terms: vec![duration] });
        if let Some(metric) = self.handle(MULTIPROCESSORS) {
            self.plan.multiprocessors = Some(push(&mut self.plan.extremes, metric));
        }
        for metric in CAPABILITY.iter().filter_map(|name| self.handles.get(name).copied()) {
            self.plan.capability.push(push(&mut self.plan.extremes, metric));
        }
        if let Some(metric) = self.handle(SAMPLING_INTERVAL) {
            let extremes = push(&mut self.plan.extremes, metric);
            let interval = Alternative::plain(SAMPLING_INTERVAL.to_owned());
            let weight = self.bind_quantity(&Quantity::OneOf(vec![interval]));
            self.plan.interval = weight.map(|weight| (extremes, weight));
        }
        let (ratio, counts) = EMPTY_IF_ZERO;
        self.plan.empty_if_zero = self
            .handle(ratio)
            .map(|ratio| (ratio, counts.iter().filter_map(|count| self.handle(count)).collect()));
    }

    fn bind(&mut self, id: usize, name: &str, recipe: &Recipe, wanted: Wanted) {
        let Ok(handle) = u32::try_from(id) else { return };
        let is_shown = wanted == Wanted::Shown;
        let plan = &mut self.plan;
        let slot = match recipe.row.combine {
            Combine::Sum | Combine::Windows => {
                let name = MetricName::parse(name);
                // The GPU itself is one unit on every device.
                let per_unit = name.rollup == Some(Rollup::Avg) && name.unit() != "gpu";
                let over = if per_unit { Devices::OneSize } else { Devices::Any };
                Slot::Sum { cell: push(&mut plan.sums, id), over }
            }
            Combine::Samples => Slot::Samples {
                sum: push(&mut plan.sums, id),
                by_interval: plan.interval.map(|(_, weight)| {
                    push(
                        &mut plan.means,
                        MeanCellPlan { metric: id, weight, empty_is_covered: false },
                    )
                }),
            },
            Combine::Max => Slot::Max(push(&mut plan.extremes, id)),
            Combine::Min => Slot::Min(push(&mut plan.extremes, id)),
            Combine::Same => Slot::Same(push(&mut plan.extremes, id)),
            Combine::Nothing => Slot::Count(push(&mut plan.counts, id)),
            Combine::PerSecond | Combine::PerCycle(_) | Combine::Throughput | Combine::Ratio => {
                let values = is_shown.then(|| push(&mut plan.extremes, id));
                // Parts are many: the best way that the run has must do.
                let most = if is_shown { usize::MAX } else { 1 };
                Slot::Mean { values, options: self.bind_mean(id, &recipe.candidates, most) }
            }
        };
        let id = MetricId(handle);
        let position =
            push(&mut self.plan.metrics, MetricPlan { id, row: recipe.row, slot, is_shown });
        self.plan.positions.insert(id, position);
    }

    /// Binds the candidates that the run can serve; of those that weigh by cycles only the best, because there are many such metrics.
    fn bind_mean(&mut self, id: usize, candidates: &[Candidate], most: usize) -> Vec<MeanOption> {
        let mut options: Vec<MeanOption> = Vec::new();
        for candidate in candidates {
            if options.len() == most {
                break;
            }
            if candidate.method == Method::CycleWeighted
                && options.iter().any(|option| option.method == Method::CycleWeighted)
            {
                continue;
            }
            if let Some((cell, scale)) = self.bind_source(id, candidate) {
                options.push(MeanOption {
                    method: candidate.method,
                    inexact: candidate.inexact,
                    over: candidate.over,
                    cell,
                    scale,
                });
            }
        }
        options
    }

    fn bind_source(&mut self, metric: usize, candidate: &Candidate) -> Option<(MeanCell, f64)> {
        let weight = match &candidate.source {
            Source::Duration => 0,
            Source::Weight(quantity) => self.bind_quantity(quantity)?,
            Source::Pair { above, below, scale } => {
                let scale = *scale;
                let (above, below) = (self.bind_quantity(above)?, self.bind_quantity(below)?);
                let pair = PairCellPlan { metric, above, below, scale };
                return Some((MeanCell::Pair(push(&mut self.plan.pairs, pair)), scale));
            }
            // Lists come with the results.
            Source::List(_) => return None,
        };
        let empty_is_covered = candidate.method == Method::DenominatorWeighted;
        let mean = MeanCellPlan { metric, weight, empty_is_covered };
        Some((MeanCell::Mean(push(&mut self.plan.means, mean)), 1.0))
    }

    /// A quantity, shared by all metrics that need it; nothing if the run cannot state it.
    fn bind_quantity(&mut self, quantity: &Quantity) -> Option<usize> {
        if let Some(known) = self.quantity_of.get(quantity) {
            return Some(*known);
        }
        let mut terms: Vec<Vec<BoundAlternative>> = match quantity {
            Quantity::OneOf(alternatives) => vec![self.bound(alternatives)],
            Quantity::OverKinds { stem, mark, end } => {
                let kinds = self.names.iter().filter_map(|name| kind_of(name, stem, mark));
                let metric = |kind| Alternative::plain(format!("{stem}{kind}{end}"));
                kinds.map(|kind| self.bound(&[metric(kind)])).collect()
            }
        };
        terms.retain(|term| !term.is_empty());
        if terms.is_empty() {
            return None;
        }
        let bound = push(&mut self.plan.quantities, BoundQuantity { terms });
        self.quantity_of.insert(quantity.clone(), bound);
        Some(bound)
    }

    /// The alternatives of which the run has everything.
    fn bound(&self, alternatives: &[Alternative]) -> Vec<BoundAlternative> {
        let bound = |alternative: &Alternative| {
            let metric = self.handle(&alternative.metric)?;
            let units = alternative.times_units.then_some(MULTIPROCESSORS);
            let times_units = match units {
                Some(units) => Some(self.handle(units)?),
                None => None,
            };
            let times_duration = alternative.times_duration;
            Some(BoundAlternative { metric, times_duration, times_units })
        };
        alternatives.iter().filter_map(bound).collect()
    }
}

/// Appends an item and gives its position.
fn push<T>(list: &mut Vec<T>, item: T) -> usize {
    list.push(item);
    list.len() - 1
}
