//! Small documents with round numbers, and exporters as functions from a document to text.

use std::sync::Arc;

use indexmap::IndexMap;
use rangescope_model::document::{
    Basis, DeviceInfo, KernelSummary, LaunchShape, Method, MetricSummary, NCUProfileRegion,
    NCUProfileRegionReport, Note, NoteLevel, RegionDocument, RegionSelection, RuleSummary,
    SCHEMA_VERSION, Scalar, Scope, ScopeKind, SectionMetricSummary, SectionSummary, Selection,
    SourceInfo, Tool, Totals,
};
use rangescope_model::region::RangeKind;

use crate::formats::{ExportOptions, ReportWriter};

pub(super) const SM: &str = "sm__throughput.avg.pct_of_peak_sustained_elapsed";
pub(super) const DRAM: &str = "dram__throughput.avg.pct_of_peak_sustained_elapsed";

/// What an exporter writes with the default options.
pub(super) fn exported(exporter: ReportWriter, document: &RegionDocument) -> String {
    exported_with(exporter, document, ExportOptions::default())
}

/// What an exporter writes.
pub(super) fn exported_with(
    exporter: ReportWriter,
    document: &RegionDocument,
    options: ExportOptions,
) -> String {
    let mut bytes = Vec::new();
    exporter(document, &options, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

/// The text without colours, and without the blanks that only colours would show.
pub(super) fn plain(text: &str) -> String {
    let mut shown = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        shown.push_str(before);
        rest = after.split_once('m').unwrap().1;
    }
    shown.push_str(rest);
    shown.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}

pub(super) fn metric(value: f64, unit: &str, method: Method, exact: bool) -> MetricSummary {
    MetricSummary {
        value: Some(Scalar::Number(value)),
        unit: unit.to_owned(),
        method,
        exact,
        covered: 4,
        of: 4,
        min: None,
        max: None,
        reason: None,
    }
}

/// The metrics that summaries show.
pub(super) fn busy(sm: f64, dram: f64) -> IndexMap<String, MetricSummary> {
    IndexMap::from([
        (SM.to_owned(), metric(sm, "%", Method::TimeWeighted, false)),
        (DRAM.to_owned(), metric(dram, "%", Method::CycleWeighted, true)),
    ])
}

pub(super) fn kernel(name: &str, calls: u64, total_ms: f64, share: f64) -> KernelSummary {
    KernelSummary {
        kernel_name: name.to_owned(),
        function: name.split(['<', '(']).next().unwrap().to_owned(),
        kind: "kernel".to_owned(),
        calls,
        total_ms,
        mean_ms: Some(total_ms / calls as f64),
        min_ms: Some(total_ms / calls as f64),
        max_ms: Some(total_ms / calls as f64),
        share,
        device: Some(0),
        launch_shapes: vec![LaunchShape {
            grid: Some([108, 1, 1]),
            block: Some([256, 1, 1]),
            calls,
        }],
        metrics: busy(50.0, 25.0),
    }
}

/// A push/pop region of the default domain, named as the contract says.
pub(super) fn region(path: &[&str], total_ms: f64, exclusive_ms: f64) -> NCUProfileRegion {
    let parents = &path[..path.len() - 1];
    NCUProfileRegion {
        name: path.join("::"),
        path: path.iter().map(|&segment| segment.to_owned()).collect(),
        parent: (!parents.is_empty()).then(|| parents.join("::")),
        depth: u32::try_from(parents.len()).unwrap(),
        kind: RangeKind::PushPop,
        domain: "<default domain>".to_owned(),
        process_id: Some(41),
        device: Some(0),
        total_ms,
        exclusive_ms,
        share: total_ms / 10.0,
        kernel_count: 4,
        exclusive_kernel_count: 2,
        timed_count: 4,
        metrics: busy(total_ms * 10.0, 33.25),
        exclusive_metrics: None,
        sections: Vec::new(),
        kernels: Vec::new(),
        rules: Vec::new(),
        selection: RegionSelection { selector: None, results_seen: 4, results_selected: 4 },
    }
}

pub(super) fn scope(kind: ScopeKind, id: &str) -> Scope {
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

pub(super) fn report(
    scope: Scope,
    regions: Vec<impl Into<Arc<NCUProfileRegion>>>,
) -> NCUProfileRegionReport {
    NCUProfileRegionReport {
        scope,
        basis: Basis::Kernel,
        regions: regions.into_iter().map(Into::into).collect(),
        totals: Totals {
            total_ms: 10.0,
            kernel_count: 12,
            timed_count: 12,
            metrics: busy(40.0, 30.0),
            kernels: Vec::new(),
        },
        unlabeled: Totals {
            total_ms: 0.5,
            kernel_count: 1,
            timed_count: 1,
            metrics: IndexMap::new(),
            kernels: vec![kernel("fill(int *)", 1, 0.5, 1.0)],
        },
        selection: Selection {
            kernel_name_base: "demangled".to_owned(),
            results_seen: 12,
            results_selected: 12,
            ..Selection::default()
        },
    }
}

/// A document with these regions in the aggregate and in one process.
pub(super) fn document(regions: Vec<NCUProfileRegion>) -> RegionDocument {
    RegionDocument {
        schema_version: SCHEMA_VERSION.to_owned(),
        generated_at: Some("2024-03-01T12:00:00Z".to_owned()),
        config_fingerprint: "00ff".to_owned(),
        tool: Tool { name: "rangescope".to_owned(), version: "0.1.0".to_owned() },
        simulated: false,
        sources: vec![SourceInfo {
            file: "run.ncu-rep".to_owned(),
            format: "ncu-rep".to_owned(),
            profiler: Some("2024.1.1.0".to_owned()),
            results: 12,
            lost: 0,
        }],
        devices: vec![DeviceInfo {
            id: 0,
            name: Some("NVIDIA A100-SXM4-80GB".to_owned()),
            compute_capability: Some("8.0".to_owned()),
            hosts: vec!["n1".to_owned()],
        }],
        notes: Vec::new(),
        reports: vec![
            report(scope(ScopeKind::Aggregate, "aggregate"), regions.clone()),
            report(scope(ScopeKind::Process, "process:41"), regions),
        ],
    }
}

/// A run of a language model: nested regions, another domain, a section, a rule, notes.
pub(super) fn sample() -> RegionDocument {
    let mut attention = region(&["prefill", "attn"], 4.0, 4.0);
    attention.kernels = vec![
        kernel(
            "void flash::flash_fwd_kernel<flash::Traits<128, 64, cutlass::half_t>, true, false>(flash::Params)",
            2,
            3.0,
            0.75,
        ),
        kernel("softmax(float *, int)", 2, 1.0, 0.25),
    ];
    attention.sections = vec![SectionSummary {
        id: "SpeedOfLight".to_owned(),
        name: "GPU Speed Of Light Throughput".to_owned(),
        covered: 4,
        metrics: vec![
            section_metric("Duration", "gpu__time_duration.sum", 4e6, "ns", Method::Sum),
            section_metric("DRAM Bytes", "dram__bytes.sum", 1_234_567.0, "byte", Method::Sum),
            section_metric("SM Throughput", SM, 61.256, "%", Method::TimeWeighted),
        ],
    }];
    attention.rules = vec![RuleSummary {
        rule: "SOLBottleneck".to_owned(),
        name: "Bottleneck".to_owned(),
        section: "SpeedOfLight".to_owned(),
        kind: "optimization".to_owned(),
        results: 2,
        region_speedup_pct: Some(12.34),
        max_speedup_pct: Some(30.0),
        speedup_kind: Some("local".to_owned()),
        title: "Latency Issue".to_owned(),
        message: "This kernel exhibits low compute throughput\nand memory bandwidth utilization."
            .to_owned(),
        kernel_name: "softmax(float *, int)".to_owned(),
        kernels: Vec::new(),
    }];
    let mut mlp = region(&["prefill", "mlp"], 2.5, 2.5);
    mlp.kernels = vec![kernel("gemm<64>(int)", 4, 2.5, 1.0)];
    let mut prefill = region(&["prefill"], 7.0, 0.5);
    prefill.exclusive_metrics = Some(busy(12.5, 8.0));
    prefill.metrics.insert(
        "launch__grid_size".to_owned(),
        MetricSummary {
            value: None,
            min: Some(1.0),
            max: Some(4096.0),
            ..metric(0.0, "", Method::Varies, true)
        },
    );
    prefill.metrics.insert(
        "pmsampling:dram__read".to_owned(),
        MetricSummary {
            value: None,
            reason: Some("sampled series".to_owned()),
            ..metric(0.0, "", Method::NotAggregated, false)
        },
    );
    prefill.kernels = attention.kernels.clone();
    let decode = region(&["decode"], 2.5, 2.5);
    let mut request = region(&["request 7"], 9.0, 9.0);
    request.domain = "LLM".to_owned();
    request.kind = RangeKind::StartEnd;
    let mut document = document(vec![prefill, attention, decode, mlp, request]);
    document.notes = vec![
        Note {
            level: NoteLevel::Info,
            code: "base-units".to_owned(),
            message: "Units were inferred from metric names.".to_owned(),
        },
        Note {
            level: NoteLevel::Warning,
            code: "overlapping-domains".to_owned(),
            message: "Regions of different domains hold the same results; do not add them."
                .to_owned(),
        },
    ];
    for report in &mut document.reports {
        report.selection.sections = vec!["SpeedOfLight".to_owned()];
        report.selection.metrics = vec!["gpu__time_duration.sum".to_owned(), SM.to_owned()];
        report.selection.metrics_not_found = vec!["gpu__time_duration.sum".to_owned()];
    }
    document
}

fn section_metric(
    label: &str,
    name: &str,
    value: f64,
    unit: &str,
    method: Method,
) -> SectionMetricSummary {
    SectionMetricSummary {
        label: label.to_owned(),
        name: name.to_owned(),
        summary: metric(value, unit, method, method == Method::Sum),
    }
}

/// The sample on two ranks that share nothing: two processes, two devices, an aggregate.
pub(super) fn two_ranks() -> RegionDocument {
    let mut document = sample();
    let regions = document.reports[0].regions.clone();
    document.reports.truncate(1);
    for rank in 0..2 {
        let mut process = scope(ScopeKind::Process, &format!("process:{}", 41 + rank));
        process.process_name = Some("python3".to_owned());
        process.host = Some("n1".to_owned());
        process.rank = Some(rank);
        document.reports.push(report(process, regions.clone()));
    }
    for device in 0..2 {
        let id = format!("device:{device}");
        document.reports.push(report(scope(ScopeKind::Device, &id), regions[..3].to_vec()));
    }
    document.devices.push(DeviceInfo { id: 1, ..document.devices[0].clone() });
    document
}
