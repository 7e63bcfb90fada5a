//! Documents made from kernels by path, small or large. Inclusive and exclusive times agree; other numbers only have to be plausible, and follow from
//! the time, so that they are the same every time.

use indexmap::IndexMap;
use rangescope_model::document::{
    Basis, DeviceInfo, KernelSummary, Limit, Method, Region, RegionDocument, RegionSelection,
    ResultSet, Scope, ScopeKind, ScopeReport, SectionSummary, Selection, SourceInfo, Unplaced,
};
use rangescope_model::number::weight;

use super::{
    DRAM, MEMORY, Metrics, OCCUPANCY, SM, each_region, measured, metric, of_reports, place, section,
};

/// A kernel in a region; an empty path is outside of all regions.
#[derive(Clone, Debug)]
pub struct Row {
    pub path: Vec<String>,
    pub kernel: String,
    pub calls: u64,
    pub ms: f64,
}

pub fn row(path: &[&str], kernel: &str, calls: u64, ms: f64) -> Row {
    let path = path.iter().map(|&name| name.to_owned()).collect();
    Row { path, kernel: kernel.to_owned(), calls, ms }
}

/// The document of these kernels as a run on one GPU gives it: a process, a device, the aggregate. Parents come before their children.
pub fn of_rows(rows: &[Row]) -> RegionDocument {
    let mut inclusive: IndexMap<&[String], Vec<&Row>> = IndexMap::new();
    for row in rows {
        for depth in 1..=row.path.len() {
            inclusive.entry(&row.path[..depth]).or_default().push(row);
        }
    }
    let everything = totals(&rows.iter().collect::<Vec<_>>());
    let outside: Vec<&Row> = rows.iter().filter(|row| row.path.is_empty()).collect();
    let mut regions: Vec<Region> = inclusive
        .into_iter()
        .map(|(path, inside)| region(path, &inside, everything.total_ms))
        .collect();
    place(&mut regions);
    let report = |scope| ScopeReport {
        scope,
        basis: Basis::Kernel,
        regions: regions.clone(),
        families: Vec::new(),
        totals: everything.clone().into(),
        unlabeled: totals(&outside).into(),
        unplaced: Unplaced::default(),
        selection: Selection {
            results_seen: everything.kernel_count,
            results_selected: everything.kernel_count,
            ..Selection::default()
        },
    };
    let process = Scope {
        process_id: Some(42),
        process_name: Some("train".to_owned()),
        rank: Some(0),
        ..super::scope(ScopeKind::Process, "process:42")
    };
    let device = Scope { device: Some(0), ..super::scope(ScopeKind::Device, "device:0") };
    let aggregate = super::scope(ScopeKind::Aggregate, "aggregate");
    RegionDocument {
        generated_at: Some("2026-01-01T00:00:00Z".to_owned()),
        config_fingerprint: "0123456789abcdef".to_owned(),
        sources: vec![SourceInfo {
            file: "made-up.ncu-rep".to_owned(),
            format: "ncu-rep".to_owned(),
            profiler: Some("2026.1.0.0".to_owned()),
            results: everything.kernel_count,
            lost: 0,
        }],
        devices: vec![DeviceInfo {
            pci: None,
            id: 0,
            name: Some("made-up GPU".to_owned()),
            compute_capability: Some("9.0".to_owned()),
            hosts: vec!["localhost".to_owned()],
        }],
        ranks: None,
        ..of_reports(vec![report(aggregate), report(process), report(device)])
    }
}

