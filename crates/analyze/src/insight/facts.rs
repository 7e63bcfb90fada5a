//! The facts for a first screen: where the time goes, what limits it, what to do first, and what the report does not know.

use crate::insight::bound::{compute_word, noun, of_which_sms, word};
use crate::insight::findings::share;
use crate::insight::model::{Bound, BoundClass, Evidence, Fact, FactKind, ReportInsight};
use crate::insight::words::{LONGEST_NAME, capital, list};
use rangescope_model::document::{Method, Region, ScopeReport};
use rangescope_model::number::{
    count, rounded_percent, rounded_percentage, thousands, time, weight,
};
use rangescope_model::text::shorten_kernel;
use std::fmt::Write as _;

const HEAVIEST: usize = 3;

/// Regions and limits below this share of the time are not named beside the heaviest.
const WORTH: f64 = 0.01;

/// The facts of a report, in the order in which they should be read; none for an empty report.
pub(crate) fn of_report(report: &ScopeReport, insight: &ReportInsight) -> Vec<Fact> {
    if report.totals.kernel_count == 0 {
        return Vec::new();
    }
    let heaviest = heaviest(report);
    let mut facts =
        vec![heaviest_fact(report, &heaviest), limiter_fact(report, insight, &heaviest)];
    facts.extend(advice_fact(report, insight));
    facts.push(uncovered_fact(report));
    facts.push(unlabeled_fact(report));
    facts
}

/// The regions with the most exclusive time, heaviest first.
pub(crate) fn heaviest(report: &ScopeReport) -> Vec<(usize, &Region)> {
    let mut regions: Vec<(usize, &Region)> = report
        .regions
        .iter()
        .enumerate()
        .filter(|(_, region)| weight(region.exclusive_ms) > 0.0)
        .collect();
    regions.sort_by(|left, right| {
        weight(right.1.exclusive_ms).total_cmp(&weight(left.1.exclusive_ms))
    });
    let is_worth = |region: &Region| share(region.exclusive_ms, report.totals.total_ms) >= WORTH;
    let mut kept: Vec<_> = regions.iter().copied().filter(|(_, region)| is_worth(region)).collect();
    if kept.is_empty() {
        kept.extend(regions.first());
    }
    kept.truncate(HEAVIEST);
    kept
}

fn heaviest_fact(report: &ScopeReport, heaviest: &[(usize, &Region)]) -> Fact {
    let total = report.totals.total_ms;
    let (what, parts): (&str, Vec<(String, Option<f64>)>) = if heaviest.is_empty() {
        let kernels = report.totals.kernels.iter().take(HEAVIEST);
        (
            "kernels",
            kernels
                .map(|kernel| {
                    let name = shorten_kernel(&kernel.kernel_name, LONGEST_NAME).into_owned();
                    (name, kernel.total_ms)
                })
                .collect(),
        )
    } else {
        let named = |(_, region): &(usize, &Region)| (region.name.clone(), region.exclusive_ms);
        ("regions", heaviest.iter().map(named).collect())
    };
    let shown: Vec<String> = parts
        .iter()
        .map(|(name, ms)| {
            format!("`{name}` ({}, {})", rounded_percent(share(*ms, total)), time(*ms))
        })
        .collect();
    let sentence = match shown.len() {
        _ if weight(total) <= 0.0 => {
            format!(
                "None of {} has a duration.",
                count(report.totals.kernel_count, "result", "results")
            )
        }
        0 => format!(
            "{} took {} of GPU time.",
            count(report.totals.kernel_count, "result", "results"),
            time(total)
        ),
        1 => format!("Most of the GPU time of {} is in {}.", time(total), list(&shown)),
        _ => format!("The heaviest {what} of {} GPU time are {}.", time(total), list(&shown)),
    };
    Fact {
        kind: FactKind::Heaviest,
        sentence,
        regions: heaviest.iter().map(|(at, _)| *at).collect(),
        numbers: parts.into_iter().filter_map(|(name, ms)| Some(told(name, ms?, "ms"))).collect(),
    }
}

fn limiter_fact(
    report: &ScopeReport,
    insight: &ReportInsight,
    heaviest: &[(usize, &Region)],
) -> Fact {
    let of_region = heaviest.first().and_then(|(at, region)| {
        Some((format!("`{}`", region.name), Some(*at), &insight.regions.get(*at)?.bound))
    });
    let (name, at, bound) =
        of_region.unwrap_or_else(|| ("the run".to_owned(), None, &insight.totals.bound));
    Fact {
        kind: FactKind::Limiter,
        sentence: limiter_sentence(&name, bound, report.totals.kernel_count),
        regions: at.into_iter().collect(),
        numbers: [("compute", bound.compute_pct), ("memory throughput", bound.memory_pct)]
            .into_iter()
            .filter_map(|(label, value)| Some(told(label.to_owned(), value?, "%")))
            .collect(),
    }
}

