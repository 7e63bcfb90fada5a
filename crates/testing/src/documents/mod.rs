//! Documents made by hand.
//!
//! The parts here have round numbers and say nothing that was not asked for; a test changes the fields that it is about.
//! [`sample`] is a run as people see it, [`tree`] makes documents of any size from kernels by path, [`hostile`] is full of names that try to act,
//! [`source`] puts lines and instructions under the regions of a document.

pub mod charts;
pub mod families;
pub mod hostile;
pub mod ranks;
pub mod sample;
pub mod source;
pub mod tree;

use rangescope_model::document::{
    Basis, KernelSummary, LaunchKind, LaunchShape, Limit, LimitShare, Method, MetricSummary,
    Region, RegionDocument, RegionSelection, ResultSet, RuleSummary, SCHEMA_VERSION, Scalar, Scope,
    ScopeKind, ScopeReport, SectionMetricSummary, SectionSummary, Selection, Tool, Unplaced,
};
use rangescope_model::number::weight;
use rangescope_model::region::{DEFAULT_DOMAIN, RangeKind, RegionRef};

pub const SM: &str = "sm__throughput.avg.pct_of_peak_sustained_elapsed";
pub const MEMORY: &str = "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed";
pub const DRAM: &str = "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed";
pub const OCCUPANCY: &str = "sm__warps_active.avg.pct_of_peak_sustained_active";

pub use rangescope_model::document::Metrics;

/// Metrics with these values, exact and covering one result.
pub fn metrics(values: &[(&str, f64)]) -> Metrics {
    values.iter().map(|(name, value)| ((*name).to_owned(), metric(*value))).collect()
}

pub fn metric(value: f64) -> MetricSummary {
    MetricSummary {
        value: Some(Scalar::Number(value)),
        unit: String::new(),
        method: Method::Sum,
        exact: true,
        covered: 1,
        of: 1,
        min: None,
        max: None,
        mean: None,
        busiest: None,
        reason: None,
    }
}

/// A metric with its unit; a mean over time is an estimate.
pub fn measured(value: f64, unit: &str, method: Method, results: u64) -> MetricSummary {
    MetricSummary {
        unit: unit.to_owned(),
        method,
        exact: !matches!(method, Method::TimeWeighted | Method::NotAggregated),
        covered: results,
        of: results,
        ..metric(value)
    }
}

/// The value of a metric that has a number.
pub fn number(metric: &MetricSummary) -> Option<f64> {
    metric.value.as_ref()?.number()
}

pub fn section(id: &str, name: &str, metrics: Vec<(&str, &str, MetricSummary)>) -> SectionSummary {
    SectionSummary {
        id: id.to_owned(),
        name: name.to_owned(),
        covered: metrics.first().map_or(1, |(_, _, summary)| summary.covered),
        metrics: metrics
            .into_iter()
            .map(|(label, name, summary)| SectionMetricSummary {
                label: label.to_owned(),
                name: name.to_owned(),
                summary,
            })
            .collect(),
    }
}

pub fn kernel(name: &str, calls: u64, total_ms: f64, values: &[(&str, f64)]) -> KernelSummary {
    let mean_ms = (calls > 0).then(|| total_ms / calls as f64);
    KernelSummary {
        kernel_name: name.to_owned(),
        function: name.split(['<', '(']).next().unwrap_or(name).to_owned(),
        kind: LaunchKind::Kernel,
        calls,
        total_ms: Some(total_ms),
        mean_ms,
        min_ms: mean_ms,
        max_ms: mean_ms,
        share: Some(0.0),
        device: Some(0),
        launch_shapes: vec![LaunchShape {
            grid: Some([108, 1, 1]),
            block: Some([256, 1, 1]),
            calls,
            total_ms: Some(total_ms),
            limits: Vec::new(),
        }],
        metrics: metrics(values),
        limits: Vec::new(),
        rules: Vec::new(),
    }
}

/// The kernel with one limit for all of its launches.
pub fn limited(mut kernel: KernelSummary, limit: Limit, unit: Option<&str>) -> KernelSummary {
    kernel.limits = vec![LimitShare {
        limit,
        unit: unit.map(str::to_owned),
        total_ms: kernel.total_ms,
        launches: kernel.calls,
    }];
    for shape in &mut kernel.launch_shapes {
        shape.limits.clone_from(&kernel.limits);
    }
    kernel
}

/// A push/pop region of the default domain with nothing below it: its time is that of its kernels.
pub fn region(path: &[&str], kernels: Vec<KernelSummary>) -> Region {
    let set = totals(kernels);
    Region {
        name: path.join("::"),
        path: path.iter().map(|&name| name.to_owned()).collect(),
        parent: None,
        depth: number_of(path.len().saturating_sub(1)),
        kind: RangeKind::PushPop,
        domain: DEFAULT_DOMAIN.to_owned(),
        process_id: Some(1),
        device: Some(0),
        exclusive_ms: set.total_ms,
        share: Some(0.0),
        exclusive_kernel_count: set.kernel_count,
        exclusive_metrics: None,
        set: set.into(),
        family: None,
        selection: RegionSelection::default(),
    }
}

pub fn totals(kernels: Vec<KernelSummary>) -> ResultSet {
    let calls = kernels.iter().map(|kernel| kernel.calls).sum();
    ResultSet {
        total_ms: Some(kernels.iter().filter_map(|kernel| kernel.total_ms).sum()),
        kernel_count: calls,
        timed_count: calls,
        limits: kernels.iter().flat_map(|kernel| kernel.limits.clone()).collect(),
        kernels,
        ..ResultSet::default()
    }
}

