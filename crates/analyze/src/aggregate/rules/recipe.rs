//! From a row of the table to the numbers that it needs: which weights, in which order, and what each is worth.
//!
//! A recipe speaks of metric names only; which of them were collected is decided where it is bound to the vocabulary of a run.

use super::name::{MetricName, Rollup};
use super::{Combine, Cycles, RuleRow, ratios, row_of};
use rangescope_model::document::Method;

/// The metric that holds a result's GPU time, and what older or narrower reports call it. The GPU is one unit, so every roll-up is the same number.
pub(crate) const DURATION_NAMES: [&str; 4] = [
    "gpu__time_duration.sum",
    "gpu__time_duration.avg",
    "gpu__time_duration.max",
    "gpu__time_duration",
];

pub(crate) const MULTIPROCESSORS: &str = "device__attribute_multiprocessor_count";

/// The compute capability of the device of a result.
pub(crate) const CAPABILITY: [&str; 2] =
    ["device__attribute_compute_capability_major", "device__attribute_compute_capability_minor"];

/// Units that share one clock and one window: their average elapsed cycles were equal in every report that has several of them.
/// Each multiprocessor has the same number of each.
const ONE_CLOCK: [&str; 3] = ["sm", "smsp", "l1tex"];

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
    /// Why the outcome is not exact, if it is not.
    pub(crate) inexact: Option<&'static str>,
    pub(crate) over: Devices,
    pub(crate) source: Source,
}

/// Over which devices an outcome is exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Devices {
    Any,
    /// Those of one compute capability, because peaks differ between others.
    OneKind,
    /// Those that have the same number of units as well.
    OneSize,
}

#[derive(Clone, Debug)]
pub(crate) enum Source {
    /// The result's GPU time.
    Duration,
    /// A quantity of the same result.
    Weight(Quantity),
    /// Numerator and denominator are quantities of the same result; they only count where they give the value of the result.
    Pair { above: Quantity, below: Quantity, scale: f64 },
    /// The results list the counters of which the value is the largest, under this name.
    List(String),
}

/// A number that a result states, or that can be made of what it states.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Quantity {
    /// The first of these that the result has. All of them state the same.
    OneOf(Vec<Alternative>),
    /// The sum of the metrics `<stem><kind><end>` over all kinds for which the run has `<stem><kind><mark>`.
    OverKinds { stem: &'static str, mark: &'static str, end: &'static str },
}

/// One metric that states a quantity.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Alternative {
    pub(crate) metric: String,
    /// The metric is a rate: rate × time is the quantity.
    pub(crate) times_duration: bool,
    /// The metric is a mean over units: mean × multiprocessors is the quantity.
    pub(crate) times_units: bool,
}

impl Recipe {
    pub(crate) fn of(metric: &str) -> Self {
        let name = MetricName::parse(metric);
        let row = row_of(&name);
        let candidates = match row.combine {
            Combine::PerSecond => vec![by_time(extreme_unit(&name))],
            Combine::Throughput => by_list(metric, &name),
            Combine::PerCycle(cycles) => {
                let mut candidates = by_cycles(&name, cycles, extreme_unit(&name));
                candidates.push(by_time(Some(
                    "weighted by time: the unit's cycles were not collected with every value",
                )));
                candidates
            }
            Combine::Ratio => by_parts(&name),
            Combine::Sum
            | Combine::Windows
            | Combine::Samples
            | Combine::Max
            | Combine::Min
            | Combine::Same
            | Combine::Nothing => Vec::new(),
        };
        Self { row, candidates }
    }
}

impl Candidate {
    /// A name that is the same in every run, for what is kept of it.
    pub(crate) fn key(&self) -> String {
        match &self.source {
            Source::Duration => "time".to_owned(),
            Source::Weight(quantity) => quantity.key(),
            Source::Pair { above, below, .. } => format!("{} / {}", above.key(), below.key()),
            Source::List(name) => name.clone(),
        }
    }
}

impl Quantity {
    fn key(&self) -> String {
        let alternative = |one: &Alternative| {
            let duration = if one.times_duration { " * time" } else { "" };
            let units = if one.times_units { " * multiprocessors" } else { "" };
            format!("{}{duration}{units}", one.metric)
        };
        match self {
            Self::OneOf(alternatives) => {
                alternatives.iter().map(alternative).collect::<Vec<_>>().join(" | ")
            }
            Self::OverKinds { stem, mark, end } => format!("sum of {stem}*{end} with {mark}"),
        }
    }

    /// A count by the name of its counter: collected as it is, or as a rate.
    pub(crate) fn count(counter: &str) -> Self {
        if !counter.contains("__") {
            return Self::OneOf(vec![Alternative::plain(counter.to_owned())]);
        }
        Self::OneOf(vec![
            Alternative::plain(format!("{counter}.sum")),
            Alternative {
                times_duration: true,
                ..Alternative::plain(format!("{counter}.sum.per_second"))
            },
        ])
    }
}

impl Alternative {
    pub(crate) fn plain(metric: String) -> Self {
        Self { metric, times_duration: false, times_units: false }
    }
}

