//! Interrupts of this very process while a child runs. One test in a program of its own, because signals reach the whole process.

#![expect(clippy::unwrap_used, reason = "helpers of tests may fail and talk like tests")]

use std::ffi::OsString;
use std::time::Duration;

use nix::sys::signal::{Signal, raise};
use rangescope_capture::child::{
    ChildEvent, ChildSpec, End, Interrupts, Outcome, Stdin, Stream, quick, run,
};
use rangescope_capture::execute::{CaptureStatus, ExecuteOptions, RunEvent, execute};
use rangescope_capture::ncu::NcuInfo;
use rangescope_capture::plan::{Plan, PlanRequest};
use rangescope_config::Version;
use rangescope_config::settings::NcuOptions;
use rangescope_model::ReplayMode;

fn script(text: &str) -> ChildSpec {
    let argv = ["sh", "-c", text].map(OsString::from).to_vec();
    ChildSpec { stdin: Stdin::Null, grace: Duration::from_secs(20), argv, ..ChildSpec::default() }
}

fn run_script(text: &str) -> Outcome {
    run(&script(text), &mut |_| {}).unwrap()
}

/// Runs a script and raises the signal whenever it prints.
fn interrupted_by(signal: Signal, text: &str) -> Outcome {
    run(&script(text), &mut |event| {
        // A shell may complain on its other output when it is interrupted.
        if let ChildEvent::Output(Stream::Stdout, _) = event {
            raise(signal).unwrap();
        }
    })
    .unwrap()
}

#[test]
fn interrupts_reach_the_child_and_the_second_kills_it() {
    // Held over all of it: a signal that comes after the last child must not end the test.
    let guard = Interrupts::guard().unwrap();

    let polite = interrupted_by(Signal::SIGINT, "echo up; exec sleep 60");
    assert!(polite.interrupted == Some(2) && !polite.success());
    assert_eq!(polite.end, End::Signalled(2));

    let cleaning = interrupted_by(
        Signal::SIGTERM,
        "trap 'exit 5' TERM; echo up; while :; do sleep 0.05; done",
    );
    assert_eq!(cleaning.end, End::Exited(5));

    let stubborn =
        interrupted_by(Signal::SIGINT, "trap 'echo no' INT; echo up; while :; do sleep 0.05; done");
    assert_eq!(stubborn.end, End::Signalled(9));

    // It talks while it ends, and each time the signal is raised again, perhaps when nobody is left to get it.
    let talking = "trap 'echo bye; exit 5' TERM; echo up; while :; do sleep 0.05; done";
    assert_eq!(interrupted_by(Signal::SIGTERM, talking).interrupted, Some(15));
    assert!(run_script("exit 0").success());

    // What came after the child was interrupted was meant for it, and is gone with it.
    assert_eq!(guard.take(), None);

    // A signal that comes when a child has ended by itself, or before it begins, is still there.
    raise(Signal::SIGHUP).unwrap();
    let begun_late = run_script("trap 'exit 6' HUP; sleep 20 & wait");
    assert_eq!((begun_late.interrupted, guard.take()), (Some(1), None));
    assert!(run_script("exit 0").success());
    raise(Signal::SIGHUP).unwrap();
    assert_eq!(guard.take(), Some(Signal::SIGHUP));
    assert_eq!(guard.take(), None);

    // A question that is interrupted leaves the signal to whoever asks next.
    let asking = std::thread::spawn(|| {
        let argv = ["sh", "-c", "exec sleep 20"].map(OsString::from).to_vec();
        quick(argv, Vec::new(), Duration::from_secs(20)).unwrap().outcome
    });
    std::thread::sleep(Duration::from_millis(300));
    raise(Signal::SIGTERM).unwrap();
    assert_eq!(asking.join().unwrap().interrupted, Some(15));
    assert_eq!(guard.take(), Some(Signal::SIGTERM));

    an_interrupt_between_two_captures_stops_the_run();
}

/// The signal comes when the first capture is over and before the second begins.
fn an_interrupt_between_two_captures_stops_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let mut options = NcuOptions { replay_mode: ReplayMode::Range, ..NcuOptions::default() };
    options.nvtx_include = vec!["A;A::B;A::B::C".to_owned()];
    let mut plan = Plan::new(&PlanRequest {
        options: &options,
        ncu: &NcuInfo::of_version(vec!["ncu".into()], Version::new(2024, 1, 1)),
        program: &["./app".into()],
        folder: folder.path(),
        known: None,
        labels: &[],
        names_are_folded: false,
        inside: None,
    })
    .unwrap();
    for capture in &mut plan.captures {
        capture.argv = vec!["true".into()];
    }
    let how = ExecuteOptions {
        child: ChildSpec { stdin: Stdin::Null, ..ChildSpec::default() },
        ..ExecuteOptions::default()
    };
    let run = execute(&plan.captures, &how, &mut run, &mut |event| {
        if let RunEvent::Ended(0, _) = event {
            raise(Signal::SIGINT).unwrap();
        }
    });
    let run = run.unwrap();
    let statuses: Vec<CaptureStatus> = run.captures.iter().map(|capture| capture.status).collect();
    assert!(run.interrupted);
    assert_eq!(
        statuses,
        [CaptureStatus::NothingProfiled, CaptureStatus::NotRun, CaptureStatus::NotRun]
    );
}
