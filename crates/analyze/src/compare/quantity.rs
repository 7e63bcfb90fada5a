//! What can be compared: metrics by ncu's names, and short names for what is asked most often.
//!
//! All short names stand in one table, which documentation and error messages use too.

use indexmap::IndexMap;
use rangescope_model::document::{Method, MetricSummary};

/// A short name for something that is compared often.
#[derive(Clone, Copy, Debug)]
pub struct Alias {
    /// The short name.
    pub name: &'static str,
    pub about: &'static str,
    /// Base unit.
    pub unit: &'static str,
    /// Ways to make it, best first.
    pub ways: &'static [Way],
}

/// One way to make a quantity.
#[derive(Clone, Copy, Debug)]
pub enum Way {
    /// The sum of metrics; all of them must be there.
    Metrics(&'static [&'static str]),
    /// A rate times the GPU time.
    RateTimesTime(&'static str),
}

/// Quantities that are no metrics: they are in every document.
pub const BUILT_IN: [(&str, &str); 5] = [
    ("time", "GPU time of the region and everything below, in milliseconds"),
    ("exclusive_time", "GPU time of the region alone, in milliseconds"),
    ("calls", "results in the region or below"),
    ("exclusive_calls", "results of the region alone"),
    ("time_per_call", "GPU time by result in the region or below, in milliseconds"),
];

/// All short names of metrics.
pub const ALIASES: &[Alias] = &[
    Alias {
        name: "sm_throughput",
        about: "how busy the SMs are, in per cent of their peak",
        unit: "%",
        ways: &[Way::Metrics(&["sm__throughput.avg.pct_of_peak_sustained_elapsed"])],
    },
    Alias {
        name: "memory_throughput",
        about: "how busy memory and caches are, in per cent of their peak",
        unit: "%",
        ways: &[Way::Metrics(&[
            "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
        ])],
    },
    Alias {
        name: "dram_throughput",
        about: "how busy device memory is, in per cent of its peak",
        unit: "%",
        ways: &[
            Way::Metrics(&["gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"]),
            Way::Metrics(&["dram__throughput.avg.pct_of_peak_sustained_elapsed"]),
        ],
    },
    Alias {
        name: "dram_bytes",
        about: "bytes moved from and to device memory",
        unit: "byte",
        ways: &[
            Way::Metrics(&["dram__bytes.sum"]),
            Way::Metrics(&["dram__bytes_read.sum", "dram__bytes_write.sum"]),
            Way::RateTimesTime("dram__bytes.sum.per_second"),
        ],
    },
    Alias {
        name: "dram_read",
        about: "bytes read from device memory",
        unit: "byte",
        ways: &[
            Way::Metrics(&["dram__bytes_read.sum"]),
            Way::RateTimesTime("dram__bytes_read.sum.per_second"),
        ],
    },
    Alias {
        name: "dram_write",
        about: "bytes written to device memory",
        unit: "byte",
        ways: &[
            Way::Metrics(&["dram__bytes_write.sum"]),
            Way::RateTimesTime("dram__bytes_write.sum.per_second"),
        ],
    },
    Alias {
        name: "occupancy",
        about: "warps at work, in per cent of what an SM can hold",
        unit: "%",
        ways: &[Way::Metrics(&["sm__warps_active.avg.pct_of_peak_sustained_active"])],
    },
    Alias {
        name: "l2_hit_rate",
        about: "hits in L2, in per cent",
        unit: "%",
        ways: &[Way::Metrics(&["lts__t_sector_hit_rate.pct"])],
    },
    Alias {
        name: "l1_hit_rate",
        about: "hits in L1, in per cent",
        unit: "%",
        ways: &[Way::Metrics(&["l1tex__t_sector_hit_rate.pct"])],
    },
    Alias {
        name: "instructions",
        about: "warp instructions executed",
        unit: "inst",
        ways: &[
            Way::Metrics(&["smsp__inst_executed.sum"]),
            Way::Metrics(&["sm__inst_executed.sum"]),
        ],
    },
    Alias {
        name: "registers",
        about: "registers per thread",
        unit: "register/thread",
        ways: &[Way::Metrics(&["launch__registers_per_thread"])],
    },
    Alias {
        name: "sm_clock",
        about: "clock of the SMs",
        unit: "hz",
        ways: &[
            Way::Metrics(&["sm__cycles_elapsed.avg.per_second"]),
            Way::Metrics(&["gpc__cycles_elapsed.avg.per_second"]),
        ],
    },
];

