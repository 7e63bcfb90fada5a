//! Whole runs with a runner that stands in for ncu, and with real shells.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rangescope_capture::child::{
    ChildEvent, ChildSpec, End, Outcome, Stdin, Stream, run as run_child,
};
use rangescope_capture::execute::{
    CaptureStatus, ExecuteError, ExecuteOptions, RunEvent, RunResult, execute,
};
use rangescope_capture::ncu::NcuInfo;
use rangescope_capture::plan::{Plan, PlanRequest};
use rangescope_config::Version;
use rangescope_config::settings::NcuOptions;
use rangescope_model::ReplayMode;

/// What the stand-in does for one capture.
#[derive(Clone, Copy)]
enum Act {
    /// Writes a report and ends with this exit code.
    Report(i32),
    /// Writes no report and ends with this exit code.
    Nothing(i32),
    /// Writes half a report and is interrupted.
    Interrupted,
    /// Is interrupted, and ncu still writes what it has.
    InterruptedWithReport,
    /// Writes something that is no report.
    Garbage,
}

struct StandIn {
    acts: VecDeque<Act>,
    runs: usize,
}

impl StandIn {
    fn run(&mut self, spec: &ChildSpec, tell: &mut dyn FnMut(ChildEvent<'_>)) -> Outcome {
        self.runs += 1;
        let at = spec.argv.iter().position(|argument| argument == "--export").unwrap();
        let report = PathBuf::from(&spec.argv[at + 1]);
        let log = b"==PROF== Connected to process 1 (/app)\n";
        fs_err::write(spec.stdout_log.as_ref().unwrap(), log).unwrap();
        fs_err::write(spec.stderr_log.as_ref().unwrap(), "").unwrap();
        tell(ChildEvent::Output(Stream::Stdout, log));
        let act = self.acts.pop_front().expect("one act for each run");
        match act {
            Act::Report(_) | Act::InterruptedWithReport => write_report(&report),
            Act::Garbage | Act::Interrupted => fs_err::write(&report, "half").unwrap(),
            Act::Nothing(_) => {}
        }
        let end = match act {
            Act::Report(code) | Act::Nothing(code) => End::Exited(code),
            Act::Garbage => End::Exited(0),
            Act::Interrupted | Act::InterruptedWithReport => End::Signalled(2),
        };
        Outcome {
            end,
            duration: Duration::from_secs(1),
            timed_out: None,
            interrupted: (end == End::Signalled(2)).then_some(2),
            left_over: false,
            log_problem: matches!(act, Act::Garbage).then(|| "disk full".to_owned()),
        }
    }
}

fn write_report(path: &Path) {
    let mut writer =
        ncu_rep::write::ReportWriter::new(fs_err::File::create(path).unwrap()).unwrap();
    writer.result(&ncu_rep::ResultData::default()).unwrap();
    writer.finish().unwrap();
}

fn plan_of(folder: &Path, regions: &str, program: &str) -> Plan {
    let mut options = NcuOptions { replay_mode: ReplayMode::Range, ..NcuOptions::default() };
    options.nvtx_include = vec![regions.to_owned()];
    Plan::new(&PlanRequest {
        options: &options,
        ncu: &NcuInfo::of_version(vec!["ncu".into()], Version::new(2024, 1, 1)),
        program: &[OsString::from(program)],
        folder,
        known: None,
        labels: &[],
        names_are_folded: false,
        inside: None,
    })
    .unwrap()
}

fn run(plan: &Plan, resume: bool, acts: &[Act]) -> (Result<RunResult, ExecuteError>, usize) {
    let mut runner = StandIn { acts: acts.to_vec().into(), runs: 0 };
    let options = ExecuteOptions {
        resume,
        child: ChildSpec { stdin: Stdin::Null, ..ChildSpec::default() },
        ..ExecuteOptions::default()
    };
    let result = execute(
        &plan.captures,
        &options,
        &mut |spec, tell| Ok(runner.run(spec, tell)),
        &mut |_| {},
    );
    (result, runner.runs)
}

fn statuses(result: Result<RunResult, ExecuteError>) -> Vec<CaptureStatus> {
    result.unwrap().captures.iter().map(|capture| capture.status).collect()
}

#[test]
fn reports_get_their_names_when_they_are_complete() {
    let folder = tempfile::tempdir().unwrap();
    let ncu = folder.path().join("run/ncu");
    let plan = plan_of(&ncu, "A;A::B;A::B::C;A::B::C::D", "./app");
    let (result, runs) =
        run(&plan, false, &[Act::Report(0), Act::Nothing(0), Act::Garbage, Act::Nothing(3)]);
    assert_eq!(runs, 4);
    let result = result.unwrap();
    assert!(result.captures[0].log.contains("Connected"));
    assert_eq!(
        statuses(Ok(result)),
        [
            CaptureStatus::Complete,
            CaptureStatus::NothingProfiled,
            CaptureStatus::Unreadable,
            CaptureStatus::Failed
        ]
    );
    assert!(ncu.join("range-1.ncu-rep").exists() && !ncu.join("range-1.partial.ncu-rep").exists());
    assert!(!ncu.join("range-3.ncu-rep").exists() && ncu.join("range-3.partial.ncu-rep").exists());
    let commands = fs_err::read_to_string(ncu.join("cmd.txt")).unwrap();
    assert!(commands.starts_with("# range-1\nncu --config-file off"), "{commands}");
    assert_eq!(commands.lines().count(), 8);
    let record: serde_json::Value =
        serde_json::from_str(&fs_err::read_to_string(ncu.join("range-4.capture.json")).unwrap())
            .unwrap();
    assert_eq!((&record["status"], &record["exit_code"]), (&"failed".into(), &3.into()));
}

#[test]
fn a_report_of_a_program_that_failed_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let plan = plan_of(folder.path(), "A", "./app");
    assert_eq!(statuses(run(&plan, false, &[Act::Report(5)]).0), [CaptureStatus::Complete]);
    assert!(folder.path().join("range.ncu-rep").exists());
}

