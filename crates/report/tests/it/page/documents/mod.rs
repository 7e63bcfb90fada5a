//! Documents made up for tests: many regions, many kernels, hostile names. Their numbers only have to be plausible.

use indexmap::IndexMap;
use rangescope_model::comparison::Comparison;
use rangescope_model::document::{
    Basis, DeviceInfo, KernelSummary, LaunchShape, Method, MetricSummary, NCUProfileRegion,
    NCUProfileRegionReport, RegionDocument, RegionSelection, RuleSummary, SCHEMA_VERSION, Scalar,
    Scope, ScopeKind, SectionMetricSummary, SectionSummary, Selection, SourceInfo, Tool, Totals,
};
use rangescope_model::region::RangeKind;
use serde_json::{Value, json};

const SM: &str = "sm__throughput.avg.pct_of_peak_sustained_elapsed";
const MEMORY: &str = "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed";
const DRAM: &str = "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed";
const OCCUPANCY: &str = "sm__warps_active.avg.pct_of_peak_sustained_active";

/// Numbers that look random and are the same every time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn upto(&mut self, most: u32) -> u32 {
        (self.0 >> 33) as u32 % most + u32::from(self.roll() < 0.0)
    }
}

/// So many regions: stages, steps in them, layers in these, and parts of the layers.
pub(crate) fn many_regions(regions: usize) -> RegionDocument {
    let mut dice = Dice(7);
    let mut paths: Vec<Vec<String>> = Vec::new();
    let names = ["attention", "mlp", "norm", "residual"];
    'all: for stage in 0.. {
        paths.push(vec![format!("stage.{stage}")]);
        for step in 0..4 {
            paths.push(vec![format!("stage.{stage}"), format!("step.{step}")]);
            for layer in 0..32 {
                let above = vec![
                    format!("stage.{stage}"),
                    format!("step.{step}"),
                    format!("layers.{layer}"),
                ];
                paths.push(above.clone());
                for name in names {
                    paths.push([above.clone(), vec![name.to_owned()]].concat());
                }
                if paths.len() >= regions {
                    break 'all;
                }
            }
        }
    }
    paths.truncate(regions);
    let kernels: Vec<String> = (0..40).map(kernel_name).collect();
    let leaves: Vec<Region> = paths
        .into_iter()
        .map(|path| {
            let own = (0..=dice.upto(3)).map(|_| kernel(&mut dice, &kernels)).collect();
            Region { path, own }
        })
        .collect();
    document(&leaves, &[kernel(&mut dice, &kernels)])
}

/// So many regions, each with so many kernels.
pub(crate) fn many_kernels(kernels: usize, regions: usize) -> RegionDocument {
    let mut dice = Dice(11);
    let names: Vec<String> = (0..kernels).map(kernel_name).collect();
    let regions: Vec<Region> = (0..regions)
        .map(|region| Region {
            path: vec![format!("region.{region}")],
            own: (0..kernels).map(|at| kernel(&mut dice, &names[at..=at])).collect(),
        })
        .collect();
    document(&regions, &[])
}

/// Names that a careless page would run, render or choke on; each is a region and a kernel.
pub(crate) const HOSTILE: &[&str] = &[
    "<script>window.hacked = 1</script>",
    "</script><script>window.hacked = 2</script>",
    "<!--<script>",
    "<img src=x onerror=\"window.hacked = 3\">",
    "\"><svg onload=window.hacked=4>",
    "' onmouseover='window.hacked = 5",
    "javascript:window.hacked=6",
    "{{script}}",
    "${window.hacked=7}",
    "\u{202e}txt.exe\u{202c}",
    "zero\u{200b}width\u{feff}",
    "line\u{2028}separator\u{2029}and\nbreak\r\ttab",
    "\u{0}\u{1b}[31mred\u{7f}",
    "",
    " ",
    "__proto__",
    "constructor",
    "toString",
    "日本語の領域 🙂 é",
    "a::b::c",
    "../../etc/passwd",
    "&lt;b&gt;&amp;",
];

