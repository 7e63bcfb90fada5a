//! What the report does not know: time outside of regions, metrics that were not collected or not everywhere.

use super::{About, evidence, severity, share};
use crate::insight::model::{Evidence, Finding, MissingMetrics, NotDrawn, SetInsight, Severity};
use crate::insight::words::list;
use crate::outcome::FindingKind;
use rangescope_model::document::{Method, ScopeReport};
use rangescope_model::number::{count, rounded_percent, time, weight};

/// Unlabeled time below this share is not worth a word.
const WORTH: f64 = 0.01;

const NAMED: usize = 3;

pub(super) fn all(
    report: &ScopeReport,
    about: &About<'_>,
    totals: &SetInsight,
    missing: &[MissingMetrics],
) -> impl Iterator<Item = Finding> {
    [
        unlabeled(report, about),
        unplaced(report, about),
        not_found(report),
        partly(report),
        no_roofline(about, missing),
        not_drawn(about, totals),
    ]
    .into_iter()
    .flatten()
}

fn unlabeled(report: &ScopeReport, about: &About<'_>) -> Option<Finding> {
    let (outside, unplaced) = (&report.unlabeled, report.unplaced);
    let ms = (weight(outside.total_ms) - unplaced.total_ms).max(0.0);
    outside_of_regions(
        report,
        about,
        (outside.kernel_count - unplaced.kernel_count, ms),
        |results, ms| {
            let text = format!(
                "{results} ({ms}) ran with no open range; mark that part of the program to see what it belongs to."
            );
            ("unlabeled", "outside of all regions", text)
        },
    )
}

fn unplaced(report: &ScopeReport, about: &About<'_>) -> Option<Finding> {
    let of = (report.unplaced.kernel_count, report.unplaced.total_ms);
    outside_of_regions(report, about, of, |results, ms| {
        let text = format!(
            "The trace does not have the calls that launched {results} ({ms}): which ranges were open is not known. nsys records them with `--trace cuda`, from the start of the program."
        );
        ("unplaced", "of unknown place", text)
    })
}

fn outside_of_regions(
    report: &ScopeReport,
    about: &About<'_>,
    (results, ms): (u64, f64),
    words: impl FnOnce(String, String) -> (&'static str, &'static str, String),
) -> Option<Finding> {
    let part = share(ms, about.total_ms);
    if results == 0 || part < WORTH || report.regions.is_empty() {
        return None;
    }
    let (outcome, place, text) = words(count(results, "result", "results"), time(ms));
    let mut numbers = Vec::new();
    numbers.extend(evidence("time", ms, "ms"));
    numbers.extend(evidence("share of the run", part * 100.0, "%"));
    numbers.extend(evidence("results", results as f64, "results"));
    let share = about.run_share(Some(ms));
    let title = format!("{} of the time is {place}", rounded_percent(part));
    Some(Finding {
        severity: severity(part, 0.25, 0.05),
        results,
        region_share: share,
        run_share: share,
        ..plain(outcome, title, text, numbers)
    })
}

/// Metrics and sections that were asked for and are in no result.
fn not_found(report: &ScopeReport) -> Option<Finding> {
    let selection = &report.selection;
    let names: Vec<&String> =
        selection.metrics_not_found.iter().chain(&selection.sections_not_found).collect();
    if names.is_empty() {
        return None;
    }
    let none = |name: &&String| Evidence {
        label: (*name).clone(),
        value: 0.0,
        unit: "results".to_owned(),
    };
    Some(plain(
        "not-collected",
        format!(
            "{} asked for, in no result",
            count(names.len() as u64, "metric or section", "metrics and sections")
        ),
        format!(
            "Not collected: {}. The device may not have them, or the capture did not ask.",
            some(&names)
        ),
        names.iter().map(none).collect(),
    ))
}

