//! One cause is one finding: too few ready warps show as stalls, as idle issue slots and as idle pipes, in several rules of ncu and in counters.

use crate::insight::model::Finding;
use crate::insight::words::list;
use crate::outcome::{self, Cause, FindingKind};
use std::fmt::Write as _;

/// Joins findings of one cause that are about the same results. The one that is worth most speaks, with its own estimate and no other; the rest are named.
pub(super) fn joined(findings: Vec<Finding>) -> Vec<Finding> {
    let mut heard: Vec<(Finding, Vec<String>)> = Vec::new();
    let mut findings = findings;
    findings.sort_by(|left, right| {
        let gain = |finding: &Finding| finding.gain.as_ref().map_or(0.0, |gain| gain.ms);
        gain(right).total_cmp(&gain(left)).then_with(|| right.results.cmp(&left.results))
    });
    for finding in findings {
        let is_same = |(known, _): &&mut (Finding, Vec<String>)| is_of_one_cause(known, &finding);
        match heard.iter_mut().find(is_same) {
            Some((_, others)) => {
                let who = finding.rule.as_ref().map_or("the counters", |rule| rule.as_str());
                others.push(format!("“{}” ({who})", finding.title));
            }
            None => heard.push((finding, Vec::new())),
        }
    }
    let told = |(mut finding, mut others): (Finding, Vec<String>)| {
        if !others.is_empty() {
            others.sort_unstable();
            others.dedup();
            let _ = write!(finding.text, " The same cause: {}.", list(&others));
        }
        finding
    };
    heard.into_iter().map(told).collect()
}

fn is_of_one_cause(known: &Finding, other: &Finding) -> bool {
    let is_advice = known.kind == FindingKind::Advice && other.kind == FindingKind::Advice;
    let of = |finding: &Finding| -> Option<Cause> { outcome::by_id(&finding.outcome)?.cause };
    is_advice && of(known).is_some() && of(known) == of(other) && overlap(known, other)
}

/// Whether at least half of the smaller one's results are the other's; by kernels where single results are not known.
fn overlap(left: &Finding, right: &Finding) -> bool {
    match (&left.launches, &right.launches) {
        (Some(ours), Some(theirs)) => 2 * ours.common(theirs) >= ours.len().min(theirs.len()),
        _ => left.kernels.iter().any(|kernel| right.kernels.contains(kernel)),
    }
}