pub(super) fn region(path: &[String], inside: &[&Row], all_ms: Option<f64>) -> Region {
    let ResultSet { total_ms, kernel_count, metrics, kernels, .. } = totals(inside);
    let own = || inside.iter().filter(|row| row.path == path);
    let names: Vec<&str> = path.iter().map(String::as_str).collect();
    let mut region = super::region(&names, kernels);
    region.set.sections = sections(&metrics);
    region.set.metrics = metrics;
    Region {
        process_id: Some(42),
        exclusive_ms: Some(own().map(|row| row.ms).sum()),
        share: total_ms.zip(all_ms).map(|(part, all)| part / all.max(1e-9)),
        exclusive_kernel_count: own().map(|row| row.calls).sum(),
        selection: RegionSelection {
            selector: None,
            results_seen: kernel_count,
            results_selected: kernel_count,
        },
        ..region
    }
}

pub(super) fn sections(metrics: &Metrics) -> Vec<SectionSummary> {
    let header = |label: &'static str, name: &'static str| (label, name, metrics[name].clone());
    vec![
        section(
            "SpeedOfLight",
            "GPU Speed Of Light Throughput",
            vec![header("Compute (SM) Throughput", SM), header("DRAM Throughput", DRAM)],
        ),
        section(
            "MemoryWorkloadAnalysis",
            "Memory Workload Analysis",
            vec![header("Memory Throughput", MEMORY)],
        ),
        section("Occupancy", "Occupancy", vec![header("Achieved Occupancy", OCCUPANCY)]),
    ]
}

/// Kernels of one name put together, heaviest first, and metrics over all of them.
fn totals(rows: &[&Row]) -> ResultSet {
    let mut sums: IndexMap<&str, (u64, f64)> = IndexMap::new();
    for row in rows {
        let (calls, ms) = sums.entry(&row.kernel).or_default();
        (*calls, *ms) = (*calls + row.calls, *ms + row.ms);
    }
    sums.sort_by(|_, (_, one), _, (_, other)| other.total_cmp(one));
    let total_ms: f64 = rows.iter().map(|row| row.ms).sum();
    let kernels = sums.into_iter().map(|(name, (calls, ms))| {
        let (busy, traffic) = load(ms);
        let limit = match (busy >= 0.6, traffic >= 0.5) {
            (true, true) => Limit::Balanced,
            (true, false) => Limit::Compute,
            (false, true) => Limit::Memory,
            (false, false) => Limit::Latency,
        };
        let made = super::limited(super::kernel(name, calls, ms, &[]), limit, None);
        KernelSummary {
            min_ms: made.mean_ms.map(|mean| mean * 0.9),
            max_ms: made.mean_ms.map(|mean| mean * 1.3),
            share: Some(ms / total_ms.max(1e-9)),
            metrics: percentages(ms, calls),
            ..made
        }
    });
    let totals = super::totals(kernels.collect());
    ResultSet { metrics: percentages(total_ms, totals.kernel_count), ..totals }
}

/// Two numbers from 0 to 1 that look measured: how busy the SMs are, and how busy the memory is.
fn load(ms: f64) -> (f64, f64) {
    (0.05 + 0.9 * (ms * 7.919).fract(), 0.04 + 0.8 * (ms * 1.337).fract())
}

fn percentages(ms: f64, results: u64) -> Metrics {
    let (busy, traffic) = load(ms);
    [
        (SM, busy),
        (MEMORY, traffic + 0.1),
        (DRAM, traffic),
        (OCCUPANCY, f64::midpoint(busy, traffic)),
    ]
    .map(|(name, share)| {
        (name.to_owned(), measured(share * 100.0, "%", Method::TimeWeighted, results))
    })
    .into()
}

