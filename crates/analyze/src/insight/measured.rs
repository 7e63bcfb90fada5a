//! Looking quantities up in the metrics of a set of results, whichever of ncu's metrics state them.
//!
//! A counter can have been collected as a count, as a rate, or per cycle; a peak per cycle of the whole device or of one unit. Each way that leads to the same
//! quantity is tried in turn, and what was used is remembered, so that a number can say where it comes from.
//! Over several results every way is a ratio of sums, because that is how regions aggregate each of the metrics involved.

use indexmap::IndexMap;
use rangescope_model::document::{KernelSummary, MetricSummary, Region, ResultSet};

pub type Metrics = IndexMap<String, MetricSummary>;

/// Units that share one clock.
const ONE_CLOCK: [&str; 3] = ["sm", "smsp", "l1tex"];

/// The metrics of a set of results.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Measured<'d> {
    metrics: &'d Metrics,
    /// The metrics of the set around it, where properties of the device are looked up.
    around: Option<&'d Metrics>,
    /// GPU time, where all results have one.
    seconds: Option<f64>,
}

/// A number and where it comes from.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Quantity {
    pub(crate) value: f64,
    pub(crate) exact: bool,
    pub(crate) metrics: Vec<String>,
}

impl Quantity {
    pub(crate) fn times(mut self, factor: f64) -> Self {
        self.value *= factor;
        self
    }

    fn of(self, other: Self) -> Self {
        let mut metrics = self.metrics;
        metrics.extend(other.metrics);
        Self { value: self.value * other.value, exact: self.exact && other.exact, metrics }
    }

    pub(crate) fn plus(mut self, other: Self) -> Self {
        self.value += other.value;
        self.exact &= other.exact;
        self.metrics.extend(other.metrics);
        self
    }
}

impl<'d> Measured<'d> {
    pub(crate) fn region(region: &'d Region) -> Self {
        let all_timed = region.set.timed_count == region.set.kernel_count;
        Self {
            metrics: &region.set.metrics,
            around: None,
            seconds: seconds(region.set.total_ms, all_timed),
        }
    }

    pub(crate) fn totals(totals: &'d ResultSet) -> Self {
        let all_timed = totals.timed_count == totals.kernel_count;
        Self {
            metrics: &totals.metrics,
            around: None,
            seconds: seconds(totals.total_ms, all_timed),
        }
    }

    /// A kernel of a set with these metrics.
    pub(crate) fn kernel(kernel: &'d KernelSummary, around: &'d Metrics) -> Self {
        Self {
            metrics: &kernel.metrics,
            around: Some(around),
            seconds: seconds(kernel.total_ms, kernel.mean_ms.is_some()),
        }
    }

