//! A comparison beside the report of its new side: per region both values and the verdict.
//!
//! Regions are referred to by their position in the report, so that the pictures can be coloured; those that are gone have none.

use rangescope_model::document::{
    Basis, NCUProfileRegion, NCUProfileRegionReport, RegionDocument, ScopeKind,
};
use rangescope_model::region::RangeKind;
use rustc_hash::FxHashMap;
use serde::Serialize;

use super::number::Number;
use super::pool::{Texts, number};
use crate::page::comparison::{
    CompareNote, Comparison, Delta, GateReport, KernelDelta, MetricDelta, RegionDelta,
    ScopeComparison, SetDelta, Side,
};

/// Kernels that a region keeps; further ones are counted.
const KEPT_KERNELS: usize = 20;

/// Checks that a gate keeps.
const KEPT_CHECKS: usize = 50;

/// What the page shows of a comparison.
#[derive(Debug, Serialize)]
pub(crate) struct Difference {
    notes: Vec<CompareNote>,
    noise_rule: String,
    base: Side,
    new: Side,
    gates: Option<GateReport>,
    scopes: Vec<ScopeDifference>,
    texts: Texts,
}

/// One scope.
#[derive(Debug, Serialize)]
struct ScopeDifference {
    /// Position of the report.
    report: u32,
    totals: Row,
    unlabeled: Option<Row>,
    regions: Vec<Row>,
}

/// A region or another set on both sides.
#[derive(Debug, Serialize)]
struct Row {
    /// Position of the region, −1 if the new side has none.
    region: i64,
    name: u32,
    verdict: u32,
    time: Both,
    #[serde(rename = "self")]
    own: Option<Both>,
    calls: Both,
    /// Name, unit, exactness, values.
    metrics: Vec<(u32, u32, bool, Both)>,
    /// Name, verdict, change of shapes, time, calls.
    kernels: Vec<(u32, u32, u32, Both, Both)>,
    kernel_count: u32,
    renamed_from: Vec<u32>,
}

/// Base, new, relative change, what it is called, and the extremes where there are several runs.
type Both = (Option<Number>, Option<Number>, Option<Number>, u32, Option<[Option<Number>; 4]>);

impl Difference {
    pub(crate) fn of(comparison: Comparison, document: &RegionDocument) -> Self {
        let mut texts = Texts::default();
        let scopes = comparison
            .scopes
            .iter()
            .filter_map(|scope| {
                let (at, report) = report_of(document, scope)?;
                Some(scope_difference(&mut texts, scope, at, report))
            })
            .collect();
        let mut gates = comparison.gates;
        for gate in gates.iter_mut().flat_map(|gates| &mut gates.gates) {
            gate.checks.truncate(KEPT_CHECKS);
        }
        Self {
            notes: comparison.notes,
            noise_rule: comparison.noise_rule,
            base: comparison.base,
            new: comparison.new,
            gates,
            scopes,
            texts,
        }
    }
}

/// The report of the new side that a scope speaks of. Processes without a rank are counted in order of appearance.
fn report_of<'d>(
    document: &'d RegionDocument,
    scope: &ScopeComparison,
) -> Option<(usize, &'d NCUProfileRegionReport)> {
    let mut ordinal = 0;
    document.reports.iter().enumerate().find(|(_, report)| {
        let kind = match report.scope.kind {
            ScopeKind::Aggregate => "aggregate",
            ScopeKind::Device => "device",
            ScopeKind::Process => "process",
        };
        let basis = if report.basis == Basis::Kernel { "kernel" } else { "range" };
        if kind != scope.kind || basis != scope.basis {
            return false;
        }
        let key = match (report.scope.kind, report.scope.rank) {
            (ScopeKind::Process, Some(rank)) => format!("rank:{rank}"),
            (ScopeKind::Process, None) => format!("process:{ordinal}"),
            _ => report.scope.id.clone(),
        };
        ordinal += 1;
        key == scope.scope
    })
}

