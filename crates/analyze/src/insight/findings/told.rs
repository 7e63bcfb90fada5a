//! From what rules and counters said about a set of results to findings.

use super::cause::IDLE_PIPES;
use super::{About, SPOILS, evidence, is_broken, severity};
use crate::aggregate::causes::COUNTED_KIND;
use crate::insight::model::{BoundClass, Finding, Gain};
use crate::insight::words::{LONGEST_NAME, THE_RUN, list};
use crate::outcome::{self, FindingKind, Outcome, Unit, own};
use rangescope_model::document::{LimitShare, RuleSummary};
use rangescope_model::number::{count, rounded_percent, time, weight};
use rangescope_model::text::shorten_kernel;
use std::fmt::Write as _;

/// Longer messages are cut at a sentence; the report holds them in full.
const LONGEST_TEXT: usize = 600;

/// Launches that are short are worth a word from so many on …
const MANY: u64 = 10;
/// … and where they are this part of all.
const MOST_OF_THEM: f64 = 0.5;

/// One finding for each thing that was said.
pub(super) fn of_set(about: &About<'_>) -> Vec<Finding> {
    let said = about.rules.iter().chain(about.causes);
    let known = said.map(|rule| (rule, outcome::of_summary(rule)));
    let mut findings: Vec<Finding> = Vec::new();
    for (rule, outcome) in known.filter(|(rule, outcome)| is_said(rule, outcome, about)) {
        let finding = of_rule(rule, outcome, about);
        match findings.iter_mut().find(|known| known.continues(&finding)) {
            Some(known) => known.absorb(&finding),
            None => findings.push(finding),
        }
    }
    for finding in &mut findings {
        let (first, concerned) = (amount(finding, about), concerned(finding));
        finding.text = format!("{first}{concerned}{}", finding.text);
    }
    findings
}

/// Limits are said by [`limit`](super::limit); short launches matter where they are many.
fn is_said(rule: &RuleSummary, outcome: &Outcome, about: &About<'_>) -> bool {
    match outcome.id {
        "short-launches" => {
            rule.results >= MANY && rule.results as f64 >= MOST_OF_THEM * about.results as f64
        }
        id => !outcome::is_limit(id),
    }
}

fn of_rule(rule: &RuleSummary, outcome: &'static Outcome, about: &About<'_>) -> Finding {
    let estimated = rule.gain_ms.filter(|ms| is_estimate_of(outcome) && ms.is_finite());
    let gain = estimated.filter(|ms| *ms >= 0.0).and_then(|ms| {
        Some(Gain {
            region: about.share(Some(ms))?,
            run: about.run_share(Some(ms))?,
            ms,
            stated_ms: rule
                .region_speedup_pct
                .map(|pct| pct / 100.0 * about.total_ms)
                .filter(|stated| stated.is_finite())
                .unwrap_or(ms),
            kind: rule.speedup_kind.clone().unwrap_or_else(|| "unknown".to_owned()),
        })
    });
    let kernels: Vec<usize> = rule.kernels.iter().map(|place| *place as usize).collect();
    let mut numbers = Vec::new();
    numbers.extend(evidence("results with this message", rule.results as f64, "results"));
    if let Some(gain) = &gain {
        numbers.extend(evidence("gain at most", gain.ms, "ms"));
        numbers.extend(evidence(
            "estimated before the limit is taken into account",
            gain.stated_ms,
            "ms",
        ));
    }
    let run_share = about.run_share(rule.time_ms);
    let worth = gain.as_ref().map(|gain| gain.run);
    Finding {
        kind: outcome.kind,
        outcome: outcome.id.to_owned(),
        rule: (!rule.rule.is_empty()).then(|| rule.rule.clone()),
        severity: match (outcome.kind, worth) {
            (FindingKind::Note, _) if is_broken(outcome.id) => {
                let part = super::share(rule.results as f64, about.results as f64);
                severity(part.max(run_share.unwrap_or(0.0)), SPOILS, SPOILS / 2.0)
            }
            (FindingKind::Note, _) => severity(0.0, 1.0, 1.0),
            (_, Some(gain)) => severity(gain, 0.10, 0.03),
            (_, None) => severity(run_share.unwrap_or(0.0) / 10.0, 0.10, 0.03),
        },
        title: title(rule, outcome, about),
        text: message(rule, outcome),
        evidence: numbers,
        results: rule.results,
        launches: rule.launches.clone(),
        foremost: rule.kernel_name.clone(),
        beside_the_limit: is_beside_the_limit(rule, outcome, gain.is_some(), about),
        kernels: kernels.into_iter().filter(|at| *at < about.kernels.len()).collect(),
        section: (!rule.section.is_empty()).then(|| rule.section.clone()),
        relieves: outcome.relieves,
        region_share: about.share(rule.time_ms),
        run_share,
        gain,
    }
}

