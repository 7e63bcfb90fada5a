//! Verbs do what their names promise, and say which one does where they cannot.

use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use crate::support::Place;
use rangescope_testing::recording::File;
use serde_json::Value;

const RANGESCOPE: &str = env!("CARGO_BIN_EXE_rangescope");

/// The settings of tools that are on no machine.
const NO_NCU: &str = "pipeline.ncu.executable=no-such-ncu";
const NO_NSYS: &str = "pipeline.nsys.executable=no-such-nsys";

/// A recording of a model with 32 layers of two parts, in two steps, and a head.
fn layers(place: &Place) {
    let mut file = File::new(7);
    file.thread(11, 0);
    let mut time = 2_000;
    for _ in 0..2 {
        file.push(time, "step");
        for layer in 0..32 {
            file.push(time, &format!("layers.{layer}"));
            file.push(time, "attn").pop(time + 1_000);
            file.push(time + 1_000, "mlp").pop(time + 3_000);
            file.pop(time + 4_000);
            time += 4_000;
        }
        file.push(time, "head").pop(time + 500).pop(time + 1_000);
        time += 2_000;
    }
    fs_err::write(place.path("7-0.nvtx"), &file.bytes).unwrap();
}

/// The lines of the listing about regions, their columns one blank apart.
fn listed(text: &str) -> Vec<String> {
    let lines = text.lines().skip_while(|line| !line.contains("(push/pop)")).skip(1);
    lines.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

#[test]
fn a_plan_needs_no_tools_and_says_what_it_assumes() {
    let place = Place::new();
    let words = ["pipeline.nsys.enable=true", NO_NCU, NO_NSYS, "--", "./app"];
    for verb in [&["plan"][..], &["profile", "--dry-run"]] {
        let all = |more: &[&'static str]| {
            let words: Vec<&str> = [verb, more, &words[..]].concat();
            place.run(words).ok()
        };
        let text = all(&[]);
        let nsys = text
            .find(
                "Nsight Systems 2023.4.4 (assumed, the newest known: `no-such-nsys` was not found",
            )
            .unwrap();
        let ncu = text
            .find("Nsight Compute 2026.3.0 (assumed, the newest known: `no-such-ncu` was not found")
            .unwrap();
        assert!(nsys < ncu, "{text}");
        let data: Value = serde_json::from_str(&all(&["--format", "json"])).unwrap();
        for (stage, name) in [("nsys", "no-such-nsys"), ("ncu", "no-such-ncu")] {
            let why = data[stage]["version_assumed"].as_str().unwrap();
            assert!(why.contains(name), "{why}");
        }
    }
    let known: Value = serde_json::from_str(
        &place.run(["plan", "--ncu-version", "2024.1", "--format", "json", "--", "./app"]).ok(),
    )
    .unwrap();
    assert!(known["ncu"].get("version_assumed").is_none(), "{known}");
    // What is run has to be there.
    let said = place.run(["profile", NO_NCU, "--", "true"]).fails(4);
    assert!(said.contains("no-such-ncu"), "{said}");
}

#[test]
fn ncu_runs_after_nsys_unless_it_was_disabled() {
    let place = Place::new();
    fs_err::write(place.path("trace.sqlite"), rangescope_testing::nsys::sample()).unwrap();
    let script = format!(
        r#"#!/bin/sh
for word; do case "$word" in --output=*) output="${{word#--output=}}";; esac; done
case "$1 $2" in
  --version*) echo 'NVIDIA Nsight Systems version 2024.5.1.113-0';;
  'profile --help') ;;
  profile*) [ -e "$(dirname "$output")/../ncu" ] && exit 9; : > "$output.nsys-rep";;
  export*) cp '{}' "$output";;
