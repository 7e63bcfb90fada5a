//! Real children of a real shell: output, exit codes, limits, interrupts, and that nothing is left behind.

use std::ffi::OsString;
use std::path::Path;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use rangescope_capture::child::{
    ChildError, ChildEvent, ChildSpec, End, Limit, Outcome, Stdin, Stream, quick, run,
};

fn shell(script: &str) -> ChildSpec {
    let argv = ["sh", "-c", script].map(OsString::from).to_vec();
    ChildSpec {
        stdin: Stdin::Null,
        grace: Duration::from_millis(300),
        argv,
        ..ChildSpec::default()
    }
}

fn output_of(spec: &ChildSpec) -> (Outcome, String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let outcome = run(spec, &mut |event| match event {
        ChildEvent::Output(Stream::Stdout, bytes) => out.extend_from_slice(bytes),
        ChildEvent::Output(Stream::Stderr, bytes) => err.extend_from_slice(bytes),
        _ => {}
    })
    .unwrap();
    (outcome, String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
}

/// Whether a process of this number runs (and is not merely waiting to be asked how it ended).
fn runs(pid: &str) -> bool {
    let stat = std::fs::read(Path::new("/proc").join(pid.trim()).join("stat")).unwrap_or_default();
    let stat = String::from_utf8_lossy(&stat).into_owned();
    stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with(['Z', 'X']))
}

fn soon_gone(pid: &str) -> bool {
    let begun = Instant::now();
    while runs(pid) && begun.elapsed() < Duration::from_secs(5) {
        std::thread::sleep(Duration::from_millis(20));
    }
    !runs(pid)
}

#[test]
fn output_and_exit_code_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let mut spec = shell("echo one; echo two >&2; printf three; exit 7");
    spec.stdout_log = Some(folder.path().join("out.log"));
    spec.stderr_log = Some(folder.path().join("err.log"));
    let (outcome, out, err) = output_of(&spec);
    assert_eq!(outcome.end, End::Exited(7));
    assert!(
        outcome.timed_out.is_none()
            && outcome.interrupted.is_none()
            && !outcome.left_over
            && !outcome.success()
    );
    assert_eq!((out.as_str(), err.as_str()), ("one\nthree", "two\n"));
    assert_eq!(fs_err::read_to_string(folder.path().join("out.log")).unwrap(), "one\nthree");
    assert_eq!(fs_err::read_to_string(folder.path().join("err.log")).unwrap(), "two\n");
}

#[test]
fn a_lot_of_output_arrives_whole() {
    let (outcome, out, _) =
        output_of(&shell("i=0; while [ $i -lt 20000 ]; do echo line $i; i=$((i+1)); done"));
    assert!(outcome.success());
    assert_eq!(out.lines().count(), 20_000);
    assert!(out.ends_with("line 19999\n"));
}

#[test]
fn a_signal_is_told_from_an_exit_code() {
    assert_eq!(output_of(&shell("kill -9 $$")).0.end, End::Signalled(9));
    assert_eq!(output_of(&shell("exit 9")).0.end, End::Exited(9));
}

#[test]
fn folder_and_environment_are_set() {
    let folder = tempfile::tempdir().unwrap();
    let mut spec = shell("pwd; echo \"$GIVEN/${HOME-none}\"");
    spec.folder = Some(folder.path().to_owned());
    spec.environment = vec![("GIVEN".into(), Some("yes".into())), ("HOME".into(), None)];
    let (_, out, _) = output_of(&spec);
    let folder = folder.path().canonicalize().unwrap();
    assert_eq!(out, format!("{}\nyes/none\n", folder.display()));
}

#[test]
fn silence_ends_a_polite_child_by_the_first_signal() {
    let spec = ChildSpec {
        silence_limit: Some(Duration::from_secs(1)),
        ..shell("echo up; exec sleep 60")
    };
    let (outcome, out, _) = output_of(&spec);
    assert_eq!((outcome.end, out.as_str()), (End::Signalled(15), "up\n"));
    assert_eq!(outcome.timed_out, Some(Limit::Silence));
}

#[test]
fn silence_ends_a_stubborn_child_by_the_second() {
    let spec = ChildSpec {
        silence_limit: Some(Duration::from_secs(1)),
        ..shell("trap '' TERM; echo up; while :; do sleep 0.05; done")
    };
    let (outcome, _, _) = output_of(&spec);
    assert_eq!(outcome.end, End::Signalled(9));
    assert_eq!(outcome.timed_out, Some(Limit::Silence));
}

#[test]
fn output_puts_the_limit_off() {
    let spec = ChildSpec {
        silence_limit: Some(Duration::from_secs(2)),
        ..shell("for i in 1 2 3 4 5 6; do sleep 0.5; echo $i; done")
    };
    assert!(output_of(&spec).0.success());
}

#[test]
fn a_stopped_child_is_ended_too() {
    let spec = ChildSpec { silence_limit: Some(Duration::from_secs(1)), ..shell("kill -STOP $$") };
    assert_eq!(output_of(&spec).0.timed_out, Some(Limit::Silence));
}

#[test]
fn nothing_of_the_group_is_left_after_a_limit() {
    let spec = ChildSpec {
        silence_limit: Some(Duration::from_secs(1)),
        ..shell("sleep 61 & echo $!; trap '' TERM; wait; sleep 62")
    };
    let (outcome, out, _) = output_of(&spec);
    assert!(outcome.timed_out.is_some());
    assert!(soon_gone(&out), "{out}");
}

#[test]
fn what_a_child_leaves_behind_is_ended() {
    let (outcome, out, _) = output_of(&shell("sleep 63 & echo $!"));
    assert_eq!(outcome.end, End::Exited(0));
    assert!(outcome.left_over);
    assert!(soon_gone(&out), "{out}");
}

