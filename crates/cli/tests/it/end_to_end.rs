//! From a program to its report, on the simulated device: real program, real ranges, real command lines, simulated numbers.

use std::path::Path;

use crate::support::{Place, region, scope};
use rangescope_testing::recording::File;
use serde_json::Value;

const RANGESCOPE: &str = env!("CARGO_BIN_EXE_rangescope");

/// Profiles a scenario of the model into `run` and gives the report.
fn profile(place: &Place, out: &str, scenario: &str, words: &[&str]) -> Value {
    let model = ["dummy-model", "--scenario", scenario, "--device", "sim"];
    let program = [RANGESCOPE].into_iter().chain(model);
    let words = ["profile", "--simulate", "--out", out].into_iter().chain(words.iter().copied());
    place.run(words.chain(["--"]).chain(program)).ok();
    report(&place.path(out))
}

fn report(folder: &Path) -> Value {
    let text = fs_err::read_to_string(folder.join("report.json")).unwrap();
    crate::support::keep_json(&text);
    crate::support::stored::expanded(&text)
}

fn names(report: &Value) -> Vec<&str> {
    let regions = report["regions"].as_array().unwrap();
    regions.iter().map(|region| region["name"].as_str().unwrap()).collect()
}

fn total(region: &Value) -> f64 {
    region["total_ms"].as_f64().unwrap()
}

#[track_caller]
fn close(left: f64, right: f64) {
    assert!(
        (left - right).abs() <= 0.01 * right.abs(),
        "{left} and {right} differ by more than 1 %"
    );
}

#[test]
fn three_regions_with_their_sections_and_metrics() {
    let place = Place::new();
    let document = profile(&place, "run", "nested", &["--region", "A;B;A::A1"]);
    assert_eq!(document["simulated"], true);
    let all = scope(&document, "aggregate");
    assert_eq!(names(all), ["A", "A::A1", "B"]);
    for name in ["A", "A::A1", "B"] {
        let region = region(all, name);
        let sections: Vec<&str> = region["sections"]
            .as_array()
            .unwrap()
            .iter()
            .map(|s| s["id"].as_str().unwrap())
            .collect();
        let (rooflines, others): (Vec<&str>, Vec<&str>) =
            sections.into_iter().partition(|id| id.ends_with("RooflineChart"));
        assert_eq!(others, ["SpeedOfLight", "MemoryWorkloadAnalysis", "Occupancy"]);
        assert_eq!(rooflines.len(), 4, "{rooflines:?}");
        for metric in ["gpu__time_duration.sum", "sm__throughput.avg.pct_of_peak_sustained_elapsed"]
        {
            assert!(region["metrics"][metric]["value"].as_f64().unwrap() > 0.0, "{name} {metric}");
        }
        let folder = place.path("run/ncu/regions").join(name.replace("::", "_"));
        for file in ["report.md", "report.json", "kernels.csv", "sections.txt"] {
            assert!(folder.join(file).is_file(), "{name}/{file}");
        }
    }
    // Parents are inclusive: the whole is its own part and the region inside.
    let outer = region(all, "A");
    close(total(outer), outer["exclusive_ms"].as_f64().unwrap() + total(region(all, "A::A1")));
    assert_eq!(all["unlabeled"]["kernel_count"], 0, "kernels outside of the regions are left out");
}

#[test]
fn kernel_and_range_mode_agree() {
    let place = Place::new();
    let regions = ["--region", "A;B;A::A1"];
    let kernel = profile(&place, "kernel", "nested", &regions);
    let range =
        profile(&place, "range", "nested", &[&regions[..], &["--replay", "range"]].concat());
    let app =
        profile(&place, "app", "nested", &[&regions[..], &["--replay", "app-range"]].concat());
    let kernel = scope(&kernel, "aggregate");
    for other in [scope(&range, "aggregate"), scope(&app, "aggregate")] {
        assert_eq!(other["basis"], "range");
        for name in ["A", "A::A1", "B"] {
            close(total(region(other, name)), total(region(kernel, name)));
        }
        close(total(&other["totals"]), total(&kernel["totals"]));
    }
}

