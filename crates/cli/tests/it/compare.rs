//! `rangescope compare`: from two runs to a verdict and an exit code.

use crate::support::{Place, keep};
use serde_json::Value;

const RANGESCOPE: &str = env!("CARGO_BIN_EXE_rangescope");

/// Two runs of the model, the second with more work.
fn two_runs() -> Place {
    let place = Place::new();
    for (out, batch) in [("base", "2"), ("new", "8")] {
        let model = ["dummy-model", "--scenario", "nested", "--device", "sim", "--batch", batch];
        let words = ["profile", "-q", "--simulate", "--out", out, "--", RANGESCOPE];
        place.run(words.into_iter().chain(model)).ok();
    }
    place
}

#[test]
fn a_gate_that_is_violated_gives_exit_code_1() {
    let place = two_runs();
    let gates = |words: &[&str]| {
        place.run(["compare", "base", "new"].into_iter().chain(words.iter().copied()))
    };
    let outcome = gates(&["--fail-on", "A: time > 1%"]);
    assert_eq!(outcome.code, 1, "{}", outcome.stderr);
    assert!(outcome.stdout.contains("FAILED  A: time > 1%"), "{}", outcome.stdout);
    gates(&["--fail-on", "A: time > 10000%"]).ok();
    gates(&[]).ok();
    assert_eq!(gates(&["--fail-on", "nowhere: time > 1%", "--strict"]).code, 1);
    gates(&["--fail-on", "nowhere: time > 1%"]).ok();
    let said = gates(&["--fail-on", "A: time >> 1%"]).fails(2);
    assert!(said.contains("hint: "), "{said}");
    fs_err::write(place.path("limits.txt"), "# limits\nA: time > 1%\ndram_bytes > 10000%\n")
        .unwrap();
    assert_eq!(gates(&["--gates", "limits.txt"]).code, 1);
}

#[test]
fn every_format_is_written_and_a_stored_report_is_as_good_as_a_run() {
    let place = two_runs();
    for (file, begins) in [
        ("c.md", "#"),
        ("c.json", "{"),
        ("c.html", "<!"),
        ("c.xml", "<?xml"),
        ("c.txt", "base → new"),
    ] {
        place.run(["compare", "base", "new", "--out", file, "--fail-on", "time > 900%"]).ok();
        let text = fs_err::read_to_string(place.path(file)).unwrap();
        assert!(text.starts_with(begins), "{file}: {}", text.chars().take(80).collect::<String>());
    }
    let folders = fs_err::read_to_string(place.path("c.json")).unwrap();
    keep("test-json-compare", &folders);
    place
        .run([
            "compare",
            "base/report.json",
            "new/report.json",
            "--out",
            "d.json",
            "--fail-on",
            "time > 900%",
        ])
        .ok();
    let stored: Value =
        serde_json::from_slice(&fs_err::read(place.path("d.json")).unwrap()).unwrap();
    let folders: Value = serde_json::from_str(&folders).unwrap();
    // The runs are called by what was given; all else is the same.
    let without_names = |mut comparison: Value| {
        for side in ["base", "new"] {
            comparison[side]["runs"][0]["name"].take();
        }
        comparison
    };
    assert_eq!(stored["base"]["runs"][0]["name"], "base/report.json");
    assert_eq!(without_names(stored), without_names(folders));
    let said = place.run(["compare", "base/env.json", "new"]).fails(5);
    assert!(said.contains("is no report.json"), "{said}");
}

#[test]
fn a_run_compared_with_itself_is_the_same() {
    let place = two_runs();
    let outcome =
        place.run(["compare", "base", "base", "--format", "json", "--fail-on", "* : time > 0%"]);
    let document: Value = serde_json::from_str(&outcome.ok()).unwrap();
    assert!(document["notes"].to_string().contains("same-run"));
    assert_eq!(document["gates"]["failed"], false);
}