#[test]
fn what_ends_soon_after_its_parent_is_left_alone() {
    let (outcome, out, _) = output_of(&shell("(sleep 0.4; echo late) &"));
    assert!(outcome.success() && !outcome.left_over);
    assert_eq!(out, "late\n");
}

#[test]
fn a_program_that_is_not_there_is_an_error() {
    let spec = ChildSpec { argv: vec!["/nonexistent/program".into()], ..ChildSpec::default() };
    let error = run(&spec, &mut |_| {}).unwrap_err();
    assert!(matches!(error, ChildError::Start { .. }), "{error}");
    assert!(matches!(run(&ChildSpec::default(), &mut |_| {}), Err(ChildError::NoProgram)));
}

#[test]
fn a_question_that_takes_too_long_is_given_up() {
    let argv = ["sh", "-c", "echo half; exec sleep 60"].map(OsString::from).to_vec();
    let answer = quick(argv, Vec::new(), Duration::from_secs(2)).unwrap();
    assert_eq!(answer.outcome.timed_out, Some(Limit::Time));
    assert_eq!(answer.stdout, "half\n");
}

/// Output that never ends does not keep limits and signals from being looked at, and does not pile up.
#[test]
fn a_child_that_never_stops_printing_has_limits_too() {
    let spec = ChildSpec { time_limit: Some(Duration::from_secs(2)), ..shell("exec yes") };
    let (mut bytes, mut ticks) = (0_u64, 0);
    let outcome = run(&spec, &mut |event| match event {
        // Slower than the child, so that there is always more to take.
        ChildEvent::Output(_, piece) => {
            bytes += piece.len() as u64;
            std::thread::sleep(Duration::from_millis(2));
        }
        ChildEvent::Tick(_) => ticks += 1,
        _ => {}
    });
    assert_eq!(outcome.unwrap().timed_out, Some(Limit::Time));
    assert!(bytes > 0 && ticks > 1, "{bytes} {ticks}");
}

/// A reader that is slow makes the child wait; nothing is lost.
#[test]
fn a_slow_callback_gets_everything() {
    let mut received = 0;
    let spec = shell("head -c 3000000 /dev/zero");
    let outcome = run(&spec, &mut |event| {
        if let ChildEvent::Output(_, piece) = event {
            received += piece.len();
            std::thread::sleep(Duration::from_millis(1));
        }
    });
    assert!(outcome.unwrap().success());
    assert_eq!(received, 3_000_000);
}

#[test]
fn a_child_that_closes_its_outputs_is_waited_for() {
    let (outcome, out, err) = output_of(&shell("echo up; exec >&- 2>&-; sleep 0.3; exit 4"));
    assert_eq!((outcome.end, out.as_str(), err.as_str()), (End::Exited(4), "up\n", ""));
    let spec = ChildSpec {
        silence_limit: Some(Duration::from_secs(1)),
        ..shell("exec >&- 2>&-; exec sleep 60")
    };
    assert_eq!(output_of(&spec).0.timed_out, Some(Limit::Silence));
}

/// A process that left the group and keeps the pipe open does not keep the run from ending.
#[test]
fn a_daemon_that_keeps_the_output_open_is_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let mut spec = shell(
        "setsid sh -c 'echo $$ >pid; exec sleep 60' & while [ ! -s pid ]; do sleep 0.05; done",
    );
    spec.folder = Some(folder.path().to_owned());
    let outcome = output_of(&spec).0;
    let daemon = fs_err::read_to_string(folder.path().join("pid")).unwrap();
    assert!(outcome.success() && !outcome.left_over && runs(&daemon), "{outcome:?} {daemon}");
    quick(["kill", daemon.trim()].map(OsString::from).to_vec(), Vec::new(), Duration::from_secs(5))
        .unwrap();
}

#[test]
fn a_callback_that_panics_does_not_leave_the_child_running() {
    let pid = std::sync::Mutex::new(0);
    let result = std::panic::catch_unwind(|| {
        run(&shell("echo up; exec sleep 64"), &mut |event| match event {
            ChildEvent::Started(number) => *pid.lock().unwrap() = number,
            ChildEvent::Output(..) => std::panic::resume_unwind(Box::new("stop")),
            _ => {}
        })
    });
    assert!(result.is_err());
    assert!(soon_gone(&pid.into_inner().unwrap().to_string()));
}

#[test]
fn a_program_that_cannot_be_started_is_told_with_what_helps() {
    let hint = |number: i32| {
        let cause = std::io::Error::from_raw_os_error(number);
        ChildError::Start { program: "app".to_owned(), cause }.hint().unwrap()
    };
    for (errno, expected) in [
        (Errno::EMFILE, "ulimit -n"),
        (Errno::ENFILE, "ulimit -n"),
        (Errno::EAGAIN, "ulimit -u"),
        (Errno::EACCES, "chmod +x"),
        (Errno::ENOENT, "check the name"),
        (Errno::ENOEXEC, "made for this machine"),
        (Errno::E2BIG, "too long"),
    ] {
        let said = hint(errno as i32);
        assert!(said.contains(expected), "{errno}: {said}");
    }
}

#[test]
fn a_log_is_for_the_user_alone() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let spec = ChildSpec {
        argv: ["sh", "-c", "echo printed"].map(OsString::from).to_vec(),
        stdin: Stdin::Null,
        stdout_log: Some(log.clone()),
        ..ChildSpec::default()
    };
    run(&spec, &mut |_| {}).unwrap();
    assert_eq!(fs_err::read_to_string(&log).unwrap(), "printed\n");
    assert_eq!(fs_err::metadata(&log).unwrap().permissions().mode() & 0o777, 0o600);
}