/// Metrics that only some results have.
fn partly(report: &ScopeReport) -> Option<Finding> {
    let mut partial: Vec<(&String, u64, u64)> = report
        .totals
        .metrics
        .iter()
        .filter(|(_, metric)| metric.method != Method::NotAggregated && metric.covered < metric.of)
        .map(|(name, metric)| (name, metric.covered, metric.of))
        .collect();
    partial.sort_by(|left, right| left.1.cmp(&right.1).then_with(|| left.0.cmp(right.0)));
    let (_, least, of) = *partial.first()?;
    let names: Vec<&String> = partial.iter().map(|(name, ..)| *name).collect();
    let mut numbers = Vec::new();
    numbers.extend(evidence(
        "metrics that do not cover all results",
        partial.len() as f64,
        "metrics",
    ));
    numbers.extend(evidence("metrics in all", report.totals.metrics.len() as f64, "metrics"));
    numbers.extend(partial.iter().take(NAMED).map(|(name, covered, _)| Evidence {
        label: (*name).clone(),
        value: *covered as f64,
        unit: format!("of {of} results"),
    }));
    Some(plain(
        "partly-covered",
        format!("{} not cover all results", count(names.len() as u64, "metric does", "metrics do")),
        format!(
            "In only some of the results (at worst {least} of {of}): {}. Sums over a region are then too small and means speak of a part.",
            some(&names)
        ),
        numbers,
    ))
}

fn no_roofline(about: &About<'_>, missing: &[MissingMetrics]) -> Option<Finding> {
    // Tensor work without metrics to collect it by is told with the work that is left out.
    let missing: Vec<&MissingMetrics> =
        missing.iter().filter(|missing| !missing.metrics.is_empty()).collect();
    let what: Vec<String> = missing.iter().map(|missing| missing.what.clone()).collect();
    if what.is_empty() {
        return None;
    }
    let none = |name: &String| Evidence {
        label: name.clone(),
        value: 0.0,
        unit: format!("of {} results", about.results),
    };
    let presets =
        missing.iter().map(|missing| &missing.presets).find(|presets| !presets.is_empty());
    let remedy = presets.map_or_else(String::new, |presets| {
        format!(" The presets {} collect what was not collected.", list(presets))
    });
    Some(plain(
        "no-roofline",
        "Parts of the roofline are missing".to_owned(),
        format!("Missing: {}.{remedy}", list(&what)),
        missing.iter().flat_map(|missing| &missing.metrics).map(none).collect(),
    ))
}

/// Work that the roofline leaves out.
fn not_drawn(about: &About<'_>, totals: &SetInsight) -> Option<Finding> {
    let left_out = &totals.roofline.not_drawn;
    if left_out.is_empty() {
        return None;
    }
    let words: Vec<String> =
        left_out.iter().map(|work| format!("{} ({})", work.precision, work.reason)).collect();
    let none = |work: &NotDrawn| Evidence {
        label: work.precision.clone(),
        value: 0.0,
        unit: format!("of {} results", about.results),
    };
    Some(plain(
        "roofline-incomplete",
        "The roofline does not count all work".to_owned(),
        format!("Left out: {}.", list(&words)),
        left_out.iter().map(none).collect(),
    ))
}

/// A finding about the report itself, which costs no time.
pub(super) fn plain(
    outcome: &str,
    title: String,
    text: String,
    evidence: Vec<Evidence>,
) -> Finding {
    Finding {
        kind: FindingKind::Note,
        outcome: outcome.to_owned(),
        rule: None,
        severity: Severity::Low,
        title,
        text,
        evidence,
        results: 0,
        launches: None,
        foremost: String::new(),
        kernels: Vec::new(),
        section: None,
        relieves: None,
        beside_the_limit: false,
        region_share: None,
        run_share: None,
        gain: None,
    }
}

/// The first names and how many more there are.
fn some(names: &[&String]) -> String {
    let mut shown: Vec<String> = names.iter().take(NAMED).map(|name| (*name).clone()).collect();
    if names.len() > NAMED {
        shown.push(format!("{} more", names.len() - NAMED));
    }
    list(&shown)
}
