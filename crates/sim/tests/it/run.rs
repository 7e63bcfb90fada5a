//! Whole runs of the simulator with programs that exist only as records.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use ncu_rep::{DEFAULT_DOMAIN, NvtxRange, Report, ResultKind, names};
use rangescope_model::session::SIMULATOR_PROVIDER;
use rangescope_sim::ncu::record::{Action, ProcessRecord, RunRecord, Step};
use rangescope_sim::ncu::{ProgramLaunch, ProgramOutcome, ProgramRunner, run_with};

/// A program of `processes` that opens A with A1 in it and then B, three kernels each.
struct Fake {
    processes: u32,
    code: i32,
}

impl ProgramRunner for Fake {
    fn run(
        &mut self,
        launch: ProgramLaunch<'_>,
        _: &mut dyn FnMut(u32, &RunRecord) -> bool,
    ) -> Result<ProgramOutcome, String> {
        assert_eq!(launch.argv, ["/bin/true", "--its-own"]);
        let processes = (0..self.processes).map(process).collect();
        let record = RunRecord { processes, notes: Vec::new() };
        Ok(ProgramOutcome { record, pid: Some(100), code: self.code, ended: false })
    }
}

fn process(rank: u32) -> ProcessRecord {
    let push = |name: &str| Action::Push {
        domain: DEFAULT_DOMAIN.to_owned(),
        range: NvtxRange { name: name.to_owned().into(), ..NvtxRange::default() },
    };
    let pop = || Action::Pop { domain: DEFAULT_DOMAIN.to_owned() };
    let kernel = |name: &str, flops: f64| Action::Announce {
        message: format!(
            r#"{{"kernel":"{name}","grid":[200],"block":[128],"flops":{flops},"read":3e6,"written":1e6}}"#
        ),
    };
    let mut actions = vec![kernel("outside", 1e6), push("A")];
    actions.extend([kernel("a0", 1e9), kernel("a1", 3e9), kernel("a2", 5e8), push("A1")]);
    actions.extend([kernel("x0", 1e8), kernel("x1", 2e10), kernel("x2", 1e7), pop(), pop()]);
    actions.extend([push("B"), kernel("b0", 7e9), kernel("b1", 0.0), kernel("b2", 1e5), pop()]);
    actions.push(Action::Announce { message: "no kernel".to_owned() });
    let pid = 100 + rank;
    let steps =
        (0..).zip(actions).map(|(time_ns, action)| Step { thread: pid, time_ns, action }).collect();
    ProcessRecord {
        pid,
        parent: 1,
        executable: "/opt/app".to_owned(),
        host: format!("node{rank}"),
        rank: Some(rank),
        steps,
    }
}

fn simulate(folder: &Path, options: &str, processes: u32, code: i32) -> (ExitCode, Option<Report>) {
    let path = folder.join("out.ncu-rep");
    let log = folder.join("log");
    let mut args: Vec<OsString> = options.split_whitespace().map(OsString::from).collect();
    args.extend(["--log-file".into(), log.into_os_string()]);
    args.extend(["-f".into(), "-o".into(), path.clone().into_os_string()]);
    args.extend(["/bin/true", "--its-own"].map(OsString::from));
    let exit = run_with(args, &mut Fake { processes, code });
    (exit, path.exists().then(|| Report::open(&path).unwrap()))
}

fn time(report: &Report) -> f64 {
    let of = |view: ncu_rep::ResultView<'_>| {
        view.decode()
            .unwrap()
            .metric(names::DURATION)
            .and_then(|m| m.value.as_ref()?.as_f64())
            .unwrap()
    };
    report.results().map(of).sum()
}

#[test]
fn kernels_and_ranges_have_the_same_total() {
    let folder = tempfile::tempdir().unwrap();
    for include in ["A/", "A1/", "B/", "regex:^(A|B)$/"] {
        let options = format!("--nvtx --metrics {} --nvtx-include {include}", names::DURATION);
        let (_, kernels) = simulate(folder.path(), &options, 1, 0);
        let kernels = time(&kernels.unwrap());
        let options = format!("{options} --replay-mode range");
        let (_, ranges) = simulate(folder.path(), &options, 1, 0);
        let ranges = ranges.unwrap();
        assert!(ranges.results().all(|view| view.kind() == ResultKind::Range));
        assert!((time(&ranges) - kernels).abs() < 1e-6, "{include}");
    }
}

#[test]
fn a_report_says_that_it_is_simulated_and_has_what_was_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let (exit, report) = simulate(folder.path(), "--nvtx --section Occupancy", 1, 0);
    assert_eq!(exit, ExitCode::SUCCESS);
    let report = report.unwrap();
    assert!(report.session().version(SIMULATOR_PROVIDER).is_some());
    assert_eq!(report.results().count(), 10);
    for view in report.results() {
        let result = view.decode().unwrap();
        let sections: Vec<&str> = result.sections.iter().map(|section| &*section.id).collect();
        assert_eq!(sections, ["Occupancy"]);
        assert!(result.metric(names::DURATION).is_none(), "nobody asked for the time");
        assert!(result.metric("launch__registers_per_thread").is_some());
    }
    let log = fs_err::read_to_string(folder.path().join("log")).unwrap();
    assert!(log.starts_with("==PROF== rangescope simulator"), "{log}");
    assert!(log.contains("==WARNING== 1 of the marks of process 100 in the domain"), "{log}");
    assert!(
        log.contains("==PROF== Profiling \"outside\" - 0: 0%....50%....100% - 1 pass\n"),
        "{log}"
    );
}

#[test]
fn processes_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let (_, report) = simulate(folder.path(), "--nvtx -k a0", 3, 0);
    let report = report.unwrap();
    let processes: Vec<(Option<u32>, String)> = report
        .results()
        .map(|view| (view.process().pid, view.process().host.into_owned()))
        .collect();
    let expected: Vec<(Option<u32>, String)> =
        (0..3).map(|rank| (Some(100 + rank), format!("node{rank}"))).collect();
    assert_eq!(processes, expected);
}

#[test]
fn nothing_profiled_is_success_without_a_report_and_exit_codes_are_handed_on() {
    let folder = tempfile::tempdir().unwrap();
    let (exit, report) = simulate(folder.path(), "-k nothing", 1, 0);
    assert_eq!((exit, report.is_none()), (ExitCode::SUCCESS, true));
    let (exit, report) = simulate(folder.path(), "", 1, 9);
    assert_eq!((exit, report.is_some()), (ExitCode::from(9), true));
    let (exit, _) = simulate(folder.path(), "--check-exit-code no", 1, 9);
    assert_eq!(exit, ExitCode::SUCCESS);
}