#[test]
fn an_interrupted_run_is_taken_up_again() {
    let folder = tempfile::tempdir().unwrap();
    let plan = plan_of(folder.path(), "A;A::B;A::B::C", "./app");
    let (result, runs) = run(&plan, false, &[Act::Report(0), Act::Interrupted]);
    let result = result.unwrap();
    assert!(result.interrupted);
    assert_eq!(runs, 2);
    assert_eq!(
        statuses(Ok(result)),
        [CaptureStatus::Complete, CaptureStatus::Interrupted, CaptureStatus::NotRun]
    );
    // The finished report may not be written over, but gone on with.
    assert!(matches!(run(&plan, false, &[]).0, Err(ExecuteError::Exists { .. })));
    let (result, runs) = run(&plan, true, &[Act::Report(0), Act::Report(0)]);
    assert_eq!(runs, 2);
    assert_eq!(
        statuses(result),
        [CaptureStatus::Reused, CaptureStatus::Complete, CaptureStatus::Complete]
    );
    assert_eq!(run(&plan, true, &[]).1, 0);
}

#[test]
fn another_command_line_or_another_file_is_another_capture() {
    let folder = tempfile::tempdir().unwrap();
    let plan = plan_of(folder.path(), "A", "./app");
    assert_eq!(run(&plan, false, &[Act::Report(0)]).1, 1);
    let other = plan_of(folder.path(), "A", "./other");
    assert!(matches!(run(&other, true, &[]).0, Err(ExecuteError::Exists { .. })));
    fs_err::write(folder.path().join("range.ncu-rep"), "damaged").unwrap();
    assert!(matches!(run(&plan, true, &[]).0, Err(ExecuteError::Exists { .. })));
    let options = ExecuteOptions { resume: true, force: true, ..ExecuteOptions::default() };
    let mut runner = StandIn { acts: [Act::Report(0)].into(), runs: 0 };
    let result = execute(
        &plan.captures,
        &options,
        &mut |spec, tell| Ok(runner.run(spec, tell)),
        &mut |_| {},
    );
    assert_eq!(statuses(result), [CaptureStatus::Complete]);
}

#[test]
fn a_capture_is_the_same_one_wherever_its_folder_and_ncu_are() {
    let place = tempfile::tempdir().unwrap();
    let [old, new] = ["old", "a/new %p"].map(|name| place.path().join(name));
    assert_eq!(run(&plan_of(&old, "A", "./app"), false, &[Act::Report(0)]).1, 1);
    fs_err::create_dir(place.path().join("a")).unwrap();
    fs_err::rename(&old, &new).unwrap();
    let mut moved = plan_of(&new, "A", "./app");
    moved.captures[0].argv[0] = "/elsewhere/ncu".into();
    let (result, runs) = run(&moved, true, &[]);
    assert_eq!((statuses(result), runs), (vec![CaptureStatus::Reused], 0));
    let other = plan_of(&new, "A", "./other");
    assert!(matches!(run(&other, true, &[]).0, Err(ExecuteError::Exists { .. })));
}