esac
"#,
        place.path("trace.sqlite").display()
    );
    let nsys = place.path("nsys");
    fs_err::write(&nsys, script).unwrap();
    fs_err::set_permissions(&nsys, std::fs::Permissions::from_mode(0o755)).unwrap();
    let executable = format!("pipeline.nsys.executable={}", nsys.display());
    let profile = |out: &str, more: &[&str]| {
        let words = ["profile", "--simulate", "--out", out, "pipeline.nsys.enable=true"];
        let model = ["--", RANGESCOPE, "dummy-model", "--scenario", "nested", "--device", "sim"];
        let more = more.iter().copied().chain([executable.as_str()]);
        place.run(words.into_iter().chain(more).chain(model)).ok();
        ["nsys/run.sqlite", "ncu/kernel.ncu-rep"].map(|file| place.path(out).join(file).is_file())
    };
    assert_eq!(profile("both", &[]), [true, true]);
    assert_eq!(profile("one", &["pipeline.ncu.enable=false"]), [true, false]);
}

#[test]
fn a_program_without_dashes_before_it_is_told_where_it_belongs() {
    let place = Place::new();
    for (words, line) in [
        (vec!["profile", "python", "infer.py"], "profile -- python infer.py"),
        (
            vec!["profile", "--region", "decode", "python", "infer.py", "--batch", "3"],
            "profile --region decode -- python infer.py --batch 3",
        ),
        (
            vec!["plan", "device=sim", "./app", "--out", "here"],
            "plan 'device=sim' --out here -- ./app",
        ),
        (vec!["-q", "plan", "./app", "-x"], "-q plan -- ./app -x"),
        (vec!["regions", "python", "x.py"], "regions -- python x.py"),
        (vec!["regions"], "regions -- PROGRAM"),
        (vec!["doctor", "python", "x.py"], "doctor -- python x.py"),
    ] {
        let said = place.run(words.iter().copied()).fails(2);
        assert!(said.contains(&format!("rangescope {line}")), "{words:?}: {said}");
        assert!(said.starts_with("error: ") && said.contains("\nhint: "), "{words:?}: {said}");
    }
    let said = place.run(["regions", "python"]).fails(5);
    assert!(said.contains("rangescope regions -- python"), "{said}");
    // Where a program is given, the word is only a wrong override.
    let said = place.run(["plan", "foo", "--", "./app"]).fails(2);
    assert!(said.contains("override `foo`"), "{said}");
}

#[test]
fn what_another_verb_reads_is_said_to_be_so() {
    let place = Place::new();
    layers(&place);
    fs_err::write(place.path("trace.sqlite"), rangescope_testing::nsys::sample()).unwrap();
    let whole = rangescope_testing::nsys::sample();
    fs_err::write(place.path("cut.sqlite"), &whole[..whole.len() / 2]).unwrap();
    fs_err::write(place.path("run.nsys-rep"), b"anything").unwrap();
    fs_err::create_dir(place.path("recording")).unwrap();
    fs_err::copy(place.path("7-0.nvtx"), place.path("recording/7-0.nvtx")).unwrap();
    for (file, expected) in [
        ("trace.sqlite", "rangescope top-kernels trace.sqlite"),
        ("cut.sqlite", "`cut.sqlite` is damaged"),
        ("run.nsys-rep", "nsys export --type=sqlite"),
        ("7-0.nvtx", "rangescope regions 7-0.nvtx"),
        ("recording", "rangescope regions recording"),
    ] {
        for verb in [&["report"][..], &["advice"], &["plot", "bars"], &["dump"]] {
            // A trace of kernels can be reported; what is about results of ncu cannot be had of it.
            let is_reported = file == "trace.sqlite" && verb != ["dump"];
            if is_reported || (verb, file) == (&["dump"], "recording") {
                continue;
            }
            let said = place.run(verb.iter().copied().chain([file])).fails(5);
            assert!(said.contains(expected), "{verb:?} {file}: {said}");
        }
    }
    let said = place.run(["regions", "sample.ncu-rep"]).fails(5);
    assert!(said.contains("rangescope report sample.ncu-rep"), "{said}");
}

