//! A run of a language model as people see it in reports: nested regions, another domain, a section, a rule, notes.

use indexmap::IndexMap;
use rangescope_model::document::{
    DeviceInfo, KernelSummary, Method, MetricSummary, Note, NoteLevel, Region, RegionDocument,
    RegionSelection, ResultSet, RuleSummary, Scope, ScopeKind, ScopeReport, Selection, SourceInfo,
    Tool,
};
use rangescope_model::region::RangeKind;

use super::{Metrics, SM, measured, of_reports, scope, section};

/// What devices called it before it was `gpu__dram_throughput`; reports show whichever is there.
pub const DRAM: &str = "dram__throughput.avg.pct_of_peak_sustained_elapsed";

/// The metrics that summaries show.
pub fn busy(sm: f64, dram: f64) -> Metrics {
    IndexMap::from([
        (SM.to_owned(), measured(sm, "%", Method::TimeWeighted, 4)),
        (DRAM.to_owned(), measured(dram, "%", Method::CycleWeighted, 4)),
    ])
}

pub fn kernel(name: &str, calls: u64, total_ms: f64, share: f64) -> KernelSummary {
    let metrics = busy(50.0, 25.0);
    KernelSummary { share: Some(share), metrics, ..super::kernel(name, calls, total_ms, &[]) }
}

/// A region of four results in a run of ten milliseconds.
pub fn region(path: &[&str], total_ms: f64, exclusive_ms: f64) -> Region {
    let set = ResultSet {
        total_ms: Some(total_ms),
        kernel_count: 4,
        timed_count: 4,
        metrics: busy(total_ms * 10.0, 33.25),
        ..ResultSet::default()
    };
    Region {
        process_id: Some(41),
        set: set.into(),
        exclusive_ms: Some(exclusive_ms),
        share: Some(total_ms / 10.0),
        exclusive_kernel_count: 2,
        selection: RegionSelection { selector: None, results_seen: 4, results_selected: 4 },
        ..super::region(path, Vec::new())
    }
}

/// A scope of ten milliseconds, whatever its regions say.
fn report(scope: Scope, regions: Vec<Region>) -> ScopeReport {
    ScopeReport {
        totals: ResultSet {
            total_ms: Some(10.0),
            kernel_count: 12,
            timed_count: 12,
            metrics: busy(40.0, 30.0),
            ..ResultSet::default()
        }
        .into(),
        selection: Selection {
            kernel_name_base: "demangled".to_owned(),
            results_seen: 12,
            results_selected: 12,
            ..Selection::default()
        },
        ..super::report(scope, regions, vec![kernel("fill(int *)", 1, 0.5, 1.0)])
    }
}

/// A document with these regions in the aggregate and in one process.
pub fn document(regions: Vec<Region>) -> RegionDocument {
    RegionDocument {
        generated_at: Some("2024-03-01T12:00:00Z".to_owned()),
        config_fingerprint: "00ff".to_owned(),
        tool: Tool { name: "rangescope".to_owned(), version: "0.1.0".to_owned() },
        sources: vec![SourceInfo {
            file: "run.ncu-rep".to_owned(),
            format: "ncu-rep".to_owned(),
            profiler: Some("2024.1.1.0".to_owned()),
            results: 12,
            lost: 0,
        }],
        devices: vec![DeviceInfo {
            pci: None,
            id: 0,
            name: Some("NVIDIA A100-SXM4-80GB".to_owned()),
            compute_capability: Some("8.0".to_owned()),
            hosts: vec!["n1".to_owned()],
        }],
        ranks: None,
        ..of_reports(vec![
            report(scope(ScopeKind::Aggregate, "aggregate"), regions.clone()),
            report(scope(ScopeKind::Process, "process:41"), regions),
        ])
    }
}

pub fn sample() -> RegionDocument {
    let mut attention = region(&["prefill", "attn"], 4.0, 4.0);
    attention.set.kernels = vec![
        kernel(
            "void flash::flash_fwd_kernel<flash::Traits<128, 64, cutlass::half_t>, true, false>(flash::Params)",
            2,
            3.0,
            0.75,
        ),
        kernel("softmax(float *, int)", 2, 1.0, 0.25),
    ];
    attention.set.sections = vec![section(
        "SpeedOfLight",
        "GPU Speed Of Light Throughput",
        vec![
            ("Duration", "gpu__time_duration.sum", measured(4e6, "ns", Method::Sum, 4)),
            ("DRAM Bytes", "dram__bytes.sum", measured(1_234_567.0, "byte", Method::Sum, 4)),
            ("SM Throughput", SM, measured(40.0, "%", Method::TimeWeighted, 4)),
        ],
    )];
    attention.set.rules = vec![RuleSummary {
        rule: "IssueSlotUtilization".to_owned(),
        section: "SchedulerStats".to_owned(),
        max_speedup_pct: Some(30.0),
        speedup_kind: Some("local".to_owned()),
        title: "Issue Slot Utilization".to_owned(),
        message: "Every scheduler is capable of issuing\none instruction per cycle.".to_owned(),
        ..super::told_of(
            super::rule("Issue slots", 2, Some(12.34), "softmax(float *, int)"),
            "1-2",
            4.0,
            Some(0.4936),
        )
    }];
    let mut mlp = region(&["prefill", "mlp"], 2.5, 2.5);
    mlp.set.kernels = vec![kernel("gemm<64>(int)", 4, 2.5, 1.0)];
    let mut prefill = region(&["prefill"], 7.0, 0.5);
    prefill.exclusive_metrics = Some(busy(12.5, 8.0).into());
    let varies = MetricSummary {
        value: None,
        min: Some(1.0),
        max: Some(4096.0),
        ..measured(0.0, "", Method::Varies, 4)
    };
    let sampled = MetricSummary {
        value: None,
        reason: Some("sampled series".to_owned()),
        ..measured(0.0, "", Method::NotAggregated, 4)
    };
    prefill.set.metrics.insert("launch__grid_size".to_owned(), varies);
    prefill.set.metrics.insert("pmsampling:dram__read".to_owned(), sampled);
    prefill.set.kernels.clone_from(&attention.set.kernels);
    let decode = region(&["decode"], 2.5, 2.5);
    let mut request = region(&["request 7"], 9.0, 9.0);
    "LLM".clone_into(&mut request.domain);
    request.kind = RangeKind::StartEnd;
    let mut document = document(vec![prefill, attention, decode, mlp, request]);
    let note = |level, code: &str, message: &str| Note {
        level,
        code: code.to_owned(),
        message: message.to_owned(),
    };
    document.notes = vec![
        note(NoteLevel::Info, "base-units", "Units were inferred from metric names."),
        note(
            NoteLevel::Warning,
            "overlapping-domains",
            "Regions of different domains hold the same results; do not add them.",
        ),
    ];
    for report in &mut document.reports {
        report.selection.sections = vec!["SpeedOfLight".to_owned()];
        report.selection.metrics = vec!["gpu__time_duration.sum".to_owned(), SM.to_owned()];
        report.selection.metrics_not_found = vec!["gpu__time_duration.sum".to_owned()];
    }
    document
}

/// The sample on two ranks that share nothing: two processes, two devices, an aggregate.
pub fn two_ranks() -> RegionDocument {
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