/// A document whose every text is hostile.
pub(crate) fn hostile() -> RegionDocument {
    let mut dice = Dice(3);
    let long = "x<".repeat(50_000);
    let names: Vec<String> = HOSTILE.iter().map(|name| (*name).to_owned()).chain([long]).collect();
    let mut regions: Vec<Region> = names
        .iter()
        .map(|name| Region {
            path: vec![name.clone()],
            own: vec![kernel(&mut dice, std::slice::from_ref(name))],
        })
        .collect();
    // One path of all of them.
    for depth in 2..=names.len() {
        let own = vec![kernel(&mut dice, &names)];
        regions.push(Region { path: names[..depth].to_vec(), own });
    }
    let mut document = document(&regions, &[kernel(&mut dice, &names)]);
    let evil = || "</script><script>window.hacked = 8</script>\u{2028}".to_owned();
    document.tool.version = evil();
    document.generated_at = Some(evil());
    document.config_fingerprint = evil();
    for source in &mut document.sources {
        source.file = evil();
        source.profiler = Some(evil());
    }
    for device in &mut document.devices {
        device.name = Some(evil());
        device.hosts = vec![evil()];
    }
    for report in &mut document.reports {
        report.scope.process_name = Some(evil());
        report.scope.host = Some(evil());
        for region in &mut report.regions {
            let region = std::sync::Arc::make_mut(region);
            region.metrics.insert(evil(), text_metric(&evil()));
            region.sections.push(SectionSummary {
                id: evil(),
                name: evil(),
                covered: 1,
                metrics: vec![SectionMetricSummary {
                    label: evil(),
                    name: evil(),
                    summary: text_metric(&evil()),
                }],
            });
            region.rules.push(RuleSummary {
                rule: evil(),
                name: evil(),
                section: evil(),
                kind: evil(),
                results: 1,
                region_speedup_pct: Some(10.0),
                max_speedup_pct: Some(20.0),
                speedup_kind: Some(evil()),
                title: evil(),
                message: evil(),
                kernel_name: evil(),
                kernels: Vec::new(),
            });
        }
    }
    document
}

/// The document with the counters that a roofline is made from.
pub(crate) fn with_work(mut document: RegionDocument) -> RegionDocument {
    let add = |metrics: &mut IndexMap<String, MetricSummary>, seed: f64| {
        let busy = 0.05 + 0.9 * (seed * 7919.0).fract();
        for (name, value) in [
            ("smsp__sass_thread_inst_executed_op_fadd_pred_on.sum.per_cycle_elapsed", 200.0 * busy),
            ("smsp__sass_thread_inst_executed_op_fmul_pred_on.sum.per_cycle_elapsed", 300.0 * busy),
            (
                "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum.per_cycle_elapsed",
                4000.0 * busy,
            ),
            ("smsp__cycles_elapsed.avg.per_second", 1.4e9),
            ("sm__sass_thread_inst_executed_op_ffma_pred_on.sum.peak_sustained", 10_496.0),
            ("sm__cycles_elapsed.avg.per_second", 1.4e9),
            ("dram__bytes.sum.per_second", 9e11 * (seed * 104_729.0).fract().max(0.01)),
            ("dram__bytes.sum.peak_sustained", 96.0),
            ("dram__cycles_elapsed.avg.per_second", 9.5e9),
        ] {
            metrics.insert(name.to_owned(), metric(value, "", 1));
        }
    };
    for report in &mut document.reports {
        for totals in [&mut report.totals, &mut report.unlabeled] {
            add(&mut totals.metrics, totals.total_ms);
            totals.kernels.iter_mut().for_each(|one| add(&mut one.metrics, one.total_ms));
        }
        for region in &mut report.regions {
            let region = std::sync::Arc::make_mut(region);
            add(&mut region.metrics, region.total_ms);
            region.kernels.iter_mut().for_each(|one| add(&mut one.metrics, one.total_ms));
        }
    }
    document
}

