//! The run folder as something to share, to move and to interrupt.

use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use crate::support::Place;

const RANGESCOPE: &str = env!("CARGO_BIN_EXE_rangescope");
const SECRET: &str = "hunter2-hunter2";
const MODEL: &[&str] = &["dummy-model", "--scenario", "nested", "--device", "sim"];

/// `rangescope` with these words and variables, as one user of several.
fn command(place: &Place, user: &str, words: &[&str], variables: &[(&str, &str)]) -> Command {
    let mut command = Command::new(RANGESCOPE);
    command.args(words).current_dir(place.root()).env("XDG_STATE_HOME", place.path(user));
    command.envs(variables.iter().copied()).stdin(Stdio::null());
    command
}

fn run(place: &Place, user: &str, words: &[&str], variables: &[(&str, &str)]) -> (i32, String) {
    let Output { status, stderr, .. } = command(place, user, words, variables).output().unwrap();
    (status.code().unwrap_or(-1), String::from_utf8_lossy(&stderr).into_owned())
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs_err::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

/// The files that hold a text.
fn holding(folder: &Path, text: &str) -> Vec<PathBuf> {
    let holds = |path: &PathBuf| {
        fs_err::read(path).unwrap().windows(text.len()).any(|part| part == text.as_bytes())
    };
    files(folder).into_iter().filter(holds).collect()
}

/// A run whose secrets come in every way that there is.
fn secretive<'w>(out: &'w str, script: &'w str) -> Vec<&'w str> {
    let program = ["--", "sh", "-c", script, "app"];
    [
        "profile",
        "-q",
        "--simulate",
        "--out",
        out,
        "+pipeline.workload.env.PLAIN=hunter2-hunter2",
        "+pipeline.workload.env.FROM=${oc.env:MY_TOKEN}",
        "+vars.looked_up=${oc.env:MY_TOKEN}",
        "+vars.api_key=hunter2-hunter2",
        "--redact",
        "pattern-[a-z]+",
    ]
    .into_iter()
    .chain(program)
    .chain([
        "--api-key=hunter2-hunter2",
        "--token",
        "hunter2-hunter2",
        "TOKEN=hunter2-hunter2",
        "Authorization: Bearer hunter2-hunter2",
        "https://me:hunter2-hunter2@host/",
        SECRET,
        "pattern-abc",
    ])
    .collect()
}

/// The model, and a line as ncu writes it that becomes evidence of a diagnosis.
fn script(exit: i32) -> String {
    format!("'{RANGESCOPE}' {} >/dev/null; exit {exit}", MODEL.join(" "))
}

#[test]
fn no_secret_is_in_a_run_folder_or_in_a_plan() {
    let place = Place::new();
    for (out, exit, expected) in [("well", 0, 0), ("failed", 3, 3)] {
        let script = script(exit);
        let words = secretive(out, &script);
        let (code, said) = run(&place, "me", &words, &[("MY_TOKEN", SECRET)]);
        assert_eq!(code, expected, "{said}");
        for text in [SECRET, "pattern-abc"] {
            assert_eq!(holding(&place.path(out), text), [""; 0].map(PathBuf::from), "{text}");
            assert!(!said.contains(text), "{said}");
        }
        let config = fs_err::read_to_string(place.path(out).join("config.yaml")).unwrap();
        assert!(config.contains("looked_up: '${oc.env:MY_TOKEN}'"), "{config}");
        assert!(config.contains("PLAIN: __masked__"), "{config}");
    }
    assert!(place.path("failed/ncu/diagnosis.json").is_file());

    let script = script(0);
    for verb in [&["plan"][..], &["plan", "--format", "json"], &["profile", "--dry-run"]] {
        let words: Vec<&str> =
            verb.iter().copied().chain(secretive("planned", &script).into_iter().skip(2)).collect();
        let planned = command(&place, "me", &words, &[("MY_TOKEN", SECRET)]).output().unwrap();
        let text = String::from_utf8(planned.stdout).unwrap();
        assert!(planned.status.success() && text.contains("--token"), "{text}");
        assert!(!text.contains(SECRET) && text.contains("stands for what looks secret"), "{text}");
    }
}

#[test]
fn evidence_of_a_diagnosis_is_masked() {
    let place = Place::new();
    let printed =
        format!("echo '==ERROR== ERR_NVGPUCTRPERM - no permission --token {SECRET}'; exit 3");
    let words = ["profile", "--simulate", "--out", "run", "--", "sh", "-c", &printed];
    let (code, said) = run(&place, "me", &words, &[]);
    assert_eq!(code, 4, "{said}");
    assert!(
        said.contains("| ==ERROR== ERR_NVGPUCTRPERM - no permission --token __masked__"),
        "{said}"
    );
    assert!(!said.contains(SECRET), "{said}");
    // What a program prints is kept as it is, in the log for the user alone.
    let log = place.path("run/ncu/kernel.stdout.log");
    assert_eq!(holding(&place.path("run"), SECRET), [log]);
    let diagnosis = fs_err::read_to_string(place.path("run/ncu/diagnosis.json")).unwrap();
    assert!(diagnosis.contains("--token __masked__"), "{diagnosis}");
}

#[test]
fn commands_and_environments_are_for_the_user_alone_and_reports_are_not() {
    let place = Place::new();
    let words: Vec<&str> = ["profile", "-q", "--simulate", "--out", "new/run", "--", RANGESCOPE]
        .into_iter()
        .chain(MODEL.iter().copied())
        .collect();
    let mut sh = Command::new("sh");
    sh.args(["-c", "umask 022; exec \"$@\"", "sh", RANGESCOPE]).args(words);
    let made =
        sh.current_dir(place.root()).env("XDG_STATE_HOME", place.path("me")).output().unwrap();
    assert!(made.status.success(), "{made:?}");
    let mode = |path: &str| {
        fs_err::metadata(place.path("new").join(path)).unwrap().permissions().mode() & 0o777
    };
    assert_eq!(["", "run", "run/ncu", "run/ncu/regions"].map(mode), [0o755, 0o700, 0o700, 0o755]);
    for file in [
        "config.yaml",
        "inputs.yaml",
        "env.json",
        "ncu/cmd.txt",
        "ncu/kernel.capture.json",
        "ncu/kernel.stdout.log",
        "ncu/kernel.stderr.log",
        "ncu/kernel.ncu-rep",
    ] {
        assert_eq!(mode(&format!("run/{file}")), 0o600, "{file}");
    }
    for file in ["report.md", "report.html", "report.json", "ncu/raw.csv"] {
        assert_eq!(mode(&format!("run/{file}")), 0o644, "{file}");
    }
}

#[test]
fn a_resumed_run_gets_its_secrets_again_or_says_what_is_missing() {
    let place = Place::new();
    let script = script(0);
    let words = secretive("run", &script);
    let (code, said) = run(&place, "me", &words, &[("MY_TOKEN", SECRET)]);
    assert_eq!(code, 0, "{said}");
    let program: Vec<&str> = words.iter().copied().skip_while(|word| *word != "--").collect();
    let resume = |program: &[&str], variables: &[(&str, &str)]| {
        let words: Vec<&str> =
            ["profile", "--resume", "run"].into_iter().chain(program.iter().copied()).collect();
        run(&place, "me", &words, variables)
    };
    let token = ("MY_TOKEN", SECRET);
    let plain = ("PLAIN", SECRET);
    let mut other = program.clone();
    other[2] = "-x";
    for (program, variables, expected) in [
        (&program, &[plain][..], "`MY_TOKEN` is not set"),
        (&program, &[token], "PLAIN=…"),
        (&Vec::new(), &[token, plain], "give it again"),
        (&other, &[token, plain], "not the program of the run"),
    ] {
        let (code, said) = resume(program, variables);
        assert!(code == 2 && said.contains(expected), "{code}: {said}");
        assert!(!said.contains(SECRET), "{said}");
    }
    let (code, said) = resume(&program, &[token, plain]);
    assert!(code == 0 && said.contains("kernel: complete already"), "{said}");
    // Something else behind the masks stays behind them, also where only the position gave it away.
    let changed: Vec<&str> =
        program.iter().map(|word| if *word == SECRET { "other-secret" } else { word }).collect();
    let (code, said) = resume(&changed, &[token, plain]);
    assert!(code == 0, "{said}");
    for text in [SECRET, "other-secret"] {
        assert_eq!(holding(&place.path("run"), text), [""; 0].map(PathBuf::from), "{text}");
    }
}

#[test]
fn a_run_folder_can_be_named_in_any_way_moved_and_copied() {
    let place = Place::new();
    let model = ["--", RANGESCOPE].into_iter().chain(MODEL.iter().copied());
    let words =
        ["profile", "-q", "--simulate", "--out", "run", "--replay", "range", "--region", "A;A::A1"];
    place.run(words.into_iter().chain(model)).ok();
    let full = place.path("run");
    let resumed = |folder: &str| {
        let outcome = place.run(["profile", "--resume", folder]);
        assert_eq!(outcome.code, 0, "{folder}: {}", outcome.stderr);
        for capture in ["range-1", "range-2"] {
            let line = format!("{capture}: complete already");
            assert!(outcome.stderr.contains(&line), "{folder}: {}", outcome.stderr);
        }
    };
    for folder in ["run", "./run", "run/", "../run/../run", full.to_str().unwrap()] {
        let folder = if folder.starts_with("..") { "run/../run" } else { folder };
        resumed(folder);
    }
    fs_err::create_dir(place.path("deep")).unwrap();
    fs_err::rename(&full, place.path("deep/moved")).unwrap();
    resumed("deep/moved");
    let copied =
        Command::new("cp").args(["-r", "deep/moved", "copy"]).current_dir(place.root()).status();
    assert!(copied.unwrap().success());
    resumed("copy");
    // What is missing is done in the copy, not where the run was begun.
    fs_err::remove_file(place.path("copy/ncu/range-2.ncu-rep")).unwrap();
    assert_eq!(place.run(["profile", "-q", "--resume", "copy"]).code, 0);
    assert!(place.path("copy/ncu/range-2.ncu-rep").is_file() && !full.exists());
}

#[test]
fn a_folder_of_somebody_else_runs_nothing_without_a_word() {
    let place = Place::new();
    let touch = "echo run >>ran; exit 0";
    let words = [
        "profile",
        "-q",
        "--simulate",
        "--out",
        "run",
        "+pipeline.workload.env.V=x",
        "--",
        "sh",
        "-c",
        touch,
    ];
    assert_eq!(run(&place, "me", &words, &[]).0, 0);
    let ran = || fs_err::read_to_string(place.path("ran")).map_or(0, |text| text.lines().count());
    assert_eq!(ran(), 1);
    let variables = &[("V", "x")];
    let (code, said) = run(&place, "somebody", &["profile", "--resume", "run"], variables);
    assert_eq!((code, ran()), (2, 1), "{said}");
    for expected in ["program: sh -c 'echo run >>ran; exit 0'", "set or removed: V", "--trust"] {
        assert!(said.contains(expected), "{said}");
    }
    // It is changed by somebody in my name.
    for (file, from, to) in [
        ("config.yaml", "stdin: inherit", "stdin: closed"),
        ("inputs.yaml", "echo run", "echo mad"),
    ] {
        let path = place.path("run").join(file);
        let before = fs_err::read_to_string(&path).unwrap();
        assert!(before.contains(from), "{before}");
        fs_err::write(&path, before.replace(from, to)).unwrap();
        assert_eq!(
            (run(&place, "me", &["profile", "--resume", "run"], variables).0, ran()),
            (2, 1),
            "{file}"
        );
        fs_err::write(&path, before).unwrap();
    }
    assert_eq!((run(&place, "me", &["profile", "--resume", "run"], variables).0, ran()), (0, 2));
    // With the word it runs, and is theirs from then on.
    assert_eq!(
        (run(&place, "somebody", &["profile", "--resume", "run", "--trust"], variables).0, ran()),
        (0, 3)
    );
    assert_eq!(
        (run(&place, "somebody", &["profile", "--resume", "run"], variables).0, ran()),
        (0, 4)
    );
    assert_eq!(run(&place, "me", &["profile", "--resume", "run"], variables).0, 2);
    assert_eq!(run(&place, "me", &["profile", "--trust", "--", "true"], variables).0, 2);
}

/// Begins a run whose program goes on for minutes, and waits until it does. Gives the run and the program's process.
fn begin(place: &Place) -> (Child, u32) {
    let words = [
        "profile",
        "-q",
        "--simulate",
        "--out",
        "run",
        "--",
        "sh",
        "-c",
        "echo $$ >pid; exec sleep 600",
    ];
    #[expect(clippy::zombie_processes, reason = "the caller ends it and waits for it")]
    let run = command(place, "me", &words, &[])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    loop {
        let pid = fs_err::read_to_string(place.path("pid")).unwrap_or_default();
        if let Ok(pid) = pid.trim().parse() {
            return (run, pid);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn send(signal: &str, process: u32) {
    let sent = Command::new("kill").args([signal, &process.to_string()]).status().unwrap();
    assert!(sent.success());
}

fn is_running(process: u32) -> bool {
    let stat = fs_err::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with(['Z', 'X']))
}

fn temporary(folder: &Path) -> Vec<PathBuf> {
    let is_hidden = |path: &PathBuf| {
        path.file_name().and_then(OsStr::to_str).is_some_and(|name| name.starts_with('.'))
    };
    files(folder).into_iter().filter(is_hidden).collect()
}

#[test]
fn whichever_signal_ends_a_run_nothing_goes_on_and_nothing_is_left() {
    for (signal, code) in [("-INT", Some(130)), ("-TERM", Some(130)), ("-KILL", None)] {
        let place = Place::new();
        let (mut run, program) = begin(&place);
        assert!(is_running(program));
        send(signal, run.id());
        assert_eq!(run.wait().unwrap().code(), code, "{signal}");
        // Whoever has to end it has seconds for that, and the program would need minutes.
        let mut looks = 0;
        while is_running(program) && looks < 600 {
            std::thread::sleep(Duration::from_millis(50));
            looks += 1;
        }
        assert!(!is_running(program), "{signal}");
        assert_eq!(temporary(&place.path("run")), [""; 0].map(PathBuf::from), "{signal}");
    }
}

#[test]
fn what_a_killed_run_left_long_ago_is_swept_away_by_the_next() {
    let place = Place::new();
    let words = ["profile", "-q", "--simulate", "--out", "run", "--", "true"];
    assert_eq!(place.run(words).code, 0);
    let leave = || {
        let old = std::time::SystemTime::now() - Duration::from_secs(7200);
        for name in [".rangescope-abc.tmp", "ncu/.rangescope-abc.tmp", "ncu/.simulated-abc"] {
            let file = fs_err::File::create(place.path("run").join(name)).unwrap();
            file.file().set_modified(old).unwrap();
        }
        assert_eq!(temporary(&place.path("run")).len(), 3);
    };
    for words in
        [&["profile", "-q", "--resume", "run"][..], &["report", "run", "-q", "--out", "run"]]
    {
        leave();
        assert_eq!(place.run(words.iter().copied()).code, 0, "{words:?}");
        assert_eq!(temporary(&place.path("run")), [""; 0].map(PathBuf::from), "{words:?}");
    }
}
