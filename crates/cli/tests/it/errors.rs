//! Wrong inputs: a clear error, the documented exit code, no panic.

use std::process::{Command, Stdio};

use rangescope_run::exit::ExitCode;

use crate::support::{Place, shared};

const RANGESCOPE: &str = env!("CARGO_BIN_EXE_rangescope");

#[test]
fn unreadable_inputs_give_exit_code_5_and_say_what_and_how_to_go_on() {
    let place = Place::new();
    fs_err::write(place.path("empty.ncu-rep"), b"").unwrap();
    fs_err::write(place.path("text.ncu-rep"), b"just some text\n").unwrap();
    fs_err::write(place.path("magic.ncu-rep"), b"NVR\0\xff\xff\xff\xff").unwrap();
    fs_err::create_dir(place.path("folder")).unwrap();
    for (file, expected) in [
        ("empty.ncu-rep", "the file is empty"),
        ("text.ncu-rep", "not an Nsight Compute report"),
        ("magic.ncu-rep", "no part of the report is readable"),
        ("missing.ncu-rep", "cannot read `missing.ncu-rep`"),
        ("folder", "holds no report"),
    ] {
        for verb in ["report", "dump", "export"] {
            let expected =
                if verb != "report" && file == "folder" { "is a folder" } else { expected };
            let said = place.run([verb, file]).fails(5);
            assert!(
                said.starts_with("error: ") && said.contains(expected) && said.contains("\nhint: "),
                "{verb} {file}: {said}"
            );
        }
    }
}

#[test]
fn a_file_that_is_not_there_is_named_as_one_that_cannot_be_read() {
    let place = Place::new();
    let sample = "sample.ncu-rep";
    for (words, file) in [
        (vec!["compare", sample, sample, "--gates", "nope.txt"], "nope.txt"),
        (vec!["compare", "nope.json", sample], "nope.json"),
        (vec!["advice", "nope.json"], "nope.json"),
        (vec!["regions", "nope.nvtx"], "nope.nvtx"),
        (
            vec![
                "plan",
                "--ncu-version",
                "2024.1",
                "pipeline.regions.from_run=nope.nvtx",
                "--",
                "true",
            ],
            "nope.nvtx",
        ),
    ] {
        let said = place.run(words.iter().copied()).fails(5);
        assert!(said.contains(file) && !said.contains("cannot write"), "{words:?}: {said}");
    }
}