#[test]
fn a_stored_report_is_shown_and_not_selected_from() {
    let place = Place::new();
    let json = place.run(["report", "sample.ncu-rep", "--format", "json"]).ok();
    fs_err::write(place.path("report.json"), &json).unwrap();
    // A page has lines of source only where the reports are at hand.
    for format in ["terminal", "markdown", "csv", "json"] {
        let of = |file: &str| place.run(["report", file, "--format", format, "--depth", "1"]).ok();
        assert_eq!(of("report.json"), of("sample.ncu-rep"), "{format}");
    }
    let page = |file: &str| place.run(["report", file, "--format", "html"]).ok();
    assert!(page("sample.ncu-rep").contains("kernels.cu"));
    assert!(!page("report.json").contains("kernels.cu"));
    place.run(["report", "report.json", "--out", "folder"]).ok();
    assert!(place.path("folder/report.md").is_file());
    for words in [
        &["report", "report.json", "--region", "decode"][..],
        &["report", "report.json", "--metrics", "dram__bytes.sum"],
        &["advice", "report.json", "--normalise", "layers"],
        &["plot", "bars", "report.json", "--kernel", "glob:gemm*"],
        &["report", "report.json", "sample.ncu-rep"],
    ] {
        let said = place.run(words.iter().copied()).fails(2);
        assert!(said.contains("stored") && said.contains(".ncu-rep"), "{words:?}: {said}");
    }
}

#[test]
fn a_filter_of_ncu_that_selects_nothing_is_explained() {
    let place = Place::new();
    let said = |words: &[&str]| {
        let outcome =
            place.run(["dump", "sample.ncu-rep"].into_iter().chain(words.iter().copied()));
        assert_eq!((outcome.code, outcome.stdout.as_str()), (0, ""), "{words:?}");
        outcome.stderr
    };
    let text = said(&["--nvtx-include", "decode"]);
    assert!(text.contains("`decode/` selects 60 of 90 results"), "{text}");
    let text = said(&["--nvtx-include", "decod/"]);
    assert!(text.contains("did you mean `decode/`?") && text.contains("`prefill/`"), "{text}");
    let text = said(&["--nvtx-include", "xyzzy"]);
    assert!(text.contains("there are `") && !text.contains("selects 0"), "{text}");
    let text = said(&["--nvtx-include", "decode/", "--nvtx-exclude", "decode/"]);
    assert!(text.contains("--nvtx-exclude leaves out all"), "{text}");
    let selected = place.run(["dump", "sample.ncu-rep", "--nvtx-include", "decode/"]);
    assert!(selected.stderr.is_empty(), "{}", selected.stderr);
}

#[test]
fn what_is_misspelt_is_suggested_wherever_the_flag_exists() {
    let place = Place::new();
    fs_err::write(place.path("trace.sqlite"), rangescope_testing::nsys::sample()).unwrap();
    for (flag, wrong, right) in [
        ("--sections", "SpeedOfLigth", "`SpeedOfLight`"),
        ("--metrics", "dram__byte.sum", "`dram__bytes.sum`"),
        ("--region", "decod", "`decode`"),
        ("--kernel", "gemm_qk", "`gemm_qkv(GemmArgs)`"),
    ] {
        let expected = format!("did you mean {right}?");
        let report = place.run(["report", "sample.ncu-rep", flag, wrong]).ok();
        let text = report.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(&expected), "{report}");
        let csv = place.run(["report", "sample.ncu-rep", "--format", "csv", flag, wrong]);
        assert!(csv.stderr.contains(&expected), "{flag}: {}", csv.stderr);
        if flag == "--region" || flag == "--kernel" {
            let advice = place.run(["advice", "sample.ncu-rep", flag, wrong]);
            assert!(advice.stderr.contains(&expected), "{flag}: {}", advice.stderr);
        }
        if flag == "--kernel" {
            let plot = place.run(["plot", "bars", "sample.ncu-rep", flag, wrong]);
            assert!(plot.stderr.contains(&expected), "{}", plot.stderr);
        }
    }
    let said =
        place.run(["plan", "--simulate", "--sections", "SpeedOfLigth", "--", "./app"]).fails(2);
    assert!(said.contains("did you mean `SpeedOfLight`?"), "{said}");
    let top = place.run(["top-kernels", "trace.sqlite", "--region", "windo"]);
    assert!(top.stderr.contains("did you mean `window`?"), "{}", top.stderr);
    // What was not asked for is no matter for a warning.
    assert_eq!(place.run(["advice", "sample.ncu-rep"]).stderr, "");
}

