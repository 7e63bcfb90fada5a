//! Nothing is left behind in this process by many children. One test in a program of its own, because it counts open files.

#![expect(clippy::unwrap_used, reason = "helpers of tests may fail and talk like tests")]

use std::ffi::OsString;
use std::time::Duration;

use rangescope_capture::child::quick;

/// Files that this process has open, and its children that nobody has waited for.
fn open_files_and_zombies() -> (usize, usize) {
    let files = std::fs::read_dir("/proc/self/fd").unwrap().count();
    let own = std::process::id().to_string();
    let zombies = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok).filter(|process| {
        let stat = std::fs::read(process.path().join("stat")).unwrap_or_default();
        let stat = String::from_utf8_lossy(&stat).into_owned();
        let fields: Vec<String> = stat
            .rsplit_once(')')
            .map(|(_, rest)| rest.split_whitespace().map(str::to_owned).collect())
            .unwrap_or_default();
        fields.first().is_some_and(|state| state == "Z") && fields.get(1) == Some(&own)
    });
    (files, zombies.count())
}

#[test]
fn no_files_and_no_dead_children_pile_up() {
    let run = |script: &str| {
        let argv = ["sh", "-c", script].map(OsString::from).to_vec();
        quick(argv, Vec::new(), Duration::from_millis(400)).unwrap()
    };
    // Handlers for signals are made once and stay.
    run("true");
    let before = open_files_and_zombies();
    for _ in 0..20 {
        run("echo out; echo err >&2; exit 3");
    }
    run("exec sleep 30");
    run("(sleep 0.1; echo late) &");
    assert!(quick(vec!["/nonexistent/program".into()], Vec::new(), Duration::ZERO).is_err());
    assert_eq!(open_files_and_zombies(), before);
}
