//! A comparison beside the report of its new side: per region both values and the verdict.
//!
//! Regions are referred to by their position in the report, so that the pictures can be coloured; those that are gone have none.

use rangescope_model::comparison::{
    Comparison, Delta, GateReport, GateStatus, KernelDelta, MetricDelta, NoteSeverity, RegionDelta,
    ScopeComparison, SetDelta, Side, Spread,
};
use rangescope_model::document::{RegionDocument, ScopeKind, ScopeReport};
use rangescope_model::region::RegionRef;
use rustc_hash::FxHashMap;
use serde::Serialize;

use super::number::Number;
use super::pool::{Texts, number};
use crate::comparison::rows::{self, Times};

/// Kernels that a region keeps; further ones are counted.
const KEPT_KERNELS: usize = 20;

/// Checks that a gate keeps.
const KEPT_CHECKS: usize = 50;

/// What the page shows of a comparison.
#[derive(Debug, Serialize)]
pub(crate) struct Difference<'c> {
    notes: Vec<Note<'c>>,
    noise_rule: &'c str,
    base: Runs<'c>,
    new: Runs<'c>,
    gates: Option<Gates<'c>>,
    scopes: Vec<ScopeDifference>,
    texts: Texts,
}

/// Launch shapes that a kernel keeps.
const KEPT_SHAPES: usize = 5;

#[derive(Debug, Serialize)]
struct Note<'c> {
    severity: NoteSeverity,
    message: &'c str,
}

#[derive(Debug, Serialize)]
struct Runs<'c> {
    runs: Vec<Run<'c>>,
}

#[derive(Debug, Serialize)]
struct Run<'c> {
    name: &'c str,
    files: &'c [String],
    captured_at: Option<&'c str>,
    simulated: bool,
    devices: &'c [String],
    profilers: &'c [String],
}

#[derive(Debug, Serialize)]
struct Gates<'c> {
    failed: bool,
    gates: Vec<Gate<'c>>,
}

#[derive(Debug, Serialize)]
struct Gate<'c> {
    #[serde(rename = "gate")]
    text: &'c str,
    status: GateStatus,
    checks: Vec<Check<'c>>,
}

#[derive(Debug, Serialize)]
struct Check<'c> {
    status: GateStatus,
    message: &'c str,
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
    per_call: Both,
    /// Name, unit, exactness, values.
    metrics: Vec<(u32, u32, bool, Both)>,
    kernels: Vec<Kernel>,
    kernel_count: u32,
    renamed_from: Vec<u32>,
}

/// A kernel, or the launches of one in a shape.
#[derive(Debug, Serialize)]
struct Kernel {
    name: u32,
    verdict: u32,
    time: Both,
    calls: Both,
    per_call: Both,
    shapes: Vec<Self>,
}

/// Base, new, relative change, what it is called, the extremes where there are several runs, how many runs would settle what is undecided, and where the
/// relative change lies, in words.
type Both = (
    Option<Number>,
    Option<Number>,
    Option<Number>,
    u32,
    Option<[Option<Number>; 4]>,
    Option<u32>,
    u32,
);

impl<'c> Difference<'c> {
    pub(crate) fn of(comparison: &'c Comparison, document: &RegionDocument) -> Self {
        let mut texts = Texts::default();
        let scopes = comparison
            .scopes
            .iter()
            .filter_map(|scope| {
                let (at, report) = report_of(document, scope)?;
                Some(scope_difference(&mut texts, scope, at, report))
            })
            .collect();
        let notes = comparison.notes.iter();
        Self {
            notes: notes
                .map(|note| Note { severity: note.severity, message: &note.message })
                .collect(),
            noise_rule: &comparison.noise_rule,
            base: runs(&comparison.base),
            new: runs(&comparison.new),
            gates: comparison.gates.as_ref().map(gates),
            scopes,
            texts,
        }
    }
}

fn runs(side: &Side) -> Runs<'_> {
    let runs = side.runs.iter().map(|run| Run {
        name: &run.name,
        files: &run.files,
        captured_at: run.captured_at.as_deref(),
        simulated: run.simulated,
        devices: &run.devices,
        profilers: &run.profilers,
    });
    Runs { runs: runs.collect() }
}

fn gates(report: &GateReport) -> Gates<'_> {
    let gates = report.gates.iter().map(|gate| {
        let kept = gate.checks.iter().take(KEPT_CHECKS);
        let checks = kept.map(|check| Check { status: check.status, message: &check.message });
        Gate { text: &gate.gate, status: gate.status, checks: checks.collect() }
    });
    Gates { failed: report.failed, gates: gates.collect() }
}

