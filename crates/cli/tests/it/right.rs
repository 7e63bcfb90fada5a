//! The numbers that a region report must show for a real report, checked by hand.

use crate::support::{Place, region, scope, shared};

const SM: &str = "sm__throughput.avg.pct_of_peak_sustained_elapsed";

fn near(value: &serde_json::Value, expected: f64, tolerance: f64) {
    let value = value.as_f64().unwrap_or(f64::NAN);
    assert!((value - expected).abs() <= tolerance, "{value} is not {expected}");
}

#[test]
fn the_nested_ranges_of_nvidias_sample() {
    let Some(shared) = shared("numbers of a real report") else { return };
    let path = shared.join("corpus/reports/NVIDIA__nsight-training__manual_nvtx.ncu-rep");
    let document = Place::new().json([path.to_str().unwrap()]);
    let report = scope(&document, "aggregate");
    let names: Vec<&str> =
        report["regions"].as_array().unwrap().iter().map(|r| r["name"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        ["run_test", "run_test::init_data", "run_test::daxpy", "run_test::check_results"]
    );

    let run_test = region(report, "run_test");
    near(&run_test["total_ms"], 0.422_208, 1e-12);
    near(&run_test["exclusive_ms"], 0.0, 0.0);
    assert_eq!(run_test["kernel_count"], 3);
    assert_eq!(run_test["depth"], 0);
    near(&run_test["metrics"][SM]["value"], 21.90, 0.005);
    assert_eq!(run_test["metrics"][SM]["method"], "largest_part");
    assert_eq!(
        run_test["metrics"][SM]["busiest"],
        "sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_elapsed"
    );
    // The cycles of `sm` were not collected; those of `gpc` stand in.
    assert_eq!(run_test["metrics"][SM]["exact"], false);
    assert_eq!(run_test["metrics"][SM]["unit"], "%");

    let daxpy = region(report, "run_test::daxpy");
    assert_eq!(daxpy["path"], serde_json::json!(["run_test", "daxpy"]));
    assert_eq!((&daxpy["parent"], &daxpy["depth"]), (&0.into(), &1.into()));
    let total: f64 =
        names[1..].iter().map(|name| region(report, name)["total_ms"].as_f64().unwrap()).sum();
    near(&run_test["total_ms"], total, 1e-12);
    near(&report["totals"]["total_ms"], 0.422_208, 1e-12);
    assert_eq!(report["unlabeled"]["kernel_count"], 0);
    assert_eq!(document["simulated"], false);
}

#[test]
fn a_report_without_ranges_is_all_unlabeled() {
    let Some(shared) = shared("a real report without ranges") else { return };
    let path = shared.join("corpus/reports/NVIDIA__nsight-training__CuVectorAddDrv.ncu-rep");
    let document = Place::new().json([path.to_str().unwrap()]);
    let report = scope(&document, "aggregate");
    assert_eq!(report["regions"].as_array().unwrap().len(), 0);
    assert_eq!(report["unlabeled"]["kernel_count"], 1);
    near(&report["unlabeled"]["total_ms"], 0.003_232, 1e-12);
}

#[test]
fn csv_and_report_of_one_run_agree() {
    let Some(shared) = shared("a report beside its CSV") else { return };
    let place = Place::new();
    let report = shared.join("corpus/reports/NVIDIA__nsight-training__manual_nvtx.ncu-rep");
    let report = place.json([report.to_str().unwrap()]);
    for name in [
        "ncu2024.1.1.raw",
        "ncu2024.1.1.raw-base",
        "ncu2022.3.0.raw",
        "ncu2022.3.0.raw-base",
        "ncu2024.1.1.details",
    ] {
        let csv = shared
            .join(format!("corpus/csv/derived__NVIDIA__nsight-training__manual_nvtx.{name}.csv"));
        let csv = place.json([csv.to_str().unwrap()]);
        for path in
            ["run_test", "run_test::init_data", "run_test::daxpy", "run_test::check_results"]
        {
            let from_csv = region(scope(&csv, "aggregate"), path);
            let from_report = region(scope(&report, "aggregate"), path);
            // Pages in scaled units round to two or six decimals.
            near(&from_csv["total_ms"], from_report["total_ms"].as_f64().unwrap(), 2e-5);
            assert_eq!(from_csv["kernel_count"], from_report["kernel_count"]);
            let (ours, theirs) = (&from_csv["metrics"][SM], &from_report["metrics"][SM]);
            // CSV does not list the counters of which a throughput is the largest, so that of several results is made in another way.
            if from_csv["kernel_count"] == 1 {
                near(&ours["value"], theirs["value"].as_f64().unwrap(), 0.01);
            }
        }
    }
}
