//! An interrupt when the last capture is over. One test in a program of its own, because signals reach the whole process.

#![expect(clippy::unwrap_used, reason = "helpers of tests may fail and talk like tests")]

use std::ffi::OsString;
use std::path::Path;

use nix::sys::signal::{Signal, raise};
use rangescope_capture::execute::RunEvent;
use rangescope_capture::ncu::NcuInfo;
use rangescope_config::{
    CONFIG_NAME, Context, OverrideArg, Secrets, Settings, Tree, Version, compose, quoted,
};
use rangescope_run::{Event, Job, RunEnd, RunOutcome, RunPlan, Tools, Typed, profile};

/// A run with an ncu that ends at once and profiles nothing.
fn run(folder: &Path, tell: &mut dyn FnMut(Event<'_>)) -> RunOutcome {
    let now = jiff::civil::date(2026, 3, 7).at(14, 5, 9, 0);
    let context = Context { env: &|_| None, now, cwd: String::new() };
    let folder = format!("run.dir={}", quoted(folder.to_str().unwrap()));
    let overrides = OverrideArg::list(["pipeline.ncu.enable=true", folder.as_str()]);
    let composed = compose(&Tree::embedded(), CONFIG_NAME, &overrides, &context).unwrap();
    let settings = Settings::new(&composed, &context).unwrap();
    let program = vec![OsString::from("true")];
    let job = Job::new(settings, composed.to_yaml(), Typed::default(), program, Secrets::default())
        .unwrap();
    let launcher = ["sh", "-c", "exit 0"].map(OsString::from).to_vec();
    let ncu = NcuInfo::of_version(launcher, Version::new(2024, 1, 1));
    let tools = Tools { ncu: Some(ncu), nsys: None, ncu_assumed: None, nsys_assumed: None };
    let plan = RunPlan::new(&job, &tools).unwrap();
    profile(&job, &tools, &plan, tell).unwrap()
}

#[test]
fn an_interrupt_after_the_last_capture_is_not_lost() {
    let folder = tempfile::tempdir().unwrap();
    let quiet = run(&folder.path().join("quiet"), &mut |_| {});
    assert_eq!((quiet.end, quiet.captures.len()), (RunEnd::NothingProfiled, 1));
    let interrupted = run(&folder.path().join("interrupted"), &mut |event| {
        if let Event::Ncu(RunEvent::Ended(..)) = event {
            raise(Signal::SIGINT).unwrap();
        }
    });
    assert_eq!(interrupted.end, RunEnd::Interrupted);
    // What was captured is not lost by it: the report is there, and says what there is.
    assert!(interrupted.document.is_some());
}
