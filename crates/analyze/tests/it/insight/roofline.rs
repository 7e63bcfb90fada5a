//! Rooflines made from numbers that can be checked by hand.

use rangescope_analyze::insight::Insight;
use rangescope_analyze::insight::model::{CeilingKind, MemoryLevel, RooflinePoint};
use rangescope_analyze::insight::roofline::{kernel_points, region_points};
use rangescope_model::document::Method;
use rangescope_testing::documents::{document, kernel, metric, metrics, region};

const FADD: &str = "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum.per_cycle_elapsed";
const FMUL: &str = "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum.per_cycle_elapsed";
const FFMA: &str = "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum.per_cycle_elapsed";
const FFMA_PEAK: &str = "sm__sass_thread_inst_executed_op_ffma_pred_on.sum.peak_sustained";
const CLOCK: &str = "sm__cycles_elapsed.avg.per_second";

/// A device with 1 GHz, 100 fused multiply-adds and 50 bytes a cycle.
const WORK: [(&str, f64); 7] = [
    (FADD, 4.0),
    (FMUL, 6.0),
    (FFMA, 20.0),
    (CLOCK, 1e9),
    ("dram__bytes.sum.per_second", 25e9),
    ("dram__bytes.sum.peak_sustained", 50.0),
    ("dram__cycles_elapsed.avg.per_second", 1e9),
];

fn point_of(values: &[(&str, f64)]) -> Option<RooflinePoint> {
    let mut told = region(&["A"], vec![kernel("k", 1, 1.0, values)]);
    told.set.metrics = metrics(values);
    let insight = Insight::of(&document(vec![told], Vec::new()));
    insight.reports[0].regions[0].roofline.points.first().cloned()
}

#[test]
fn work_traffic_and_ceilings() {
    let mut values = WORK.to_vec();
    values.push((FFMA_PEAK, 100.0));
    let point = point_of(&values).unwrap();
    assert_eq!(point.precision, "fp32");
    assert_eq!(point.work, (4.0 + 6.0 + 2.0 * 20.0) * 1e9);
    assert_eq!(point.peak, Some(200e9));
    let [dram] = point.traffic[..] else { panic!("{:?}", point.traffic) };
    assert_eq!((dram.level, dram.intensity), (MemoryLevel::Dram, 2.0));
    assert_eq!((dram.peak, dram.attainable), (Some(50e9), Some(100e9)));
}

/// A kernel whose tensor cores were busy, uncounted, did more than its few scalar operations show.
#[test]
fn uncounted_tensor_work_hides_the_rest() {
    let mut values = WORK.to_vec();
    values.push((FFMA_PEAK, 100.0));
    let tensor = "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active";
    for (busy_pct, drawn) in [(20.0, true), (30.0, false)] {
        values.push((tensor, busy_pct));
        let mut told = region(&["A"], vec![kernel("k", 1, 1.0, &values)]);
        told.set.metrics = metrics(&values);
        let insight = Insight::of(&document(vec![told], Vec::new()));
        let found = &insight.reports[0].regions[0];
        // fp32 reaches 25 % of its peak.
        assert_eq!(!found.roofline.points.is_empty(), drawn, "{busy_pct}");
        assert_eq!(!found.kernels[0].points.is_empty(), drawn, "{busy_pct}");
        let left_out: Vec<&str> =
            found.roofline.not_drawn.iter().map(|work| work.precision.as_str()).collect();
        assert_eq!(left_out.contains(&"fp32"), !drawn);
        assert!(left_out.contains(&"tensor"));
        values.pop();
    }
}

#[test]
fn each_way_of_collecting_a_counter_gives_the_same_work() {
    let expected = point_of(&WORK).unwrap().work;
    let name =
        |op: &str, way: &str| format!("smsp__sass_thread_inst_executed_op_f{op}_pred_on.sum{way}");
    // Over the millisecond of the region there are a million cycles.
    for (way, factor) in [(".per_second", 1e9), ("", 1e6)] {
        let (add, mul, fma) = (name("add", way), name("mul", way), name("fma", way));
        let point =
            point_of(&[(&add, 4.0 * factor), (&mul, 6.0 * factor), (&fma, 20.0 * factor)]).unwrap();
        assert_eq!(point.work, expected, "{way}");
        assert!(point.traffic.is_empty());
    }
}