#[test]
fn back_to_back_overlapping_and_outside_launches_follow_the_rules() {
    let place = Place::new();
    let document = profile(&place, "outside", "outside", &[]);
    let all = scope(&document, "aggregate");
    assert!(all["unlabeled"]["kernel_count"].as_u64().unwrap() > 0);
    let labeled: u64 = all["regions"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|region| region["depth"] == 0)
        .map(|region| region["kernel_count"].as_u64().unwrap())
        .sum();
    let unlabeled = all["unlabeled"]["kernel_count"].as_u64().unwrap();
    assert_eq!(labeled + unlabeled, all["totals"]["kernel_count"].as_u64().unwrap());

    let document = profile(&place, "back", "back-to-back", &[]);
    let all = scope(&document, "aggregate");
    let mut seen = names(all);
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), names(all).len(), "instances of one range are one region");

    let document = profile(&place, "overlap", "overlapping", &[]);
    let all = scope(&document, "aggregate");
    let regions = all["regions"].as_array().unwrap();
    assert!(regions.iter().all(|region| region["kind"] == "start_end"));
    let sum: u64 = regions.iter().map(|region| region["kernel_count"].as_u64().unwrap()).sum();
    let counted = all["totals"]["kernel_count"].as_u64().unwrap()
        - all["unlabeled"]["kernel_count"].as_u64().unwrap();
    assert!(sum > counted, "a kernel in two open ranges counts in both, and once in the total");
}