/// What was said and what to do, in the words of the table; what the table does not know is quoted.
fn title(rule: &RuleSummary, outcome: &Outcome, about: &About<'_>) -> String {
    if is_broken(outcome.id) {
        let all = count(about.results, "result", "results");
        return format!("{} ({} of {all})", outcome.title, rule.results);
    }
    if !outcome.title.is_empty() {
        return outcome.title.to_owned();
    }
    let own = [&rule.title, &rule.name, &rule.rule].into_iter().find(|title| !title.is_empty());
    own.map_or_else(String::new, |title| format!("ncu says: “{title}”"))
}

/// Whether most of the time of its results, or of the run, is limited by something else: it takes work off what computes where memory is the limit, or the other way
/// round; or it shortens waits, with no estimate of what that is worth, where a unit is busy.
fn is_beside_the_limit(
    rule: &RuleSummary,
    outcome: &Outcome,
    is_estimated: bool,
    about: &About<'_>,
) -> bool {
    let is_other = |class: BoundClass| match outcome.relieves {
        Some(unit) if unit.is_memory() => class == BoundClass::Compute,
        Some(_) => class == BoundClass::Memory,
        None => {
            let is_unit =
                matches!(class, BoundClass::Compute | BoundClass::Memory | BoundClass::Balanced);
            is_unit && !is_estimated
        }
    };
    let mostly_other = |limits: &mut dyn Iterator<Item = &LimitShare>| {
        let (mut all, mut other) = (0.0, 0.0);
        for part in limits {
            all += weight(part.total_ms);
            if is_other(BoundClass::from(part.limit)) {
                other += weight(part.total_ms);
            }
        }
        other > 0.5 * all
    };
    // Where memory is the limit, idle pipes are as they should be, whatever ncu estimates.
    let is_idle = outcome.id == IDLE_PIPES;
    if outcome.relieves.is_some() && mostly_other(&mut about.run_limits.iter()) {
        return true;
    }
    match (rule.beside_ms, rule.time_ms) {
        (Some(_), Some(_)) if outcome.relieves.is_none() && is_estimated && !is_idle => false,
        (Some(beside), Some(time)) => beside > 0.5 * time,
        // Documents of before say it of kernels alone.
        _ => {
            let kernels = rule.kernels.iter();
            let kernels = kernels.filter_map(|at| about.kernels.get(*at as usize));
            mostly_other(&mut kernels.flat_map(|kernel| &kernel.limits))
        }
    }
}

/// What leaves less than an estimate says.
fn what_leaves(finding: &Finding) -> &'static str {
    let is_of_traffic = finding.relieves.is_some_and(Unit::is_memory);
    let is_fusion = finding.outcome.starts_with("unfused-");
    match (is_of_traffic, is_fusion) {
        (true, _) => "the busiest unit, or the counted part of this traffic, leaves",
        (_, true) => "the busiest unit, or the counted pairs of instructions, leave",
        _ => "the busiest unit leaves",
    }
}

