//! Reports per process, per device and over everything.

use super::common::{Run, Sample, codes, report};
use rangescope_model::document::Basis;
use rangescope_model::launch::ProcessInfo;

fn process(pid: Option<u32>, host: &str) -> ProcessInfo {
    ProcessInfo { pid, host: host.to_owned(), name: "app".to_owned(), rank: None }
}

fn run(processes: Vec<ProcessInfo>, places: &[(usize, Option<u32>)]) -> Run {
    let mut run = Run::new(
        places
            .iter()
            .map(|(process, device)| Sample::parse("k: A").on(*process, *device))
            .collect(),
    );
    run.processes = processes;
    run
}

fn ids(run: &Run) -> Vec<String> {
    run.outcome().reports.into_iter().map(|report| report.scope.id).collect()
}

#[test]
fn all_comes_first_then_processes_as_they_appear_then_devices() {
    let run = run(
        vec![process(Some(7), "h"), process(Some(3), "h")],
        &[(0, Some(1)), (1, Some(0)), (0, None)],
    );
    assert_eq!(
        ids(&run),
        ["aggregate", "process:7", "process:3", "device:0", "device:1", "device:unknown"]
    );
    let report = report(&run.outcome(), "process:7", Basis::Kernel);
    assert_eq!((report.totals.kernel_count, report.scope.process_id), (2, Some(7)));
    assert_eq!((report.regions[0].process_id, report.regions[0].device), (Some(7), None));
}

#[test]
fn hosts_are_named_where_there_are_several() {
    let run = run(
        vec![process(Some(7), "a"), process(Some(7), "b"), process(None, "b")],
        &[(0, Some(0)), (1, Some(0)), (2, Some(0))],
    );
    assert_eq!(
        ids(&run),
        ["aggregate", "process:7@a", "process:7@b", "process:unknown@b", "device:0"]
    );
    assert!(codes(&run.outcome()).contains(&"devices-of-several-hosts"));
}

#[test]
fn ranks_tell_processes_apart_that_nothing_else_does() {
    let rank = |rank| ProcessInfo { rank: Some(rank), ..process(Some(1), "pod") };
    let mut run = run(vec![rank(0), rank(7)], &[(0, Some(0)), (1, Some(0)), (1, Some(0))]);
    assert_eq!(
        ids(&run),
        ["aggregate", "process:1@pod@rank:0", "process:1@pod@rank:7", "device:0"]
    );
    run.options.scopes = vec!["rank:7".to_owned()];
    let outcome = run.outcome();
    assert_eq!(outcome.reports.len(), 1);
    let report = &outcome.reports[0];
    assert_eq!((report.scope.rank, report.totals.kernel_count), (Some(7), 2));
    run.options.scopes = vec!["rank:8".to_owned()];
    let missing = run.outcome();
    assert!(
        missing.notes.iter().any(|note| note.message.contains("rank:8")),
        "{:?}",
        missing.notes
    );
}

#[test]
fn one_process_in_several_files_is_one_scope() {
    let run =
        run(vec![process(Some(7), "a"), process(Some(7), "a")], &[(0, Some(0)), (1, Some(0))]);
    assert_eq!(ids(&run), ["aggregate", "process:7", "device:0"]);
    assert_eq!(report(&run.outcome(), "process:7", Basis::Kernel).totals.kernel_count, 2);
}

#[test]
fn a_process_that_is_not_known_has_a_scope_too() {
    assert_eq!(
        ids(&run(Vec::new(), &[(5, None)])),
        ["aggregate", "process:unknown", "device:unknown"]
    );
}

#[test]
fn scopes_can_be_chosen() {
    let mut run =
        run(vec![process(Some(7), "a"), process(Some(8), "b")], &[(0, Some(0)), (1, Some(0))]);
    run.options.scopes =
        vec!["process:8".to_owned(), "aggregate".to_owned(), "device:9".to_owned()];
    assert_eq!(ids(&run), ["aggregate", "process:8@b"]);
    assert!(codes(&run.outcome()).contains(&"scope-not-seen"));
    run.options.scopes = Vec::new();
    run.options.aggregate = false;
    assert_eq!(ids(&run), ["process:7@a", "process:8@b", "device:0"]);
}

#[test]
fn a_run_without_results_still_has_a_report() {
    let outcome = run(Vec::new(), &[]).outcome();
    assert_eq!(outcome.reports.len(), 1);
    assert_eq!(outcome.reports[0].totals.kernel_count, 0);
}

#[test]
fn gpus_of_one_number_are_kept_apart_by_their_address() {
    let processes = |hosts: [&str; 2]| vec![process(Some(1), hosts[0]), process(Some(2), hosts[1])];
    let on = |hosts: [&str; 2], slots: [u32; 2]| {
        let sample = |process: usize| Sample::parse("k: A").in_slot(process, slots[process]);
        let mut run = Run::new(vec![sample(0), sample(1)]);
        run.processes = processes(hosts);
        run
    };
    let devices = |run: &Run| -> Vec<String> {
        ids(run).into_iter().filter(|id| id.starts_with("device")).collect()
    };
    let one_host = on(["h", "h"], [0x3b, 0x5e]);
    assert_eq!(devices(&one_host), ["device:0@0000:3b:00", "device:0@0000:5e:00"]);
    assert!(codes(&one_host.outcome()).contains(&"several-gpus-of-one-number"));
    let aggregate = report(&one_host.outcome(), "aggregate", Basis::Kernel);
    assert_eq!(aggregate.regions[0].device, None, "it is two devices");
    let part = report(&one_host.outcome(), "device:0@0000:5e:00", Basis::Kernel);
    assert_eq!((part.totals.kernel_count, part.scope.device), (1, Some(0)));

    assert_eq!(devices(&on(["h", "h"], [0x3b, 0x3b])), ["device:0"]);
    let hosts = on(["a", "b"], [0x3b, 0x3b]);
    assert_eq!(devices(&hosts), ["device:0@0000:3b:00@a", "device:0@0000:3b:00@b"]);

    // What does not say where it ran may be any of them.
    let mut partly = on(["h", "h"], [0x3b, 0x5e]);
    partly.samples.push(Sample::parse("k: A").on(0, Some(0)));
    assert_eq!(
        devices(&partly),
        ["device:0@unknown", "device:0@0000:3b:00", "device:0@0000:5e:00"]
    );

    let asked = |scope: &str| {
        let mut run = on(["a", "b"], [0x3b, 0x5e]);
        run.options.scopes = vec![scope.to_owned()];
        ids(&run)
    };
    let both = ["device:0@0000:3b:00@a", "device:0@0000:5e:00@b"];
    assert_eq!(asked("device:0"), both);
    assert_eq!(asked("device:0@0000:3b:00"), both[..1]);
    assert_eq!(asked(both[1]), both[1..]);
}
