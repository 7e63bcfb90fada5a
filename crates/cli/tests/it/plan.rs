//! `rangescope plan` and `profile --dry-run`: what would be run, and nothing is.

use crate::support::Place;
use serde_json::Value;

/// The command lines that the workflow's documents show, after what they all begin with.
const DOCUMENTED: &[&[&str]] = &[
    &["pipeline.ncu.ncu_cli.nvtx.include=*"],
    &[
        "pipeline.ncu.ncu_cli.nvtx.include=*",
        "pipeline.ncu.ncu_cli.sections=[SpeedOfLight,Occupancy]",
    ],
    &["pipeline.ncu.ncu_cli.nvtx.include=*", "pipeline.ncu.ncu_cli.kernel_name=regex:.*conv.*"],
    &[
        "pipeline.ncu.ncu_cli.nvtx.include=*",
        "pipeline.ncu.ncu_cli.kernel_exclude=[regex:memcpy.*,regex:memset.*]",
    ],
    &["pipeline.ncu.ncu_cli.nvtx.include=A;B;A::A1"],
    &["pipeline.ncu.ncu_cli.nvtx.include=decode*"],
    &["pipeline.ncu.ncu_cli.nvtx.include=LLM@*"],
];

const COMMON: &[&str] = &[
    "model/dummy_shallow_resnet/arch@model=dummy_shallow_resnet.default",
    "model/dummy_shallow_resnet/infer@infer=dummy_shallow_resnet.default",
    "pipeline.ncu.enable=true",
    "pipeline.nsys.enable=false",
    "pipeline.ncu.ncu_cli.replay_mode=range",
    "device=cuda:0",
];

fn plan(place: &Place, words: &[&str]) -> Value {
    let words = ["plan", "--ncu-version", "2024.1", "--format", "json"].iter().chain(words);
    let outcome = place.run(words.copied());
    serde_json::from_str(&outcome.ok()).unwrap()
}

fn argv(plan: &Value, capture: usize) -> Vec<String> {
    let argv = plan["ncu"]["captures"][capture]["argv"].as_array().unwrap();
    argv.iter().map(|word| word.as_str().unwrap().to_owned()).collect()
}

/// The values of an option on a command line.
fn values<'a>(argv: &'a [String], option: &str) -> Vec<&'a str> {
    let pairs = argv.iter().zip(argv.iter().skip(1));
    pairs.filter(|(name, _)| *name == option).map(|(_, value)| value.as_str()).collect()
}

#[test]
fn the_documented_lines_plan_and_touch_nothing() {
    let place = Place::new();
    for line in DOCUMENTED {
        let words = [COMMON, line].concat();
        let found = plan(&place, &words);
        assert_eq!(found["ncu"]["replay_mode"], "range", "{line:?}");
        assert!(!found["ncu"]["captures"].as_array().unwrap().is_empty());
        place.run(["plan", "--ncu-version", "2022.3"].into_iter().chain(words)).ok();
    }
    let left: Vec<_> = fs_err::read_dir(place.root()).unwrap().map(|e| e.unwrap()).collect();
    assert_eq!(left.len(), 1, "only the sample is there: {left:?}");
}

