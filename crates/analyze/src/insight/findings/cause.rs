//! One cause is one finding: too little work at once shows as a small grid, few warps, low occupancy and latency, in rules of ncu and findings of our own.

use crate::insight::model::{Bound, Finding, Gain};
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

/// Joins findings about the same kernels that have one cause. The first keeps its words and gets the largest gain of one rule, whose messages under different
/// titles are about different launches and add up; more work at once can give no more of it than the busiest unit has left.
pub(super) fn joined(findings: Vec<Finding>, bound: &Bound) -> Vec<Finding> {
    let (mut same, mut joined): (Vec<_>, Vec<_>) =
        findings.into_iter().partition(|found| place(found).is_some());
    same.sort_by_key(place);
    let mut causes: Vec<Cause> = Vec::new();
    for found in same {
        match causes.iter_mut().find(|cause| overlap(&cause.said, &found)) {
            Some(cause) => cause.add(found),
            None => causes.push(Cause::new(found)),
        }
    }
    let busiest = [bound.compute_pct, bound.memory_pct].into_iter().flatten();
    let left = 1.0 - busiest.fold(0.0, f64::max).min(100.0) / 100.0;
    joined.extend(causes.into_iter().filter_map(|cause| cause.finding(left)));
    joined
}

struct Cause {
    said: Finding,
    others: Vec<String>,
    /// By code.
    gains: Vec<(String, Gain)>,
}

impl Cause {
    fn new(mut said: Finding) -> Self {
        let gains = said.gain.take().map(|gain| (said.code.clone(), gain));
        Self { said, others: Vec::new(), gains: gains.into_iter().collect() }
    }

    fn add(&mut self, found: Finding) {
        self.said.severity = self.said.severity.min(found.severity);
        self.others.push(format!("“{}”", found.title));
        let known = self.gains.iter_mut().find(|(code, _)| *code == found.code);
        match (known, found.gain) {
            (Some((_, sum)), Some(gain)) => {
                sum.region += gain.region;
                sum.run += gain.run;
                sum.ms += gain.ms;
            }
            (None, Some(gain)) => self.gains.push((found.code, gain)),
            (_, None) => {}
        }
    }

    /// Where the busiest unit has only so much left; nothing if that is not worth a word.
    fn finding(self, left: f64) -> Option<Finding> {
        let Self { said: mut found, others, gains } = self;
        let gains = gains.into_iter().map(|(_, gain)| gain);
        found.gain = gains.reduce(|most, gain| if gain.ms > most.ms { gain } else { most });
        if let Some(gain) = &mut found.gain {
            let factor = (left / gain.region).min(1.0);
            gain.region *= factor;
            gain.run *= factor;
            gain.ms *= factor;
        }
        if !others.is_empty() {
            let _ = write!(found.text, " The same cause: {}.", list(&others));
        }
        (found.gain.is_none() || left >= WORTH).then_some(found)
    }
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

#[cfg(test)]
mod tests {
    use super::Cause;
    use crate::insight::model::{Finding, Gain, Severity};

    fn found(code: &str, title: &str, ms: f64) -> Finding {
        let gain = Gain { region: ms / 100.0, run: ms / 200.0, ms, kind: "global".to_owned() };
        Finding {
            code: code.to_owned(),
            severity: Severity::High,
            title: title.to_owned(),
            text: String::new(),
            evidence: Vec::new(),
            kernels: Vec::new(),
            section: None,
            region_share: 1.0,
            run_share: 1.0,
            gain: Some(gain),
        }
    }

    fn gained(left: f64) -> Option<(f64, f64, f64)> {
        let mut cause = Cause::new(found("low-occupancy", "few warps", 9.0));
        cause.add(found("rule:LaunchConfiguration", "Small Grid", 14.0));
        cause.add(found("rule:LaunchConfiguration", "Tail Effect", 7.0));
        cause.add(found("rule:Occupancy", "Occupancy", 20.0));
        let gain = cause.finding(left)?.gain?;
        Some((gain.region, gain.run, gain.ms))
    }

    #[test]
    fn messages_of_one_rule_add_up_and_those_of_different_rules_do_not() {
        let (region, run, ms) = gained(1.0).unwrap();
        assert!((region - 0.21).abs() < 1e-12 && (run - 0.105).abs() < 1e-12, "{region} {run}");
        assert!((ms - 21.0).abs() < 1e-12, "{ms}");
        // No more than the busiest unit has left, and nothing where that is nothing.
        let (region, _, ms) = gained(0.07).unwrap();
        assert!((region - 0.07).abs() < 1e-12 && (ms - 7.0).abs() < 1e-12, "{region} {ms}");
        assert_eq!(gained(0.001), None);
    }
}
