//! The charts that a page keeps of regions and kernels.

use std::sync::Arc;

use rangescope_analyze::insight::kernel::{LongestLaunch, PmSampling};
use rangescope_model::document::RegionDocument;
use rangescope_report::ExportOptions;
use rangescope_report::page::KernelCharts;
use rangescope_testing::documents::charts::{with_charts, with_kernel_charts};
use rangescope_testing::documents::families::layered;
use rangescope_testing::documents::tree::many_kernels;
use serde_json::Value;

use super::{data, page, page_with};

fn charted(document: &RegionDocument, charts: KernelCharts) -> Value {
    let options = ExportOptions { charts: Some(Arc::new(charts)), ..ExportOptions::default() };
    data(&page_with(document, &options), "report")
}

fn heavy(document: &RegionDocument) -> KernelCharts {
    KernelCharts { document: with_kernel_charts(document.clone(), 200), launches: Vec::new() }
}

fn index(value: &Value) -> usize {
    usize::try_from(value.as_u64().unwrap()).unwrap()
}

/// The numbers of charts of every list of kernels, and how long each list is.
fn of_lists(model: &Value) -> Vec<(Vec<i64>, usize)> {
    let lists = model["kernels"]["lists"].as_array().unwrap().iter();
    let numbers = |list: &Value| -> Vec<i64> {
        list["charts"].as_array().unwrap().iter().map(|one| one.as_i64().unwrap()).collect()
    };
    lists.map(|list| (numbers(list), list["kernel"].as_array().unwrap().len())).collect()
}

#[test]
fn kernels_have_the_charts_that_were_read_for_them() {
    let document = layered();
    let model = charted(&with_charts(document.clone()), heavy(&document));
    let charts = &model["charts"];
    assert_eq!(charts["by_kernel"], true);
    for (numbers, rows) in of_lists(&model) {
        assert_eq!(numbers.len(), rows);
        for number in numbers {
            let chart = &charts["all"][usize::try_from(number).unwrap()];
            assert!(chart["memory"].is_object() && chart["states"].is_array(), "{chart}");
            let layout = &charts["layouts"][index(&chart["memory"]["layout"])];
            let places = layout["flows"].as_array().unwrap().len()
                + layout["elsewhere"].as_array().unwrap().len();
            assert_eq!(chart["memory"]["links"].as_array().unwrap().len(), places);
        }
    }
    let lacks: Vec<&Value> = charts["not_in_launches"].as_array().unwrap().iter().collect();
    assert_eq!(lacks.len(), 2, "opcodes and samples were looked for in vain");
}

#[test]
fn charts_of_other_launches_are_none_of_the_kernel() {
    let document = layered();
    let mut given = heavy(&document);
    for report in &mut given.document.reports {
        for kernel in &mut report.totals.kernels {
            kernel.calls += 1;
        }
    }
    let model = charted(&document, given);
    let totals = index(&model["reports"][0]["totals"]["kernels"]);
    assert!(of_lists(&model)[totals].0.is_empty(), "a kernel of other launches");
    let without = data(&page(&document), "report");
    assert_eq!(without["charts"]["launches"], Value::Null, "nobody looked");
    assert_eq!(without["charts"]["by_kernel"], false);
}

#[test]
fn the_heaviest_have_charts_and_their_number_is_bounded() {
    let document = many_kernels(2_000, 4);
    let all = KernelCharts {
        document: with_kernel_charts(document.clone(), 2_000),
        launches: Vec::new(),
    };
    let model = charted(&document, all);
    let kept: Vec<(Vec<i64>, usize)> = of_lists(&model);
    let charts: std::collections::BTreeSet<i64> =
        kept.iter().flat_map(|(numbers, _)| numbers).copied().filter(|one| *one >= 0).collect();
    assert!((400..=800).contains(&charts.len()), "{}", charts.len());
    for list in model["kernels"]["lists"].as_array().unwrap() {
        let numbers = list["charts"].as_array().unwrap();
        let ns = |row: usize| list["ns"][row].as_f64().unwrap();
        let rows = 0..list["kernel"].as_array().unwrap().len();
        let has = |row: &usize| numbers.get(*row).is_some_and(|one| one.as_i64() >= Some(0));
        let lightest = rows.clone().filter(has).map(ns).fold(f64::INFINITY, f64::min);
        let left_out = rows.filter(|row| !has(row)).map(ns).fold(0.0, f64::max);
        assert!(left_out <= lightest, "{left_out} ns has none, {lightest} ns has one");
    }
}

#[test]
fn a_launch_without_a_number_is_none() {
    let document = layered();
    let sampled = PmSampling { launch: 7, duration_ms: None, series: Vec::new() };
    let launch = LongestLaunch { kernel: "gemm_mlp".to_owned(), opcodes: Vec::new(), sampled };
    let model = charted(&document, KernelCharts { launches: vec![launch], ..heavy(&document) });
    let launch = &model["charts"]["launches"][0];
    assert_eq!((&launch["result"], &launch["ns"]), (&Value::from(7), &Value::Null));
    assert_eq!(launch["series"].as_array().unwrap().len(), 0);
}