/// The document with the counters that a roofline is made from.
pub fn with_work(mut document: RegionDocument) -> RegionDocument {
    let add = |metrics: &mut Metrics, ms: f64| {
        let (busy, traffic) = load(ms);
        for (name, value) in [
            ("smsp__sass_thread_inst_executed_op_fadd_pred_on.sum.per_cycle_elapsed", 200.0 * busy),
            ("smsp__sass_thread_inst_executed_op_fmul_pred_on.sum.per_cycle_elapsed", 300.0 * busy),
            (
                "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum.per_cycle_elapsed",
                4000.0 * busy * traffic,
            ),
            ("smsp__cycles_elapsed.avg.per_second", 1.4e9),
            ("sm__sass_thread_inst_executed_op_ffma_pred_on.sum.peak_sustained", 10_496.0),
            ("sm__cycles_elapsed.avg.per_second", 1.4e9),
            ("dram__bytes.sum.per_second", 9e11 * traffic),
            ("dram__bytes.sum.peak_sustained", 96.0),
            ("dram__cycles_elapsed.avg.per_second", 9.5e9),
            ("lts__lts2xbar_cycles_active.sum.per_second", 9e10 * traffic),
            ("lts__lts2xbar_cycles_active.sum.peak_sustained", 48.0),
            ("lts__cycles_elapsed.avg.per_second", 1.5e9),
        ] {
            metrics.insert(name.to_owned(), metric(value));
        }
    };
    for report in &mut document.reports {
        for totals in [&mut report.totals, &mut report.unlabeled] {
            let share = weight(totals.total_ms);
            add(&mut totals.metrics, share);
            totals
                .kernels
                .iter_mut()
                .for_each(|kernel| add(&mut kernel.metrics, weight(kernel.total_ms)));
        }
    }
    each_region(&mut document, |region| {
        let set = &mut *region.set;
        add(&mut set.metrics, weight(set.total_ms));
        set.kernels.iter_mut().for_each(|kernel| add(&mut kernel.metrics, weight(kernel.total_ms)));
    });
    document
}

/// The document with so many counters in every region, as full captures have them.
pub fn with_counters(mut document: RegionDocument, counters: u32) -> RegionDocument {
    each_region(&mut document, |region| {
        for counter in 0..counters {
            let value = (weight(region.set.total_ms) * 1e6).round() * f64::from(counter + 1);
            let metric = measured(value, "inst", Method::Sum, region.set.kernel_count);
            region.set.metrics.insert(format!("smsp__counter_{counter}.sum"), metric);
        }
    });
    document
}

/// Two stages of a model with parts, and some work in no region.
pub fn serving() -> RegionDocument {
    let norm = "void rms_norm<float>(float *, const float *, int)";
    of_rows(&[
        row(
            &["prefill", "embed"],
            "void gather_rows<half>(const half *, const int *, half *)",
            4,
            0.02,
        ),
        row(
            &["prefill", "attention"],
            "void flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64, 4, false, false, cutlass::half_t>, true, false>(Flash_fwd_params)",
            32,
            3.1,
        ),
        row(
            &["prefill", "mlp"],
            "ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_64x3_tn",
            64,
            5.4,
        ),
        row(&["prefill", "norm"], norm, 64, 0.4),
        row(
            &["decode", "attention"],
            "void paged_attention_v2<half, 128, 16>(half *, const half *, int)",
            640,
            2.2,
        ),
        row(
            &["decode", "mlp"],
            "ampere_fp16_s16816gemm_fp16_64x64_sliced1x2_ldg8_stages_64x6_tn",
            1280,
            4.9,
        ),
        row(&["decode", "norm"], norm, 1280, 1.6),
        row(&["decode"], "void add_bias(float *, const float *)", 640, 0.7),
        row(&[], "void fill(float *, int)", 3, 0.9),
    ])
}

/// Numbers that look random and are the same every time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) % most
    }

    /// A kernel of this name that takes from a microsecond to about four milliseconds, most of them little.
    fn row(&mut self, path: &[String], kernel: String) -> Row {
        let calls = self.below(9) + 1;
        let roll = self.below(1_000_000) as f64 / 1e6;
        let mean = (roll.powi(3) * 400_000.0).round() / 1e6 + 0.001;
        Row { path: path.to_vec(), kernel, calls, ms: mean * calls as f64 }
    }
}

/// A name as templates give it.
fn kernel_name(number: u64) -> String {
    format!(
        "void model::kernels::fused_op<model::Tile<(int){}, (int)64>, model::Layout<float, {number}>>(model::Params, float const*, int)",
        16 << (number % 5)
    )
}

