//! One kernel in detail.

use ncu_rep::write::ReportWriter;
use serde_json::Value;

use crate::support::{Place, keep};

fn told(place: &Place, words: &[&str]) -> Value {
    let all: Vec<&str> =
        ["kernel", "sample.ncu-rep", "--format", "json"].iter().chain(words).copied().collect();
    let text = place.run(all).ok();
    keep("test-json-kernel", &text);
    serde_json::from_str(&text).unwrap()
}

#[test]
fn without_a_name_it_is_the_heaviest_and_says_so() {
    let place = Place::new();
    let found = told(&place, &[]);
    assert_eq!(found["is_heaviest"], true);
    let own = found["total_ms"].as_f64().unwrap();
    for other in found["others"].as_array().unwrap() {
        assert!(other["total_ms"].as_f64().unwrap() <= own, "{other}");
    }
    let text = place.run(["kernel", "sample.ncu-rep"]).ok();
    assert!(
        text.contains("the heaviest of 10 kernels") && text.contains("Other kernels"),
        "{text}"
    );
    assert!(text.starts_with("SIMULATED"), "{text}");
    assert!(text.contains("Warp states") && text.contains("Over the time of"), "{text}");
}

#[test]
fn a_function_s_own_name_will_do_and_a_pattern_may_name_several() {
    let place = Place::new();
    let names = |found: &Value| -> Vec<String> {
        let kernels = found["kernels"].as_array().unwrap().iter();
        kernels.map(|kernel| kernel["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&told(&place, &["--kernel", "gemm_up"])), ["gemm_up(GemmArgs)"]);
    let several = told(&place, &["--kernel", "glob:gemm_*"]);
    assert_eq!(names(&several).len(), 4);
    let sum: u64 = several["kernels"]
        .as_array()
        .unwrap()
        .iter()
        .map(|kernel| kernel["launches"].as_u64().unwrap())
        .sum();
    assert_eq!(several["launches"], sum);
    assert_eq!(several["durations"]["launches"], sum);
}

#[test]
fn a_region_a_shape_and_a_launch_narrow_it() {
    let place = Place::new();
    let all = told(&place, &["--kernel", "gemm_down"]);
    let part = told(&place, &["--kernel", "gemm_down", "--region", "decode"]);
    assert!(part["launches"].as_u64() < all["launches"].as_u64());
    let shapes = all["shapes"].as_array().unwrap();
    assert!(shapes.len() > 1, "{shapes:?}");
    let mut launches = 0;
    for shape in shapes {
        let words: Vec<String> = ["grid", "block"]
            .iter()
            .map(|side| {
                shape[side]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(Value::to_string)
                    .collect::<Vec<_>>()
                    .join(",")
            })
            .collect();
        let one = told(&place, &["--kernel", "gemm_down", "--shape", &words.join("x")]);
        assert_eq!(one["launches"], shape["calls"]);
        launches += one["launches"].as_u64().unwrap();
    }
    assert_eq!(all["launches"], launches);
    let dumped = place.run(["dump", "sample.ncu-rep"]).ok();
    let fifth: Value = serde_json::from_str(dumped.lines().nth(5).unwrap()).unwrap();
    let one = told(&place, &["--launch", "5"]);
    assert_eq!(one["launches"], 1);
    assert_eq!(one["kernels"][0]["name"], fifth["demangled"]);
    let ns = fifth["metrics"]["gpu__time_duration.sum"].as_f64().unwrap();
    assert!((one["durations"]["median_ms"].as_f64().unwrap() * 1e6 - ns).abs() < 1e-3);
    let report = place.run(["report", "sample.ncu-rep", "--launch", "5"]).ok();
    assert!(report.contains("1 selected"), "{report}");
}

#[test]
fn what_is_not_there_is_said_with_what_is() {
    let place = Place::new();
    let fails = |words: &[&str]| {
        let all: Vec<&str> = ["kernel", "sample.ncu-rep"].iter().chain(words).copied().collect();
        place.run(all).fails(2)
    };
    assert!(fails(&["--kernel", "gemm_dwn"]).contains("did you mean `gemm_down`?"));
    assert!(fails(&["--kernel", "gemm_up", "--shape", "1x1"]).contains("its launch shapes are "));
    assert!(fails(&["--launch", "90"]).contains("there is no result 90: there are 90"));
    assert!(
        fails(&["--launch", "0", "--kernel", "gemm_up"]).contains("result 0 is not one of them")
    );
    assert!(fails(&["--region", "decod"]).contains("did you mean `decode`?"));
    assert!(fails(&["--shape", "7"]).contains("128,1,1x256,1,1"));
    let json = place.run(["report", "sample.ncu-rep", "--format", "json"]).ok();
    fs_err::write(place.path("report.json"), json).unwrap();
    place.run(["kernel", "report.json"]).fails(2);
}

/// The charts of a kernel in the whole run are those of the page, number by number.
#[test]
fn the_page_has_the_same_charts() {
    let place = Place::new();
    let html = place.run(["report", "sample.ncu-rep", "--format", "html"]).ok();
    let (_, rest) = html.split_once("id=\"report\">").unwrap();
    let model: Value = serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap();
    let at = |value: &Value| usize::try_from(value.as_u64().unwrap()).unwrap();
    let text = |id: &Value| model["texts"][at(id)].as_str().unwrap();
    let list = &model["kernels"]["lists"]
        [at(&model["reports"][at(&model["main_report"])]["totals"]["kernels"])];
    let charts = &model["charts"];
    let value = |cell: &Value| cell.as_f64().or_else(|| cell[0].as_f64());
    let mut compared = 0;
    for (row, kernel) in list["kernel"].as_array().unwrap().iter().enumerate() {
        let name = text(&model["kernels"]["names"][at(kernel)][0]);
        let told = told(&place, &["--kernel", name]);
        let memory = &charts["all"][at(&list["charts"][row])]["memory"];
        let layout = &charts["layouts"][at(&memory["layout"])];
        for (flow, cells) in
            layout["flows"].as_array().unwrap().iter().zip(memory["links"].as_array().unwrap())
        {
            let link = &charts["links"][at(&flow[0])];
            let metric = text(&link["metrics"][0]);
            let links = told["details"]["memory"]["links"].as_array().unwrap();
            let same = links.iter().find(|one| one["amount"]["metrics"][0] == metric).unwrap();
            let (shown, exact) =
                (value(&cells[0]).unwrap(), same["amount"]["value"].as_f64().unwrap());
            assert!(
                (shown - exact).abs() <= exact.abs() * 1e-5,
                "{name}, {metric}: {shown}, {exact}"
            );
            compared += 1;
        }
    }
    assert!(compared > 50, "{compared}");
    let heaviest = &charts["launches"][0];
    let told = told(&place, &["--kernel", text(&heaviest["kernel"])]);
    assert_eq!(heaviest["result"], told["pm_sampling"]["launch"]);
    assert_eq!(
        heaviest["series"].as_array().unwrap().len(),
        told["pm_sampling"]["series"].as_array().unwrap().len()
    );
}

#[test]
fn charts_are_drawn_and_what_was_not_collected_is_told() {
    let place = Place::new();
    let plot = |kind: &str, more: &[&str]| {
        let all: Vec<&str> = ["plot", kind, "sample.ncu-rep"].iter().chain(more).copied().collect();
        place.run(all)
    };
    let svg = plot("memory", &["--kernel", "gemm_up(GemmArgs)"]).ok();
    assert!(svg.contains("Memory chart of gemm_up(GemmArgs)") && svg.contains("device memory"));
    assert!(plot("stalls", &[]).ok().contains("Long scoreboard"));
    assert!(plot("pm-sampling", &["--launch", "3"]).ok().contains("<svg"));
    let mut writer = ReportWriter::new(Vec::new()).unwrap();
    for mut data in rangescope_sim::sample::results(1, 0) {
        data.metrics.retain(|metric| {
            !metric.name.contains("stalled") && !metric.name.starts_with("pmsampling:")
        });
        writer.result(&data).unwrap();
    }
    fs_err::write(place.path("sample.ncu-rep"), writer.finish().unwrap()).unwrap();
    assert!(plot("stalls", &[]).fails(2).contains("ncu --section WarpStateStats"));
    assert!(plot("pm-sampling", &["--launch", "3"]).fails(2).contains("--section PmSampling"));
}

#[test]
fn markdown_has_the_charts_as_tables() {
    let place = Place::new();
    let text = place.run(["kernel", "sample.ncu-rep", "--format", "markdown"]).ok();
    for heading in ["# ", "## Durations", "## Memory chart", "### Device memory", "## Sections"] {
        assert!(text.lines().any(|line| line.starts_with(heading)), "{heading} in {text}");
    }
    place.run(["kernel", "sample.ncu-rep", "--format", "markdown", "--out", "k.md"]).ok();
    assert_eq!(fs_err::read_to_string(place.path("k.md")).unwrap(), text);
}