fn limiter_sentence(name: &str, bound: &Bound, results: u64) -> String {
    if bound.class == BoundClass::Unknown {
        return format!(
            "What bounds {name} cannot be told: SM and memory throughput were not collected for its {}.",
            count(results, "result", "results")
        );
    }
    let mut sentence = format!("{} is {}", capital(name), word(bound.class, bound.unit.as_deref()));
    let parts: Vec<String> = (bound.mix.iter().filter(|part| part.share >= WORTH))
        .enumerate()
        .map(|(at, part)| {
            let of = if at == 0 { " of its time is limited" } else { "" };
            format!("{}{of} by {}", rounded_percent(part.share), noun(part.class))
        })
        .collect();
    let is_mix = parts.len() > 1;
    if is_mix {
        let _ = write!(sentence, ": {}", list(&parts));
    }
    if let (Some(compute), Some(memory)) = (bound.compute_pct, bound.memory_pct) {
        let unit = compute_word(bound);
        let _ = write!(
            sentence,
            "{} {unit} busy to {}{}, memory to {}",
            if is_mix { "; on average" } else { ":" },
            rounded_percentage(compute),
            of_which_sms(bound),
            rounded_percentage(memory)
        );
    }
    sentence + "."
}

/// The first of the findings.
fn advice_fact(report: &ScopeReport, insight: &ReportInsight) -> Option<Fact> {
    let (at, finding) = insight.shown(false).into_iter().next()?;
    let place = at.and_then(|at| report.regions.get(at)).map(|region| &region.name);
    let place = place.map_or_else(String::new, |name| format!(" in `{name}`"));
    let amount = finding.amount().map_or_else(String::new, |amount| format!("; {amount}"));
    Some(Fact {
        kind: FactKind::Advice,
        sentence: format!("First{place}: {}{amount}.", finding.title),
        regions: at.into_iter().collect(),
        numbers: finding.evidence.clone(),
    })
}

fn uncovered_fact(report: &ScopeReport) -> Fact {
    let metrics = &report.totals.metrics;
    let partial = metrics
        .values()
        .filter(|metric| metric.method != Method::NotAggregated && metric.covered < metric.of)
        .count();
    let absent =
        report.selection.metrics_not_found.len() + report.selection.sections_not_found.len();
    let all = metrics.len() as u64;
    let gaps = format!(
        "{} of {} not cover all results",
        thousands(partial as u64),
        count(all, "metric does", "metrics do")
    );
    let missing = format!(
        "{} of the metrics and sections asked for {} in no result",
        thousands(absent as u64),
        if absent == 1 { "is" } else { "are" }
    );
    let sentence = match (partial, absent) {
        (0, 0) if report.totals.kernel_count == 1 => {
            format!("The result has {}.", count(all, "metric", "metrics"))
        }
        (0, 0) => format!(
            "{} all {}.",
            if all == 1 {
                "The one metric covers".to_owned()
            } else {
                format!("All {} metrics cover", thousands(all))
            },
            count(report.totals.kernel_count, "result", "results")
        ),
        (_, 0) => format!("{gaps}."),
        (0, _) => format!("{missing}."),
        _ => format!("{gaps}, and {missing}."),
    };
    Fact {
        kind: FactKind::Uncovered,
        sentence,
        regions: Vec::new(),
        numbers: vec![
            told("metrics that do not cover all results".to_owned(), partial as f64, "metrics"),
            told("asked for and not found".to_owned(), absent as f64, "names"),
        ],
    }
}

fn unlabeled_fact(report: &ScopeReport) -> Fact {
    let unlabeled = &report.unlabeled;
    let part = share(unlabeled.total_ms, report.totals.total_ms);
    let sentence = if unlabeled.kernel_count == 0 {
        "Every result is in a region.".to_owned()
    } else if report.regions.is_empty() {
        "The report holds no ranges: nothing belongs to a region.".to_owned()
    } else if !report.unplaced.is_none() {
        format!(
            "{} of the time ({}) has an unknown place: the trace does not have the calls that launched it.{}",
            rounded_percent(share(report.unplaced.total_ms, report.totals.total_ms)),
            count(report.unplaced.kernel_count, "result", "results"),
            match unlabeled.kernel_count - report.unplaced.kernel_count.min(unlabeled.kernel_count)
            {
                0 => String::new(),
                others =>
                    format!(" {} outside of all regions.", count(others, "other is", "others are")),
            }
        )
    } else {
        format!(
            "{} of the time ({}) is outside of all regions.",
            rounded_percent(part),
            count(unlabeled.kernel_count, "result", "results")
        )
    };
    Fact {
        kind: FactKind::Unlabeled,
        sentence,
        regions: Vec::new(),
        numbers: vec![told("share of the run".to_owned(), part * 100.0, "%")],
    }
}

fn told(label: String, value: f64, unit: &str) -> Evidence {
    let value = if value.is_finite() { value } else { 0.0 };
    Evidence { label, value, unit: unit.to_owned() }
}
