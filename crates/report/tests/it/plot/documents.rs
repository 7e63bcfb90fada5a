//! Documents made up for tests; their numbers only have to be plausible.

use rangescope_model::document::RegionDocument;
use serde_json::{Map, Value, json};

/// A kernel in a region: path, name, calls, total in milliseconds.
pub(crate) type Row<'a> = (&'a [&'a str], &'a str, u64, f64);

const SERVING: &[Row<'_>] = &[
    (&["prefill", "embed"], "void gather_rows<half>(const half *, const int *, half *)", 4, 0.02),
    (
        &["prefill", "attention"],
        "void flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64, 4, false, false, cutlass::half_t>, true, false>(Flash_fwd_params)",
        32,
        3.1,
    ),
    (&["prefill", "mlp"], "ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_64x3_tn", 64, 5.4),
    (&["prefill", "norm"], "void rms_norm<float>(float *, const float *, int)", 64, 0.4),
    (
        &["decode", "attention"],
        "void paged_attention_v2<half, 128, 16>(half *, const half *, int)",
        640,
        2.2,
    ),
    (
        &["decode", "mlp"],
        "ampere_fp16_s16816gemm_fp16_64x64_sliced1x2_ldg8_stages_64x6_tn",
        1280,
        4.9,
    ),
    (&["decode", "norm"], "void rms_norm<float>(float *, const float *, int)", 1280, 1.6),
    (&["decode"], "void add_bias(float *, const float *)", 640, 0.7),
    (&[], "void fill(float *, int)", 3, 0.9),
];

/// Two stages of a model with parts, and some work in no region.
pub(crate) fn serving() -> RegionDocument {
    document(SERVING, true, false)
}

/// The same without the metrics of a roofline.
pub(crate) fn without_work() -> RegionDocument {
    document(SERVING, false, false)
}

/// The same from a simulated device.
pub(crate) fn simulated() -> RegionDocument {
    document(SERVING, true, true)
}

/// Names that would do harm in a careless file.
pub(crate) fn hostile() -> RegionDocument {
    let long = "x".repeat(20_000);
    let marks = format!("a{}", "\u{301}".repeat(5_000));
    let rows: &[Row<'_>] = &[
        (&["</title><script>alert(1)</script>"], "k\"' onload='x'&amp;<b>", 1, 1.0),
        (&["\u{1b}[31mred\u{0}\u{7}", "\u{202e}txt.exe"], "\u{ffff}\u{fffe}]]>", 2, 1.0),
        (&["שלום עולם"], "漢字カーネル", 2, 0.5),
        (&[long.as_str()], long.as_str(), 3, 2.0),
        (&[marks.as_str()], "", 3, 0.5),
        (&[""], "\n\r\t", 3, 0.25),
    ];
    document(rows, true, true)
}

/// So many regions in a tree of threes.
pub(crate) fn many(regions: usize) -> RegionDocument {
    let names: Vec<String> = (0..regions).map(|index| format!("region.{index}")).collect();
    let paths: Vec<Vec<&str>> = (0..regions)
        .map(|index| {
            let mut path = vec![names[index].as_str()];
            let mut at = index;
            while at > 0 {
                at = (at - 1) / 3;
                path.push(&names[at]);
            }
            path.reverse();
            path
        })
        .collect();
    let rows: Vec<Row<'_>> =
        paths.iter().map(|path| (path.as_slice(), "k", 1, 0.01 + path.len() as f64)).collect();
    document(&rows, false, false)
}

/// Regions that are nested so deep.
pub(crate) fn deep(levels: usize) -> RegionDocument {
    let path = vec!["level"; levels];
    let rows: Vec<Row<'_>> = (1..=levels).map(|level| (&path[..level], "k", 1, 0.1)).collect();
    document(&rows, false, false)
}