#[test]
fn kernel_patterns_take_exactly_the_subset() {
    let place = Place::new();
    let everything = profile(&place, "all", "many-kernels", &[]);
    let everything = scope(&everything, "aggregate");
    let matching = |take: &dyn Fn(&str) -> bool| -> (u64, f64) {
        let kernels = everything["totals"]["kernels"].as_array().unwrap().iter();
        kernels.filter(|kernel| take(kernel["kernel_name"].as_str().unwrap())).fold(
            (0, 0.0),
            |(calls, time), kernel| {
                (calls + kernel["calls"].as_u64().unwrap(), time + total(kernel))
            },
        )
    };
    let biggest = everything["regions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|region| region["exclusive_kernel_count"].as_u64().unwrap())
        .max()
        .unwrap();
    assert!(biggest >= 20, "{biggest} kernels in a region");
    for (out, words, take) in [
        (
            "include",
            &["--kernel", "regex:conv"][..],
            &(|name: &str| name.contains("conv")) as &dyn Fn(&str) -> bool,
        ),
        (
            "both",
            &["--kernel", "regex:conv|mem", "--exclude-kernel", "regex:memset"],
            &|name: &str| {
                (name.contains("conv") || name.contains("mem")) && !name.contains("memset")
            },
        ),
    ] {
        let (calls, time) = matching(take);
        assert!(calls > 0);
        let document = profile(&place, out, "many-kernels", words);
        let all = scope(&document, "aggregate");
        assert_eq!(all["totals"]["kernel_count"].as_u64().unwrap(), calls);
        close(total(&all["totals"]), time);
        let kernels = all["totals"]["kernels"].as_array().unwrap();
        assert!(kernels.iter().all(|kernel| take(kernel["kernel_name"].as_str().unwrap())));
    }
    let words = [
        "profile",
        "--simulate",
        "--out",
        "none",
        "--kernel",
        "regex:nothing_is_called_this",
        "--",
        RANGESCOPE,
        "dummy-model",
        "--scenario",
        "nested",
        "--device",
        "sim",
    ];
    let outcome = place.run(words);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    assert!(outcome.stderr.contains("kernel filter"), "{}", outcome.stderr);
    assert!(
        fs_err::read_to_string(place.path("none/report.md")).unwrap().contains("kernel-filter")
    );
}

#[test]
fn what_is_configured_is_what_appears() {
    let place = Place::new();
    for (out, words, sections, metrics) in [
        (
            "a",
            &["--sections", "Occupancy", "--metrics", "gpu__time_duration.sum"][..],
            &["Occupancy"][..],
            &["gpu__time_duration.sum"][..],
        ),
        (
            "b",
            &[
                "--sections",
                "SpeedOfLight,LaunchStats",
                "--metrics",
                "gpu__time_duration.sum,dram__bytes.sum",
            ],
            &["SpeedOfLight", "LaunchStats"],
            &["dram__bytes.sum"],
        ),
        (
            "c",
            &["--preset", "quick"],
            &[],
            &["dram__bytes_read.sum", "lts__t_sectors.sum", "sm__warps_launched.sum"],
        ),
    ] {
        let document = profile(&place, out, "nested", words);
        let region = region(scope(&document, "aggregate"), "B");
        let found: Vec<&str> = region["sections"]
            .as_array()
            .unwrap()
            .iter()
            .map(|s| s["id"].as_str().unwrap())
            .collect();
        assert_eq!(found, sections, "{out}");
        for metric in metrics {
            assert!(region["metrics"][metric]["value"].is_number(), "{out}: {metric}");
        }
        assert!(region["metrics"]["sm__sass_thread_inst_executed_op_ffma_pred_on.sum"].is_null());
    }
    assert!(
        region(scope(&report(&place.path("a")), "aggregate"), "B")["metrics"]["dram__bytes.sum"]
            .is_null()
    );
}

#[test]
fn only_the_formats_that_are_asked_for_are_written() {
    let place = Place::new();
    profile(&place, "some", "nested", &["pipeline.report.formats=[json]"]);
    for (file, is_there) in [
        ("report.json", true),
        ("report.md", false),
        ("report.html", false),
        ("ncu/raw.csv", false),
        ("ncu/regions/B/report.json", true),
        ("ncu/regions/B/kernels.csv", false),
    ] {
        assert_eq!(place.path("some").join(file).is_file(), is_there, "{file}");
    }
    profile(&place, "all", "nested", &[]);
    let page = fs_err::read_to_string(place.path("all/report.html")).unwrap();
    assert!(page.contains("A::A1") && !page.contains(" src=") && !page.contains("<link"));
}

#[test]
fn a_program_without_ranges_is_a_success_that_says_so() {
    let place = Place::new();
    let document = profile(&place, "run", "no-ranges", &[]);
    let all = scope(&document, "aggregate");
    assert!(names(all).is_empty() && all["unlabeled"]["kernel_count"].as_u64().unwrap() > 0);
    let words = [
        "profile",
        "--simulate",
        "--out",
        "selected",
        "--region",
        "A",
        "--",
        RANGESCOPE,
        "dummy-model",
        "--scenario",
        "no-ranges",
        "--device",
        "sim",
    ];
    let outcome = place.run(words);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let report = fs_err::read_to_string(place.path("selected/report.md")).unwrap();
    assert!(report.contains("Nothing was profiled"), "{report}");
}

#[test]
fn ranks_under_mpirun_have_scopes_and_the_aggregate_can_be_left_out() {
    let Some(_) = crate::support::real::command("mpirun", "ranks under mpirun") else { return };
    let place = Place::new();
    let run = |out: &str, words: &[&str]| {
        let program = [
            "mpirun",
            "--allow-run-as-root",
            "--oversubscribe",
            "-n",
            "4",
            RANGESCOPE,
            "dummy-model",
            "--scenario",
            "nested",
            "--device",
            "sim",
        ];
        let words =
            ["profile", "--simulate", "--out", out].into_iter().chain(words.iter().copied());
        place.run(words.chain(["--"]).chain(program)).ok();
        report(&place.path(out))
    };
    let document = run("with", &[]);
    let reports = document["reports"].as_array().unwrap();
    let of_kind =
        |kind: &str| reports.iter().filter(|r| r["scope"]["kind"] == kind).collect::<Vec<_>>();
    let mut ranks: Vec<u64> =
        of_kind("process").iter().map(|r| r["scope"]["rank"].as_u64().unwrap()).collect();
    ranks.sort_unstable();
    assert_eq!(ranks, [0, 1, 2, 3]);
    assert!(of_kind("process").iter().all(|r| !r["scope"]["host"].as_str().unwrap().is_empty()));
    assert_eq!(of_kind("device").len(), 4);
    let sum: f64 = of_kind("process").iter().map(|r| total(&r["totals"])).sum();
    close(sum, total(&scope(&document, "aggregate")["totals"]));

    let without = run("without", &["pipeline.aggregate=false"]);
    let kinds = |document: &Value| {
        let reports = document["reports"].as_array().unwrap().iter();
        let mut kinds: Vec<String> = reports.map(|r| r["scope"]["kind"].to_string()).collect();
        kinds.sort();
        kinds
    };
    let mut expected = kinds(&document);
    expected.retain(|kind| kind != "\"aggregate\"");
    assert_eq!(kinds(&without), expected);
}

#[test]
fn a_moved_folder_gives_the_same_reports_byte_for_byte() {
    let place = Place::new();
    for (out, words) in [
        ("kernel", &["--kernel", "regex:conv"][..]),
        ("range", &["--replay", "range", "--region", "A;A::A1"]),
    ] {
        profile(&place, out, "nested", words);
        let before = fs_err::read(place.path(out).join("report.json")).unwrap();
        let markdown = fs_err::read(place.path(out).join("ncu/regions/A/report.md")).unwrap();
        let moved = format!("moved-{out}");
        fs_err::rename(place.path(out), place.path(&moved)).unwrap();
        let again = format!("again-{out}");
        place.run(["report", &moved, "--out", &again, "-q"]).ok();
        assert!(fs_err::read(place.path(&again).join("report.json")).unwrap() == before, "{out}");
        assert!(
            fs_err::read(place.path(&again).join("ncu/regions/A/report.md")).unwrap() == markdown
        );
    }
}

#[test]
fn a_run_that_was_cut_off_is_resumed_and_only_what_is_missing_is_done() {
    let place = Place::new();
    profile(&place, "run", "nested", &["--replay", "range", "--region", "A;A::A1"]);
    let kept = place.path("run/ncu/range-1.ncu-rep");
    let missing = place.path("run/ncu/range-2.ncu-rep");
    let before = fs_err::metadata(&kept).unwrap().modified().unwrap();
    let whole = fs_err::read(place.path("run/report.json")).unwrap();
    fs_err::remove_file(&missing).unwrap();
    let outcome = place.run(["profile", "--resume", "run"]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    assert!(outcome.stderr.contains("range-1: complete already"), "{}", outcome.stderr);
    assert_eq!(fs_err::metadata(&kept).unwrap().modified().unwrap(), before);
    assert!(missing.is_file());
    let again: Value =
        serde_json::from_slice(&fs_err::read(place.path("run/report.json")).unwrap()).unwrap();
    let whole: Value = serde_json::from_slice(&whole).unwrap();
    let regions = |document: &Value| scope(document, "aggregate")["regions"].clone();
    assert_eq!(regions(&again), regions(&whole));
}

#[test]
fn faults_are_told_with_their_exit_codes() {
    let place = Place::new();
    for (fault, code, expected) in [
        ("permission", 4, "counter"),
        ("no-kernels", 0, "nothing was profiled"),
        ("crash", 4, "run folder"),
    ] {
        let set = format!("+pipeline.workload.env.RANGESCOPE_SIM_FAULT={fault}");
        let words = [
            "profile",
            "--simulate",
            "--out",
            fault,
            &set,
            "--",
            RANGESCOPE,
            "dummy-model",
            "--scenario",
            "nested",
            "--device",
            "sim",
        ];
        let outcome = place.run(words);
        assert_eq!(outcome.code, code, "{fault}: {}", outcome.stderr);
        assert!(outcome.stderr.contains(expected), "{fault}: {}", outcome.stderr);
        assert!(place.path(fault).join("ncu/kernel.stdout.log").is_file());
    }
}

#[test]
fn a_region_that_matches_nothing_is_told_with_the_ranges_of_an_earlier_run() {
    let place = Place::new();
    let mut recording = File::new(7);
    recording.thread(11, 0).push(0, "decode\u{1b}[2J").pop(1);
    fs_err::write(place.path("7-0.nvtx"), &recording.bytes).unwrap();
    let model = ["--", RANGESCOPE, "dummy-model", "--scenario", "nested", "--device", "sim"];
    let words = ["profile", "--simulate", "--out", "run", "--region", "Decode*"];
    let known = ["pipeline.regions.from_run=7-0.nvtx"];
    let said = place.run(words.into_iter().chain(known).chain(model)).stderr;
    assert!(said.contains("the program opened `decode\\u{1b}[2J` (push/pop"), "{said}");
    assert!(!said.contains('\u{1b}'), "{said:?}");
}

#[test]
fn of_a_truncated_report_what_is_there_is_reported_and_the_rest_is_said_to_be_lost() {
    let place = Place::new();
    let set = "+pipeline.workload.env.RANGESCOPE_SIM_FAULT=truncated";
    let document = profile(&place, "run", "nested", &[set]);
    let notes = document["notes"].to_string();
    assert!(notes.contains("damaged-input"), "{notes}");
    assert!(document["sources"][0]["lost"].as_u64().unwrap() > 0);
}

#[test]
fn a_hang_is_ended_by_the_watchdog_and_named() {
    let place = Place::new();
    let words = [
        "profile",
        "--simulate",
        "--out",
        "hang",
        "+pipeline.workload.env.RANGESCOPE_SIM_FAULT=hang",
        "pipeline.watchdog.silence_limit_s=2",
        "--",
        RANGESCOPE,
        "dummy-model",
        "--scenario",
        "nested",
        "--device",
        "sim",
    ];
    let said = place.run(words).fails(4);
    assert!(said.contains("collective"), "{said}");
}

#[test]
fn regions_lists_what_a_program_opens_and_passes_its_output_and_exit_code_on() {
    let place = Place::new();
    let outcome = place.run([
        "regions",
        "--out",
        "regions.json",
        "--format",
        "json",
        "--",
        RANGESCOPE,
        "dummy-model",
        "--scenario",
        "nested",
        "--device",
        "cpu",
    ]);
    assert!(outcome.ok().starts_with("dummy_shallow_resnet"));
    let text = fs_err::read_to_string(place.path("regions.json")).unwrap();
    crate::support::keep("test-json-regions", &text);
    let document: Value = serde_json::from_str(&text).unwrap();
    let tree = document["reports"].as_array().unwrap().last().unwrap();
    assert_eq!(names(tree), ["A", "A::A1", "B"]);
    let failed = place.run(["regions", "--", "sh", "-c", "echo out; exit 7"]);
    assert_eq!((failed.code, failed.stdout.starts_with("out\n")), (7, true), "{}", failed.stderr);

    // The plan of range replay knows from it which regions lie in each other.
    let plan = place
        .run([
            "plan",
            "--simulate",
            "--format",
            "json",
            "--replay",
            "range",
            "--region",
            "*",
            "pipeline.regions.from_run=regions.json",
            "--",
            "true",
        ])
        .ok();
    let plan: Value = serde_json::from_str(&plan).unwrap();
    let captures: Vec<String> = plan["ncu"]["captures"]
        .as_array()
        .unwrap()
        .iter()
        .map(|capture| capture["regions"].to_string())
        .collect();
    assert_eq!(captures, [r#"["A","B"]"#, r#"["A::A1"]"#]);
}

#[test]
fn the_demo_makes_what_it_says() {
    let place = Place::new();
    let outcome = place.run(["demo", "--out", "demo"]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    assert!(outcome.stderr.contains("Look closer:"), "{}", outcome.stderr);
    assert_eq!(names(scope(&report(&place.path("demo/range")), "aggregate")), ["A", "A::A1", "B"]);
    let document = report(&place.path("demo/kernel"));
    let regions = names(scope(&document, "aggregate"));
    for region in ["A", "A::A1", "A::layers.3::block.conv2", "B::layers.0"] {
        assert!(regions.contains(&region), "{region}: {regions:?}");
    }
    // The lines are those of the model's own text.
    let kernels = include_str!("../../../dummy-model/src/device/cuda/kernels.cu");
    let kernels: Vec<&str> = kernels.lines().collect();
    let said = place.run(["source", "demo/kernel", "--format", "json", "--top", "1000"]).ok();
    let source: Value = serde_json::from_str(&said).unwrap();
    let file = &source["files"][0];
    assert_eq!(
        (file["path"].as_str(), file["text"].as_str()),
        (Some("kernels.cu"), Some("report"))
    );
    let lines = file["lines"].as_array().unwrap();
    assert!(lines.len() > 30, "{lines:?}");
    for line in lines {
        let number = usize::try_from(line["line"].as_u64().unwrap()).unwrap();
        assert_eq!(line["text"].as_str().unwrap(), kernels[number - 1]);
    }
    let hottest = lines.iter().max_by_key(|line| line["counts"]["samples"].as_u64()).unwrap();
    assert!(hottest["text"].as_str().unwrap().contains("sum += load("), "{hottest}");
    let page = fs_err::read_to_string(place.path("demo/kernel/report.html")).unwrap();
    assert!(page.contains("sum += load(plane["));
}
