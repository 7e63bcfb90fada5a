use super::{CodeMap, LaunchCode, Place, SourceTally, Spot};
use crate::aggregate::{Analysis, AnalysisOptions};
use rangescope_model::launch::{Launch, LaunchKind, MetricId, OpenRanges, Vocabulary};
use rangescope_model::source::{CodeTotals, Weight};
use std::sync::Arc;

const LONG: &str = "smsp__pcsamp_warps_issue_stalled_long_scoreboard";
const SELECTED: &str = "smsp__pcsamp_warps_issue_stalled_selected";
const NOT_ISSUED: &str = "smsp__pcsamp_warps_issue_stalled_selected_not_issued";

/// Two files; offsets below 32 are of line 7, of which those from 16 on were inlined from line 70 of the other file.
struct Map;

impl CodeMap for Map {
    fn line(&self, _: u32, offset: u32) -> Option<Place> {
        (offset < 48).then_some((0, if offset < 32 { 7 } else { 8 }))
    }

    fn frames(&self, _: u32, offset: u32) -> Vec<(Place, Option<Arc<str>>)> {
        let outer = self.line(0, offset).map(|place| (place, None));
        let inner = (16..32).contains(&offset).then(|| ((1, 70), Some("helper".into())));
        inner.into_iter().chain(outer).collect()
    }

    fn path(&self, file: u32) -> &str {
        if file == 0 { "/k.cu" } else { "/h.cuh" }
    }

    fn name(&self, function: u32) -> Arc<str> {
        format!("function {function}").into()
    }

    fn no_lines(&self, _: u32) -> Option<String> {
        None
    }

    fn reason(&self, reason: u32) -> String {
        format!("reason {reason}")
    }

    fn sass(&self, _: u32, _: u32) -> Option<String> {
        None
    }

    fn ptx(&self, _: u32, _: u32) -> Option<String> {
        None
    }
}

/// Counts in the kernel itself.
fn code(counters: &[(&str, &[(u32, u64)])]) -> LaunchCode {
    let spot = |&(offset, value)| (Spot::Instruction { function: 0, offset }, value);
    let counters = counters
        .iter()
        .map(|(name, values)| ((*name).to_owned(), values.iter().map(spot).collect()));
    LaunchCode { counters: counters.collect(), ..LaunchCode::default() }
}

/// Adds a launch in these ranges; gives whether it was selected.
fn add(tally: &mut SourceTally<'_>, path: &[&str], time: Option<f64>, code: &LaunchCode) -> bool {
    add_sampled(tally, path, time, None, code)
}

/// The same, sampled at this interval.
fn add_sampled(
    tally: &mut SourceTally<'_>,
    path: &[&str],
    time: Option<f64>,
    interval: Option<f64>,
    code: &LaunchCode,
) -> bool {
    let domains = [OpenRanges { domain: "d", push_pop: path.to_vec(), ..OpenRanges::default() }];
    let time = time.map(|time| (MetricId(0), time));
    let interval = interval.map(|interval| (MetricId(1), interval));
    let numbers: Vec<(MetricId, f64)> = time.into_iter().chain(interval).collect();
    let placed = tally.place(&Launch { numbers: &numbers, ..plain(&domains) });
    if let Some(placed) = placed {
        tally.add(placed, code);
    }
    placed.is_some()
}

