//! Taking a metric name apart: `unit__counter.rollup.submetric`.
//!
//! Nothing is decided here; the rows of the rule table look at the parts.

/// A metric name in its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MetricName<'n> {
    /// What stands before a `:`, as in `pmsampling:sm__cycles_active.avg`.
    pub(crate) prefix: Option<&'n str>,
    /// Unit and counter: what stands before the roll-up.
    pub(crate) base: &'n str,
    pub(crate) rollup: Option<Rollup>,
    /// What follows the roll-up, for example `per_second` or `pct`; may be empty.
    pub(crate) submetric: &'n str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rollup {
    Sum,
    Avg,
    Min,
    Max,
}

impl<'n> MetricName<'n> {
    /// Takes a name apart; every text gives something.
    pub(crate) fn parse(name: &'n str) -> Self {
        let (prefix, rest) = match name.split_once(':') {
            Some((prefix, rest)) => (Some(prefix), rest),
            None => (None, name),
        };
        let tail = skip_pass_names(rest);
        let (base, suffix) = tail.split_once('.').unwrap_or((tail, ""));
        let (first, after) = suffix.split_once('.').unwrap_or((suffix, ""));
        let rollup = match first {
            "sum" => Some(Rollup::Sum),
            "avg" => Some(Rollup::Avg),
            "min" => Some(Rollup::Min),
            "max" => Some(Rollup::Max),
            _ => None,
        };
        let submetric = if rollup.is_some() { after } else { suffix };
        Self { prefix, base, rollup, submetric }
    }

    /// The hardware unit, for example `sm` of `sm__inst_executed`; empty if the name has none.
    pub(crate) fn unit(&self) -> &'n str {
        self.base.split_once("__").map_or("", |(unit, _)| unit)
    }

    /// What the unit counts, for example `inst_executed` of `sm__inst_executed`; the whole base if there is no unit.
    pub(crate) fn counter(&self) -> &'n str {
        self.base.split_once("__").map_or(self.base, |(_, counter)| counter)
    }

    /// Whether it is a plain roll-up such as `.sum` with nothing behind it.
    pub(crate) fn is_plain(&self, rollup: Rollup) -> bool {
        self.rollup == Some(rollup) && self.submetric.is_empty()
    }

    /// Whether the roll-up picks one unit instead of taking all together.
    pub(crate) fn is_one_unit(&self) -> bool {
        matches!(self.rollup, Some(Rollup::Min | Rollup::Max))
    }
}

/// Newer reports put the name of a sampling pass in front, as in `FBPA.TriageA.dramc__throughput.avg`; the metric begins where the first `__` is.
fn skip_pass_names(name: &str) -> &str {
    let Some(double_underscore) = name.find("__") else { return name };
    let start =
        name.get(..double_underscore).and_then(|before| before.rfind('.')).map_or(0, |dot| dot + 1);
    name.get(start..).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::{MetricName, Rollup};

    #[test]
    fn parts() {
        let name = MetricName::parse("sm__inst_executed.avg.per_cycle_active");
        assert_eq!((name.unit(), name.counter()), ("sm", "inst_executed"));
        assert_eq!((name.rollup, name.submetric), (Some(Rollup::Avg), "per_cycle_active"));
    }

    #[test]
    fn names_of_sampling_passes_are_skipped() {
        let name =
            MetricName::parse("FBPA.TriageA.dramc__throughput.avg.pct_of_peak_sustained_elapsed");
        assert_eq!((name.unit(), name.submetric), ("dramc", "pct_of_peak_sustained_elapsed"));
    }

    #[test]
    fn ratios_have_no_rollup() {
        let name = MetricName::parse("lts__t_sector_hit_rate.pct");
        assert_eq!((name.rollup, name.submetric), (None, "pct"));
    }

    #[test]
    fn odd_names_are_taken_as_they_are() {
        assert_eq!(MetricName::parse("inst_executed").counter(), "inst_executed");
        assert_eq!(MetricName::parse("").base, "");
        assert_eq!(MetricName::parse("pmsampling:sm__a.sum").prefix, Some("pmsampling"));
    }
}