/// A comparison of the document's aggregate with a base, as `compare.json` has it: regions are in turn slower, faster, the same, noise and new,
/// and one more is gone.
pub(crate) fn comparison(document: &RegionDocument) -> Comparison {
    let report = document.reports.last().unwrap_or(&document.reports[0]);
    let spread =
        |value: f64| json!({"min": value * 0.99, "median": value, "max": value * 1.01, "runs": 3});
    let delta = |base: Option<f64>, new: Option<f64>, change: &str| {
        let relative = base.zip(new).map(|(base, new)| (new - base) / base);
        json!({"base": base.map(spread), "new": new.map(spread), "absolute": 0.0, "relative": relative, "change": change})
    };
    let set = |verdict: &str, base: Option<f64>, new: Option<f64>, change: &str| {
        json!({
            "verdict": verdict, "time": delta(base, new, change), "calls": delta(Some(3.0), Some(3.0), "same"),
            "metrics": [{"name": SM, "unit": "%", "method": "time_weighted", "exact": false, "delta": delta(Some(40.0), Some(50.0), "higher")}],
            "kernels": [{
                "kernel_name": report.totals.kernels[0].kernel_name, "function": "f", "verdict": verdict, "shapes": "same",
                "time": delta(base, new, change), "calls": delta(Some(3.0), Some(3.0), "same"), "metrics": [],
            }],
        })
    };
    let cases = [
        ("slower", 0.9, "higher"),
        ("faster", 1.2, "lower"),
        ("same", 1.0, "same"),
        ("noise", 1.001, "noise"),
        ("new", 0.0, "new"),
    ];
    let region = |name: &str, path: &[String], body: Value, own: Value| {
        let mut region = json!({
            "name": name, "path": path, "domain": "<default domain>", "kind": "push_pop", "depth": 0, "in_some_runs": false,
            "exclusive_time": own, "exclusive_calls": delta(Some(3.0), Some(3.0), "same"),
        });
        if let (Some(region), Value::Object(body)) = (region.as_object_mut(), body) {
            region.extend(body);
        }
        region
    };
    let mut regions: Vec<Value> = report
        .regions
        .iter()
        .zip(cases.iter().cycle())
        .map(|(one, &(verdict, factor, change))| {
            let base = |ms: f64| (verdict != "new").then_some(ms * factor);
            let own = delta(base(one.exclusive_ms), Some(one.exclusive_ms), change);
            region(
                &one.name,
                &one.path,
                set(verdict, base(one.total_ms), Some(one.total_ms), change),
                own,
            )
        })
        .collect();
    let gone = ["gone <b>".to_owned()];
    regions.push(region(
        &gone[0],
        &gone,
        set("gone", Some(9.0), None, "gone"),
        delta(Some(9.0), None, "gone"),
    ));
    let run = json!({
        "files": ["base.ncu-rep"], "captured_at": null, "config_fingerprint": "0", "simulated": true,
        "devices": ["made-up GPU"], "profilers": ["2026.1.0.0"],
    });
    let comparison = json!({
        "schema_version": "1.0",
        "notes": [{"severity": "warning", "code": "clocks", "message": "The clocks were not locked <i>."}],
        "noise_rule": "A difference inside the spread is noise.",
        "base": {"runs": [run]}, "new": {"runs": [run]},
        "scopes": [{
            "scope": "aggregate", "kind": "aggregate", "basis": "kernel",
            "totals": set("slower", Some(report.totals.total_ms * 0.9), Some(report.totals.total_ms), "higher"),
            "unlabeled": null, "regions": regions,
        }],
        "unmatched_scopes": [],
        "gates": {"strict": false, "failed": true, "gates": [{
            "gate": "time > 5%", "status": "violated",
            "checks": [{"scope": "aggregate", "region": null, "status": "violated", "difference": 11.1, "message": "time rose by 11.1 %"}],
        }]},
    });
    serde_json::from_value(comparison).expect("the JSON follows the contract")
}

/// A region with the kernels of its own.
struct Region {
    path: Vec<String>,
    own: Vec<KernelSummary>,
}