#[test]
fn a_simulated_program_is_told_how_to_announce_kernels() {
    let place = Place::new();
    let outcome = place.run(["profile", "--simulate", "--out", "run", "--", "true"]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    for part in
        ["announced no kernel", "`rangescope.sim`", r#"{"kernel": "gemm""#, "docs/simulation.md"]
    {
        assert!(outcome.stderr.contains(part), "{part}: {}", outcome.stderr);
    }
    let stored = fs_err::read_to_string(place.path("run/ncu/diagnosis.json")).unwrap();
    assert!(stored.contains("rangescope.sim"), "{stored}");
}

#[test]
fn doctor_ends_with_a_verdict_and_a_code_for_it() {
    let place = Place::new();
    let text = place.run(["doctor", "--ncu", "/nonexistent/ncu"]).fails(4);
    assert_eq!(text, "", "the verdict is data");
    let outcome = place.run(["doctor", "--ncu", "/nonexistent/ncu"]);
    let last = outcome.stdout.lines().last().unwrap();
    assert!(last.starts_with("this machine cannot profile with ncu: "), "{last}");
    let data = place.run(["doctor", "--ncu", "/nonexistent/ncu", "--format", "json"]);
    let data: Value = serde_json::from_str(&data.stdout).unwrap();
    assert_eq!((&data["can_profile"], &data["verdict"]), (&false.into(), &last.into()));
    assert_eq!(data["checks"].as_array().unwrap().len(), 11);
}

#[test]
fn recorded_regions_are_shown_as_families_and_stored_exactly() {
    let place = Place::new();
    layers(&place);
    let show = |words: &[&str]| {
        listed(&place.run(["regions", "7-0.nvtx"].into_iter().chain(words.iter().copied())).ok())
    };
    assert_eq!(
        show(&[]),
        [
            "step 2 258 µs 1 µs 129 µs 129 µs 129 µs 1 1",
            "layers.* ×32 64 256 µs 64 µs 4 µs – 4 µs 1 1",
            "attn ×32 64 64 µs 64 µs 1 µs – 1 µs 1 1",
            "mlp ×32 64 128 µs 128 µs 2 µs – 2 µs 1 1",
            "head 2 1 µs 1 µs 500 ns 500 ns 500 ns 1 1",
        ]
    );
    assert_eq!(show(&["--unfold"]).len(), 2 + 3 * 32);
    let names = |words: &[&str]| -> Vec<String> {
        let first = |line: String| line.split(' ').next().unwrap_or_default().to_owned();
        show(words).into_iter().map(first).collect()
    };
    assert_eq!(names(&["--depth", "2"]), ["step", "layers.*", "head"]);
    assert_eq!(names(&["--top", "2"]), ["step", "layers.*", "…"]);
    assert_eq!(names(&["--sort", "name"]), ["step", "head", "layers.*", "attn", "mlp"]);
    assert_eq!(
        names(&["--sort", "exclusive", "--depth", "3"]),
        ["step", "layers.*", "mlp", "attn", "head"]
    );
    let json = |words: &[&str]| -> Value {
        let all = ["regions", "7-0.nvtx", "--format", "json"].into_iter();
        serde_json::from_str(&place.run(all.chain(words.iter().copied())).ok()).unwrap()
    };
    assert_eq!(json(&["--depth", "1", "--top", "1"]), json(&[]));
    assert_eq!(json(&[])["reports"][1]["regions"].as_array().unwrap().len(), 2 + 3 * 32);
    // Folded before the tree is built, all numbers are known.
    assert_eq!(show(&["--normalise", "layers"])[1], "layers.* 64 256 µs 64 µs 4 µs 4 µs 4 µs 1 1");
}

#[test]
fn names_are_folded_in_every_verb_that_reads_reports() {
    let place = Place::new();
    fs_err::write(place.path("trace.sqlite"), rangescope_testing::nsys::sample()).unwrap();
    let fold = ["--normalise", "layers"];
    let advice = place.run(["advice", "sample.ncu-rep"].into_iter().chain(fold)).ok();
    assert!(advice.contains("prefill::layers.*::mlp") && !advice.contains("layers.0"), "{advice}");
    let bars = place.run(["plot", "bars", "sample.ncu-rep"].into_iter().chain(fold)).ok();
    assert!(bars.contains("layers.*") && !bars.contains("layers.0"), "{bars}");
    let words = ["top-kernels", "trace.sqlite", "--by-region", "--normalise", r"step \d+=>step"];
    let top = place.run(words).ok();
    assert!(top.contains("\nstep (") && !top.contains("step 1"), "{top}");
}

/// The regions of the findings, in order.
fn about(text: &str) -> Vec<&str> {
    let heads = text.lines().filter(|line| {
        ["(high)", "(medium)", "(low)"].iter().any(|severity| line.ends_with(severity))
    });
    heads.filter_map(|line| line.split_once(": ")).map(|(region, _)| region).collect()
}

#[test]
fn advice_speaks_of_what_is_shown() {
    let place = Place::new();
    let advice = |words: &[&str]| {
        place.run(["advice", "sample.ncu-rep"].into_iter().chain(words.iter().copied())).ok()
    };
    let by_worth = advice(&["--top", "99"]);
    let by_name = advice(&["--top", "99", "--sort", "name"]);
    let (mut sorted, mut other) = (about(&by_worth), about(&by_name));
    let of_regions: Vec<&str> = other.iter().copied().filter(|name| *name != "(all)").collect();
    assert!(of_regions.is_sorted(), "{by_name}");
    sorted.sort_unstable();
    other.sort_unstable();
    assert_eq!(sorted, other, "the same findings in another order");
    let shallow = advice(&["--depth", "1", "--top", "99"]);
    assert!(!shallow.contains("::"), "{shallow}");
    let decode = advice(&["--region", "decode", "--kernel", "glob:gemm*"]);
    assert!(decode.contains("decode") && !decode.contains("prefill"), "{decode}");
    let layers = "prefill::layers.*";
    assert!(advice(&[]).contains(layers), "four layers are a family");
    assert!(!advice(&["--unfold"]).contains(layers));
    let bars = place.run(["plot", "bars", "sample.ncu-rep", "--top", "1"]).ok();
    assert!(bars.contains("prefill") && !bars.contains("layers"), "{bars}");
}

#[test]
fn a_reader_that_goes_away_does_not_change_the_exit_code() {
    let place = Place::new();
    for (line, code) in [
        ("compare sample.ncu-rep sample.ncu-rep --fail-on 'time >= 0%'", "1"),
        ("compare sample.ncu-rep sample.ncu-rep --format html --fail-on 'time >= 0%'", "1"),
        ("doctor --ncu /nonexistent/ncu", "4"),
        ("report sample.ncu-rep --format html", "0"),
    ] {
        // The pipe is closed before anything is written into it.
        let script =
            format!("{{ sleep 0.2; '{RANGESCOPE}' {line}; echo $? >&3; }} 3>code | true; cat code");
        let output =
            Command::new("bash").args(["-c", &script]).current_dir(place.root()).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), code, "{line}");
    }
}

#[test]
fn a_gate_on_runs_without_results_is_not_judged_and_says_so() {
    let place = Place::new();
    place.run(["profile", "-q", "--simulate", "--out", "empty", "--", "true"]).ok();
    let json = place.run(["report", "empty", "--format", "json"]).ok();
    fs_err::write(place.path("empty.json"), json).unwrap();
    let neither = place.run(["compare", "empty", "empty", "--fail-on", "time > 5%"]).fails(2);
    assert!(neither.contains("matches nothing in either side"), "{neither}");
    for sides in [["empty", "sample.ncu-rep"], ["sample.ncu-rep", "empty.json"]] {
        let compare = |more: &[&str]| {
            let words = ["compare"].into_iter().chain(sides);
            place.run(words.chain(["--fail-on", "time > 5%"]).chain(more.iter().copied()))
        };
        let outcome = compare(&[]);
        assert_eq!(outcome.code, 0, "{sides:?}");
        assert!(outcome.stdout.contains("cannot be judged"), "{sides:?}: {}", outcome.stdout);
        assert!(outcome.stderr.contains("1 of 1 gates could not be judged"), "{}", outcome.stderr);
        assert_eq!(compare(&["--strict"]).code, 1, "{sides:?}");
    }
}
