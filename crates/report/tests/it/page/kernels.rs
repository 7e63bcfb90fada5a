//! What the page holds about kernels: those launched directly in a region, and what limits their launches.

use rangescope_model::document::{KernelSummary, LaunchShape, Limit, LimitShare, RegionDocument};
use rangescope_testing::documents::families::layered;
use rangescope_testing::documents::tree::{many_kernels, of_rows, row};
use serde_json::{Value, json};

use super::{data, page};

fn table(model: &Value) -> &Value {
    &model["regions"][0]
}

/// Names, calls and nanoseconds of what is directly in a node.
fn direct(model: &Value, node: usize) -> Vec<(String, u64, f64)> {
    let number = usize::try_from(table(model)["direct"][node].as_i64().unwrap()).unwrap();
    let rows = model["kernels"]["direct"][number].as_array().unwrap().iter();
    rows.map(|row| {
        let kernel = usize::try_from(row[0].as_u64().unwrap()).unwrap();
        let name = usize::try_from(model["kernels"]["names"][kernel][0].as_u64().unwrap()).unwrap();
        let name = model["texts"][name].as_str().unwrap().to_owned();
        (name, row[1].as_u64().unwrap(), row[2].as_f64().unwrap())
    })
    .collect()
}

#[test]
fn a_region_has_the_kernels_outside_of_the_regions_inside_it() {
    let document = of_rows(&[
        row(&["step"], "gemm", 2, 0.5),
        row(&["step", "mlp"], "gemm", 3, 1.25),
        row(&["step", "mlp"], "act", 1, 0.125),
    ]);
    let model = data(&page(&document), "report");
    assert_eq!(direct(&model, 0), [("gemm".to_owned(), 2, 500_000.0)]);
    assert_eq!(table(&model)["direct"][1], -1, "all of the list is not stored twice");
}

#[test]
fn what_cannot_be_told_is_absent() {
    let mut document = of_rows(&[row(&["a"], "gemm", 2, 0.5), row(&["a", "b"], "gemm", 3, 1.25)]);
    for report in &mut document.reports {
        report.regions.remove(1);
    }
    let model = data(&page(&document), "report");
    assert_eq!(table(&model)["direct"], json!([null]));
}

#[test]
fn a_family_has_those_of_its_members() {
    let document = layered();
    let model = data(&page(&document), "report");
    let report = &document.reports[0];
    assert_eq!(
        table(&model)["direct"].as_array().unwrap().len(),
        report.regions.len() + report.families.len()
    );
    for (at, family) in report.families.iter().enumerate() {
        let node = report.regions.len() + at;
        let number = table(&model)["direct"][node].as_i64().unwrap();
        let calls = match usize::try_from(number) {
            Ok(_) => direct(&model, node).iter().map(|(_, calls, _)| calls).sum(),
            Err(_) => family.set.kernel_count,
        };
        assert_eq!(calls, family.exclusive_kernel_count, "{}", family.name);
    }
}

#[test]
fn limits_come_with_kernels_and_their_shapes() {
    let limited = |limit, unit: Option<&str>, launches| LimitShare {
        limit,
        unit: unit.map(str::to_owned),
        total_ms: Some(launches as f64),
        launches,
    };
    let shape = |grid, limits: Vec<LimitShare>| LaunchShape {
        grid: Some([grid, 1, 1]),
        block: Some([256, 1, 1]),
        calls: limits.iter().map(|one| one.launches).sum(),
        total_ms: Some(2.0),
        limits,
    };
    let mut document = of_rows(&[row(&["a"], "gemm", 4, 8.0)]);
    with_kernels(&mut document, |kernel| {
        kernel.limits =
            vec![limited(Limit::Memory, Some("dram"), 3), limited(Limit::Compute, None, 1)];
        kernel.launch_shapes = vec![
            shape(8, vec![limited(Limit::Memory, Some("dram"), 3)]),
            shape(16, vec![limited(Limit::Compute, None, 1)]),
        ];
    });
    let model = data(&page(&document), "report");
    let kernels = &model["kernels"];
    let texts = model["texts"].as_array().unwrap();
    let dram = texts.iter().position(|text| text == "dram").unwrap();
    assert_eq!(kernels["limits"], json!([["memory", dram], ["compute", null]]));
    let list = &kernels["lists"][0];
    assert_eq!(list["limits"], json!([[[0, 3, 3_000_000], [1, 1, 1_000_000]]]));
    assert_eq!(list["shapes"], json!([[[0, 3, 2_000_000, 0], [1, 1, 2_000_000, 1]]]));
}

#[test]
fn one_limit_is_one_number() {
    let model = data(&page(&many_kernels(3, 1)), "report");
    let limits = model["kernels"]["lists"][0]["limits"].as_array().unwrap();
    assert!(limits.len() == 3 && limits.iter().all(Value::is_u64), "{limits:?}");
}

fn with_kernels(document: &mut RegionDocument, change: impl Fn(&mut KernelSummary)) {
    for report in &mut document.reports {
        let totals = report.totals.kernels.iter_mut();
        totals.for_each(&change);
        for region in &mut report.regions {
            region.set.kernels.iter_mut().for_each(&change);
        }
    }
}