/// A document with these regions in three scopes, as a run on one GPU gives; parents come before their children.
fn document(regions: &[Region], unlabeled: &[KernelSummary]) -> RegionDocument {
    let mut inclusive: IndexMap<Vec<String>, Vec<KernelSummary>> = IndexMap::new();
    for region in regions {
        for depth in 1..=region.path.len() {
            let kernels = inclusive.entry(region.path[..depth].to_vec()).or_default();
            kernels.extend(region.own.iter().cloned());
        }
    }
    let all: Vec<KernelSummary> =
        regions.iter().flat_map(|region| &region.own).chain(unlabeled).cloned().collect();
    let totals = totals(all);
    let exclusive: IndexMap<&[String], f64> = regions
        .iter()
        .map(|region| (region.path.as_slice(), region.own.iter().map(|one| one.total_ms).sum()))
        .collect();
    let regions: Vec<NCUProfileRegion> = inclusive
        .into_iter()
        .map(|(path, kernels)| {
            let own = exclusive.get(path.as_slice()).copied().unwrap_or(0.0);
            region(path, kernels, own, totals.total_ms)
        })
        .collect();
    let report = |scope: Scope| NCUProfileRegionReport {
        scope,
        basis: Basis::Kernel,
        regions: regions.iter().cloned().map(std::sync::Arc::new).collect(),
        totals: totals.clone(),
        unlabeled: self::totals(unlabeled.to_vec()),
        selection: Selection {
            results_seen: totals.kernel_count,
            results_selected: totals.kernel_count,
            ..Selection::default()
        },
    };
    RegionDocument {
        schema_version: SCHEMA_VERSION.to_owned(),
        generated_at: Some("2026-01-01T00:00:00Z".to_owned()),
        config_fingerprint: "0123456789abcdef".to_owned(),
        tool: Tool { name: "rangescope".to_owned(), version: "0.0.0".to_owned() },
        simulated: true,
        sources: vec![SourceInfo {
            file: "made-up.ncu-rep".to_owned(),
            format: "ncu-rep".to_owned(),
            profiler: Some("2026.1.0.0".to_owned()),
            results: totals.kernel_count,
            lost: 0,
        }],
        devices: vec![DeviceInfo {
            id: 0,
            name: Some("made-up GPU".to_owned()),
            compute_capability: Some("9.0".to_owned()),
            hosts: vec!["localhost".to_owned()],
        }],
        notes: Vec::new(),
        reports: vec![
            report(scope("process:42", ScopeKind::Process, Some(0))),
            report(scope("device:0", ScopeKind::Device, None)),
            report(scope("aggregate", ScopeKind::Aggregate, None)),
        ],
    }
}

fn scope(id: &str, kind: ScopeKind, rank: Option<u32>) -> Scope {
    let process = kind == ScopeKind::Process;
    Scope {
        id: id.to_owned(),
        kind,
        process_id: process.then_some(42),
        process_name: process.then(|| "train".to_owned()),
        host: None,
        rank,
        device: (kind == ScopeKind::Device).then_some(0),
    }
}

fn region(
    path: Vec<String>,
    kernels: Vec<KernelSummary>,
    exclusive_ms: f64,
    all_ms: f64,
) -> NCUProfileRegion {
    let totals = totals(kernels);
    let sections = [
        (
            "SpeedOfLight",
            "GPU Speed Of Light Throughput",
            vec![("Compute (SM) Throughput", SM), ("DRAM Throughput", DRAM)],
        ),
        ("MemoryWorkloadAnalysis", "Memory Workload Analysis", vec![("Memory Throughput", MEMORY)]),
        ("Occupancy", "Occupancy", vec![("Achieved Occupancy", OCCUPANCY)]),
    ];
    NCUProfileRegion {
        name: path.join("::"),
        parent: (path.len() > 1).then(|| path[..path.len() - 1].join("::")),
        depth: u32::try_from(path.len() - 1).unwrap_or(0),
        path,
        kind: RangeKind::PushPop,
        domain: "<default domain>".to_owned(),
        process_id: Some(42),
        device: Some(0),
        total_ms: totals.total_ms,
        exclusive_ms,
        share: totals.total_ms / all_ms,
        kernel_count: totals.kernel_count,
        exclusive_kernel_count: totals.kernel_count,
        timed_count: totals.timed_count,
        exclusive_metrics: None,
        sections: sections
            .into_iter()
            .map(|(id, name, metrics)| SectionSummary {
                id: id.to_owned(),
                name: name.to_owned(),
                covered: totals.kernel_count,
                metrics: metrics
                    .into_iter()
                    .map(|(label, name)| SectionMetricSummary {
                        label: label.to_owned(),
                        name: name.to_owned(),
                        summary: totals.metrics[name].clone(),
                    })
                    .collect(),
            })
            .collect(),
        metrics: totals.metrics,
        kernels: totals.kernels,
        rules: Vec::new(),
        selection: RegionSelection {
            selector: None,
            results_seen: totals.kernel_count,
            results_selected: totals.kernel_count,
        },
    }
}

