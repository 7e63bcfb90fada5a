//! What is installed beside the program: completions, tried in a real bash, and man pages.

use std::process::Command;

use crate::support::Place;

/// What bash offers for the last of these words.
fn offered(words: &[&str]) -> Vec<String> {
    let script = r#"
        source <("$0" completions bash)
        complete -p rangescope >/dev/null || exit
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _rangescope rangescope "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}" 2>/dev/null
        printf '%s\n' "${COMPREPLY[@]}"
    "#;
    let output = Command::new("bash")
        .args(["--norc", "-c", script, env!("CARGO_BIN_EXE_rangescope")])
        .args(words)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn bash_completes_presets_formats_and_verbs() {
    let presets = ["default", "high", "quick", "rtx3090.compute", "rtx3090.memory", "rtx3090"];
    assert_eq!(offered(&["rangescope", "profile", "--preset", ""]), presets);
    assert_eq!(offered(&["rangescope", "plan", "--preset", "q"]), ["quick"]);
    assert_eq!(offered(&["rangescope", "report", "--format", "ma"]), ["markdown"]);
    assert_eq!(offered(&["rangescope", "report", "--normalise", "l"]), ["layers"]);
    assert_eq!(offered(&["rangescope", "top"]), ["top-kernels"]);
}

#[test]
fn other_shells_know_the_presets_too() {
    let place = Place::new();
    for shell in ["zsh", "fish"] {
        let script = place.run(["completions", shell]).ok();
        for word in ["rtx3090.compute", "markdown", "pytorch"] {
            assert!(script.contains(word), "{shell} does not know {word}");
        }
    }
}

#[test]
fn a_preset_that_is_not_built_in_is_taken_from_the_users_folder() {
    let place = Place::new();
    fs_err::create_dir_all(place.path("own/profiling/ncu")).unwrap();
    let preset = "defaults: [ncu.default, _self_]\n";
    fs_err::write(place.path("own/profiling/ncu/ncu.mine.yaml"), preset).unwrap();
    let words = ["plan", "--ncu-version", "2024.1", "--preset", "mine"];
    place.run(words.into_iter().chain(["--config-dir", "own", "--", "true"])).ok();
    let refusal = place.run(words.into_iter().chain(["--", "true"])).fails(2);
    assert!(refusal.contains("ncu.mine"), "{refusal}");
}

#[test]
fn every_command_has_a_man_page() {
    let place = Place::new();
    fs_err::create_dir(place.path("man1")).unwrap();
    place.run(["man", "--out", "man1"]).ok();
    for (page, text) in [
        ("rangescope.1", "Exit codes"),
        ("rangescope-report.1", "markdown"),
        ("rangescope-config-show.1", "rangescope-config-show"),
    ] {
        let source = fs_err::read_to_string(place.path("man1").join(page)).unwrap();
        assert!(source.starts_with(".ie") || source.contains("\n.TH "), "{source}");
        // roff writes a hyphen as `\-`.
        assert!(source.replace("\\-", "-").contains(text), "{page}: {source}");
    }
    let message = place.run(["man", "--out", "absent"]).fails(7);
    assert!(message.contains("absent"), "{message}");
}