pub const DEFAULT_METRICS: [&str; 7] = [
    "sm_throughput",
    "memory_throughput",
    "dram_throughput",
    "dram_bytes",
    "occupancy",
    "l2_hit_rate",
    "instructions",
];

/// The short name, if it is one.
pub fn alias(name: &str) -> Option<&'static Alias> {
    ALIASES.iter().find(|alias| alias.name == name)
}

/// The value of a quantity in one set of results.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Value {
    pub(crate) number: f64,
    pub(crate) unit: String,
    pub(crate) method: Option<Method>,
    pub(crate) exact: bool,
}

/// The value of a metric or short name; nothing if it cannot be made.
pub(crate) fn value(
    name: &str,
    metrics: &IndexMap<String, MetricSummary>,
    time_ms: Option<f64>,
) -> Option<Value> {
    let Some(alias) = alias(name) else {
        let metric = metrics.get(name)?;
        return Some(Value {
            number: number(metric)?,
            unit: metric.unit.clone(),
            method: Some(metric.method),
            exact: metric.exact,
        });
    };
    alias.ways.iter().find_map(|way| {
        let (number, method, exact) = match way {
            Way::Metrics([name]) => {
                let metric = metrics.get(*name)?;
                (number(metric)?, Some(metric.method), metric.exact)
            }
            Way::Metrics(names) => {
                let parts: Option<Vec<&MetricSummary>> =
                    names.iter().map(|name| metrics.get(*name)).collect();
                let parts = parts?;
                let sum = parts.iter().map(|part| number(part)).sum::<Option<f64>>()?;
                (sum, None, parts.iter().all(|part| part.exact))
            }
            // Over a part of the results the rate says nothing about the time of all of them.
            Way::RateTimesTime(name) => {
                let rate = metrics.get(*name).filter(|rate| rate.covered == rate.of)?;
                (number(rate)? * time_ms? * 1e-3, None, rate.exact)
            }
        };
        number.is_finite().then(|| Value { number, unit: alias.unit.to_owned(), method, exact })
    })
}

/// The names that a selection stands for, in its order: patterns are replaced by the metrics that are there, by name.
pub(crate) fn resolve<'d>(
    selected: &[String],
    extra: impl Iterator<Item = String>,
    available: impl Fn() -> Vec<&'d str>,
) -> Vec<String> {
    let defaults = || DEFAULT_METRICS.iter().map(|&name| name.to_owned()).collect();
    let selected: Vec<String> = if selected.is_empty() { defaults() } else { selected.to_vec() };
    let mut names: Vec<String> = Vec::new();
    for name in selected.into_iter().chain(extra) {
        let found = if name.contains('*') {
            let mut found: Vec<String> = available()
                .into_iter()
                .filter(|candidate| matches(&name, candidate))
                .map(str::to_owned)
                .collect();
            found.sort_unstable();
            found
        } else {
            vec![name]
        };
        for name in found {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

/// Whether a name fits a pattern in which `*` is any run of characters.
fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let mut last = None;
    for part in parts {
        if let Some(before) = last.replace(part) {
            let Some(at) = rest.find(before) else { return false };
            rest = rest.get(at + before.len()..).unwrap_or_default();
        }
    }
    last.is_none_or(|last| rest.ends_with(last)) && (last.is_some() || rest.is_empty())
}

fn number(metric: &MetricSummary) -> Option<f64> {
    metric.value.as_ref()?.number()
}

#[cfg(test)]
mod tests {
    use super::{ALIASES, BUILT_IN, DEFAULT_METRICS, alias, matches};

    #[test]
    fn patterns() {
        for (pattern, name, expected) in [
            ("sm__*", "sm__throughput", true),
            ("*", "", true),
            ("*.sum", "dram__bytes.sum", true),
            ("*.sum", "dram__bytes.sum.per_second", false),
            ("a*b*c", "a1b2c", true),
            ("a*b*c", "acb", false),
            ("a*a", "a", false),
            ("plain", "plainer", false),
            ("plain", "plain", true),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn names_are_unique_and_the_defaults_exist() {
        let mut names: Vec<&str> = ALIASES.iter().map(|alias| alias.name).collect();
        names.extend(BUILT_IN.iter().map(|(name, _)| *name));
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
        assert!(DEFAULT_METRICS.iter().all(|name| alias(name).is_some()));
    }
}
