//! The tree of regions: times, pairs, scopes, and how it looks.

use super::support::{folder, recording};
use rangescope_model::recorded::{RecordedRegion, RecordedRegions, RegionTree};
use rangescope_read::recording::{Recording, SIMULATOR_DOMAIN, regions};
use rangescope_recorder::format::{Kind, field};
use rangescope_report::recorded;
use rangescope_testing::recording::{File, Said};

const MS: u64 = 1_000_000;

fn aggregate(document: &RecordedRegions) -> &RegionTree {
    document.reports.last().unwrap()
}

fn region<'d>(document: &'d RecordedRegions, name: &str) -> &'d RecordedRegion {
    aggregate(document).regions.iter().find(|region| region.name == name).unwrap()
}

/// A forward pass with a nested range, an overlapping start/end range, and one that stays open.
fn forward() -> File {
    let mut file = File::new(7);
    file.thread(11, 0);
    for (begin, inner) in [(0, 1), (10, 2), (20, 6)] {
        file.push(begin * MS, "A").push((begin + 1) * MS, "A::A1");
        file.pop((begin + 1 + inner) * MS).pop((begin + 8) * MS);
    }
    file.push(30 * MS, "B").pop(33 * MS);
    file.push(40 * MS, "stuck").mark(41 * MS, "mark");
    file.record(Kind::Domain, 5, 0, 0, &Said::Text(SIMULATOR_DOMAIN));
    file.record(Kind::Mark, 5, 42 * MS, 0, &Said::Text("gemm"));
    file.thread(12, 1).start(25 * MS, 1, "copy").end(31 * MS, 1);
    file
}

#[test]
fn times_are_inclusive_and_exclusive() {
    let document = regions(&recording(&forward()));
    let a = region(&document, "A");
    assert_eq!((a.instances, a.total_ms, a.exclusive_ms), (3, 24.0, 15.0));
    let inner = region(&document, "A::A1");
    assert_eq!(
        (inner.path.as_slice(), inner.parent, inner.depth),
        (["A".to_owned(), "A::A1".to_owned()].as_slice(), Some(0), 1)
    );
    assert_eq!((inner.min_ms, inner.median_ms, inner.max_ms), (1.0, 2.0, 6.0));
    let stuck = region(&document, "stuck");
    assert_eq!((stuck.never_closed, stuck.total_ms), (1, 2.0));
    let tree = aggregate(&document);
    assert_eq!((tree.marks, tree.simulated_launches), (1, 1));
}

#[test]
fn a_process_that_ended_in_order_closes_its_ranges_then() {
    let mut file = forward();
    file.put(field::ENDED, &(50 * MS).to_le_bytes());
    assert_eq!(region(&regions(&recording(&file)), "stuck").total_ms, 10.0);
}

#[test]
fn regions_that_were_open_together_are_listed_once() {
    let document = regions(&recording(&forward()));
    let tree = aggregate(&document);
    let names: Vec<[&str; 2]> = tree
        .open_together
        .iter()
        .map(|pair| pair.map(|region| tree.regions[region].name.as_str()))
        .collect();
    assert_eq!(names, [["A", "A::A1"], ["A", "copy"], ["A::A1", "copy"], ["copy", "B"]]);
}

#[test]
fn threads_and_processes_are_counted_and_every_process_has_its_own_tree() {
    let mut first = File::new(1);
    first.thread(1, 0).push(0, "A").push(1, "x").pop(2).pop(3);
    first.thread(2, 1).push(1, "A").pop(2);
    let mut second = File::new(2);
    second.thread(3, 0).push(0, "B").pop(4).push(5, "A").pop(6).pop(7);
    let (_keep, path) = folder(&[("1-0.nvtx", &first), ("2-0.nvtx", &second)]);
    let document = regions(&Recording::open(&path).unwrap());
    let scopes: Vec<&str> = document.reports.iter().map(|tree| tree.scope.id.as_str()).collect();
    assert_eq!(scopes, ["process:1", "process:2", "aggregate"]);
    let a = region(&document, "A");
    assert_eq!((a.instances, a.threads, a.processes, a.most_open), (3, 3, 2, 2));
    let order: Vec<&str> = aggregate(&document).regions.iter().map(|r| r.name.as_str()).collect();
    assert_eq!(order, ["A", "A::x", "B"]);
    assert_eq!(document.reports[1].regions.len(), 2);
    assert_eq!(document.reports[1].pops_without_push, 1);
    assert_eq!(document.notes[0].code, "ends-without-begin");
}

#[test]
fn a_program_that_replaced_itself_has_two_scopes() {
    let mut file = File::new(1);
    file.thread(1, 0).mark(0, "m");
    let (_keep, path) = folder(&[("1-0.nvtx", &file), ("1-1.nvtx", &file)]);
    let document = regions(&Recording::open(&path).unwrap());
    assert_eq!(document.processes[1].scope, "process:1#2");
}

#[test]
fn the_view_shows_the_tree_and_nothing_that_acts() {
    let mut file = forward();
    file.push(
        60 * MS,
        "\u{1b}[31mred\nname that is much longer than any column of the table can be",
    )
    .pop(2_000 * MS);
    let mut document = regions(&recording(&file));
    document.processes[0].process_id = 7;
    let text = recorded::terminal(&document, &recorded::Shown::default());
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn a_recording_without_ranges_says_so() {
    let mut file = File::new(1);
    file.thread(1, 0).mark(0, "m");
    let text = recorded::terminal(&regions(&recording(&file)), &recorded::Shown::default());
    assert!(text.contains("no NVTX ranges were recorded"), "{text}");
}

#[test]
fn the_document_survives_json() {
    let document = regions(&recording(&forward()));
    let text = serde_json::to_string(&document).unwrap();
    assert_eq!(serde_json::from_str::<RecordedRegions>(&text).unwrap(), document);
}
