//! `rangescope report` from the outside: selection, formats, folders.

use std::borrow::Cow;

use crate::support::{Place, keep_json, region, scope, shared};
use ncu_rep::write::ReportWriter;
use ncu_rep::{DEFAULT_DOMAIN, NvtxDomain, NvtxRange, NvtxState};

fn names(report: &serde_json::Value) -> Vec<String> {
    report["regions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| r["name"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn the_sample_has_its_regions_scopes_and_says_that_it_is_simulated() {
    let document = Place::new().json(["--sample"]);
    assert_eq!(document["simulated"], true);
    let scopes: Vec<_> =
        document["reports"].as_array().unwrap().iter().map(|r| r["scope"]["id"].clone()).collect();
    assert_eq!(scopes, ["aggregate", "process:4242", "device:0"]);
    let report = scope(&document, "aggregate");
    let prefill = region(report, "prefill");
    let decode = region(report, "decode");
    let total = report["totals"]["total_ms"].as_f64().unwrap();
    let parts = [prefill, decode, &report["unlabeled"]]
        .iter()
        .map(|r| r["total_ms"].as_f64().unwrap())
        .sum::<f64>();
    assert!((total - parts).abs() < 1e-9, "{total} is not {parts}");
}

#[test]
fn every_format_says_simulated() {
    let place = Place::new();
    for format in ["terminal", "markdown", "json", "csv", "sections", "html"] {
        let text = place.run(["report", "--sample", "--format", format]).ok();
        assert!(text.to_lowercase().contains("simulated"), "{format}: {text}");
    }
}

#[test]
fn regions_are_selected_by_pattern() {
    let place = Place::new();
    let chosen =
        |pattern: &str| names(scope(&place.json(["--sample", "--region", pattern]), "aggregate"));
    assert!(chosen("decode*").iter().all(|name| name.starts_with("decode")));
    assert_eq!(chosen("prefill/layers.0/attn"), ["prefill::layers.0::attn"]);
    assert_eq!(chosen("prefill::embed;decode::embed"), ["prefill::embed", "decode::embed"]);
    assert_eq!(
        chosen("regex:layers\\.[1-9]").len(),
        18,
        "three further layers with two parts each, in two phases"
    );
    assert_eq!(chosen("**/mlp").len(), 8);
    assert_eq!(chosen("nowhere"), [""; 0]);
}

#[test]
fn ncu_expressions_select_the_same_results_as_in_dump() {
    let place = Place::new();
    let report = place.json(["--sample", "--region", "ncu:prefill/*/attn/"]);
    let lines = place.run(["dump", "sample.ncu-rep", "--nvtx-include", "prefill/*/attn/"]).ok();
    assert_eq!(scope(&report, "aggregate")["totals"]["kernel_count"], lines.lines().count());
}

#[test]
fn kernels_are_included_and_excluded_and_exclude_wins() {
    let place = Place::new();
    let kernels = |words: &[&str]| {
        let document = place.json(["--sample"].into_iter().chain(words.iter().copied()));
        let report = scope(&document, "aggregate").clone();
        let list = report["totals"]["kernels"].as_array().unwrap().clone();
        let mut names: Vec<_> =
            list.iter().map(|k| k["function"].as_str().unwrap().to_owned()).collect();
        names.sort();
        names
    };
    assert_eq!(
        kernels(&["--kernel", "regex:^gemm"]),
        ["gemm_down", "gemm_out", "gemm_qkv", "gemm_up"]
    );
    assert_eq!(
        kernels(&["--kernel", "regex:^gemm", "--exclude-kernel", "regex:gemm_(down|up)"]),
        ["gemm_out", "gemm_qkv"]
    );
    assert_eq!(kernels(&["--kernel", "gemm_up", "--kernel-name-base", "function"]), ["gemm_up"]);
    assert_eq!(
        kernels(&["--kernel", "gemm_up"]),
        [""; 0],
        "an exact name is exact: the demangled one has arguments"
    );
}

#[test]
fn an_empty_selection_is_a_note_not_a_failure() {
    let place = Place::new();
    for words in [["--kernel", "nothing"], ["--region", "nothing"]] {
        let document = place.json(["--sample"].into_iter().chain(words));
        let codes: Vec<_> = document["notes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|n| n["code"].as_str().unwrap())
            .collect();
        assert!(codes.contains(&"nothing-selected"), "{codes:?}");
        let text = place.run(["report", "--sample"].into_iter().chain(words)).ok();
        assert!(text.contains("selected"), "{text}");
    }
}

#[test]
fn metrics_and_sections_are_what_was_asked_for() {
    let place = Place::new();
    let document = place.json([
        "--sample",
        "--metrics",
        "dram__bytes.sum,no_such_metric",
        "--sections",
        "Occupancy",
    ]);
    let report = scope(&document, "aggregate");
    let decode = region(report, "decode");
    let metrics: Vec<_> = decode["metrics"].as_object().unwrap().keys().cloned().collect();
    assert_eq!(
        metrics,
        [
            "dram__bytes.sum",
            "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
            "sm__throughput.avg.pct_of_peak_sustained_elapsed"
        ],
        "what every table shows stays"
    );
    let sections: Vec<_> =
        decode["sections"].as_array().unwrap().iter().map(|s| s["id"].clone()).collect();
    assert_eq!(sections, ["Occupancy"]);
    assert_eq!(report["selection"]["metrics_not_found"], serde_json::json!(["no_such_metric"]));
}

#[test]
fn the_aggregate_can_be_left_out_and_only_it() {
    let place = Place::new();
    let with = place.json(["--sample"]);
    let without = place.json(["--sample", "--no-aggregate"]);
    let others: Vec<_> = with["reports"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|r| r["scope"]["id"] != "aggregate")
        .cloned()
        .collect();
    assert_eq!(without["reports"].as_array().unwrap(), &others);
}

#[test]
fn several_files_add_up() {
    let place = Place::new();
    fs_err::copy(place.path("sample.ncu-rep"), place.path("again.ncu-rep")).unwrap();
    let once = place.json(["sample.ncu-rep"]);
    let twice = place.json(["sample.ncu-rep", "again.ncu-rep"]);
    let time =
        |document| region(scope(document, "aggregate"), "decode")["total_ms"].as_f64().unwrap();
    assert!((2.0 * time(&once) - time(&twice)).abs() < 1e-9);
}

#[test]
fn a_folder_holds_all_reports_and_gives_them_again_byte_for_byte() {
    let place = Place::new();
    place.run(["report", "sample.ncu-rep", "--out", "run", "--quiet"]).ok();
    for file in [
        "report.md",
        "report.json",
        "ncu/raw.csv",
        "ncu/sections_report.txt",
        "ncu/regions/report.md",
        "ncu/regions/report.json",
    ] {
        assert!(place.path("run").join(file).is_file(), "{file}");
    }
    for file in ["report.md", "report.json", "kernels.csv", "sections.txt"] {
        assert!(place.path("run/ncu/regions/decode").join(file).is_file(), "{file}");
    }
    let markdown = fs_err::read_to_string(place.path("run/report.md")).unwrap();
    for heading in [
        "# NCU Region Reports\n",
        "\n## Selected Sections\n",
        "\n## Selected Metrics\n",
        "\n## Summary\n",
        "\n| Region | Total ms | Kernels |",
    ] {
        assert!(markdown.contains(heading), "{heading}");
    }
    // A run folder is an input too; moved elsewhere it gives the same report.
    fs_err::copy(place.path("sample.ncu-rep"), place.path("run/ncu/sample.ncu-rep")).unwrap();
    fs_err::rename(place.path("run"), place.path("moved")).unwrap();
    place.run(["report", "moved", "--out", "again", "--quiet"]).ok();
    for file in ["report.md", "report.json", "ncu/raw.csv", "ncu/regions/decode/report.json"] {
        let (first, again) = (
            fs_err::read(place.path("moved").join(file)).unwrap(),
            fs_err::read(place.path("again").join(file)).unwrap(),
        );
        assert!(first == again, "{file} differs");
    }
    for entry in walk(&place.path("again"))
        .iter()
        .filter(|path| path.extension().is_some_and(|e| e == "json"))
    {
        keep_json(&fs_err::read_to_string(entry).unwrap());
    }
}

#[test]
fn out_is_a_file_by_its_format_or_ending_and_else_a_folder() {
    let place = Place::new();
    let report = |words: &[&str]| {
        place.run(["report", "sample.ncu-rep"].into_iter().chain(words.iter().copied()))
    };
    let read = |name: &str| fs_err::read_to_string(place.path(name)).unwrap();
    report(&["--out", "page.html"]).ok();
    assert!(read("page.html").starts_with("<!doctype html>"));
    report(&["--out", "text.txt"]).ok();
    assert!(read("text.txt").starts_with("SIMULATED") && !read("text.txt").contains('\u{1b}'));
    report(&["--format", "sections", "--out", "all.txt"]).ok();
    assert!(read("all.txt").contains("Region: prefill"));
    report(&["--format", "csv", "--out", "kernels"]).ok();
    assert!(read("kernels").starts_with("kernel_name,"));
    report(&["--out", "run.2"]).ok();
    assert!(place.path("run.2/report.json").is_file());
    // A folder that is there stays one, whatever it is called.
    fs_err::create_dir(place.path("old.html")).unwrap();
    report(&["--out", "old.html"]).ok();
    assert!(place.path("old.html/report.json").is_file());
    for (words, expected) in [
        (["--format", "html", "--out", "page.md"], "`page.md` ends like markdown, but --format is"),
        (["--format", "html", "--out", "run.2"], "`run.2` is a folder, and --format html is one"),
        (["--scope", "aggregate", "--out", "report.pdf"], "the format of `report.pdf` does not"),
    ] {
        let said = report(&words).fails(2);
        assert!(said.contains(expected) && said.contains("\nhint: "), "{said}");
    }
    assert!(!place.path("page.md").exists() && !place.path("report.pdf").exists());
}

#[test]
fn drawings_are_what_their_names_say() {
    let place = Place::new();
    let plot = |kind: &'static str, out: &'static str| {
        place.run(["plot", kind, "sample.ncu-rep", "--out", out])
    };
    plot("icicle", "tree.svg").ok();
    plot("bars", "bars.txt").ok();
    let bars = fs_err::read_to_string(place.path("bars.txt")).unwrap();
    assert!(bars.contains("prefill") && bars.contains('█'), "{bars}");
    assert!(plot("icicle", "tree.pdf").fails(2).contains("write --out tree.svg"));
    assert!(plot("bars", "bars.png").fails(2).contains("bars are text"));
    assert!(!place.path("tree.pdf").exists() && !place.path("bars.png").exists());
}

/// The report of one kernel by Nsight Compute 2025.4, with nine messages of rules, of which seven estimate a speed-up.
#[test]
fn a_real_report_without_ranges_is_as_good_as_the_details_page() {
    let name = "corpus/reports/Bias92__flashattn-cuda__db_full_after_n4096_full.ncu-rep";
    let Some(path) = shared("a kernel's report").map(|shared| shared.join(name)) else { return };
    let (place, path) = (Place::new(), path.to_str().unwrap());
    let markdown = place.run(["report", path, "--format", "markdown"]).ok();
    let rules = markdown.split("\n### Rules\n").nth(1).unwrap().split("\n### ").next().unwrap();
    assert_eq!(rules.matches("\n- **").count(), 9, "{rules}");
    assert_eq!(rules.matches("may gain").count(), 7, "{rules}");
    assert!(markdown.contains("| Achieved Occupancy | 38.06 | % |"), "{markdown}");
    let screen = place.run(["report", path]).ok();
    for expected in [
        "compute (tensor cores)",
        "5 blocks per SM, limited by registers and shared memory",
        "989.09 µs",
        "Theoretical Occupancy (est. speed-up 58.3 %, local)",
        "Worth doing first",
        "`rangescope profile -- PROGRAM`",
        "`rangescope advice`",
    ] {
        assert!(screen.contains(expected), "{expected}: {screen}");
    }
    assert!(screen.lines().count() < 90, "{}", screen.lines().count());
}

/// Three kernels in 105 launches: each has sections with values of its own.
#[test]
fn kernels_of_a_real_report_have_sections_of_their_own() {
    let name = "corpus/reports/Zahid-Pathan__BitonicSort_CUDA-Opt__my_profile.ncu-rep";
    let Some(path) = shared("a report of kernels").map(|shared| shared.join(name)) else { return };
    let sections =
        Place::new().run(["report", path.to_str().unwrap(), "--format", "sections"]).ok();
    let kernels: Vec<&str> = sections.split("\nKernel: ").skip(1).collect();
    assert_eq!(kernels.len(), 3, "{sections}");
    for (kernel, occupancy) in kernels.iter().zip(["65.29", "96.48", "98.08"]) {
        let line = kernel.lines().find(|line| line.contains("Achieved Occupancy")).unwrap();
        assert!(line.contains(occupancy), "{line}");
    }
}

#[test]
fn hostile_names_stay_in_the_folder_and_off_the_terminal() {
    let hostile = [
        "../../escape",
        "/etc/passwd",
        "..",
        ".",
        "",
        "a/b",
        "a_b",
        "a b",
        "line\nbreak",
        "\u{1b}[31mred\u{1b}[0m",
        "bell\u{7}",
        "bidi \u{202e}txt",
        "<script>alert(1)</script>",
        "| pipe | `tick`",
        "CON",
        "-rf",
    ];
    let long = "x".repeat(10_000);
    let place = Place::new();
    let mut writer = ReportWriter::new(Vec::new()).unwrap();
    let template = rangescope_sim::sample::results(1, 0);
    for (name, data) in hostile.iter().copied().chain([&*long]).zip(template.iter().cycle()) {
        let range = NvtxRange { name: Cow::Borrowed(name), ..NvtxRange::default() };
        let domain = NvtxDomain {
            name: DEFAULT_DOMAIN.into(),
            push_pop: vec![range],
            start_end: Vec::new(),
        };
        let mut data = data.clone();
        data.nvtx = Some(NvtxState { domains: vec![domain], ..NvtxState::default() });
        data.function = Cow::Borrowed(name);
        data.demangled = Cow::Borrowed(name);
        writer.result(&data).unwrap();
    }
    fs_err::create_dir(place.path("inner")).unwrap();
    fs_err::write(place.path("inner/hostile.ncu-rep"), writer.finish().unwrap()).unwrap();
    place.run(["report", "inner/hostile.ncu-rep", "--out", "inner/out"]).ok();
    let outside: Vec<_> =
        fs_err::read_dir(place.root()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(outside.len(), 2, "{outside:?}");
    let folders = fs_err::read_dir(place.path("inner/out/ncu/regions"))
        .unwrap()
        .filter(|e| e.as_ref().unwrap().path().is_dir())
        .count();
    assert_eq!(folders, hostile.len() + 1, "one folder a region, none overwritten");
    for format in ["terminal", "markdown"] {
        let text = place.run(["report", "inner/hostile.ncu-rep", "--format", format]).ok();
        let bad = text.chars().find(|c| (c.is_control() && *c != '\n') || *c == '\u{202e}');
        assert_eq!(bad, None, "{format}");
    }
}

fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut files = Vec::new();
    for entry in fs_err::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files.extend(walk(&path)) } else { files.push(path) }
    }
    files
}