/// The report of the new side that a scope speaks of. Processes without a rank are counted in order of appearance.
fn report_of<'d>(
    document: &'d RegionDocument,
    scope: &ScopeComparison,
) -> Option<(usize, &'d ScopeReport)> {
    let mut ordinal = 0;
    document.reports.iter().enumerate().find(|(_, report)| {
        if report.scope.kind != scope.kind || report.basis != scope.basis {
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
    report: &ScopeReport,
) -> ScopeDifference {
    // Families come after the regions, as in the page's table.
    let regions = || report.regions.iter().chain(&report.families).enumerate();
    let positions: FxHashMap<RegionRef<'_>, usize> =
        regions().map(|(at, region)| (region.key(), at)).collect();
    // A renamed region is found by the name that it had.
    let names: FxHashMap<&str, usize> =
        regions().map(|(at, region)| (region.name.as_str(), at)).collect();
    let find = |region: &RegionDelta| {
        let key = RegionRef { domain: &region.domain, kind: region.kind, path: &region.path };
        let renamed = || region.renamed_from.iter().find_map(|name| names.get(name.as_str()));
        positions.get(&key).or_else(renamed).copied()
    };
    ScopeDifference {
        report: number(at),
        totals: row(texts, "all", None, Set::from(&scope.totals)),
        unlabeled: scope
            .unlabeled
            .as_ref()
            .map(|set| row(texts, "(unlabeled)", None, Set::from(set))),
        regions: scope
            .regions
            .iter()
            .map(|region| {
                let mut made = row(texts, &region.name, find(region), Set::from(region));
                made.own = Some(both(texts, &region.exclusive_time, 1e6));
                made.renamed_from =
                    region.renamed_from.iter().map(|name| texts.add(name)).collect();
                made
            })
            .collect(),
    }
}

/// What regions and other sets of results have in common.
#[derive(Clone, Copy)]
struct Set<'c> {
    times: Times<'c>,
    metrics: &'c [MetricDelta],
    kernels: &'c [KernelDelta],
}

impl<'c> From<&'c SetDelta> for Set<'c> {
    fn from(set: &'c SetDelta) -> Self {
        Self { times: set.into(), metrics: &set.metrics, kernels: &set.kernels }
    }
}

impl<'c> From<&'c RegionDelta> for Set<'c> {
    fn from(region: &'c RegionDelta) -> Self {
        Self { times: region.into(), metrics: &region.metrics, kernels: &region.kernels }
    }
}

fn row(texts: &mut Texts, name: &str, region: Option<usize>, set: Set<'_>) -> Row {
    let Times { verdict, time, calls, per_call } = set.times;
    Row {
        region: region.map_or(-1, |region| i64::from(number(region))),
        name: texts.add(name),
        verdict: texts.add(rows::verdict(verdict)),
        time: both(texts, time, 1e6),
        own: None,
        calls: both(texts, calls, 1.0),
        per_call: both(texts, per_call, 1e6),
        metrics: set.metrics.iter().map(|metric| metric_row(texts, metric)).collect(),
        kernels: set
            .kernels
            .iter()
            .take(KEPT_KERNELS)
            .map(|kernel| kernel_row(texts, kernel))
            .collect(),
        kernel_count: number(set.kernels.len()),
        renamed_from: Vec::new(),
    }
}

fn metric_row(texts: &mut Texts, metric: &MetricDelta) -> (u32, u32, bool, Both) {
    let (name, unit) = (texts.add(&metric.name), texts.add(&metric.unit));
    (name, unit, metric.exact, both(texts, &metric.delta, 1.0))
}

fn kernel_row(texts: &mut Texts, kernel: &KernelDelta) -> Kernel {
    let shapes = kernel.launch_shapes.iter().take(KEPT_SHAPES);
    let shapes = shapes.map(|shape| timed(texts, &rows::shape_name(shape), shape.into())).collect();
    Kernel { shapes, ..timed(texts, &kernel.kernel_name, kernel.into()) }
}

fn timed(texts: &mut Texts, name: &str, times: Times<'_>) -> Kernel {
    Kernel {
        name: texts.add(name),
        verdict: texts.add(rows::verdict(times.verdict)),
        time: both(texts, times.time, 1e6),
        calls: both(texts, times.calls, 1.0),
        per_call: both(texts, times.per_call, 1e6),
        shapes: Vec::new(),
    }
}

/// Times come in milliseconds and are shown from nanoseconds, hence the factor.
fn both(texts: &mut Texts, delta: &Delta, factor: f64) -> Both {
    let scaled = |value: f64| Number::new(value * factor);
    let wide = |spread: &Spread| spread.max > spread.min;
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
        texts.add(rows::change(delta.change)),
        extremes,
        delta.runs_needed,
        texts.add(&rows::interval(delta)),
    )
}
