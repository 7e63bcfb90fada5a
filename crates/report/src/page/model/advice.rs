//! What was said about regions: ncu's rules and the findings made from them.

use rangescope_analyze::insight::model::{
    Bound, BoundClass, Evidence, Fact, FactKind, Finding, Severity,
};
use rangescope_analyze::outcome::FindingKind;
use rangescope_model::document::RuleSummary;
use serde::Serialize;

use super::number::Number;
use super::pool::{Texts, number};

/// What one rule said about a region.
#[derive(Debug, PartialEq, Eq, Hash, Serialize)]
pub(crate) struct Rule {
    id: u32,
    name: u32,
    section: u32,
    kind: u32,
    results: u64,
    region_speedup: Option<Number>,
    max_speedup: Option<Number>,
    speedup_kind: Option<u32>,
    title: u32,
    message: u32,
    kernel: u32,
    /// Rows in the region's list of kernels.
    kernels: Vec<u32>,
}

impl Rule {
    pub(crate) fn of(texts: &mut Texts, rule: &RuleSummary) -> Self {
        Self {
            id: texts.add(&rule.rule),
            name: texts.add(&rule.name),
            section: texts.add(&rule.section),
            kind: texts.add(&rule.kind),
            results: rule.results,
            region_speedup: rule.region_speedup_pct.map(Number::new),
            max_speedup: rule.max_speedup_pct.map(Number::new),
            speedup_kind: texts.add_option(rule.speedup_kind.as_deref()),
            title: texts.add(&rule.title),
            message: texts.add(&rule.message),
            kernel: texts.add(&rule.kernel_name),
            kernels: rule.kernels.clone(),
        }
    }
}

/// Kernels that a finding names; further ones are counted.
const NAMED_KERNELS: usize = 12;

/// Something to do about a region or a run.
#[derive(Debug, PartialEq, Eq, Hash, Serialize)]
pub(crate) struct Advice {
    outcome: u32,
    kind: FindingKind,
    severity: Severity,
    title: u32,
    text: u32,
    /// Label, value, unit.
    evidence: Vec<(u32, Number, u32)>,
    /// Rows in the region's list of kernels.
    kernels: Vec<u32>,
    kernel_count: u32,
    section: Option<u32>,
    /// What it is worth, in the words of every other output.
    amount: Option<u32>,
    region_share: Option<Number>,
    run_share: Option<Number>,
    /// Share of the region, share of the run, nanoseconds, kind.
    gain: Option<(Number, Number, Number, u32)>,
}

impl Advice {
    pub(crate) fn of(texts: &mut Texts, finding: &Finding) -> Self {
        Self {
            outcome: texts.add(&finding.outcome),
            kind: finding.kind,
            severity: finding.severity,
            title: texts.add(&finding.title),
            text: texts.add(&finding.text),
            evidence: evidence(texts, &finding.evidence),
            kernels: finding.kernels.iter().take(NAMED_KERNELS).map(|&row| number(row)).collect(),
            kernel_count: number(finding.kernels.len()),
            section: texts.add_option(finding.section.as_deref()),
            amount: texts.add_option(finding.amount().as_deref()),
            region_share: finding.region_share.map(Number::new),
            run_share: finding.run_share.map(Number::new),
            gain: finding.gain.as_ref().map(|gain| {
                let kind = texts.add(&gain.kind);
                (Number::new(gain.region), Number::new(gain.run), Number::ns(gain.ms), kind)
            }),
        }
    }
}

/// One fact for the first screen.
#[derive(Debug, Serialize)]
pub(crate) struct PageFact {
    kind: FactKind,
    sentence: u32,
    regions: Vec<u32>,
    numbers: Vec<(u32, Number, u32)>,
}

impl PageFact {
    pub(crate) fn of(texts: &mut Texts, fact: &Fact, node: impl Fn(usize) -> Option<u32>) -> Self {
        Self {
            kind: fact.kind,
            sentence: texts.add(&fact.sentence),
            regions: fact.regions.iter().filter_map(|&region| node(region)).collect(),
            numbers: evidence(texts, &fact.numbers),
        }
    }
}

/// What bounds a region: the class with its busiest unit, how busy compute and memory are, and the share of each class.
#[derive(Debug, PartialEq, Eq, Hash, Serialize)]
pub(crate) struct PageBound {
    class: BoundClass,
    unit: Option<u32>,
    compute: Option<Number>,
    compute_unit: Option<u32>,
    memory: Option<Number>,
    memory_metric: Option<u32>,
    mix: Vec<(BoundClass, Number)>,
}

impl PageBound {
    pub(crate) fn of(texts: &mut Texts, bound: &Bound) -> Self {
        Self {
            class: bound.class,
            unit: texts.add_option(bound.unit.as_deref()),
            compute: bound.compute_pct.map(Number::new),
            compute_unit: texts.add_option(bound.compute_unit.as_deref()),
            memory: bound.memory_pct.map(Number::new),
            memory_metric: texts.add_option(bound.memory_metric.as_deref()),
            mix: bound.mix.iter().map(|part| (part.class, Number::new(part.share))).collect(),
        }
    }
}

fn evidence(texts: &mut Texts, evidence: &[Evidence]) -> Vec<(u32, Number, u32)> {
    evidence
        .iter()
        .map(|found| (texts.add(&found.label), Number::new(found.value), texts.add(&found.unit)))
        .collect()
}
