//! Making a plan: which of the candidates of each metric a run can serve, and which cells they need.

use super::plan::{
    BoundAlternative, BoundQuantity, MeanCell, MeanCellPlan, MeanOption, MetricPlan, PairCellPlan,
    Sampling, Slot, TallyPlan, Wanted,
};
use crate::aggregate::rules::name::{MetricName, Rollup};
use crate::aggregate::rules::ratios::EMPTY_IF_ZERO;
use crate::aggregate::rules::recipe::{
    Alternative, CAPABILITY, Candidate, DURATION_NAMES, Devices, MULTIPROCESSORS, Quantity, Recipe,
    Source, kind_of,
};
use crate::aggregate::rules::{Combine, RuleRow};
use crate::aggregate::sampling;
use rangescope_model::document::Method;
use rangescope_model::launch::{MetricId, Vocabulary};
use rustc_hash::FxHashMap;

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
        if let Some(interval) = self.handle(sampling::INTERVAL) {
            let plain = Alternative::plain(sampling::INTERVAL.to_owned());
            let weight = self.bind_quantity(&Quantity::OneOf(vec![plain]));
            let names = self.names.iter().enumerate();
            let counts = names.filter(|(_, name)| sampling::shows_samples(name));
            let counts = counts.map(|(metric, _)| metric).collect();
            self.plan.sampling = weight.map(|weight| Sampling { interval, weight, counts });
        }
        let (ratio, counts) = EMPTY_IF_ZERO;
        self.plan.empty_if_zero = self
            .handle(ratio)
            .map(|ratio| (ratio, counts.iter().filter_map(|count| self.handle(count)).collect()));
    }

    fn bind(&mut self, id: usize, name: &str, recipe: &Recipe, wanted: Wanted) {
        let Ok(handle) = u32::try_from(id) else { return };
        let is_shown = wanted != Wanted::AsPart;
        let plan = &mut self.plan;
        if wanted == Wanted::Fully {
            push(&mut plan.extremes, id);
        }
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
                by_interval: plan.sampling.as_ref().map(|sampling| {
                    let weight = sampling.weight;
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
                Slot::Mean { values, options: self.bind_mean(id, &recipe.candidates, wanted) }
            }
        };
        let id = MetricId(handle);
        let position =
            push(&mut self.plan.metrics, MetricPlan { id, row: recipe.row, slot, is_shown });
        self.plan.positions.insert(id, position);
    }

    /// Binds the candidates that the run can serve; of those that weigh by cycles only the best, because there are many such metrics.
    fn bind_mean(
        &mut self,
        id: usize,
        candidates: &[Candidate],
        wanted: Wanted,
    ) -> Vec<MeanOption> {
        let mut options: Vec<MeanOption> = Vec::new();
        for (position, candidate) in candidates.iter().enumerate() {
            // Parts are many: the best way that the run has must do.
            if wanted == Wanted::AsPart && !options.is_empty() {
                break;
            }
            if wanted != Wanted::Fully
                && candidate.method == Method::CycleWeighted
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
                    candidate: position,
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