/// So many regions: stages, steps in them, layers in these, and parts of the layers.
pub fn many_regions(regions: usize) -> RegionDocument {
    let mut paths: Vec<Vec<String>> = Vec::new();
    'all: for stage in 0.. {
        let stage = vec![format!("stage.{stage}")];
        paths.push(stage.clone());
        for step in 0..4 {
            let step = [stage.clone(), vec![format!("step.{step}")]].concat();
            paths.push(step.clone());
            for layer in 0..32 {
                let layer = [step.clone(), vec![format!("layers.{layer}")]].concat();
                paths.push(layer.clone());
                for part in ["attention", "mlp", "norm", "residual"] {
                    paths.push([layer.clone(), vec![part.to_owned()]].concat());
                }
                if paths.len() >= regions {
                    break 'all;
                }
            }
        }
    }
    paths.truncate(regions);
    let mut dice = Dice(7);
    let mut rows = Vec::new();
    for path in paths.iter().chain([&Vec::new()]) {
        for _ in 0..=dice.below(3) {
            let name = kernel_name(dice.below(40));
            rows.push(dice.row(path, name));
        }
    }
    of_rows(&rows)
}

/// So many regions, each with so many kernels.
pub fn many_kernels(kernels: u64, regions: u64) -> RegionDocument {
    let mut dice = Dice(11);
    let mut rows = Vec::new();
    for region in 0..regions {
        let path = [format!("region.{region}")];
        rows.extend((0..kernels).map(|number| dice.row(&path, kernel_name(number))));
    }
    of_rows(&rows)
}

/// Regions one inside the other.
pub fn deep(levels: usize) -> RegionDocument {
    let path: Vec<String> = (0..levels).map(|level| format!("l{level}")).collect();
    let rows: Vec<Row> = (1..=levels)
        .map(|level| Row {
            path: path[..level].to_vec(),
            kernel: "k".to_owned(),
            calls: 1,
            ms: 0.1,
        })
        .collect();
    of_rows(&rows)
}

/// The document, and what it might have been before: regions were in turn faster, slower, the same, nearly the same and not there, and one has gone since.
/// Returns the base first.
pub fn two_sides(mut new: RegionDocument) -> (RegionDocument, RegionDocument) {
    let percent = |metrics: &mut Metrics, value: f64| {
        metrics.insert(SM.to_owned(), measured(value, "%", Method::TimeWeighted, 1));
    };
    each_region(&mut new, |region| percent(&mut region.set.metrics, 50.0));
    let mut base = new.clone();
    for source in &mut base.sources {
        "base.ncu-rep".clone_into(&mut source.file);
    }
    for report in &mut base.reports {
        let totals = &mut *report.totals;
        scale(&mut totals.total_ms, &mut totals.kernels, 0.9);
        let mut was = [0.9, 1.2, 1.0, 1.001, 0.0].into_iter().cycle();
        report.regions.retain_mut(|region| {
            let factor = was.next().unwrap_or(1.0);
            let set = &mut *region.set;
            scale(&mut set.total_ms, &mut set.kernels, factor);
            percent(&mut set.metrics, 40.0);
            region.exclusive_ms = region.exclusive_ms.map(|ms| ms * factor);
            factor > 0.0
        });
        let gone = super::region(&["gone <b>"], vec![super::kernel("old", 3, 9.0, &[])]);
        report.regions.push(gone);
        place(&mut report.regions);
    }
    (base, new)
}

fn scale(total_ms: &mut Option<f64>, kernels: &mut [KernelSummary], factor: f64) {
    let times = kernels.iter_mut().flat_map(|kernel| [&mut kernel.total_ms, &mut kernel.mean_ms]);
    for known in times.chain([total_ms]) {
        *known = known.map(|ms| ms * factor);
    }
}
