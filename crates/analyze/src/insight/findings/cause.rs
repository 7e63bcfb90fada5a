//! One cause is one finding: too little work at once shows as a small grid, few warps, low occupancy and latency, in rules of ncu and findings of our own.

use crate::insight::model::{Bound, Finding};
use crate::insight::words::list;
use std::fmt::Write as _;

/// Findings that speak of too little work at once, those that say most about the cause first.
const TOO_LITTLE_WORK: [&str; 7] = [
    "small-grid",
    "low-occupancy",
    "rule:LaunchConfiguration",
    "rule:TheoreticalOccupancy",
    "rule:Occupancy",
    "rule:AchievedOccupancy",
    "rule:SOLBottleneck",
];

/// What ncu's bottleneck rule says of a launch in which nothing is busy.
const NOTHING_BUSY: [&str; 2] = ["Small Grid", "Latency Issue"];

/// Where the busiest unit has less than this left, more work at once is of no use.
const WORTH: f64 = 0.01;

/// Joins findings about the same kernels that have one cause. The first keeps its words and gets the largest gain, of which more work at once can give
/// no more than the busiest unit has left.
pub(super) fn joined(findings: Vec<Finding>, bound: &Bound) -> Vec<Finding> {
    let (mut same, mut joined): (Vec<_>, Vec<_>) =
        findings.into_iter().partition(|found| place(found).is_some());
    same.sort_by_key(place);
    let mut also: Vec<(Finding, Vec<String>)> = Vec::new();
    for found in same {
        match also.iter_mut().find(|(first, _)| overlap(first, &found)) {
            Some((first, others)) => {
                first.severity = first.severity.min(found.severity);
                let ms = |found: &Finding| found.gain.as_ref().map_or(0.0, |gain| gain.ms);
                if ms(&found) > ms(first) {
                    first.gain = found.gain;
                }
                others.push(format!("“{}”", found.title));
            }
            None => also.push((found, Vec::new())),
        }
    }
    let busiest = [bound.compute_pct, bound.memory_pct].into_iter().flatten();
    let left = 1.0 - busiest.fold(0.0, f64::max).min(100.0) / 100.0;
    also.retain(|(found, _)| found.gain.is_none() || left >= WORTH);
    joined.extend(also.into_iter().map(|(mut found, others)| {
        if let Some(gain) = &mut found.gain {
            let factor = (left / gain.region).min(1.0);
            gain.region *= factor;
            gain.run *= factor;
            gain.ms *= factor;
        }
        if !others.is_empty() {
            let _ = write!(found.text, " The same cause: {}.", list(&others));
        }
        found
    }));
    joined
}

fn place(found: &Finding) -> Option<usize> {
    let is_other = found.code == "rule:SOLBottleneck"
        && !NOTHING_BUSY.iter().any(|title| found.title.contains(title));
    TOO_LITTLE_WORK.iter().position(|code| *code == found.code && !is_other)
}

fn overlap(left: &Finding, right: &Finding) -> bool {
    left.kernels.is_empty()
        || right.kernels.is_empty()
        || left.kernels.iter().any(|kernel| right.kernels.contains(kernel))
}
