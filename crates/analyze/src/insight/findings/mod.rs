//! Advice: what could be done about a region or a run, with the numbers that support it.
//!
//! ncu's own rule results are rolled up; findings of our own are added only where the evidence is in the report. Every finding has evidence, and a gain only
//! where ncu estimated one. What costs most comes first; one cause is one finding, said at one place.

mod cause;
mod coverage;
mod kernels;
mod once;
mod roofs;
mod rules;

pub(crate) use once::said_once;

use crate::insight::measured::Metrics;
use crate::insight::model::{
    Bound, Evidence, Finding, Gain, MissingMetrics, RegionInsight, Roofline, SetInsight, Severity,
};
use crate::insight::words::{THE_RUN, list};
use rangescope_model::document::{
    KernelSummary, NCUProfileRegion, NCUProfileRegionReport, RuleSummary,
};
use rangescope_model::number::{rounded_percent, time, weight};

pub(crate) struct About<'d> {
    /// The name for sentences.
    pub(crate) name: String,
    pub(crate) total_ms: f64,
    pub(crate) results: u64,
    pub(crate) timed: u64,
    pub(crate) kernels: &'d [KernelSummary],
    /// The set's share of the run's time.
    pub(crate) run_share: f64,
}

/// Findings about one region.
pub(crate) fn of_region(
    region: &NCUProfileRegion,
    insight: &RegionInsight,
    report: &NCUProfileRegionReport,
) -> Vec<Finding> {
    let about = About {
        name: format!("`{}`", region.name),
        total_ms: weight(region.total_ms),
        results: region.kernel_count,
        timed: region.timed_count,
        kernels: &region.kernels,
        run_share: share(region.total_ms, report.totals.total_ms),
    };
    sorted(of_set(&about, &region.rules, &insight.bound, &insight.roofline, &region.metrics))
}

/// Findings about a report as a whole.
pub(crate) fn of_report(
    report: &NCUProfileRegionReport,
    totals: &SetInsight,
    missing: &[MissingMetrics],
) -> Vec<Finding> {
    let about = About {
        name: THE_RUN.to_owned(),
        total_ms: weight(report.totals.total_ms),
        results: report.totals.kernel_count,
        timed: report.totals.timed_count,
        kernels: &report.totals.kernels,
        run_share: share(report.totals.total_ms, report.totals.total_ms),
    };
    if about.results == 0 {
        return Vec::new();
    }
    let told = &report.totals;
    let mut findings = of_set(&about, &told.rules, &totals.bound, &totals.roofline, &told.metrics);
    findings.extend(coverage::all(report, &about, totals, missing));
    sorted(findings)
}

fn of_set(
    about: &About<'_>,
    rules: &[RuleSummary],
    bound: &Bound,
    roofline: &Roofline,
    metrics: &Metrics,
) -> Vec<Finding> {
    let mut findings = rules::of_set(rules, about);
    findings.extend(kernels::all(about));
    findings.extend(roofs::of_set(about, bound, roofline, metrics));
    let mut findings = cause::joined(findings, bound);
    for finding in &mut findings {
        if let Some(gain) = &finding.gain {
            finding.text.insert_str(0, &gain_sentence(gain, about));
        }
    }
    findings
}

fn gain_sentence(gain: &Gain, about: &About<'_>) -> String {
    let mut parts = vec![format!("{} of {}", rounded_percent(gain.region), about.name)];
    if about.name != THE_RUN {
        parts.push(format!("{} of the run", rounded_percent(gain.run)));
    }
    let local = if gain.kind == "local" {
        ", as far as the unit that the rule is about is what holds the kernels up"
    } else {
        ""
    };
    format!("At most {} ({}){local}. ", list(&parts), time(gain.ms))
}

/// The share of the run that could be gained, else a tenth of what it concerns: what has an estimate comes first.
pub(crate) fn worth(finding: &Finding) -> f64 {
    finding.gain.as_ref().map_or(finding.run_share / 10.0, |gain| gain.run)
}

/// What costs most first: estimated gains, then what concerns the most time.
fn sorted(mut findings: Vec<Finding>) -> Vec<Finding> {
    findings.retain(|finding| !finding.evidence.is_empty());
    let gain = |finding: &Finding| finding.gain.as_ref().map_or(0.0, |gain| gain.ms);
    findings.sort_by(|left, right| {
        gain(right)
            .total_cmp(&gain(left))
            .then_with(|| left.severity.cmp(&right.severity))
            .then_with(|| right.run_share.total_cmp(&left.run_share))
            .then_with(|| left.code.cmp(&right.code))
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