#[test]
fn nested_regions_need_captures_of_their_own_in_range_mode() {
    let place = Place::new();
    let line = [COMMON, &["pipeline.ncu.ncu_cli.nvtx.include=A;B;A::A1"]].concat();
    let found = plan(&place, &line);
    let regions = |capture: usize| found["ncu"]["captures"][capture]["regions"].to_string();
    assert_eq!((regions(0), regions(1)), (r#"["A","B"]"#.into(), r#"["A::A1"]"#.into()));
    let kernel = [line.as_slice(), &["pipeline.ncu.ncu_cli.replay_mode=kernel"]].concat();
    assert_eq!(plan(&place, &kernel)["ncu"]["captures"].as_array().unwrap().len(), 1);
}

#[test]
fn flags_are_the_overrides_that_they_stand_for() {
    let place = Place::new();
    let program = ["--", "./a.out", "a b", "$x"];
    let flags = [
        "--region",
        "decode*",
        "--region",
        "LLM@*",
        "--kernel",
        "regex:gemm",
        "--exclude-kernel",
        "memset",
        "--preset",
        "quick",
        "--metrics",
        "gpu__time_duration.sum,dram__bytes.sum",
        "--sections",
        "Occupancy",
        "--replay",
        "application",
        "--out",
        "o p",
    ];
    let overrides = [
        "pipeline.ncu.ncu_cli.nvtx.include=['decode*','LLM@*']",
        "pipeline.ncu.ncu_cli.kernel_include=['regex:gemm']",
        "pipeline.ncu.ncu_cli.kernel_exclude=[memset]",
        "profiling/ncu@pipeline.ncu=ncu.quick",
        "pipeline.ncu.ncu_cli.metrics=[gpu__time_duration.sum,dram__bytes.sum]",
        "pipeline.ncu.ncu_cli.sections=[Occupancy]",
        "pipeline.ncu.ncu_cli.replay_mode=application",
        "run.dir='o p'",
    ];
    let by_flags = plan(&place, &[&flags[..], &program].concat());
    let by_overrides = plan(&place, &[&overrides[..], &program].concat());
    assert_eq!(by_flags, by_overrides);
    let argv = argv(&by_flags, 0);
    assert_eq!(argv[argv.len() - 3..], ["./a.out", "a b", "$x"]);
    assert_eq!(values(&argv, "--section"), ["Occupancy"]);
    assert_eq!(values(&argv, "--metrics"), ["gpu__time_duration.sum,dram__bytes.sum"]);
    assert!(!argv.contains(&"--".to_owned()), "ncu refuses it");
}

#[test]
fn a_sweep_is_a_run_for_every_combination_in_numbered_folders() {
    let place = Place::new();
    let words = [
        "-m",
        "--out",
        "runs",
        "pipeline.ncu.ncu_cli.replay_mode=kernel,application",
        "profiling/ncu@pipeline.ncu=ncu.default,ncu.quick",
        "--",
        "true",
    ];
    let plans = plan(&place, &words);
    let folders: Vec<&str> =
        plans.as_array().unwrap().iter().map(|p| p["run_folder"].as_str().unwrap()).collect();
    assert_eq!(folders, ["runs/0", "runs/1", "runs/2", "runs/3"]);
    let said =
        place.run(["plan", "--ncu-version", "2024.1", "pipeline.strict=true,false", "--", "true"]);
    assert!(said.fails(2).contains("-m"));
}

#[test]
fn what_an_old_ncu_lacks_is_refused_with_the_version_that_has_it() {
    let place = Place::new();
    let said = place
        .run([
            "plan",
            "--ncu-version",
            "2022.3",
            "--replay",
            "app-range",
            "--region",
            "A",
            "--",
            "true",
        ])
        .fails(2);
    assert!(said.contains("app-range") && said.contains("2023") || said.contains("2024"), "{said}");
}

#[test]
fn wrong_command_lines_say_what_and_how() {
    let place = Place::new();
    let plan = ["plan", "--ncu-version", "2024.1"];
    for (words, expected) in [
        (vec![], "no program to profile"),
        (vec!["pipeline.ncu.enable=false", "--", "x"], "nothing to do"),
        (vec!["pipeline.ncu.ncu_cli.replaymode=range", "--", "x"], "replay_mode"),
        (vec!["--preset", "quik", "--", "x"], "ncu.quick"),
        (vec!["--region", "a//b", "--", "x"], "a//b"),
        (vec!["--", "-x"], "-x"),
    ] {
        let said = place.run(plan.into_iter().chain(words.iter().copied())).fails(2);
        assert!(said.starts_with("error: ") && said.contains(expected), "{words:?}: {said}");
        assert!(said.contains("\nhint: ") || said.contains("did you mean"), "{words:?}: {said}");
    }
    for (words, code, expected) in [
        (vec!["profile", "--resume", "nowhere"], 5, "no run folder"),
        (vec!["profile", "--resume", ".", "--region", "A"], 2, "resumed with the settings"),
        (vec!["plan", "pipeline.ncu.executable=./no-ncu", "--", "x"], 4, "no-ncu"),
    ] {
        let said = place.run(words.iter().copied()).fails(code);
        assert!(said.starts_with("error: ") && said.contains(expected), "{words:?}: {said}");
        assert!(said.contains("\nhint: "), "{words:?}: {said}");
    }
}
