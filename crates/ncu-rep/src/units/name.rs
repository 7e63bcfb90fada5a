//! The parts of a metric's name: `prefix:unit__counter_qualifiers.rollup.submetric`.

/// How a counter is rolled up over the instances of its hardware unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rollup {
    Sum,
    Avg,
    Min,
    Max,
}

impl Rollup {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Avg => "avg",
            Self::Min => "min",
            Self::Max => "max",
        }
    }

    fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "sum" => Self::Sum,
            "avg" => Self::Avg,
            "min" => Self::Min,
            "max" => Self::Max,
            _ => return None,
        })
    }
}

/// A metric's name, taken apart. Every text can be parsed; parts that it lacks are empty or absent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MetricName<'a> {
    /// Before the unit, without its separator: `pmsampling`, `breakdown`, `SM_A.TriageAC`.
    pub prefix: Option<&'a str>,
    /// The hardware unit or the group: `sm`, `lts`, `launch`, `derived`. Empty for names without `__`.
    pub unit: &'a str,
    /// The counter with its qualifiers: `inst_executed_pipe_tensor`. A derived metric's counter may begin with another unit: `sm__inst_executed_x2`.
    pub counter: &'a str,
    /// The roll-up over instances, for counters and throughputs.
    pub rollup: Option<Rollup>,
    /// After the roll-up, or the counter if there is none: `per_second`, `pct_of_peak_sustained_elapsed`, `peak_sustained_elapsed.per_second`, `ratio`, `pct`, `max_rate`.
    pub submetric: Option<&'a str>,
}

impl<'a> MetricName<'a> {
    pub fn parse(name: &'a str) -> Self {
        // The unit stands before the first `__`. A separator before it ends a prefix; one after it cannot.
        let head = name.split_once("__").map_or(name, |(head, _)| head);
        let separator =
            if head.len() < name.len() { head.rfind([':', '.']) } else { head.rfind(':') };
        let (prefix, rest) = match separator {
            Some(at) => (name.get(..at), name.get(at + 1..).unwrap_or_default()),
            None => (None, name),
        };
        let (unit, rest) = rest.split_once("__").unwrap_or(("", rest));
        let (counter, tail) = split_at_dot(rest);
        let (rollup, submetric) = match tail.map(split_at_dot) {
            Some((first, after)) => match Rollup::parse(first) {
                Some(rollup) => (Some(rollup), after),
                None => (None, tail),
            },
            None => (None, None),
        };
        Self { prefix, unit, counter, rollup, submetric }
    }

    /// The words of the counter.
    pub fn words(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.counter.split('_').filter(|word| !word.is_empty())
    }
}

fn split_at_dot(text: &str) -> (&str, Option<&str>) {
    text.split_once('.').map_or((text, None), |(before, after)| (before, Some(after)))
}
