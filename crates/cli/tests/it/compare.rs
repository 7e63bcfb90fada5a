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
    let said = gates(&["--fail-on", "A::A2: time > 1%"]).fails(2);
    assert!(said.contains("matches nothing") && said.contains("did you mean `A::A1`?"), "{said}");
    gates(&["--fail-on", "nowhere: time > 1%", "--allow-missing"]).ok();
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
    let old = fs_err::read_to_string(place.path("base/report.json")).unwrap();
    let old = old.replacen(r#""schema_version": "3.0""#, r#""schema_version": "2.0""#, 1);
    fs_err::write(
        place.path("old.json"),
        old.replace(r#""simulated": true"#, r#""simulated": []"#),
    )
    .unwrap();
    let said = place.run(["compare", "old.json", "new"]).fails(5);
    assert!(said.contains("version 2.0") && said.contains("make it anew"), "{said}");
}

/// Runs may all be given by options; a side without any is named.
#[test]
fn runs_are_given_by_options_or_by_place() {
    let place = two_runs();
    let by_place = place.run(["compare", "base", "new", "--format", "json"]).ok();
    for words in [
        &["--base", "base", "--new", "new"][..],
        &["--new", "new", "--base", "base"],
        &["base", "--new", "new"],
    ] {
        let words = ["compare", "--format", "json"].into_iter().chain(words.iter().copied());
        assert_eq!(place.run(words).ok(), by_place);
    }
    for (words, side) in [
        (&["--base", "base"][..], "the new side has no run"),
        (&["base"], "the new side has no run"),
        (&["--new", "new"], "the base has no run"),
        (&[], "there is nothing to compare"),
        (&["--ranks", "0", "--with-ranks", "1"], "of which run"),
    ] {
        let said = place.run(std::iter::once("compare").chain(words.iter().copied())).fails(2);
        assert!(said.contains(side) && said.contains("hint: "), "{words:?}: {said}");
    }
}

/// A copy of a run is no second run, whatever its file is called.
#[test]
fn copied_reports_count_once() {
    let place = two_runs();
    let mut words = vec!["compare".to_owned()];
    for side in ["base", "new"] {
        for at in 0..4 {
            let copy = format!("{side}-{at}.json");
            fs_err::copy(place.path(format!("{side}/report.json")), place.path(&copy)).unwrap();
            words.extend([format!("--{side}"), copy]);
        }
    }
    let said = place.run(words.iter().map(String::as_str)).ok();
    assert!(said.contains("Of 4 runs of the base only 1 count"), "{said}");
    assert!(said.contains("not judged") && !said.contains("slower"), "{said}");
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

/// What `profile --runs` makes is compared as a whole, in the order that it recorded.
#[test]
fn runs_in_turns_are_made_and_compared() {
    let place = Place::new();
    let model = |batch| {
        [RANGESCOPE, "dummy-model", "--scenario", "nested", "--device", "sim", "--batch", batch]
    };
    let flags = ["profile", "-q", "--simulate", "--out", "set", "--runs", "2", "--seed", "7", "--"];
    let words: Vec<&str> =
        flags.into_iter().chain(model("2")).chain(["---"]).chain(model("8")).collect();
    place.run(words.iter().copied()).ok();
    let turn = |run: &str| -> Value {
        let text = fs_err::read(place.path(format!("set/{run}/turn.json"))).unwrap();
        serde_json::from_slice(&text).unwrap()
    };
    let mut turns: Vec<u64> = ["base-1", "base-2", "new-1", "new-2"]
        .map(|run| turn(run)["turn"].as_u64().unwrap())
        .to_vec();
    assert_eq!(turn("new-1")["seed"], 7);
    assert_eq!(turn("new-1")["order"], turn("base-2")["order"]);
    turns.sort_unstable();
    assert_eq!(turns, [0, 1, 2, 3]);
    let compared: Value =
        serde_json::from_str(&place.run(["compare", "set", "--format", "json"]).ok()).unwrap();
    assert_eq!(compared["base"]["runs"].as_array().unwrap().len(), 2);
    assert_eq!(compared["new"]["runs"][1]["name"], "new-2");
    assert_ne!(compared["order"], "unknown");
    // A set of one program is a side.
    let one = ["profile", "-q", "--simulate", "--out", "one", "--runs", "2", "--"];
    place.run(one.into_iter().chain(model("2"))).ok();
    let sides = place.run(["compare", "one", "set/new-1"]).ok();
    assert!(
        sides.starts_with("2 runs (run-1, …) → new-1") || sides.contains("2 runs ("),
        "{sides}"
    );
    place.run(["compare", "one"]).fails(2);
    let three = ["profile", "--simulate", "--runs", "2", "--", "a", "---", "b", "---", "c"];
    assert!(place.run(three).fails(2).contains("between two programs"));
}
