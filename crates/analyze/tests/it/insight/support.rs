//! Documents made by hand, and the documents of real reports.

use indexmap::IndexMap;
use rangescope_model::document::{
    Basis, KernelSummary, Method, MetricSummary, NCUProfileRegion, NCUProfileRegionReport,
    RegionDocument, RegionSelection, RuleSummary, SCHEMA_VERSION, Scalar, Scope, ScopeKind,
    Selection, Tool, Totals,
};
use rangescope_model::region::RangeKind;

pub(crate) type Metrics = IndexMap<String, MetricSummary>;

/// Metrics with these values, exact and covering one result.
pub(crate) fn metrics(values: &[(&str, f64)]) -> Metrics {
    values.iter().map(|(name, value)| ((*name).to_owned(), metric(*value))).collect()
}

pub(crate) fn metric(value: f64) -> MetricSummary {
    MetricSummary {
        value: Some(Scalar::Number(value)),
        unit: String::new(),
        method: Method::Sum,
        exact: true,
        covered: 1,
        of: 1,
        min: None,
        max: None,
        reason: None,
    }
}

pub(crate) fn kernel(
    name: &str,
    calls: u64,
    total_ms: f64,
    values: &[(&str, f64)],
) -> KernelSummary {
    KernelSummary {
        kernel_name: name.to_owned(),
        function: name.to_owned(),
        kind: "kernel".to_owned(),
        calls,
        total_ms,
        mean_ms: (calls > 0).then(|| total_ms / calls as f64),
        min_ms: None,
        max_ms: None,
        share: 0.0,
        device: Some(0),
        launch_shapes: Vec::new(),
        metrics: metrics(values),
    }
}

/// A region without children: its time is that of its kernels.
pub(crate) fn region(path: &[&str], kernels: Vec<KernelSummary>) -> NCUProfileRegion {
    let total_ms = kernels.iter().map(|kernel| kernel.total_ms).sum();
    let calls = kernels.iter().map(|kernel| kernel.calls).sum();
    NCUProfileRegion {
        name: path.join("::"),
        path: path.iter().map(|&name| name.to_owned()).collect(),
        parent: path
            .split_last()
            .filter(|(_, rest)| !rest.is_empty())
            .map(|(_, rest)| rest.join("::")),
        depth: u32::try_from(path.len() - 1).unwrap(),
        kind: RangeKind::PushPop,
        domain: "<default domain>".to_owned(),
        process_id: Some(1),
        device: Some(0),
        total_ms,
        exclusive_ms: total_ms,
        share: 0.0,
        kernel_count: calls,
        exclusive_kernel_count: calls,
        timed_count: calls,
        metrics: Metrics::new(),
        exclusive_metrics: None,
        sections: Vec::new(),
        kernels,
        rules: Vec::new(),
        selection: RegionSelection::default(),
    }
}

/// A document with one aggregate report of these regions, which do not overlap, and some unlabeled time.
pub(crate) fn document(
    regions: Vec<NCUProfileRegion>,
    unlabeled: Vec<KernelSummary>,
) -> RegionDocument {
    let totals = |kernels: Vec<KernelSummary>| Totals {
        total_ms: kernels.iter().map(|kernel| kernel.total_ms).sum(),
        kernel_count: kernels.iter().map(|kernel| kernel.calls).sum(),
        timed_count: kernels.iter().map(|kernel| kernel.calls).sum(),
        metrics: Metrics::new(),
        kernels,
    };
    let roots = regions.iter().filter(|region| region.depth == 0);
    let all = roots.flat_map(|region| region.kernels.clone()).chain(unlabeled.clone()).collect();
    RegionDocument {
        schema_version: SCHEMA_VERSION.to_owned(),
        generated_at: None,
        config_fingerprint: String::new(),
        tool: Tool { name: "test".to_owned(), version: "0".to_owned() },
        simulated: false,
        sources: Vec::new(),
        devices: Vec::new(),
        notes: Vec::new(),
        reports: vec![NCUProfileRegionReport {
            scope: Scope {
                id: "aggregate".to_owned(),
                kind: ScopeKind::Aggregate,
                process_id: None,
                process_name: None,
                host: None,
                rank: None,
                device: None,
            },
            basis: Basis::Kernel,
            regions: regions.into_iter().map(std::sync::Arc::new).collect(),
            totals: totals(all),
            unlabeled: totals(unlabeled),
            selection: Selection::default(),
        }],
    }
}

pub(crate) fn rule(name: &str, results: u64, gain: Option<f64>, kernel: &str) -> RuleSummary {
    RuleSummary {
        rule: name.to_owned(),
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