fn plain<'l>(domains: &'l [OpenRanges<'l>]) -> Launch<'l> {
    Launch {
        index: 0,
        kind: LaunchKind::Kernel,
        process: 0,
        device: None,
        function: "k",
        demangled: "k(int)",
        mangled: "_Z1ki",
        grid: None,
        block: None,
        domains,
        is_placed: true,
        numbers: &[],
        large: &[],
        texts: &[],
        sections: &[],
        rules: &[],
    }
}

fn vocabulary() -> Vocabulary {
    Vocabulary {
        metrics: ["gpu__time_duration.sum", "smsp__pcsamp_interval_cycles"]
            .map(str::to_owned)
            .to_vec(),
        units: ["ns", "cycle"].map(str::to_owned).to_vec(),
        ..Vocabulary::default()
    }
}

#[test]
fn counts_roll_up_to_lines_functions_and_regions() {
    let vocabulary = vocabulary();
    let analysis = Analysis::new(&AnalysisOptions::default(), &vocabulary).unwrap();
    let mut tally = SourceTally::new(&analysis);
    let first = code(&[
        ("inst_executed", &[(0, 10), (16, 10), (32, 4), (48, 1)]),
        (LONG, &[(0, 1), (16, 5)]),
        (SELECTED, &[(32, 2)]),
        (NOT_ISSUED, &[(32, 2)]),
        ("memory_type", &[(0, 3)]),
    ]);
    let second = code(&[("inst_executed", &[(0, 1)]), (LONG, &[(32, 2)])]);
    assert!(add(&mut tally, &["A", "B"], Some(8e6), &first));
    assert!(add(&mut tally, &["A"], Some(1e6), &second));
    let rolled = tally.finish(&Map, 10);

    assert_eq!(rolled.ordered_by, Weight::Time);
    assert_eq!((rolled.totals.launches, rolled.totals.sampled), (2, 2));
    assert_eq!(rolled.totals.counts.samples, Some(10));
    // Codes are no counts.
    assert_eq!(rolled.metrics, ["inst_executed", NOT_ISSUED]);
    let lines: Vec<_> = rolled.files[0]
        .lines
        .iter()
        .map(|line| {
            (
                line.line,
                line.counts.samples,
                line.counts.time_ms,
                line.counts.metric("inst_executed"),
            )
        })
        .collect();
    // Six of the eight samples of 8 ms; two of eight, and both of the 1 ms.
    assert_eq!(lines, [(7, Some(6), Some(6.0), 21), (8, Some(4), Some(3.0), 4)]);
    let line = &rolled.files[0].lines[0].counts;
    assert_eq!(line.share, Some(0.6));
    assert!((line.share_error.unwrap() - 1.96 * (0.6_f64 * 0.4 / 10.0).sqrt()).abs() < 1e-15);
    assert_eq!(line.dominant_stall(), Some(("long_scoreboard", 1.0)));

    let kernel = &rolled.kernels[0];
    assert_eq!(kernel.instructions.len(), 4);
    assert_eq!(kernel.instructions[3].line, None);
    let call = &rolled.calls[kernel.instructions[1].call.unwrap() as usize];
    assert_eq!((call.function.as_deref(), call.at.line), (Some("helper"), 70));
    let outer = &rolled.calls[call.caller.unwrap() as usize];
    assert_eq!((outer.function.as_deref(), outer.at.line), (None, 7));
    let functions: Vec<_> = rolled
        .functions
        .iter()
        .map(|f| (f.name.as_str(), f.exclusive.samples.unwrap(), f.inclusive.samples.unwrap()))
        .collect();
    assert_eq!(functions, [("k(int)", 5, 10), ("helper", 5, 5)]);

    let regions: Vec<_> = rolled
        .regions
        .iter()
        .map(|region| {
            (region.name.as_str(), region.totals.counts.samples, region.lines[0].counts.share)
        })
        .collect();
    assert_eq!(regions, [("A", Some(10), Some(0.6)), ("A::B", Some(8), Some(0.75))]);
}

#[test]
fn without_samples_or_durations_nothing_is_called_zero() {
    let vocabulary = vocabulary();
    let analysis = Analysis::new(&AnalysisOptions::default(), &vocabulary).unwrap();
    let mut tally = SourceTally::new(&analysis);
    add(&mut tally, &[], None, &code(&[("inst_executed", &[(0, 3)])]));
    let rolled = tally.finish(&Map, 10);
    assert_eq!(rolled.ordered_by, Weight::Instructions);
    let counts = &rolled.files[0].lines[0].counts;
    assert_eq!((counts.samples, counts.share, counts.time_ms), (None, None, None));
    assert_eq!(rolled.totals.total_ms, None);

    // Sampled, and the duration is not known: samples, and no time.
    add(&mut tally, &[], None, &code(&[(LONG, &[(0, 3)])]));
    let rolled = tally.finish(&Map, 10);
    assert_eq!(rolled.ordered_by, Weight::Samples);
    let counts = &rolled.files[0].lines[0].counts;
    assert_eq!((counts.samples, counts.time_ms), (Some(3), None));
}

#[test]
fn only_what_is_selected_counts() {
    let vocabulary = vocabulary();
    let options = AnalysisOptions { regions: vec!["B".to_owned()], ..AnalysisOptions::default() };
    let analysis = Analysis::new(&options, &vocabulary).unwrap();
    let mut tally = SourceTally::new(&analysis);
    let some = code(&[(LONG, &[(0, 3)])]);
    assert!(add(&mut tally, &["B"], Some(1.0), &some));
    assert!(!add(&mut tally, &["A"], Some(1.0), &some));
    assert_eq!(tally.finish(&Map, 10).totals.launches, 1);
}

#[test]
fn called_functions_stand_under_their_own_name_and_what_is_unknown_under_none() {
    let vocabulary = vocabulary();
    let analysis = Analysis::new(&AnalysisOptions::default(), &vocabulary).unwrap();
    let mut tally = SourceTally::new(&analysis);
    let mut launch = code(&[(LONG, &[(32, 2)])]);
    launch.counters[0].1.extend([
        (Spot::Instruction { function: 1, offset: 32 }, 5),
        (Spot::Unknown { reason: 4 }, 3),
    ]);
    assert!(add(&mut tally, &["A"], Some(1e6), &launch));
    let rolled = tally.finish(&Map, 10);

    // All ten samples are what shares and times are of.
    let line = &rolled.files[0].lines[0].counts;
    assert_eq!((line.samples, line.share, line.time_ms), (Some(7), Some(0.7), Some(0.7)));
    let unknown = |totals: &CodeTotals| {
        let [unknown] = &totals.unknown[..] else { panic!("{totals:?}") };
        (unknown.reason.clone(), unknown.counts.samples, unknown.counts.time_ms)
    };
    let expected = ("reason 4".to_owned(), Some(3), Some(0.3));
    let kernel = &rolled.kernels[0];
    for totals in [&rolled.totals, &kernel.totals, &rolled.regions[0].totals] {
        assert_eq!(totals.counts.samples, Some(10));
        assert_eq!(unknown(totals), expected);
    }
    let instructions: Vec<_> = kernel
        .instructions
        .iter()
        .map(|one| (one.function.as_deref(), one.offset, one.counts.samples))
        .collect();
    assert_eq!(instructions, [(None, 32, Some(2)), (Some("function 1"), 32, Some(5))]);
    let functions: Vec<_> = rolled
        .functions
        .iter()
        .map(|f| (f.name.as_str(), f.exclusive.samples.unwrap(), f.inclusive.samples.unwrap()))
        .collect();
    assert_eq!(functions, [("k(int)", 2, 7), ("function 1", 5, 5)]);
}

#[test]
fn samples_of_different_intervals_are_counted_at_the_shortest() {
    let vocabulary = vocabulary();
    let analysis = Analysis::new(&AnalysisOptions::default(), &vocabulary).unwrap();
    // Two launches with samples at lines 7 and 8, and one without any, at these intervals.
    let rolled = |intervals: [Option<f64>; 3]| {
        let mut tally = SourceTally::new(&analysis);
        let all = [
            code(&[("inst_executed", &[(0, 4)]), (LONG, &[(0, 10)])]),
            code(&[("inst_executed", &[(32, 4)]), (LONG, &[(32, 10)])]),
            code(&[(LONG, &[(0, 0)])]),
        ];
        for (code, interval) in all.iter().zip(intervals) {
            assert!(add_sampled(&mut tally, &["A"], Some(1e6), interval, code));
        }
        tally.finish(&Map, 10)
    };
    let counted = |intervals| {
        let rolled = rolled(intervals);
        let lines: Vec<_> = rolled.files[0]
            .lines
            .iter()
            .map(|line| (line.counts.samples.unwrap(), line.counts.stalls["long_scoreboard"]))
            .collect();
        (lines, rolled.files[0].lines[0].counts.share, rolled.sampling.is_some())
    };
    let same = (vec![(10, 10), (10, 10)], Some(0.5), false);
    let scaled = (vec![(10, 10), (40, 40)], Some(0.2), true);
    assert_eq!(counted([Some(512.0), Some(2048.0), Some(32.0)]), scaled);
    assert_eq!(counted([Some(512.0), Some(512.0), Some(32.0)]), same);
    assert_eq!(counted([Some(512.0), Some(2048.0), None]), scaled);
    assert_eq!(counted([None, None, None]), same);
    // What is unknown scales nothing.
    let other = rolled([Some(512.0), Some(2048.0), Some(2048.0)]).files[0].lines[0].counts.clone();
    assert_eq!((other.metric("inst_executed"), other.time_ms), (4, Some(1.0)));
    for unknown in [None, Some(0.0), Some(-1.0)] {
        let mut tally = SourceTally::new(&analysis);
        let one = code(&[(LONG, &[(0, 10)])]);
        for interval in [Some(512.0), Some(2048.0), unknown] {
            add_sampled(&mut tally, &[], Some(1e6), interval, &one);
        }
        let rolled = tally.finish(&Map, 10);
        assert_eq!(rolled.totals.counts.samples, Some(30));
        assert!(rolled.sampling.unwrap().contains("unknown"));
    }
}

#[test]
fn what_is_moved_and_not_used_is_counted_and_weighed_by_line() {
    let names = [
        "gpu__time_duration.sum",
        "memory_l2_theoretical_sectors_global",
        "memory_l2_theoretical_sectors_global_ideal",
        "lts__t_sectors.sum",
        "lts__t_sectors.avg.pct_of_peak_sustained_elapsed",
    ];
    let vocabulary =
        Vocabulary { metrics: names.map(str::to_owned).to_vec(), ..Vocabulary::default() };
    let analysis = Analysis::new(&AnalysisOptions::default(), &vocabulary).unwrap();
    let mut tally = SourceTally::new(&analysis);
    let excess = "derived__memory_l2_theoretical_sectors_global_excessive";
    // 300 of 1,000 sectors are not used, in a launch of 1 ms of which L2 is busy for 40 %: each costs 400 ns at most.
    let numbers = [1e6, 800.0, 500.0, 1000.0, 40.0];
    let numbers: Vec<(MetricId, f64)> =
        (0..).zip(numbers).map(|(id, value)| (MetricId(id), value)).collect();
    let launch = Launch { numbers: &numbers, ..plain(&[]) };
    let placed = tally.place(&launch).unwrap();
    tally.add(placed, &code(&[(excess, &[(0, 200), (32, 100)])]));
    let rolled = tally.finish(&Map, 5);
    let lines = &rolled.files[0].lines;
    let counts = |line: usize| (lines[line].counts.excess_bytes, lines[line].counts.excess_ms);
    assert_eq!(
        (lines[0].line, counts(0).0, lines[1].line, counts(1).0),
        (7, Some(6400), 8, Some(3200))
    );
    assert!(
        (counts(0).1.unwrap() - 0.08).abs() < 1e-9 && (counts(1).1.unwrap() - 0.04).abs() < 1e-9
    );
    assert_eq!(rolled.totals.counts.excess_bytes, Some(9600));
}
