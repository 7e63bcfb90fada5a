//! What could be done about a region or a run, and what the reader should know, with the numbers that support it.
//!
//! A finding is about the very results on which something was said, by a rule of ncu or by the counters: its share of time and its gain are added up from
//! those alone. What each saying means is in the table of outcomes ([`crate::outcome`]); here it becomes a sentence about a place. What costs most comes
//! first; one cause is one finding, said at one place.

mod cause;
mod coverage;
mod limit;
mod once;
mod told;

pub(crate) use once::said_once;

use crate::insight::measured::Metrics;
use crate::insight::model::{Evidence, Finding, MissingMetrics, Roofline, SetInsight, Severity};
use crate::insight::words::THE_RUN;
use crate::outcome::{self, FindingKind};
use rangescope_model::document::{KernelSummary, LimitShare, Region, RuleSummary, ScopeReport};
use rangescope_model::number::{rounded_percent, time, weight};

/// Advice that is worth less of the run's time than this is not given unless it is asked for.
pub(crate) const WORTH: f64 = 0.005;

/// A set of results that findings are about.
pub(crate) struct About<'d> {
    /// The name for sentences.
    pub(crate) name: String,
    pub(crate) total_ms: f64,
    pub(crate) run_ms: f64,
    pub(crate) results: u64,
    pub(crate) kernels: &'d [KernelSummary],
    pub(crate) rules: &'d [RuleSummary],
    pub(crate) causes: &'d [RuleSummary],
    pub(crate) roofline: &'d Roofline,
    pub(crate) metrics: &'d Metrics,
    /// What limits the launches of the whole run.
    pub(crate) run_limits: &'d [LimitShare],
    /// It is one of the places where most time is, so that what limits it is said.
    pub(crate) is_heavy: bool,
}

impl<'d> About<'d> {
    pub(crate) fn region(
        region: &'d Region,
        roofline: &'d Roofline,
        report: &'d ScopeReport,
        is_heavy: bool,
    ) -> Self {
        Self {
            name: format!("`{}`", region.name),
            total_ms: weight(region.set.total_ms),
            run_ms: weight(report.totals.total_ms),
            results: region.set.kernel_count,
            kernels: &region.set.kernels,
            rules: &region.set.rules,
            causes: &region.set.causes,
            roofline,
            metrics: &region.set.metrics,
            run_limits: &report.totals.limits,
            is_heavy,
        }
    }

    fn run(report: &'d ScopeReport, totals: &'d SetInsight) -> Self {
        let set = &report.totals;
        Self {
            name: THE_RUN.to_owned(),
            total_ms: weight(set.total_ms),
            run_ms: weight(set.total_ms),
            results: set.kernel_count,
            kernels: &set.kernels,
            rules: &set.rules,
            causes: &set.causes,
            roofline: &totals.roofline,
            metrics: &set.metrics,
            run_limits: &set.limits,
            is_heavy: report
                .regions
                .iter()
                .all(|region| weight(region.exclusive_ms) < weight(report.unlabeled.total_ms)),
        }
    }

    /// The part of this set's time that something takes; nothing where no time is known.
    fn share(&self, ms: Option<f64>) -> Option<f64> {
        ms.filter(|ms| self.total_ms > 0.0 && ms.is_finite()).map(|ms| share(ms, self.total_ms))
    }

    /// The same of the run's time, which is no more than that of a set inside of it.
    fn run_share(&self, ms: Option<f64>) -> Option<f64> {
        let of_set = self.share(ms)?;
        ms.filter(|_| self.run_ms > 0.0).map(|ms| share(ms, self.run_ms).min(of_set))
    }
}

/// Findings about one set of results.
pub(crate) fn of_set(about: &About<'_>) -> Vec<Finding> {
    let mut findings = cause::joined(told::of_set(about));
    findings.extend(limit::of_set(about));
    sorted(findings)
}

/// Findings about a report as a whole.
pub(crate) fn of_report(
    report: &ScopeReport,
    totals: &SetInsight,
    missing: &[MissingMetrics],
) -> Vec<Finding> {
    let about = About::run(report, totals);
    if about.results == 0 {
        return Vec::new();
    }
    let mut findings = of_set(&about);
    findings.extend(coverage::all(report, &about, totals, missing));
    sorted(findings)
}

