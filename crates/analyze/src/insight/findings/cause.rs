//! One cause is one finding: too few ready warps show as stalls, as idle issue slots and as idle pipes, in several rules of ncu and in counters.
//!
//! What a finding quotes was said on the launches that it is about; what was said on others stays a finding of its own.

use crate::insight::model::Finding;
use crate::insight::words::list;
use crate::outcome::{self, Cause, FindingKind, own};
use rangescope_model::number::thousands;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// What is quoted was said on results with this part of the time at least.
const NEARLY_ALL: f64 = 0.9;

/// Joins findings of one cause that are about the same results. The one that is worth most speaks, with its own estimate and no other; the rest are named.
pub(super) fn joined(findings: Vec<Finding>) -> Vec<Finding> {
    let mut heard: Vec<(Finding, Quotes)> = Vec::new();
    let mut findings = findings;
    findings.sort_by(|left, right| {
        let gain = |finding: &Finding| finding.gain.as_ref().map_or(0.0, |gain| gain.ms);
        gain(right)
            .total_cmp(&gain(left))
            .then_with(|| right.results.cmp(&left.results))
            .then_with(|| speaks_last(left).cmp(&speaks_last(right)))
    });
    for finding in findings {
        let is_same = |(known, _): &&mut (Finding, Quotes)| is_of_one_cause(known, &finding);
        match heard.iter_mut().find(is_same) {
            Some((known, quotes)) => quotes.add(known, &finding),
            None => heard.push((finding, Quotes::default())),
        }
    }
    let told = |(mut finding, quotes): (Finding, Quotes)| {
        let quoted = quotes.in_words();
        if !quoted.is_empty() {
            let _ = write!(finding.text, " The same cause: {}.", list(&quoted));
        }
        finding
    };
    heard.into_iter().map(told).collect()
}

/// What else was said of the results of a finding: by title and number of results, if these are not all, who said so.
#[derive(Default)]
struct Quotes(BTreeMap<(String, Option<u64>), BTreeSet<String>>);

impl Quotes {
    fn add(&mut self, known: &Finding, other: &Finding) {
        let who = other.rule.as_ref().map_or("the counters", |rule| rule.as_str());
        let part = (other.results < known.results).then_some(other.results);
        self.0.entry((other.title.clone(), part)).or_default().insert(who.to_owned());
    }

    /// “title” (who, who, on so many of them).
    fn in_words(&self) -> Vec<String> {
        let quoted = self.0.iter().map(|((title, part), who)| {
            let who: Vec<&str> = who.iter().map(String::as_str).collect();
            let on =
                part.map_or_else(String::new, |part| format!(", on {} of them", thousands(part)));
            format!("“{title}” ({}{on})", who.join(", "))
        });
        quoted.collect()
    }
}

pub(super) const IDLE_PIPES: &str = "pipes-idle";

/// What says least about its cause.
fn speaks_last(finding: &Finding) -> bool {
    finding.outcome == IDLE_PIPES || finding.outcome == own::OCCUPANCY_OF_SMALL_GRID.outcome.id
}

fn is_of_one_cause(known: &Finding, other: &Finding) -> bool {
    let is_advice = known.kind == FindingKind::Advice && other.kind == FindingKind::Advice;
    let of = |finding: &Finding| -> Option<Cause> { outcome::by_id(&finding.outcome)?.cause };
    is_advice && of(known).is_some() && of(known) == of(other) && covers(known, other)
}

/// Whether the other one's results are all among the known one's, and have nearly all of their time; by kernels where single results are not known.
fn covers(known: &Finding, other: &Finding) -> bool {
    let (Some(ours), Some(theirs)) = (&known.launches, &other.launches) else {
        return known.kernels == other.kernels && known.results == other.results;
    };
    let is_inside = ours.common(theirs) == theirs.len();
    let is_most = match (other.run_share, known.run_share) {
        (Some(part), Some(whole)) if whole > 0.0 => part >= NEARLY_ALL * whole,
        _ => theirs.len() as f64 >= NEARLY_ALL * ours.len() as f64,
    };
    is_inside && is_most
}
