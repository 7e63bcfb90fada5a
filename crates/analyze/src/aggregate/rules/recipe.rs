//! From a row of the table to the numbers that it needs: which weights, in which order, and what each is worth.
//!
//! A recipe speaks of metric names only; which of them were collected is decided where it is bound to the vocabulary of a run.

use super::name::MetricName;
use super::{Combine, Cycles, RuleRow, ratios, row_of};
use rangescope_model::document::Method;

/// The metric that holds a result's GPU time, and what older or narrower reports call it. The GPU is one unit, so every roll-up is the same number.
pub(crate) const DURATION_NAMES: [&str; 4] = [
    "gpu__time_duration.sum",
    "gpu__time_duration.avg",
    "gpu__time_duration.max",
    "gpu__time_duration",
];

/// Units that share one clock and one window: their average elapsed cycles were equal in every report that has several of them.
const ONE_CLOCK: [&str; 3] = ["sm", "smsp", "l1tex"];

/// How one metric is combined.
#[derive(Clone, Debug)]
pub(crate) struct Recipe {
    pub(crate) row: &'static RuleRow,
    /// For means and ratios: what could serve, best first. Empty for sums, extremes and constants.
    pub(crate) candidates: Vec<Candidate>,
}

/// One way of making a mean or ratio.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) method: Method,
    pub(crate) exact: bool,
    pub(crate) source: Source,
}

/// Where the numbers of a candidate come from.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    /// The result's GPU time.
    Duration,
    /// A metric of the same result: the first of these that it has. All of them state the same quantity.
    Weight(Vec<Alternative>),
    /// Numerator and denominator are metrics themselves; the first pair that was collected.
    Pair { pairs: Vec<(String, String)>, scale: f64 },
}

/// One metric that states a weight.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Alternative {
    pub(crate) metric: String,
    /// The metric is a rate: rate × time is the weight.
    pub(crate) times_duration: bool,
}

impl Recipe {
    /// The recipe of a metric.
    pub(crate) fn of(metric: &str) -> Self {
        let name = MetricName::parse(metric);
        let row = row_of(&name);
        let candidates = match row.combine {
            Combine::PerSecond => vec![by_time(!name.is_one_unit())],
            Combine::Throughput => vec![by_time(false)],
            Combine::PerCycle(cycles) => by_cycles(&name, cycles),
            Combine::Ratio => by_parts(&name),
            Combine::Sum | Combine::Max | Combine::Min | Combine::Same | Combine::Nothing => {
                Vec::new()
            }
        };
        Self { row, candidates }
    }
}

fn by_time(exact: bool) -> Candidate {
    Candidate { method: Method::TimeWeighted, exact, source: Source::Duration }
}

fn by_cycles(name: &MetricName<'_>, cycles: Cycles) -> Vec<Candidate> {
    let base = name.base.strip_prefix("derived__").unwrap_or(name.base);
    let unit = base.split_once("__").map_or("", |(unit, _)| unit);
    let exact = !name.is_one_unit();
    let mut candidates = Vec::new();
    if !unit.is_empty() {
        let kind = match cycles {
            Cycles::Elapsed => "cycles_elapsed",
            Cycles::Active => "cycles_active",
        };
        let units = units_with_equal_cycles(unit, cycles);
        let plain = units.iter().map(|unit| Alternative {
            metric: format!("{unit}__{kind}.avg"),
            times_duration: false,
        });
        let rates = units.iter().map(|unit| Alternative {
            metric: format!("{unit}__{kind}.avg.per_second"),
            times_duration: true,
        });
        candidates.push(Candidate {
            method: Method::CycleWeighted,
            exact,
            source: Source::Weight(plain.chain(rates).collect()),
        });
        // Cycles summed over units are the average times a fixed number of units: as good, but not to be mixed with averages.
        candidates.extend(units.iter().map(|unit| Candidate {
            method: Method::CycleWeighted,
            exact,
            source: Source::Weight(vec![Alternative {
                metric: format!("{unit}__{kind}.sum"),
                times_duration: false,
            }]),
        }));
    }
    candidates.push(by_time(false));
    candidates
}

/// The unit itself and, for elapsed cycles, the units that count the same cycles. Active cycles differ between units.
fn units_with_equal_cycles(unit: &str, cycles: Cycles) -> Vec<&str> {
    let mut units = vec![unit];
    if cycles == Cycles::Elapsed && ONE_CLOCK.contains(&unit) {
        units.extend(ONE_CLOCK.iter().filter(|other| **other != unit));
    }
    units
}

fn by_parts(name: &MetricName<'_>) -> Vec<Candidate> {
    let parts = ratios::parts(name);
    let mut candidates = Vec::new();
    if !parts.pairs.is_empty() {
        candidates.push(Candidate {
            method: Method::RatioOfSums,
            exact: true,
            source: Source::Pair { pairs: parts.pairs, scale: parts.scale },
        });
    }
    if let Some(metric) = parts.denominator {
        let weight = vec![Alternative { metric, times_duration: false }];
        candidates.push(Candidate {
            method: Method::DenominatorWeighted,
            exact: true,
            source: Source::Weight(weight),
        });
    }
    candidates.push(by_time(false));
    candidates
}
