//! `rangescope regions`: what is said of a recording that did not come out well.

use serde_json::{Value, json};

use crate::support::Place;

const RANGESCOPE: &str = env!("CARGO_BIN_EXE_rangescope");

/// A script that runs the small model, which opens ranges, before something else.
fn model_and(then: &str) -> String {
    format!("'{RANGESCOPE}' dummy-model --scenario nested --device cpu >/dev/null; {then}")
}

#[test]
fn a_recording_that_was_removed_is_not_a_program_without_nvtx() {
    let place = Place::new();
    for removal in ["rm \"$RANGESCOPE_RECORDING\"/*", "rm -r \"$RANGESCOPE_RECORDING\""] {
        for keep in [&["--keep", "kept"][..], &[]] {
            let script = model_and(removal);
            let words = ["regions"].into_iter().chain(keep.iter().copied());
            let said = place.run(words.chain(["--", "sh", "-c", &script])).fails(5);
            assert!(said.contains("was removed while the program ran"), "{said}");
            assert!(said.contains("hint: ") && !said.contains("did not use"), "{said}");
        }
    }
    let outcome = place.run(["regions", "--", "true"]);
    assert!(outcome.stderr.contains("did not use NVTX"), "{}", outcome.stderr);
    outcome.ok();
}

#[test]
fn a_limit_is_kept_and_what_is_lost_is_said() {
    let place = Place::new();
    let script = model_and("true");
    let record = |limit: &str| {
        let words = ["regions", "--format", "json", "--limit", limit, "--", "sh", "-c", &script];
        serde_json::from_str::<Value>(&place.run(words).ok()).unwrap()
    };
    let (whole, cut) = (record("1M"), record("64K"));
    assert_eq!((&whole["notes"], &whole["processes"][0]["events_lost"]), (&json!([]), &json!(0)));
    let process = &cut["processes"][0];
    assert_eq!(process["storage_error"], "the limit of its size was reached");
    assert_eq!(process["events"], 0);
    assert_eq!(process["events_lost"], whole["processes"][0]["events"]);
    assert_eq!(cut["notes"][0]["code"], "recording-cut-short");
    let said = place.run(["regions", "--limit", "much", "--", "true"]).fails(2);
    assert!(said.contains("512M"), "{said}");
}

#[test]
fn the_library_of_another_tool_is_named() {
    let place = Place::new();
    // The recorder of the outer run is another tool to the inner one.
    let said = place.run(["regions", "--", RANGESCOPE, "regions", "--", "true"]).stderr;
    assert_eq!(said.matches("NVTX_INJECTION64_PATH is set").count(), 1, "{said}");
    assert!(said.contains("nvtx-recorder-"), "{said}");
}
