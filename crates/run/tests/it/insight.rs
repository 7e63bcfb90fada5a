//! Real reports: every one of them gives conclusions, and some of them are checked by hand.

use crate::read;
use rangescope_analyze::insight::Insight;
use rangescope_analyze::insight::model::{BoundClass, FactKind, MemoryLevel, ReportInsight};
use rangescope_model::document::Limit;
use rangescope_testing::shared;

fn main_report(insight: &Insight) -> &ReportInsight {
    &insight.reports[insight.main_report.unwrap()]
}

fn near(value: f64, expected: f64) {
    assert!((value - expected).abs() <= 1e-3 * expected.abs(), "{value} is not {expected}");
}

#[test]
fn every_report_of_the_corpus() {
    let Some(shared) = shared("conclusions from all reports") else { return };
    let mut reports = 0;
    for folder in ["corpus/reports", "corpus/synthetic"] {
        for entry in fs_err::read_dir(shared.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "tsv") {
                continue;
            }
            let document = read(&path);
            let insight = Insight::of(&document);
            reports += 1;
            assert_eq!(insight.reports.len(), document.reports.len());
            for (told, concluded) in document.reports.iter().zip(&insight.reports) {
                assert_eq!(told.regions.len(), concluded.regions.len());
                assert_eq!(told.totals.kernels.len(), concluded.totals.kernels.len());
                for (told, concluded) in told.regions.iter().zip(&concluded.regions) {
                    assert_eq!(told.set.kernels.len(), concluded.kernels.len());
                    assert!(concluded.findings.iter().all(|finding| !finding.title.is_empty()));
                }
            }
            let value = serde_json::to_value(&insight).unwrap();
            assert_eq!(serde_json::from_value::<Insight>(value).unwrap(), insight, "{path:?}");
        }
    }
    assert!(reports > 20, "{reports}");
}

/// ncu's own numbers for `one_blocktiling` on an A10G: 3783 operations a cycle at 1.315 GHz of 20480, 47.9 GB/s of 96 bytes a cycle at 6.23 GHz.
#[test]
fn the_roofline_of_a_real_kernel() {
    let Some(shared) = shared("the roofline of a real report") else { return };
    let document =
        read(&shared.join("corpus/reports/AveryClapp__ESMM-Research__profile_output.ncu-rep"));
    let insight = Insight::of(&document);
    let totals = &main_report(&insight).totals;
    let kernels = &document.reports[insight.main_report.unwrap()].totals.kernels;
    let at = kernels.iter().position(|kernel| kernel.function == "one_blocktiling").unwrap();
    let [point] = &totals.kernels[at].points[..] else { panic!("one precision") };
    assert_eq!(point.precision, "fp32");
    near(point.work, 3_783.097_551 * 1_315_081_269.9);
    near(point.peak.unwrap(), 20_480.0 * 1_315_081_269.9);
    let levels: Vec<MemoryLevel> = point.traffic.iter().map(|traffic| traffic.level).collect();
    assert_eq!(levels, [MemoryLevel::Dram, MemoryLevel::L2, MemoryLevel::L1]);
    near(point.traffic[0].bytes_per_second, 47_911_631_699.9);
    near(point.traffic[0].peak.unwrap(), 96.0 * 6_232_633_998.07);
    near(point.traffic[0].intensity, 103.839);
    near(point.traffic[1].bytes_per_second, 299_818_518_793.0);
    near(point.traffic[2].peak.unwrap(), 10_240.0 * 1_315_081_269.9);
    assert!(point.exact);
    assert_eq!(totals.kernels[at].bound.class, BoundClass::Balanced);
}

/// A flash attention kernel on an RTX 4060 Ti works in tensor cores, fp16 in and fp32 out.
#[test]
fn tensor_paths_of_a_real_kernel() {
    let Some(shared) = shared("tensor work of a real report") else { return };
    let document = read(
        &shared.join("corpus/reports/Bias92__flashattn-cuda__db_full_after_n4096_full.ncu-rep"),
    );
    let insight = Insight::of(&document);
    let points = &main_report(&insight).totals.roofline.points;
    let tensor = points.iter().find(|point| point.precision == "tensor fp16→fp32").unwrap();
    near(tensor.work, 34_738_808_243_553.7);
    near(tensor.peak.unwrap(), 40_082_145_653_369.6);
    assert!(points.iter().any(|point| point.precision == "fp32"));
    // SM throughput is 43 %, because the pipe could do twice as much with fp16 out; the peak of what it did is nearly reached.
    let bound = &main_report(&insight).totals.bound;
    assert_eq!((bound.class, bound.unit.as_deref()), (BoundClass::Compute, Some("tensor")));
    near(bound.compute_pct.unwrap(), 86.669);
    let limits = &document.reports[insight.main_report.unwrap()].totals.limits;
    assert_eq!(limits.len(), 1);
    assert_eq!((limits[0].limit, limits[0].launches), (Limit::Compute, 1));
    assert!(main_report(&insight).facts[1].sentence.contains("compute-bound (tensor cores)"));
    // ncu's rules are advice of a report without ranges too.
    let findings = &main_report(&insight).findings;
    assert!(findings.iter().any(|finding| finding.rule.is_some()));
}

/// An int8 GEMM of 0.44 waves on an A100: the grid limits it, its tensor work was not counted, and its few fp32 operations are not its work.
#[test]
fn a_small_grid_of_tensor_work() {
    let Some(shared) = shared("a small grid of a real report") else { return };
    let document = read(&shared.join("corpus/reports/panjd123__cutlass__384.ncu-rep"));
    let insight = Insight::of(&document);
    let report = main_report(&insight);
    assert_eq!(report.totals.bound.class, BoundClass::SmallGrid);
    let limits = &document.reports[insight.main_report.unwrap()].totals.limits;
    assert!(limits.iter().all(|share| share.limit == Limit::SmallGrid), "{limits:?}");
    assert!(report.totals.roofline.points.is_empty());
    let left_out: Vec<&str> =
        report.totals.roofline.not_drawn.iter().map(|work| work.precision.as_str()).collect();
    assert_eq!(left_out, ["fp32", "tensor"]);
    let findings = report.regions.iter().flat_map(|region| &region.findings);
    let codes: Vec<&str> = findings.map(|finding| finding.outcome.as_str()).collect();
    assert!(codes.contains(&"limited-by-small-grid"), "{codes:?}");
}

#[test]
fn the_facts_of_nvidias_sample() {
    let Some(shared) = shared("facts of a real report") else { return };
    let document =
        read(&shared.join("corpus/reports/NVIDIA__nsight-training__manual_nvtx.ncu-rep"));
    let insight = Insight::of(&document);
    let report = main_report(&insight);
    let kinds: Vec<FactKind> = report.facts.iter().map(|fact| fact.kind).collect();
    assert_eq!(
        kinds,
        [
            FactKind::Heaviest,
            FactKind::Limiter,
            FactKind::Advice,
            FactKind::Uncovered,
            FactKind::Unlabeled
        ]
    );
    assert_eq!(report.facts[0].regions, [2, 3, 1]);
    assert!(report.facts[1].sentence.contains("`run_test::daxpy` is memory-bound"));
    // The heaviest places say what limits them.
    let says = |at: usize| {
        report.regions[at].findings.iter().any(|finding| finding.outcome == "limited-by-dram")
    };
    assert_eq!((0..report.regions.len()).filter(|at| says(*at)).collect::<Vec<_>>(), [1, 2, 3]);
}
