//! The metrics that can be collected, and what a name on a command line stands for.

use super::combined::{DERIVED, RATIOS, SHARES, THROUGHPUTS};
use super::counters::{COUNTERS, SCHEDULED, STALLS, UNITS};
use super::{ROLLUPS, SUBMETRICS, breakdown, number};
use crate::activity::Activity;
use crate::machine::DEFAULT;

/// Takes full names only; see [`expand`] for others.
pub(crate) fn is_known(name: &str) -> bool {
    number(name, &Activity::default(), &DEFAULT).is_some()
}

/// The names of all counters and throughputs without roll-up, sorted.
pub(crate) fn known_bases() -> Vec<String> {
    let mut bases: Vec<String> = COUNTERS.iter().map(|counter| counter.name.to_owned()).collect();
    bases.push("gpu__time_duration".to_owned());
    bases.extend(THROUGHPUTS.iter().map(|(name, _)| (*name).to_owned()));
    for unit in UNITS {
        bases.push(format!("{}__cycles_elapsed", unit.name));
        bases.push(format!("{}__cycles_active", unit.name));
    }
    for unit in ["sm", "smsp"] {
        bases.extend(SCHEDULED.iter().map(|counter| format!("{unit}__{}", counter.name)));
    }
    let reasons = ["selected", "not_selected", "long_scoreboard"].into_iter();
    for reason in reasons.chain(STALLS.iter().map(|(name, _)| *name)) {
        bases.push(format!("smsp__warps_issue_stalled_{reason}"));
    }
    bases.sort_unstable();
    bases.dedup();
    bases
}

/// The full names of all metrics, sorted.
pub(crate) fn known_names() -> Vec<String> {
    let mut names: Vec<String> = RATIOS.iter().map(|entry| entry.0.to_owned()).collect();
    names.extend(DERIVED.iter().map(|entry| entry.0.to_owned()));
    for base in known_bases() {
        if let Some(reason) = base.strip_prefix("smsp__warps_issue_stalled_") {
            names
                .push(format!("smsp__average_warps_issue_stalled_{reason}_per_issue_active.ratio"));
        }
        for rollup in ROLLUPS {
            let with = |submetric: &&str| {
                let dot = if submetric.is_empty() { "" } else { "." };
                format!("{base}.{rollup}{dot}{submetric}")
            };
            names.extend(SUBMETRICS.iter().map(with).filter(|name| is_known(name)));
        }
    }
    names.sort_unstable();
    names.dedup();
    names
}

/// The metrics that one name of `--metrics` stands for: itself, its roll-ups if it names none, or what a prefix expands to.
pub(crate) fn expand(name: &str) -> Option<Vec<String>> {
    if let Some(throughput) = name.strip_prefix("breakdown:") {
        // Real ncu adds nothing for a metric that has no breakdown.
        return Some(breakdown(throughput).unwrap_or_default());
    }
    if name.starts_with("group:") {
        return Some(Vec::new());
    }
    if is_known(name) {
        return Some(vec![name.to_owned()]);
    }
    let first_level = |rollup: &&str| {
        let throughput = format!("{name}.{rollup}.{}", SHARES[1]);
        let plain = format!("{name}.{rollup}");
        [plain, throughput].into_iter().find(|name| is_known(name))
    };
    let names: Vec<String> = ROLLUPS.iter().filter_map(first_level).collect();
    (!names.is_empty()).then_some(names)
}