#[test]
fn what_is_written_of_a_capture_is_the_users_own_and_masked() {
    use std::os::unix::fs::PermissionsExt;
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("run");
    let mut plan = plan_of(&folder, "A", "./app");
    plan.captures[0].argv.extend(["--token", "hunter2", "PASSWORD=hunter2"].map(OsString::from));
    assert_eq!(run(&plan, false, &[Act::Report(0)]).1, 1);
    let mode = |path: &Path| fs_err::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    for file in ["cmd.txt", "range.capture.json", "range.ncu-rep"] {
        let path = folder.join(file);
        assert_eq!(mode(&path), 0o600, "{file}");
        let text = String::from_utf8_lossy(&fs_err::read(&path).unwrap()).into_owned();
        assert!(!text.contains("hunter2"), "{file}: {text}");
    }
    // Another secret is no other capture.
    let last = plan.captures[0].argv.len() - 1;
    plan.captures[0].argv[last] = "PASSWORD=hunter3".into();
    assert_eq!(run(&plan, true, &[]).1, 0);
}

#[test]
fn a_real_child_is_run_and_told_about() {
    let folder = tempfile::tempdir().unwrap();
    let mut plan = plan_of(folder.path(), "A", "./app");
    let script = "echo '==WARNING== No ranges were profiled.'; echo mine >&2";
    plan.captures[0].argv = ["sh", "-c", script].map(OsString::from).to_vec();
    let options = ExecuteOptions {
        child: ChildSpec { stdin: Stdin::Null, ..ChildSpec::default() },
        ..ExecuteOptions::default()
    };
    let (mut begun, mut ended, mut output) = (0, 0, Vec::new());
    let result = execute(&plan.captures, &options, &mut run_child, &mut |event| match event {
        RunEvent::Begun(index, _) => begun += index + 1,
        RunEvent::Ended(index, _) => ended += index + 1,
        RunEvent::Child(_, ChildEvent::Output(_, bytes)) => output.extend_from_slice(bytes),
        RunEvent::Child(..) => {}
    });
    let result = result.unwrap();
    assert_eq!((begun, ended), (1, 1));
    assert_eq!(result.captures[0].status, CaptureStatus::NothingProfiled);
    assert_eq!(result.captures[0].log, "==WARNING== No ranges were profiled.\nmine\n");
    assert!(String::from_utf8(output).unwrap().contains("mine"));
    assert_eq!(fs_err::read_to_string(folder.path().join("range.stderr.log")).unwrap(), "mine\n");
}

#[test]
fn a_folder_that_cannot_be_made_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    fs_err::write(folder.path().join("file"), "").unwrap();
    let plan = plan_of(&folder.path().join("file/ncu"), "A", "./app");
    let error = run(&plan, false, &[]).0.unwrap_err();
    assert!(matches!(error, ExecuteError::Write { .. }), "{error}");
    assert!(error.hint().is_some());
}

#[test]
fn what_an_interrupted_capture_has_is_kept_under_its_own_name() {
    let folder = tempfile::tempdir().unwrap();
    let plan = plan_of(folder.path(), "A", "./app");
    let result = run(&plan, false, &[Act::InterruptedWithReport]).0.unwrap();
    let capture = &result.captures[0];
    assert_eq!((capture.status, &capture.report), (CaptureStatus::Interrupted, &None));
    assert_eq!(capture.partial_report, Some(folder.path().join("range.partial.ncu-rep")));
    assert!(!folder.path().join("range.ncu-rep").exists());
}

#[test]
fn problems_beside_the_report_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let plan = plan_of(folder.path(), "A", "./app");
    let result = run(&plan, false, &[Act::Garbage]).0.unwrap();
    assert_eq!(result.captures[0].problems, ["the log: disk full"]);
    assert_eq!(result.captures[0].partial_report, None);
}

#[test]
fn a_relative_folder_does_not_go_with_another_working_folder() {
    let plan = plan_of(Path::new("relative"), "A", "./app");
    let options = ExecuteOptions {
        child: ChildSpec { folder: Some("/".into()), ..ChildSpec::default() },
        ..ExecuteOptions::default()
    };
    let mut runner = StandIn { acts: VecDeque::new(), runs: 0 };
    let refused = execute(
        &plan.captures,
        &options,
        &mut |spec, tell| Ok(runner.run(spec, tell)),
        &mut |_| {},
    )
    .unwrap_err();
    assert!(matches!(refused, ExecuteError::Relative { .. }), "{refused}");
    assert!(!Path::new("relative").exists());
}