/// Whether ncu's estimate is one of what this outcome advises.
fn is_estimate_of(outcome: &Outcome) -> bool {
    outcome.kind == FindingKind::Advice && outcome.id != own::OCCUPANCY_OF_SMALL_GRID.outcome.id
}

/// The gain, with what kind of estimate it is.
fn amount(finding: &Finding, about: &About<'_>) -> String {
    let Some(gain) = &finding.gain else { return String::new() };
    let mut parts = vec![format!("{} of {}", rounded_percent(gain.region), about.name)];
    if about.name != THE_RUN {
        parts.push(format!("{} of the run", rounded_percent(gain.run)));
    }
    let mut remarks = String::new();
    if finding.rule.is_none() || gain.kind == COUNTED_KIND {
        remarks.push_str(", by the counters");
    } else if gain.kind == "local" {
        remarks.push_str(", an estimate of ncu's for one unit alone");
    } else {
        remarks.push_str(", as ncu estimates");
    }
    let stated = rounded_percent(about.share(Some(gain.stated_ms)).unwrap_or_default());
    if stated != rounded_percent(gain.region) {
        let _ = write!(remarks, "; the estimate is {stated}, but {} no more", what_leaves(finding));
    }
    format!("At most {} ({}){remarks}. ", list(&parts), time(gain.ms))
}

fn concerned(finding: &Finding) -> String {
    let kernel = shorten_kernel(&finding.foremost, LONGEST_NAME);
    match finding.results {
        1 => format!("Concerns {kernel}. "),
        results => {
            format!("Concerns {}, foremost {kernel}. ", count(results, "result", "results"))
        }
    }
}

fn message(rule: &RuleSummary, outcome: &Outcome) -> String {
    // ncu breaks lines in messages, which are sentences here.
    let message = rule.message.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = beginning(&message);
    if rule.rule.is_empty() || outcome.title.is_empty() {
        text.to_owned()
    } else {
        format!("ncu: {text}")
    }
}

/// The text up to the end of the last sentence that fits.
fn beginning(text: &str) -> &str {
    let Some((limit, _)) = text.char_indices().nth(LONGEST_TEXT) else { return text };
    let head = text.get(..limit).unwrap_or(text);
    match head.rfind(". ") {
        Some(end) => head.get(..=end).unwrap_or(head),
        None => head,
    }
}

impl Finding {
    /// Whether both say the same of different results: one rule under the titles of two versions of ncu.
    fn continues(&self, other: &Self) -> bool {
        let apart = match (&self.launches, &other.launches) {
            (Some(ours), Some(theirs)) => ours.common(theirs) == 0,
            _ => false,
        };
        let is_named = !self.outcome.starts_with(outcome::UNKNOWN_IDS);
        is_named && apart && (&self.outcome, &self.rule) == (&other.outcome, &other.rule)
    }

    fn absorb(&mut self, other: &Self) {
        let add = |ours: &mut Option<f64>, theirs: Option<f64>| {
            *ours = ours.zip(theirs).map(|(ours, theirs)| ours + theirs).or(*ours).or(theirs);
        };
        self.results += other.results;
        if let (Some(ours), Some(theirs)) = (&mut self.launches, &other.launches) {
            ours.merge(theirs);
            *ours = std::mem::take(ours).settled();
        }
        add(&mut self.region_share, other.region_share);
        add(&mut self.run_share, other.run_share);
        match (&mut self.gain, &other.gain) {
            (Some(ours), Some(theirs)) => {
                ours.region += theirs.region;
                ours.run += theirs.run;
                ours.ms += theirs.ms;
                ours.stated_ms += theirs.stated_ms;
            }
            (None, Some(theirs)) => self.gain = Some(theirs.clone()),
            (_, None) => {}
        }
        self.kernels.extend(
            other
                .kernels
                .iter()
                .filter(|at| !self.kernels.contains(at))
                .copied()
                .collect::<Vec<_>>(),
        );
        self.kernels.sort_unstable();
        self.severity = self.severity.min(other.severity);
        self.beside_the_limit &= other.beside_the_limit;
    }
}