/// The document of these kernels: aggregate and one device.
pub(crate) fn document(rows: &[Row<'_>], work: bool, simulated: bool) -> RegionDocument {
    let total: f64 = rows.iter().map(|row| row.3).sum();
    let mut paths: Vec<&[&str]> = Vec::new();
    for (path, ..) in rows {
        for length in 1..=path.len() {
            if !paths.contains(&&path[..length]) {
                paths.push(&path[..length]);
            }
        }
    }
    let regions: Vec<Value> = paths.iter().map(|path| region(path, rows, total, work)).collect();
    let everything: Vec<&Row<'_>> = rows.iter().collect();
    let unlabeled: Vec<&Row<'_>> = rows.iter().filter(|row| row.0.is_empty()).collect();
    let report = |id: &str, kind: &str| {
        json!({
            "scope": {"id": id, "kind": kind},
            "basis": "kernel",
            "regions": regions,
            "totals": totals(&everything, work),
            "unlabeled": totals(&unlabeled, work),
            "selection": {
                "regions": [], "regions_not_seen": [], "kernel_include": [], "kernel_exclude": [], "kernel_name_base": "demangled",
                "metrics": [], "metrics_not_found": [], "sections": [], "sections_not_found": [], "normalisation": [],
                "results_seen": 0, "results_selected": 0,
            },
        })
    };
    serde_json::from_value(json!({
        "schema_version": "1.0",
        "generated_at": null,
        "config_fingerprint": "",
        "tool": {"name": "rangescope", "version": "0"},
        "simulated": simulated,
        "sources": [],
        "devices": [{"id": 0, "name": "Test GPU", "compute_capability": "8.6", "hosts": []}],
        "notes": [],
        "reports": [report("device:0", "device"), report("aggregate", "aggregate")],
    }))
    .unwrap()
}

fn region(path: &[&str], rows: &[Row<'_>], total: f64, work: bool) -> Value {
    let inside: Vec<&Row<'_>> = rows.iter().filter(|row| row.0.starts_with(path)).collect();
    let own: Vec<&Row<'_>> = rows.iter().filter(|row| row.0 == path).collect();
    let ms = |rows: &[&Row<'_>]| rows.iter().map(|row| row.3).sum::<f64>();
    let calls = |rows: &[&Row<'_>]| rows.iter().map(|row| row.2).sum::<u64>();
    json!({
        "name": path.join("::"),
        "path": path,
        "parent": (path.len() > 1).then(|| path[..path.len() - 1].join("::")),
        "depth": path.len() - 1,
        "kind": "push_pop",
        "domain": "",
        "process_id": null,
        "device": 0,
        "total_ms": ms(&inside),
        "exclusive_ms": ms(&own),
        "share": ms(&inside) / total.max(1e-9),
        "kernel_count": calls(&inside),
        "exclusive_kernel_count": calls(&own),
        "timed_count": calls(&inside),
        "metrics": metrics(ms(&inside), work),
        "sections": [],
        "kernels": kernels(&inside, work),
        "rules": [],
        "selection": {"selector": null, "results_seen": 0, "results_selected": 0},
    })
}

fn totals(rows: &[&Row<'_>], work: bool) -> Value {
    let ms: f64 = rows.iter().map(|row| row.3).sum();
    let calls: u64 = rows.iter().map(|row| row.2).sum();
    json!({"total_ms": ms, "kernel_count": calls, "timed_count": calls, "metrics": metrics(ms, work), "kernels": kernels(rows, work)})
}

fn kernels(rows: &[&Row<'_>], work: bool) -> Vec<Value> {
    let all: f64 = rows.iter().map(|row| row.3).sum();
    let mut sums: Vec<(&str, u64, f64)> = Vec::new();
    for &&(_, name, calls, ms) in rows {
        match sums.iter_mut().find(|sum| sum.0 == name) {
            Some(sum) => (sum.1, sum.2) = (sum.1 + calls, sum.2 + ms),
            None => sums.push((name, calls, ms)),
        }
    }
    sums.sort_by(|left, right| right.2.total_cmp(&left.2));
    let kernel = |(name, calls, ms): (&str, u64, f64)| {
        let mean = ms / calls as f64;
        json!({
            "kernel_name": name, "function": name, "kind": "kernel", "calls": calls, "total_ms": ms, "mean_ms": mean,
            "min_ms": mean * 0.9, "max_ms": mean * 1.3, "share": ms / all.max(1e-9), "device": 0, "launch_shapes": [], "metrics": metrics(ms, work),
        })
    };
    sums.into_iter().map(kernel).collect()
}

/// Metrics that look measured and are the same for the same time.
fn metrics(ms: f64, work: bool) -> Value {
    let busy = 0.05 + 0.9 * (ms * 7.919).fract();
    let traffic = 0.04 + 0.8 * (ms * 1.337).fract();
    let mut all = vec![
        ("sm__throughput.avg.pct_of_peak_sustained_elapsed", busy * 100.0),
        ("gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", traffic * 100.0),
    ];
    if work {
        all.extend([
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
        ]);
    }
    let entry = |(name, value): (&str, f64)| {
        let metric = json!({"value": value, "unit": "", "method": "time_weighted", "exact": true, "covered": 1, "of": 1});
        (name.to_owned(), metric)
    };
    Value::Object(all.into_iter().map(entry).collect::<Map<_, _>>())
}

/// So many regions with work, none in another.
pub(crate) fn many_points(regions: usize) -> RegionDocument {
    let names: Vec<[String; 1]> = (0..regions).map(|index| [format!("stage.{index}")]).collect();
    let paths: Vec<[&str; 1]> = names.iter().map(|[name]| [name.as_str()]).collect();
    let rows: Vec<Row<'_>> = paths
        .iter()
        .enumerate()
        .map(|(index, path)| (path.as_slice(), "k", 1, 0.5 + index as f64 * 0.37))
        .collect();
    document(&rows, true, false)
}