#[test]
fn a_part_of_the_work_is_no_work() {
    assert_eq!(point_of(&WORK[1..]), None, "additions were not counted");
    let without_clock: Vec<_> = WORK.iter().copied().filter(|(name, _)| *name != CLOCK).collect();
    assert_eq!(point_of(&without_clock), None, "per cycle, but no cycles");
}

#[test]
fn counts_that_do_not_cover_all_results_are_not_divided_by_all_of_the_time() {
    let name = |op: &str| format!("smsp__sass_thread_inst_executed_op_f{op}_pred_on.sum");
    let mut told = region(&["A"], vec![kernel("k", 2, 1.0, &[])]);
    for operation in ["add", "mul", "fma"] {
        let mut part = metric(1e6);
        (part.covered, part.of) = (1, 2);
        told.set.metrics.insert(name(operation), part);
    }
    let insight = Insight::of(&document(vec![told], Vec::new()));
    assert!(insight.reports[0].regions[0].roofline.points.is_empty());
}

#[test]
fn tensor_work_by_instruction_takes_its_factor_from_the_report() {
    let values = [
        ("smsp__inst_executed_pipe_tensor.sum.per_cycle_elapsed", 3.0),
        ("sm__inst_executed_pipe_tensor.sum.peak_sustained", 80.0),
        (CLOCK, 1e9),
    ];
    assert_eq!(
        point_of(&values),
        None,
        "how many operations an instruction is depends on the chip"
    );
    let mut told = values.to_vec();
    told.push(("derived__sm__inst_executed_pipe_tensor_x512", 40960.0));
    let point = point_of(&told).unwrap();
    assert_eq!((point.work, point.peak), (3.0 * 512e9, Some(40960e9)));
}

#[test]
fn a_kernel_is_measured_against_the_peaks_of_its_region() {
    let mut told = region(
        &["A"],
        vec![kernel("fast", 1, 1.0, &WORK[..5]), kernel("idle", 1, 1.0, &[(CLOCK, 1e9)])],
    );
    told.set.metrics = metrics(&WORK);
    told.set.metrics.insert(FFMA_PEAK.to_owned(), metric(100.0));
    let told = document(vec![told], Vec::new());
    let insight = Insight::of(&told);
    let points = kernel_points(&told, &insight, 0, Some(0));
    let [point] = points[..] else { panic!("{points:?}") };
    assert_eq!((point.name, point.index, point.time_ms), ("fast", 0, Some(1.0)));
    assert_eq!(point.point.peak, Some(200e9));
    // The clock of DRAM was not summarised for the kernel, so its own peak cannot be told.
    assert_eq!(point.point.traffic[0].peak, None);
    assert_eq!(region_points(&told, &insight, 0).len(), 1);
    assert!(kernel_points(&told, &insight, 7, None).is_empty());
    assert!(kernel_points(&told, &insight, 0, Some(7)).is_empty());
}

#[test]
fn peaks_that_differ_make_no_ceiling() {
    let mut told = region(&["A"], vec![kernel("k", 1, 1.0, &[])]);
    told.set.metrics = metrics(&WORK);
    let mut differs = metric(0.0);
    (differs.value, differs.method) = (None, Method::Varies);
    (differs.min, differs.max) = (Some(100.0), Some(200.0));
    told.set.metrics.insert(FFMA_PEAK.to_owned(), differs);
    let mut told = document(vec![told], Vec::new());
    told.reports[0].totals.metrics = told.reports[0].regions[0].set.metrics.clone();
    let insight = Insight::of(&told);
    let roofline = &insight.reports[0].regions[0].roofline;
    assert_eq!(roofline.points[0].peak, None);
    assert!(roofline.ceilings.iter().all(|ceiling| ceiling.kind == CeilingKind::Memory));
    let missing = &insight.reports[0].roofline_missing;
    let compute = missing.iter().find(|missing| missing.what.starts_with("compute")).unwrap();
    assert!(compute.what.contains("without one value"), "{compute:?}");
    assert!(compute.presets.is_empty());
}
