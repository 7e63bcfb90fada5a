use std::collections::BTreeMap;

use clap::Parser;

use super::*;
use crate::args::Args;

fn model() -> Model {
    Model::new(&Args::parse_from(["model", "--size", "4", "--channels", "2"])).unwrap()
}

/// For each set of open ranges, in the order of names, how many kernels are launched in it.
fn kernels_by_ranges(scenario: Scenario) -> BTreeMap<String, usize> {
    let model = model();
    let mut counts = BTreeMap::new();
    for actions in scenario.actions(&model) {
        let mut open: Vec<String> = Vec::new();
        for action in actions {
            let full = |domain: DomainName, name| match domain {
                None => String::from(name),
                Some(domain) => format!("{domain}@{name}"),
            };
            match action {
                Action::Push(domain, name) => open.push(full(domain, name)),
                Action::Pop(domain) => {
                    let last = open.pop().expect("a range is open");
                    let of = last.split_once('@').map(|(domain, _)| domain);
                    assert_eq!(of, domain, "ranges of domains are closed in order here");
                }
                Action::Start(name) => open.push(format!("{name}…")),
                Action::End(name) => {
                    let at = open.iter().rposition(|o| *o == format!("{name}…")).unwrap();
                    open.remove(at);
                }
                Action::Launch(_) => *counts.entry(open.join(" ")).or_default() += 1,
                Action::Wait | Action::Abort => {
                    counts.insert(format!("stop in {}", open.join(" ")), 0);
                    return counts;
                }
            }
        }
        assert!(open.is_empty(), "{scenario:?} leaves {open:?} open");
    }
    counts
}

fn check(scenario: Scenario, expected: &[(&str, usize)]) {
    let expected: BTreeMap<String, usize> =
        expected.iter().map(|&(ranges, count)| (ranges.to_owned(), count)).collect();
    assert_eq!(kernels_by_ranges(scenario), expected, "{scenario:?}");
}

#[test]
fn every_scenario_launches_what_it_says_where_it_says() {
    // A pass: the stem, three kernels in each of three blocks, two in the head.
    const PASS: usize = 12;
    const TOUR: usize = 43;
    use Scenario::*;
    check(
        Resnet,
        &[
            ("stem", 1),
            ("residual", 3),
            ("residual block.conv1", 3),
            ("residual block.conv2", 3),
            ("head", 2),
        ],
    );
    check(Nested, &[("A", PASS), ("A A::A1", PASS), ("B", PASS)]);
    check(Processes, &[("A", PASS), ("A A::A1", PASS), ("B", PASS)]);
    check(StartEnd, &[("A…", PASS), ("A… A::A1…", PASS), ("B…", PASS)]);
    check(Domains, &[("model@A", PASS), ("model@A data@B", PASS), ("data@B", PASS)]);
    check(Threads, &[("A", PASS), ("A A::A1", PASS), ("B", PASS)]);
    check(ManyKernels, &[("A", TOUR), ("A A::A1", TOUR), ("B", TOUR)]);
    let mut expected = vec![("A A::A1".to_owned(), TOUR)];
    for region in ["A", "B"] {
        for (part, count) in [(" stem", 1), (" head", 2)] {
            expected.push((format!("{region}{part}"), count));
        }
        for layer in 0..3 {
            for part in ["", " block.conv1", " block.conv2"] {
                expected.push((format!("{region} layers.{layer}{part}"), 1));
            }
        }
    }
    let expected: Vec<(&str, usize)> = expected.iter().map(|(r, n)| (r.as_str(), *n)).collect();
    check(Layers, &expected);
    check(BackToBack, &[("A", 2 * PASS), ("B", 2 * PASS)]);
    check(Overlapping, &[("A…", PASS), ("A… B…", PASS), ("B…", PASS)]);
    check(NoRanges, &[("", PASS)]);
    check(Outside, &[("", 3 * PASS), ("A", PASS), ("A A::A1", PASS), ("B", PASS)]);
    check(Hang, &[("A", PASS), ("stop in B NCCL@ncclAllReduce", 0)]);
    check(Crash, &[("A", PASS), ("B", PASS / 2), ("stop in B", 0)]);
}

#[test]
fn the_tour_has_every_kernel() {
    let model = model();
    let mut toured: Vec<&str> = model.tour.iter().map(|launch| launch.kernel.name()).collect();
    toured.sort_unstable();
    toured.dedup();
    assert_eq!(toured.len(), crate::kernel::Kernel::all().len());
}

#[test]
fn no_launch_writes_what_it_reads() {
    let model = model();
    for launch in model.pass().chain(&model.tour) {
        assert!(!launch.reads.contains(&launch.write), "{launch:?}");
    }
}