#[test]
fn a_pipe_is_refused_at_once() {
    let place = Place::new();
    let pipe = place.path("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let said = place.run(["report", "pipe"]).fails(5);
    assert!(said.contains("is a pipe or a device"), "{said}");
}

#[test]
fn a_file_that_may_not_be_read_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    let mode = |path, mode| {
        fs_err::set_permissions(place.path(path), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    mode("sample.ncu-rep", 0o000);
    let said = if fs_err::File::open(place.path("sample.ncu-rep")).is_err() {
        place.run(["report", "sample.ncu-rep"]).fails(5)
    } else {
        // The superuser may read everything, so that somebody else has to try, with a program that they can reach.
        mode("", 0o755);
        fs_err::copy(RANGESCOPE, place.path("rangescope")).unwrap();
        mode("rangescope", 0o755);
        let output = Command::new("setpriv")
            .args(["--reuid=65534", "--clear-groups", "./rangescope", "report", "sample.ncu-rep"])
            .current_dir(place.root())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(5), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert!(said.contains("ermission denied") && said.contains("\nhint: "), "{said}");
}

#[test]
fn wrong_patterns_give_exit_code_2_and_name_the_place() {
    let place = Place::new();
    for (words, expected) in [
        (["report", "--sample", "--kernel", "regex:("], "`(`"),
        (["report", "--sample", "--region", "regex:["], "`["),
        (["report", "--sample", "--normalise", "nonsense"], "nonsense"),
        (["report", "--sample", "--scope", "planet"], "planet"),
        (["dump", "sample.ncu-rep", "--nvtx-include", "dom@"], "position"),
    ] {
        let said = place.run(words).fails(2);
        assert!(said.contains(expected), "{words:?}: {said}");
    }
    place.run(["report"]).fails(2);
    place.run(["report", "sample.ncu-rep", "--format", "xml"]).fails(2);
}

#[test]
fn damage_is_reported_and_the_rest_is_read() {
    let place = Place::new();
    let bytes = fs_err::read(place.path("sample.ncu-rep")).unwrap();
    fs_err::write(place.path("cut.ncu-rep"), &bytes[..bytes.len() - 100]).unwrap();
    let whole = place.json(["sample.ncu-rep"]);
    let cut = place.json(["cut.ncu-rep"]);
    let count = |document: &serde_json::Value| {
        crate::support::scope(document, "aggregate")["totals"]["kernel_count"].as_u64().unwrap()
    };
    assert_eq!(count(&cut), count(&whole) - 1);
    assert_eq!(cut["sources"][0]["lost"], 1);
    let note = &cut["notes"][0];
    assert_eq!((&note["level"], &note["code"]), (&"warning".into(), &"damaged-input".into()));
    let text = place.run(["report", "cut.ncu-rep"]).ok();
    assert!(text.contains("ends inside a kernel result"), "{text}");
}

#[test]
fn output_that_cannot_be_written_gives_exit_code_7() {
    let place = Place::new();
    fs_err::write(place.path("file"), b"").unwrap();
    let said = place.run(["report", "--sample", "--out", "file"]).fails(7);
    assert!(said.contains("file"), "{said}");
    assert_eq!(fs_err::read(place.path("file")).unwrap(), b"", "nothing is overwritten");
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let place = Place::new();
    let script = format!(
        "'{RANGESCOPE}' dump sample.ncu-rep | head -c 10 >/dev/null; echo ${{PIPESTATUS[0]}}"
    );
    let output =
        Command::new("bash").args(["-c", &script]).current_dir(place.root()).output().unwrap();
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "0\n",
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(output.stderr.is_empty());
}

#[test]
fn every_prefix_of_a_real_report_is_survived() {
    let Some(shared) = shared("cuts of a real report") else { return };
    let bytes = fs_err::read(shared.join("corpus/synthetic/synth_full.ncu-rep")).unwrap();
    let place = Place::new();
    for length in (0..bytes.len()).step_by(97) {
        fs_err::write(place.path("cut.ncu-rep"), &bytes[..length]).unwrap();
        let outcome = place.run(["dump", "cut.ncu-rep"]);
        assert!(matches!(outcome.code, 0 | 5), "{length}: {} {}", outcome.code, outcome.stderr);
    }
}

/// A script in which `$1` is rangescope and `model` a simulated run of the small model, whose words are those of `profile`.
fn scripted(place: &Place, script: &str) -> (Option<i32>, String) {
    let model = r#"model() { "$r" profile -q --simulate "$@" -- "$r" dummy-model --scenario nested --device sim; }"#;
    let script = format!("r=$1; {model}\n{script}");
    let mut sh = Command::new("sh");
    sh.args(["-c", &script, "sh", RANGESCOPE]).current_dir(place.root()).stdin(Stdio::null());
    let output = sh.env("XDG_STATE_HOME", place.path(".state")).output().unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn every_exit_code_of_the_help_is_what_happens() {
    let help = Place::new().run(["--help"]).ok();
    for (code, meaning) in ExitCode::ALL {
        let (script, expected) = match code {
            ExitCode::Success => ("model --out run", ""),
            ExitCode::Regression => (
                "model --out a; \"$r\" profile -q --simulate --out b -- \"$r\" dummy-model --scenario nested --device sim --batch 8; \"$r\" compare a b --fail-on 'A: time > 1%'",
                "gates failed",
            ),
            ExitCode::Usage => ("model --region 'regex:['", "regex"),
            ExitCode::ProgramFailed => {
                ("\"$r\" profile -q --simulate --out run -- sh -c 'exit 9'", "the program failed")
            }
            ExitCode::ProfilerFailed => (
                "model --out run +pipeline.workload.env.RANGESCOPE_SIM_FAULT=permission",
                "counter",
            ),
            ExitCode::Unreadable => ("\"$r\" report nothing-here", "nothing-here"),
            ExitCode::NothingProfiled => {
                ("\"$r\" profile -q --simulate --strict --out run -- true", "nothing was profiled")
            }
            ExitCode::NotWritten => ("touch file; model --out file/run", "cannot write"),
            // Only in a build for tests can these be asked for.
            ExitCode::Bug | ExitCode::OutOfMemory if !cfg!(debug_assertions) => continue,
            ExitCode::Bug => ("RANGESCOPE_TEST_FAULT=bug \"$r\" report --sample", "has a bug"),
            ExitCode::OutOfMemory => {
                ("RANGESCOPE_TEST_FAULT=memory \"$r\" report --sample", "memory allocation of")
            }
            // The shell becomes rangescope, so that its number is known to the program.
            ExitCode::Interrupted => (
                "exec \"$r\" profile -q --simulate --out run -- sh -c 'kill -INT \"$0\"; exec sleep 60' $$",
                "interrupted",
            ),
        };
        let place = Place::new();
        let (found, said) = scripted(&place, script);
        assert_eq!(found, Some(i32::from(code.number())), "{meaning}: {said}");
        assert!(said.contains(expected), "{meaning}: {said}");
        assert!(
            help.replace('\n', " ").contains(&format!("{} {meaning}", code.number())),
            "{help}"
        );
    }
}

#[test]
fn a_file_beyond_the_limit_is_told_and_nothing_is_half_written() {
    let place = Place::new();
    // In units of 512 bytes: the capture fits, and the page of the report does not.
    let (code, said) = scripted(&place, "ulimit -f 450; model --out run");
    assert_eq!(code, Some(7), "{said}");
    assert!(said.contains("report.html") && said.contains("ulimit -f"), "{said}");
    assert!(
        place.path("run/ncu/kernel.ncu-rep").is_file() && !place.path("run/report.html").exists()
    );
    // The rest can be had later.
    assert_eq!(scripted(&place, "\"$r\" profile -q --resume run").0, Some(0));
    assert!(place.path("run/report.html").is_file());
    for script in [
        "ulimit -f 50; \"$r\" report --sample --out out",
        "ulimit -f 50; \"$r\" report --sample --format html >out.html",
    ] {
        let (code, said) = scripted(&place, script);
        assert!(code == Some(7) && said.contains("too large"), "{code:?}: {said}");
    }
}

#[test]
fn an_unreadable_diagnosis_is_an_input_that_cannot_be_read() {
    let place = Place::new();
    assert_eq!(scripted(&place, "model --out run").0, Some(0));
    for script in [
        "echo { >run/ncu/diagnosis.json; \"$r\" report run",
        "rm run/ncu/diagnosis.json; mkdir run/ncu/diagnosis.json; \"$r\" report run",
        "\"$r\" profile -q --resume run",
    ] {
        let (code, said) = scripted(&place, script);
        assert_eq!(code, Some(5), "{script}: {said}");
        assert!(said.contains("diagnosis.json") && !said.contains("disk"), "{script}: {said}");
    }
}
