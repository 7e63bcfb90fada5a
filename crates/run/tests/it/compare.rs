//! Real runs of one program, compared and checked by hand.

use crate::read;
use rangescope_analyze::compare::{CompareOptions, Gate, compare};
use rangescope_model::comparison::{Comparison, GateStatus, KernelDelta, NoteSeverity, Verdict};
use rangescope_model::document::RegionDocument;
use rangescope_report::{ExportOptions, Format};
use rangescope_testing::shared;

fn report(name: &str) -> Option<RegionDocument> {
    Some(read(&shared("comparison of real reports")?.join("corpus/reports").join(name)))
}

fn near(value: Option<f64>, expected: f64) {
    let value = value.unwrap();
    assert!(
        (value - expected).abs() <= 1e-9 * expected.abs().max(1.0),
        "{value} is not {expected}"
    );
}

fn codes(comparison: &Comparison) -> Vec<&str> {
    comparison.notes.iter().map(|note| note.code.as_str()).collect()
}

/// A benchmark of matrix products on an A10G, twice: the same four kernels, the second time with ncu's roofline set.
#[test]
fn the_same_kernels_twice() {
    let (Some(base), Some(new)) = (
        report("AveryClapp__ESMM-Research__profile.71fb9e58.ncu-rep"),
        report("AveryClapp__ESMM-Research__profile_output.ncu-rep"),
    ) else {
        return;
    };
    let comparison = compare(&[base], &[new], &CompareOptions::default());
    assert_eq!(comparison.notes[0].severity, NoteSeverity::Warning, "{:?}", comparison.notes);
    assert!(codes(&comparison).contains(&"other-metrics"));
    assert!(!codes(&comparison).contains(&"other-device"));
    let scope = &comparison.scopes[0];
    assert!(scope.regions.is_empty(), "the program has no ranges");
    let kernel = |function: &str| -> &KernelDelta {
        scope.totals.kernels.iter().find(|kernel| kernel.function == function).unwrap()
    };
    let functions: Vec<&str> =
        scope.totals.kernels.iter().map(|kernel| kernel.function.as_str()).collect();
    assert_eq!(
        functions,
        ["warptiling", "vectorized_blocktiling", "two_blocktiling", "one_blocktiling"]
    );
    for (function, base, new, verdict) in TIMES {
        let kernel = kernel(function);
        near(kernel.time.absolute, (new - base) / 1e6);
        near(kernel.time.relative, (new - base) / base);
        assert_eq!(kernel.verdict, verdict, "{function}");
        near(kernel.calls.absolute, 0.0);
    }
    let sum = |get: fn(&(&str, f64, f64, Verdict)) -> f64| TIMES.iter().map(get).sum::<f64>();
    near(scope.totals.time.absolute, (sum(|row| row.2) - sum(|row| row.1)) / 1e6);
    assert_eq!(scope.totals.verdict, Verdict::Same, "less than one per cent");
}

/// Nanoseconds as NVIDIA's reader states them.
const TIMES: [(&str, f64, f64, Verdict); 4] = [
    ("one_blocktiling", 431_840.0, 431_648.0, Verdict::Same),
    ("two_blocktiling", 295_744.0, 296_704.0, Verdict::Same),
    ("vectorized_blocktiling", 262_304.0, 260_512.0, Verdict::Same),
    ("warptiling", 226_880.0, 222_464.0, Verdict::LowerNotJudged),
];

/// A fused matrix product of CUTLASS with other tile sizes: `Fused-GEMM` is in both, `Non-fused-GEMM` only in the first.
#[test]
fn regions_of_two_builds() {
    let (Some(base), Some(new)) =
        (report("panjd123__cutlass__384.ncu-rep"), report("panjd123__cutlass__report80.ncu-rep"))
    else {
        return;
    };
    let options = CompareOptions {
        gates: ["Fused-GEMM: time > 5%", "Fused-GEMM: sm_throughput < -3", "calls < -1"]
            .map(|gate| Gate::parse(gate).unwrap())
            .to_vec(),
        ..CompareOptions::default()
    };
    let comparison = compare(&[base], &[new], &options);
    let regions = &comparison.scopes[0].regions;
    let seen: Vec<(&str, Verdict)> =
        regions.iter().map(|region| (region.name.as_str(), region.verdict)).collect();
    assert_eq!(seen, [("Non-fused-GEMM", Verdict::Gone), ("Fused-GEMM", Verdict::LowerNotJudged)]);
    near(regions[0].time.base.map(|spread| spread.median), 0.021_824);
    assert_eq!(regions[0].time.absolute, None);
    near(regions[1].time.absolute, 0.009_344 - 0.026_112);
    near(regions[1].time.relative, (9_344.0 - 26_112.0) / 26_112.0);
    let value = |name: &str| {
        let metric = regions[1].metrics.iter().find(|metric| metric.name == name).unwrap();
        (metric.delta.base.unwrap().median, metric.delta.new.unwrap().median)
    };
    let (base_sm, new_sm) = value("sm_throughput");
    assert!((base_sm - 14.789_742).abs() < 1e-6 && (new_sm - 2.479_716).abs() < 1e-6);
    let (base_bytes, _) = value("dram_bytes");
    assert_eq!(base_bytes, 1_523_840.0);
    // The kernels are other instances of a template, so that none of them is in both.
    assert!(
        regions[1]
            .kernels
            .iter()
            .all(|kernel| { matches!(kernel.verdict, Verdict::New | Verdict::Gone) })
    );
    let gates = comparison.gates.unwrap();
    let statuses: Vec<GateStatus> = gates.gates.iter().map(|gate| gate.status).collect();
    assert_eq!(statuses, [GateStatus::Passed, GateStatus::Violated, GateStatus::Violated]);
}

#[test]
fn the_same_report_has_no_difference() {
    let Some(document) = report("NVIDIA__nsight-training__manual_nvtx.ncu-rep") else { return };
    let comparison = compare(
        std::slice::from_ref(&document),
        std::slice::from_ref(&document),
        &CompareOptions::default(),
    );
    assert_eq!(codes(&comparison), ["same-run"]);
    assert!(comparison.scopes[0].regions.iter().all(|region| region.verdict == Verdict::Same));
    insta::assert_snapshot!(text(&comparison, "terminal", 80));
}

#[test]
fn another_device_is_said_first() {
    let (Some(base), Some(new)) = (
        report("NVIDIA__nsight-training__manual_nvtx.ncu-rep"),
        report("panjd123__cutlass__384.ncu-rep"),
    ) else {
        return;
    };
    let comparison = compare(&[base], &[new], &CompareOptions::default());
    assert_eq!(comparison.notes[0].code, "other-device");
    assert!(codes(&comparison).contains(&"other-profiler"));
}

fn text(comparison: &Comparison, format: &str, width: usize) -> String {
    let options = ExportOptions { width, ..ExportOptions::default() };
    let mut bytes = Vec::new();
    let writer = Format::find(format).unwrap().comparison.unwrap();
    writer(comparison, &[], &options, &mut bytes).unwrap();
    // Of the colours of this comparison, which is of equal sides, only those of heads are there.
    String::from_utf8(bytes).unwrap().replace("\u{1b}[1m", "").replace("\u{1b}[0m", "")
}
