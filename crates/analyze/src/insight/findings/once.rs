//! A finding is said once, at the highest region that explains it.
//!
//! What a region says is made from everything below it, so its regions would say it again. Where one of them explains nearly all of it, that one says it;
//! otherwise the region does, and names where most of it lies.

use crate::insight::model::{Finding, RegionInsight};
use crate::outcome::{self, Cause, FindingKind};
use rangescope_model::document::ScopeReport;
use rangescope_model::number::rounded_percent;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// A region with this share of what is above it explains it.
const NEARLY_ALL: f64 = 0.95;

/// A part of less than this is not worth naming.
const NAMED: f64 = 0.25;

/// Takes findings away until each stands in one place.
pub(crate) fn said_once(
    report: &ScopeReport,
    of_run: &mut Vec<Finding>,
    regions: &mut [RegionInsight],
) {
    let mut all: Vec<Vec<Finding>> = Vec::with_capacity(regions.len() + 1);
    all.push(std::mem::take(of_run));
    all.extend(regions.iter_mut().map(|region| std::mem::take(&mut region.findings)));
    let below = below(report);
    let keys: BTreeSet<Key> = all.iter().flatten().filter_map(key).collect();
    for key in &keys {
        settle(report, &below, &mut all, key);
    }
    let mut settled = all.into_iter();
    *of_run = settled.next().unwrap_or_default();
    for (region, findings) in regions.iter_mut().zip(settled) {
        region.findings = findings;
    }
}

/// What findings of several places are one by: their cause, else what they say.
type Key = (Option<Cause>, String);

/// What limits a place is said of each of them.
fn key(found: &Finding) -> Option<Key> {
    if outcome::is_limit(&found.outcome) {
        return None;
    }
    let cause = outcome::by_id(&found.outcome).and_then(|outcome| outcome.cause);
    let cause = cause.filter(|_| found.kind == FindingKind::Advice);
    let said = match cause {
        Some(_) => String::new(),
        // What nobody knows is told apart by ncu's own words.
        None => {
            format!("{} {} {}", found.outcome, found.rule.as_deref().unwrap_or(""), found.title)
        }
    };
    Some((cause, said))
}

fn has(found: &Finding, wanted: &Key) -> bool {
    key(found).as_ref() == Some(wanted)
}

/// The run is place 0, and a region one place after its position. By place: the places directly below.
fn below(report: &ScopeReport) -> Vec<Vec<usize>> {
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); report.regions.len() + 1];
    for (place, region) in (1..).zip(&report.regions) {
        let parent = region.parent.map_or(0, |parent| parent as usize + 1);
        below[if parent < place { parent } else { 0 }].push(place);
    }
    below
}

fn settle(report: &ScopeReport, below: &[Vec<usize>], all: &mut [Vec<Finding>], key: &Key) {
    let weight = |findings: &[Finding]| -> f64 {
        findings.iter().filter(|found| has(found, key)).map(Finding::worth).sum()
    };
    let mut pending = vec![0];
    while let Some(place) = pending.pop() {
        let children = below.get(place).map_or(&[][..], Vec::as_slice);
        let says = |place: usize| {
            all.get(place).is_some_and(|found| found.iter().any(|found| has(found, key)))
        };
        if !says(place) {
            pending.extend(children);
            continue;
        }
        let here = all.get(place).map_or(0.0, |found| weight(found));
        let part = |child: usize| all.get(child).map_or(0.0, |found| weight(found));
        let heaviest = children
            .iter()
            .copied()
            .filter(|child| says(*child))
            .reduce(|best, next| if part(next) > part(best) { next } else { best });
        let explained = heaviest.filter(|child| part(*child) >= NEARLY_ALL * here);
        let share = heaviest.map_or(0.0, |child| super::share(part(child), here));
        for &child in children.iter().filter(|child| Some(**child) != explained) {
            silence(below, all, child, key);
        }
        match (explained, heaviest) {
            (Some(child), _) => {
                if let Some(findings) = all.get_mut(place) {
                    findings.retain(|found| !has(found, key));
                }
                pending.push(child);
            }
            (None, Some(child)) if share >= NAMED => {
                let name = report.regions.get(child.wrapping_sub(1)).map(|region| &region.name);
                let said = all.get_mut(place).into_iter().flatten();
                if let (Some(found), Some(name)) =
                    (said.into_iter().find(|found| has(found, key)), name)
                {
                    let _ = write!(found.text, " {} of it is in `{name}`.", rounded_percent(share));
                }
            }
            _ => {}
        }
    }
}

/// Takes a finding away from a region and everything below.
fn silence(below: &[Vec<usize>], all: &mut [Vec<Finding>], place: usize, key: &Key) {
    let mut pending = vec![place];
    while let Some(place) = pending.pop() {
        if let Some(findings) = all.get_mut(place) {
            findings.retain(|found| !has(found, key));
        }
        pending.extend(below.get(place).into_iter().flatten());
    }
}