fn scope_difference(
    texts: &mut Texts,
    scope: &ScopeComparison,
    at: usize,
    report: &NCUProfileRegionReport,
) -> ScopeDifference {
    let kind = |region: &NCUProfileRegion| match region.kind {
        RangeKind::PushPop => "push_pop",
        RangeKind::StartEnd => "start_end",
    };
    let positions: FxHashMap<(&str, &str, &[String]), usize> = report
        .regions
        .iter()
        .enumerate()
        .map(|(at, region)| ((region.domain.as_str(), kind(region), region.path.as_slice()), at))
        .collect();
    // A renamed region is found by the name that it had.
    let names: FxHashMap<&str, usize> =
        report.regions.iter().enumerate().map(|(at, region)| (region.name.as_str(), at)).collect();
    let find = |region: &RegionDelta| {
        let key = (region.domain.as_str(), region.kind.as_str(), region.path.as_slice());
        let renamed = || region.renamed_from.iter().find_map(|name| names.get(name.as_str()));
        positions.get(&key).or_else(renamed).copied()
    };
    ScopeDifference {
        report: number(at),
        totals: row(texts, "all", None, &scope.totals),
        unlabeled: scope.unlabeled.as_ref().map(|set| row(texts, "(unlabeled)", None, set)),
        regions: scope
            .regions
            .iter()
            .map(|region| {
                let mut made = row(texts, &region.name, find(region), &region.set);
                made.own = Some(both(texts, &region.exclusive_time, 1e6));
                made.renamed_from =
                    region.renamed_from.iter().map(|name| texts.add(name)).collect();
                made
            })
            .collect(),
    }
}

fn row(texts: &mut Texts, name: &str, region: Option<usize>, set: &SetDelta) -> Row {
    Row {
        region: region.map_or(-1, |region| i64::from(number(region))),
        name: texts.add(name),
        verdict: texts.add(&set.verdict),
        time: both(texts, &set.time, 1e6),
        own: None,
        calls: both(texts, &set.calls, 1.0),
        metrics: set.metrics.iter().map(|metric| metric_row(texts, metric)).collect(),
        kernels: set.kernels.iter().take(KEPT_KERNELS).map(|one| kernel_row(texts, one)).collect(),
        kernel_count: number(set.kernels.len()),
        renamed_from: Vec::new(),
    }
}

fn metric_row(texts: &mut Texts, metric: &MetricDelta) -> (u32, u32, bool, Both) {
    let (name, unit) = (texts.add(&metric.name), texts.add(&metric.unit));
    (name, unit, metric.exact, both(texts, &metric.delta, 1.0))
}

fn kernel_row(texts: &mut Texts, kernel: &KernelDelta) -> (u32, u32, u32, Both, Both) {
    (
        texts.add(&kernel.kernel_name),
        texts.add(&kernel.verdict),
        texts.add(&kernel.shapes),
        both(texts, &kernel.time, 1e6),
        both(texts, &kernel.calls, 1.0),
    )
}

/// Times come in milliseconds and are shown from nanoseconds, hence the factor.
fn both(texts: &mut Texts, delta: &Delta, factor: f64) -> Both {
    let scaled = |value: f64| Number::new(value * factor);
    let wide = |spread: &crate::page::comparison::Spread| spread.max > spread.min;
    let extremes = (delta.base.iter().chain(&delta.new)).any(wide).then(|| {
        [
            delta.base.map(|spread| scaled(spread.min)),
            delta.base.map(|spread| scaled(spread.max)),
            delta.new.map(|spread| scaled(spread.min)),
            delta.new.map(|spread| scaled(spread.max)),
        ]
    });
    (
        delta.base.map(|spread| scaled(spread.median)),
        delta.new.map(|spread| scaled(spread.median)),
        delta.relative.map(Number::new),
        texts.add(&delta.change),
        extremes,
    )
}