pub fn rule(name: &str, results: u64, gain: Option<f64>, kernel: &str) -> RuleSummary {
    RuleSummary {
        rule: name.to_owned(),
        outcome: String::new(),
        launches: None,
        time_ms: None,
        beside_ms: None,
        gain_ms: None,
        name: name.to_owned(),
        section: "WarpStateStats".to_owned(),
        kind: "optimization".to_owned(),
        results,
        region_speedup_pct: gain,
        max_speedup_pct: gain,
        speedup_kind: gain.map(|_| "global".to_owned()),
        title: format!("{name} title"),
        message: "First sentence. Second.".to_owned(),
        kernel_name: kernel.to_owned(),
        kernels: Vec::new(),
    }
}

/// The rule with the time of its results and what it could gain, in milliseconds, on these results.
pub fn told_of(rule: RuleSummary, ids: &str, ms: f64, gain_ms: Option<f64>) -> RuleSummary {
    let (launches, time_ms) = (ids.parse().ok(), Some(ms));
    RuleSummary { launches, time_ms, gain_ms, ..rule }
}

/// What the counters say of one result of a kernel.
pub fn cause(outcome: &str, unit: &str, id: u32, ms: f64, kernel: &str) -> RuleSummary {
    RuleSummary {
        outcome: outcome.to_owned(),
        name: String::new(),
        title: unit.to_owned(),
        message: "Numbers of the launch.".to_owned(),
        max_speedup_pct: Some(85.0),
        ..told_of(rule("", 1, None, kernel), &id.to_string(), ms, None)
    }
}

pub fn scope(kind: ScopeKind, id: &str) -> Scope {
    Scope {
        id: id.to_owned(),
        kind,
        process_id: None,
        process_name: None,
        host: None,
        rank: None,
        device: None,
    }
}

/// One scope; what its regions hold and what is outside of them adds up to its totals.
pub fn report(
    scope: Scope,
    mut regions: Vec<Region>,
    unlabeled: Vec<KernelSummary>,
) -> ScopeReport {
    place(&mut regions);
    let roots = regions.iter().filter(|region| region.depth == 0);
    let all =
        roots.flat_map(|region| region.set.kernels.clone()).chain(unlabeled.clone()).collect();
    ScopeReport {
        scope,
        basis: Basis::Kernel,
        regions,
        families: Vec::new(),
        totals: totals(all).into(),
        unlabeled: totals(unlabeled).into(),
        unplaced: Unplaced::default(),
        selection: Selection::default(),
    }
}

/// Tells regions their parents by their paths.
pub fn place(regions: &mut [Region]) {
    for at in 0..regions.len() {
        let (before, [region, ..]) = regions.split_at_mut(at) else { return };
        let around = region.path.split_last().map_or(&[][..], |(_, around)| around);
        let key = RegionRef { path: around, ..region.key() };
        let parent = before.iter().position(|other| other.key() == key);
        region.parent = parent.filter(|_| region.kind == RangeKind::PushPop).map(number_of);
    }
}

fn number_of(position: usize) -> u32 {
    u32::try_from(position).unwrap_or(u32::MAX)
}

/// A document of these scopes that says nothing of where it is from.
pub fn of_reports(reports: Vec<ScopeReport>) -> RegionDocument {
    RegionDocument {
        schema_version: SCHEMA_VERSION.to_owned(),
        generated_at: None,
        config_fingerprint: String::new(),
        tool: Tool { name: "test".to_owned(), version: "0".to_owned() },
        simulated: false,
        sources: Vec::new(),
        devices: Vec::new(),
        notes: Vec::new(),
        ranks: None,
        reports,
    }
}

/// A document with one aggregate report of these regions, which do not overlap, and some unlabeled time.
pub fn document(regions: Vec<Region>, unlabeled: Vec<KernelSummary>) -> RegionDocument {
    of_reports(vec![report(scope(ScopeKind::Aggregate, "aggregate"), regions, unlabeled)])
}

/// A run of a model: `prefill` with one kernel, `decode` with `attn` below it, and some unlabeled time. Times are scaled region by region.
pub fn run(prefill: f64, attn: f64, decode: f64) -> RegionDocument {
    let gemm = kernel("gemm", 10, 5.0 * prefill, &[(SM, 80.0)]);
    let flash = kernel("flash", 40, 2.0 * attn, &[(SM, 40.0)]);
    let gemv = kernel("gemv", 100, 2.0 * decode, &[(SM, 20.0)]);
    let mut outer = region(&["decode"], vec![flash.clone(), gemv.clone()]);
    outer.exclusive_ms = gemv.total_ms;
    outer.exclusive_kernel_count = 100;
    let mut regions =
        vec![region(&["prefill"], vec![gemm]), outer, region(&["decode", "attn"], vec![flash])];
    for region in &mut regions {
        let ms = region.set.total_ms;
        region.set.metrics = metrics(&[(SM, 40.0), ("dram__bytes.sum", 1e9 * weight(ms))]);
    }
    let mut made = document(regions, vec![kernel("memset", 1, 1.0, &[])]);
    let ms = made.reports[0].totals.total_ms;
    made.reports[0].totals.metrics = metrics(&[(SM, 50.0), ("dram__bytes.sum", 1e9 * weight(ms))]);
    made
}

/// Changes every region of every scope.
pub fn each_region(document: &mut RegionDocument, mut change: impl FnMut(&mut Region)) {
    for report in &mut document.reports {
        for region in report.regions.iter_mut().chain(&mut report.families) {
            change(region);
        }
    }
}