/// Kernels of one name put together, and metrics over all of them.
fn totals(launched: Vec<KernelSummary>) -> Totals {
    let mut kernels: IndexMap<String, KernelSummary> = IndexMap::new();
    for kernel in launched {
        match kernels.get_mut(&kernel.kernel_name) {
            Some(known) => {
                known.calls += kernel.calls;
                known.total_ms += kernel.total_ms;
                known.mean_ms = Some(known.total_ms / known.calls as f64);
            }
            None => drop(kernels.insert(kernel.kernel_name.clone(), kernel)),
        }
    }
    let mut kernels: Vec<KernelSummary> = kernels.into_values().collect();
    kernels.sort_by(|a, b| b.total_ms.total_cmp(&a.total_ms));
    let total_ms: f64 = kernels.iter().map(|kernel| kernel.total_ms).sum();
    let calls: u64 = kernels.iter().map(|kernel| kernel.calls).sum();
    for kernel in &mut kernels {
        kernel.share = kernel.total_ms / total_ms;
        for metric in kernel.metrics.values_mut() {
            (metric.covered, metric.of) = (kernel.calls, kernel.calls);
        }
    }
    let mut metrics = IndexMap::new();
    for name in [SM, MEMORY, DRAM, OCCUPANCY] {
        let weighted: f64 =
            kernels.iter().map(|kernel| kernel.total_ms * number(&kernel.metrics[name])).sum();
        metrics.insert(name.to_owned(), metric(weighted / total_ms, "%", calls));
    }
    metrics.insert("gpu__time_duration.sum".to_owned(), metric(total_ms * 1e6, "ns", calls));
    for counter in 0..60 {
        let name = format!("smsp__counter_{counter}.sum");
        metrics
            .insert(name, metric((total_ms * 1e6).round() * f64::from(counter + 1), "inst", calls));
    }
    Totals { total_ms, kernel_count: calls, timed_count: calls, metrics, kernels }
}

fn kernel(dice: &mut Dice, names: &[String]) -> KernelSummary {
    let name = &names[dice.upto(u32::try_from(names.len()).unwrap_or(1)) as usize];
    let calls = u64::from(dice.upto(9)) + 1;
    let mean = (dice.roll().powi(3) * 400_000.0).round() / 1e6 + 0.001;
    let metrics = [SM, MEMORY, DRAM, OCCUPANCY]
        .into_iter()
        .map(|name| (name.to_owned(), metric(dice.roll() * 100.0, "%", calls)))
        .collect();
    KernelSummary {
        kernel_name: name.clone(),
        function: name.split(['<', '(']).next().unwrap_or(name).to_owned(),
        kind: "kernel".to_owned(),
        calls,
        total_ms: mean * calls as f64,
        mean_ms: Some(mean),
        min_ms: Some(mean * 0.9),
        max_ms: Some(mean * 1.1),
        share: 0.0,
        device: Some(0),
        launch_shapes: vec![LaunchShape {
            grid: Some([u64::from(dice.upto(500)) + 1, 1, 1]),
            block: Some([128, 1, 1]),
            calls,
        }],
        metrics,
    }
}

/// A name as templates give it.
fn kernel_name(number: usize) -> String {
    format!(
        "void model::kernels::fused_op<model::Tile<(int){}, (int)64>, model::Layout<float, {number}>>(model::Params, float const*, int)",
        16 << (number % 5)
    )
}

fn metric(value: f64, unit: &str, results: u64) -> MetricSummary {
    MetricSummary {
        value: Some(Scalar::Number(value)),
        unit: unit.to_owned(),
        method: Method::TimeWeighted,
        exact: unit != "%",
        covered: results,
        of: results,
        min: None,
        max: None,
        reason: None,
    }
}

fn text_metric(text: &str) -> MetricSummary {
    MetricSummary {
        value: Some(Scalar::Text(text.to_owned())),
        unit: text.to_owned(),
        reason: Some(text.to_owned()),
        ..metric(0.0, "", 1)
    }
}

fn number(metric: &MetricSummary) -> f64 {
    match &metric.value {
        Some(Scalar::Number(value)) => *value,
        _ => 0.0,
    }
}