    /// The metrics themselves.
    pub(crate) fn metrics(&self) -> &'d Metrics {
        self.metrics
    }

    /// Whether the set, or the set around it, has the metric.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.metrics.contains_key(name)
            || self.around.is_some_and(|around| around.contains_key(name))
    }

    /// Names of metrics, the set's own and those of the set around it.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'d str> {
        let around = self.around.into_iter().flat_map(Metrics::keys);
        self.metrics.keys().chain(around).map(String::as_str)
    }

    /// The finite value of a metric.
    pub(crate) fn value(&self, name: &str) -> Option<f64> {
        number(self.metrics.get(name)?)
    }

    fn quantity(&self, name: &str) -> Option<Quantity> {
        let metric = self.metrics.get(name)?;
        let value = number(metric).filter(|value| *value >= 0.0)?;
        Some(Quantity { value, exact: metric.exact, metrics: vec![name.to_owned()] })
    }

    /// A property of the device, which may be known from the set around.
    fn property(&self, name: &str) -> Option<Quantity> {
        self.quantity(name).or_else(|| {
            let value = number(self.around?.get(name)?).filter(|value| *value >= 0.0)?;
            Some(Quantity { value, exact: true, metrics: vec![name.to_owned()] })
        })
    }

    /// Cycles per second of a hardware unit.
    fn clock(&self, unit: &str) -> Option<Quantity> {
        let shared =
            ONE_CLOCK.into_iter().filter(|other| ONE_CLOCK.contains(&unit) && *other != unit);
        std::iter::once(unit).chain(shared).find_map(|unit| {
            let cycles = format!("{unit}__cycles_elapsed.avg");
            self.quantity(&format!("{cycles}.per_second"))
                .or_else(|| self.per_second(&cycles))
                .filter(|clock| clock.value > 0.0)
        })
    }

    /// A count over the time, where all results have both.
    fn per_second(&self, count: &str) -> Option<Quantity> {
        let metric = self.metrics.get(count).filter(|metric| metric.covered == metric.of)?;
        let seconds = self.seconds?;
        let value = number(metric)? / seconds;
        (value >= 0.0 && value.is_finite()).then(|| Quantity {
            value,
            exact: metric.exact,
            metrics: vec![count.to_owned(), "gpu__time_duration.sum".to_owned()],
        })
    }

    /// A counter per second over the whole device.
    pub(crate) fn rate(&self, counter: &str) -> Option<Quantity> {
        let sum = format!("{counter}.sum");
        self.quantity(&format!("{sum}.per_second"))
            .or_else(|| {
                let per_cycle = self.quantity(&format!("{sum}.per_cycle_elapsed"))?;
                Some(per_cycle.of(self.clock(unit_of(counter))?))
            })
            .or_else(|| self.per_second(&sum))
    }

    /// What a counter could reach per second over the whole device, at the clock of the measurement.
    pub(crate) fn peak(&self, counter: &str) -> Option<Quantity> {
        let per_cycle = self.property(&format!("{counter}.sum.peak_sustained")).or_else(|| {
            let of_one = self.property(&format!("{counter}.avg.peak_sustained"))?;
            Some(of_one.of(self.units(counter)?))
        });
        let peak = match per_cycle {
            Some(per_cycle) => per_cycle.of(self.clock(unit_of(counter))?),
            None => self.quantity(&format!("{counter}.sum.peak_sustained_elapsed.per_second"))?,
        };
        (peak.value > 0.0 && peak.value.is_finite()).then_some(peak)
    }

    /// How many units a counter was counted on: the sum over them over their average, both of the same results.
    fn units(&self, counter: &str) -> Option<Quantity> {
        let cycles = format!("{}__cycles_elapsed", unit_of(counter));
        let sets = || std::iter::once(self.metrics).chain(self.around);
        [counter, &cycles].into_iter().find_map(|counter| {
            let (sum, average) = (format!("{counter}.sum"), format!("{counter}.avg"));
            let quotient = |metrics: &Metrics| {
                Some(number(metrics.get(&sum)?)? / number(metrics.get(&average)?)?)
            };
            let units = sets().find_map(quotient)?;
            // The quotient is whole but for rounding; anything else means that the results ran on different devices.
            let whole = units.round();
            let is_whole = whole >= 1.0 && (units - whole).abs() < 1e-6 * whole;
            is_whole.then(|| Quantity { value: whole, exact: true, metrics: vec![sum, average] })
        })
    }
}

/// The finite number of a metric.
pub(crate) fn number(metric: &MetricSummary) -> Option<f64> {
    metric.value.as_ref()?.number()
}

/// The smallest and largest value of a metric that is a property of launches.
pub(crate) fn extremes(metric: &MetricSummary) -> Option<(f64, f64)> {
    match (number(metric), metric.min, metric.max) {
        (Some(value), _, _) => Some((value, value)),
        (None, Some(min), Some(max)) if min.is_finite() && max.is_finite() => Some((min, max)),
        _ => None,
    }
}

/// `sm` of `sm__inst_executed`.
fn unit_of(counter: &str) -> &str {
    counter.split_once("__").map_or("", |(unit, _)| unit)
}

fn seconds(ms: Option<f64>, all_timed: bool) -> Option<f64> {
    ms.filter(|ms| all_timed && *ms > 0.0 && ms.is_finite()).map(|ms| ms * 1e-3)
}