/// The kind that a metric names between a stem and an end.
pub(crate) fn kind_of<'n>(metric: &'n str, stem: &str, end: &str) -> Option<&'n str> {
    metric.strip_prefix(stem)?.strip_suffix(end)
}

fn extreme_unit(name: &MetricName<'_>) -> Option<&'static str> {
    name.is_one_unit().then_some("the unit with the extreme value may change from result to result")
}

fn by_time(inexact: Option<&'static str>) -> Candidate {
    Candidate {
        method: Method::TimeWeighted,
        inexact,
        over: Devices::Any,
        source: Source::Duration,
    }
}

/// The largest of the counters that the results list, else a mean of what is largest in each result.
fn by_list(metric: &str, name: &MetricName<'_>) -> Vec<Candidate> {
    let changes = Some("the largest of several counters, which may change from result to result");
    let mut candidates = vec![Candidate {
        method: Method::LargestPart,
        inexact: None,
        over: Devices::Any,
        source: Source::List(format!("{BREAKDOWN}{metric}")),
    }];
    if name.submetric == "pct_of_peak_sustained_active" {
        candidates.extend(by_cycles(name, Cycles::Active, changes));
    }
    candidates.push(by_time(changes));
    candidates
}

/// What stands before the name of a throughput in the name of the list of its counters.
pub(crate) const BREAKDOWN: &str = "breakdown:";

fn by_cycles(
    name: &MetricName<'_>,
    cycles: Cycles,
    inexact: Option<&'static str>,
) -> Vec<Candidate> {
    let base = name.base.strip_prefix("derived__").unwrap_or(name.base);
    let unit = base.split_once("__").map_or("", |(unit, _)| unit);
    if unit.is_empty() {
        return Vec::new();
    }
    let kind = match cycles {
        Cycles::Elapsed => "cycles_elapsed",
        Cycles::Active => "cycles_active",
    };
    // A count of the whole device per cycle knows nothing of units; everything else is a mean over them.
    let of_device = base.len() < name.base.len()
        || (name.rollup == Some(Rollup::Sum) && name.submetric.starts_with("per_cycle"));
    let averages = |units: &[&str], times_units: bool| -> Vec<Alternative> {
        let average = |unit: &&str| Alternative {
            times_units,
            ..Alternative::plain(format!("{unit}__{kind}.avg"))
        };
        let rate = |unit: &&str| Alternative {
            times_duration: true,
            times_units,
            ..Alternative::plain(format!("{unit}__{kind}.avg.per_second"))
        };
        units.iter().map(average).chain(units.iter().map(rate)).collect()
    };
    let candidate = |over: Devices, inexact, alternatives| Candidate {
        method: Method::CycleWeighted,
        inexact,
        over,
        source: Source::Weight(Quantity::OneOf(alternatives)),
    };
    let of_peak = name.submetric.starts_with("pct_of_peak");
    let by_units = if of_peak { Devices::OneKind } else { Devices::Any };
    let (by_average, by_sum) =
        if of_device { (Devices::Any, Devices::OneSize) } else { (Devices::OneSize, by_units) };
    let units = units_with_equal_cycles(unit, cycles);
    let mut candidates = Vec::new();
    if !of_device && ONE_CLOCK.contains(&unit) {
        candidates.push(candidate(by_units, inexact, averages(&units, true)));
    }
    candidates.push(candidate(by_average, inexact, averages(&units, false)));
    // Cycles summed over units are the average times their number: as good, but not to be mixed with averages.
    candidates.extend(units.iter().map(|unit| {
        let sum = Alternative::plain(format!("{unit}__{kind}.sum"));
        candidate(by_sum, inexact, vec![sum])
    }));
    let (others, why) = match (cycles, unit) {
        (Cycles::Elapsed, "sm" | "smsp" | "l1tex") => (
            ["gpc__cycles_elapsed.avg", "gpc__cycles_elapsed.max"].as_slice(),
            "weighted by the elapsed cycles of `gpc`: those of the unit were not collected with every value",
        ),
        (Cycles::Active, "smsp") => (
            ["sm__cycles_active.avg"].as_slice(),
            "weighted by the active cycles of `sm`: those of the unit were not collected with every value",
        ),
        _ => return candidates,
    };
    candidates.extend(others.iter().map(|other| {
        candidate(
            Devices::OneSize,
            inexact.or(Some(why)),
            vec![Alternative::plain((*other).to_owned())],
        )
    }));
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
    let candidate =
        |method, inexact, source| Candidate { method, inexact, over: Devices::Any, source };
    let mut candidates = Vec::new();
    candidates.extend(parts.pairs.into_iter().map(|(above, below)| {
        let source = Source::Pair { above, below, scale: parts.scale };
        candidate(Method::RatioOfSums, None, source)
    }));
    candidates.extend(parts.denominators.into_iter().map(|(quantity, inexact)| {
        candidate(Method::DenominatorWeighted, inexact, Source::Weight(quantity))
    }));
    candidates.push(by_time(Some(
        "weighted by time: the counts behind the ratio were not collected with every value",
    )));
    candidates
}