impl Finding {
    /// The part of the run's time that it could gain, else a tenth of what it concerns: what has an estimate comes first. What limits a place is worth twice as much,
    /// so that it comes before what nobody estimated.
    pub(crate) fn worth(&self) -> f64 {
        match (&self.gain, self.run_share) {
            (Some(gain), _) => gain.run,
            (None, Some(share)) if outcome::is_limit(&self.outcome) => share / 5.0,
            (None, Some(share)) => share / 10.0,
            (None, None) => 0.0,
        }
    }

    /// What it is worth, in words: `at most 3 % of the run, 300 µs`.
    pub fn amount(&self) -> Option<String> {
        match (&self.gain, self.run_share) {
            (Some(gain), _) => {
                Some(format!("at most {} of the run, {}", rounded_percent(gain.run), time(gain.ms)))
            }
            (None, Some(share)) => Some(format!("concerns {} of the run", rounded_percent(share))),
            (None, None) => None,
        }
    }

    /// Whether it is left out unless all findings are asked for: what is worth too little, and what ncu only remarks.
    pub fn is_minor(&self) -> bool {
        match self.kind {
            FindingKind::Advice => {
                let size = self.gain.as_ref().map(|gain| gain.run).or(self.run_share);
                size.is_some_and(|size| size < WORTH)
            }
            FindingKind::Note => self.rule.is_some() || BY_THE_WAY.contains(&&*self.outcome),
        }
    }

    /// Whether it is about results without which the numbers mislead, and these are many.
    fn spoils_the_numbers(&self) -> bool {
        is_broken(&self.outcome) && self.severity == Severity::High
    }

    /// Whether the first screen of a report has a place for it: something to do, what makes the numbers mislead, or a note about a part of the time. All others come
    /// last, so that this is the beginning of all findings.
    pub(crate) fn is_for_the_first_screen(&self) -> bool {
        let is_about_time = self.run_share.is_some();
        self.kind == FindingKind::Advice || self.spoils_the_numbers() || is_about_time
    }

    /// The order in which findings are given: what spoils the numbers, what takes work off what limits, what is worth most.
    pub(crate) fn rank(&self) -> (u8, f64) {
        let group = match self.kind {
            FindingKind::Note if self.spoils_the_numbers() => 0,
            FindingKind::Advice if !self.beside_the_limit => 1,
            FindingKind::Advice => 2,
            FindingKind::Note => 3,
        };
        (group, -self.worth())
    }
}

/// Notes about results that were not measured as they should be.
const BROKEN: [&str; 2] = ["same-counters", "not-measured"];

/// Broken results spoil the numbers from this part of all results or of the time on.
const SPOILS: f64 = 0.25;

fn is_broken(outcome: &str) -> bool {
    BROKEN.contains(&outcome)
}

/// Notes of our own that only explain other findings.
const BY_THE_WAY: [&str; 2] = ["occupancy-by-design", "part-of-one-wave"];

/// In the order of their ranks; equal ones by what they say.
fn sorted(mut findings: Vec<Finding>) -> Vec<Finding> {
    findings.sort_by(|left, right| {
        let (left_rank, right_rank) = (left.rank(), right.rank());
        (left_rank.0.cmp(&right_rank.0))
            .then_with(|| left_rank.1.total_cmp(&right_rank.1))
            .then_with(|| left.outcome.cmp(&right.outcome))
            .then_with(|| (&left.title, &left.text).cmp(&(&right.title, &right.text)))
    });
    findings
}

/// How much something matters that takes or could gain this share of the run.
fn severity(run_share: f64, high: f64, medium: f64) -> Severity {
    if run_share >= high {
        Severity::High
    } else if run_share >= medium {
        Severity::Medium
    } else {
        Severity::Low
    }
}

fn evidence(label: &str, value: f64, unit: &str) -> Option<Evidence> {
    value.is_finite().then(|| Evidence { label: label.to_owned(), value, unit: unit.to_owned() })
}

/// The part of a whole that something weighs, 0 to 1, whatever the numbers.
pub(crate) fn share(part: impl Into<Option<f64>>, whole: impl Into<Option<f64>>) -> f64 {
    let share = weight(part) / weight(whole);
    if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 }
}
