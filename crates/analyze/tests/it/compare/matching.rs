//! What is compared with what, and what comes of it.

use rangescope_analyze::aggregate::{NormaliseRule, Normaliser};
use rangescope_analyze::compare::{CompareOptions, compare};
use rangescope_model::comparison::{Change, Comparison, RegionDelta, ShapeChange, Verdict};
use rangescope_model::document::{Family, LaunchShape, RegionDocument, ScopeKind, SourceInfo};
use rangescope_model::region::RangeKind;
use rangescope_testing::documents::{document, kernel, metric, region, run};

fn region_of<'c>(comparison: &'c Comparison, name: &str) -> &'c RegionDelta {
    let regions = &comparison.scopes[0].regions;
    regions.iter().find(|region| region.name == name).unwrap_or_else(|| panic!("no {name}"))
}

#[test]
fn differences_and_their_order() {
    let comparison =
        compare(&[run(1.0, 1.0, 1.0)], &[run(1.2, 0.5, 1.0)], &CompareOptions::default());
    let scope = &comparison.scopes[0];
    let names: Vec<&str> = scope.regions.iter().map(|region| region.name.as_str()).collect();
    // Prefill costs 1 ms more; decode and decode::attn 1 ms less, of which all is in attn alone.
    assert_eq!(names, ["decode::attn", "prefill", "decode"]);
    let prefill = region_of(&comparison, "prefill");
    assert_eq!(prefill.verdict, Verdict::HigherNotJudged);
    assert_eq!(prefill.time.absolute, Some(1.0));
    assert!((prefill.time.relative.unwrap() - 0.2).abs() < 1e-12);
    let bytes = prefill.metrics.iter().find(|metric| metric.name == "dram_bytes").unwrap();
    assert_eq!(bytes.delta.absolute, Some(1e9));
    let sm = prefill.metrics.iter().find(|metric| metric.name == "sm_throughput").unwrap();
    assert_eq!(sm.delta.change, Change::Same);
    let decode = region_of(&comparison, "decode");
    assert_eq!(
        (decode.verdict, decode.exclusive_time.absolute),
        (Verdict::LowerNotJudged, Some(0.0))
    );
    let kernels: Vec<&str> =
        decode.kernels.iter().map(|kernel| kernel.kernel_name.as_str()).collect();
    assert_eq!(kernels, ["flash", "gemv"]);
    assert_eq!(scope.totals.verdict, Verdict::Same);
    assert_eq!(scope.unlabeled.as_ref().unwrap().verdict, Verdict::Same);
}

#[test]
fn new_and_gone() {
    let with = |names: &[&str]| {
        let regions = names.iter().map(|name| region(&[name], vec![kernel(name, 1, 2.0, &[])]));
        document(regions.collect(), Vec::new())
    };
    let comparison =
        compare(&[with(&["A", "B"])], &[with(&["B", "C"])], &CompareOptions::default());
    assert_eq!(region_of(&comparison, "A").verdict, Verdict::Gone);
    assert_eq!(region_of(&comparison, "A").time.absolute, None);
    assert_eq!(region_of(&comparison, "A").time.relative, None);
    assert_eq!(region_of(&comparison, "B").verdict, Verdict::Same);
    assert_eq!(region_of(&comparison, "C").verdict, Verdict::New);
    let kernels = &comparison.scopes[0].totals.kernels;
    let shapes: Vec<(&str, ShapeChange)> =
        kernels.iter().map(|kernel| (kernel.kernel_name.as_str(), kernel.shapes)).collect();
    assert_eq!(
        shapes,
        [("A", ShapeChange::OneSide), ("C", ShapeChange::OneSide), ("B", ShapeChange::Same)]
    );
}

#[test]
fn regions_of_other_domains_or_kinds_are_other_regions() {
    let base = document(vec![region(&["A"], vec![kernel("k", 1, 1.0, &[])])], Vec::new());
    let mut other_kind = base.clone();
    other_kind.reports[0].regions[0].kind = RangeKind::StartEnd;
    let mut other_domain = base.clone();
    other_domain.reports[0].regions[0].domain = "LLM".to_owned();
    for other in [other_kind, other_domain] {
        let comparison = compare(std::slice::from_ref(&base), &[other], &CompareOptions::default());
        let verdicts: Vec<Verdict> =
            comparison.scopes[0].regions.iter().map(|region| region.verdict).collect();
        assert_eq!(verdicts.len(), 2);
        assert!(verdicts.contains(&Verdict::New) && verdicts.contains(&Verdict::Gone));
    }
}

#[test]
fn renames_match_and_fold() {
    let regions = |names: &[&str]| {
        let regions = names.iter().map(|name| {
            let mut made = region(&[name], vec![kernel("k", 1, 1.0, &[])]);
            made.set.metrics = rangescope_testing::documents::metrics(&[
                ("dram__bytes.sum", 10.0),
                ("x.ratio", 3.0),
            ]);
            made.set.metrics["x.ratio"].method = rangescope_model::document::Method::TimeWeighted;
            made
        });
        document(regions.collect(), Vec::new())
    };
    let options = CompareOptions {
        renames: Normaliser::new(&[
            NormaliseRule::new("^old_", "new_"),
            NormaliseRule::new(r"\d+$", "*"),
        ])
        .unwrap(),
        metrics: vec!["dram_bytes".to_owned(), "x.ratio".to_owned()],
        ..CompareOptions::default()
    };
    let base = regions(&["old_layer1", "old_layer2"]);
    let comparison = compare(&[base], &[regions(&["new_layer7"])], &options);
    let [folded] = &comparison.scopes[0].regions[..] else { panic!("one region") };
    assert_eq!(folded.name, "new_layer*");
    assert_eq!(folded.renamed_from, ["old_layer1", "old_layer2", "new_layer7"]);
    assert_eq!(folded.time.absolute, Some(-1.0));
    assert_eq!(folded.kernels[0].time.base.unwrap().median, 2.0);
    let [bytes, ratio] = &folded.metrics[..] else { panic!("{:?}", folded.metrics) };
    assert_eq!(bytes.delta.base.unwrap().median, 20.0);
    // The mean over time of two regions, which is an estimate.
    assert_eq!((ratio.delta.base.unwrap().median, ratio.exact), (3.0, false));
    assert_eq!(ratio.delta.change, Change::Same);
    // Two regions of one launch each against one: the time of a launch is the same.
    assert_eq!(folded.verdict, Verdict::FewerCalls);
}

#[test]
fn several_runs_give_a_spread() {
    let base = [run(1.0, 1.0, 1.0), run(1.1, 1.0, 1.0), run(0.9, 1.0, 1.0)];
    let one = compare(&base, &[run(1.5, 1.0, 1.0)], &CompareOptions::default());
    assert_eq!(region_of(&one, "prefill").verdict, Verdict::HigherNotJudged);
    let near = [1.08, 1.15, 1.0].map(|prefill| run(prefill, 1.0, 1.0));
    let noisy = compare(&base, &near, &CompareOptions::default());
    let prefill = region_of(&noisy, "prefill");
    assert_eq!(prefill.verdict, Verdict::Undecided);
    assert!(prefill.time.runs_needed.is_some_and(|runs| runs > 3), "{:?}", prefill.time);
    assert_eq!(region_of(&noisy, "decode").verdict, Verdict::Same);
    let spread = prefill.time.base.unwrap();
    assert_eq!((spread.min, spread.median, spread.max, spread.runs), (4.5, 5.0, 5.5, 3));
    let far = [2.1, 2.0, 1.9, 2.05].map(|prefill| run(prefill, 1.0, 1.0));
    let few = compare(&base, &far[..3], &CompareOptions::default());
    assert_eq!(region_of(&few, "prefill").verdict, Verdict::Undecided);
    assert!(few.notes.iter().any(|note| note.code == "too-few-runs"));
    let base = [&base[..], &[run(1.01, 1.0, 1.0)]].concat();
    let slower = compare(&base, &far, &CompareOptions::default());
    assert_eq!(region_of(&slower, "prefill").verdict, Verdict::Slower);
    // A region that only some runs have says so.
    let mut without = run(1.0, 1.0, 1.0);
    without.reports[0].regions.remove(0);
    let some = compare(&[run(1.0, 1.0, 1.0), without], &base, &CompareOptions::default());
    assert!(region_of(&some, "prefill").in_some_runs);
    assert!(!region_of(&some, "decode").in_some_runs);
}

/// One layer of twenty becomes slower, and three others as much as noise: what is alike is one line.
#[test]
fn families_are_told_by_their_verdicts() {
    let model = |changed: f64, noise: f64| {
        let layer = |at: usize| {
            let factor = if at == 7 { changed } else { 1.0 + noise * (at as f64 - 9.0) / 9.0 };
            region(&["model", &format!("layers.{at}")], vec![kernel("k", 4, factor, &[])])
        };
        let mut regions = vec![region(&["model"], vec![kernel("k", 80, 20.0 + changed, &[])])];
        regions.extend((0..20).map(layer));
        let mut family = region(&["model", "layers.*"], vec![kernel("k", 80, 20.0, &[])]);
        family.family = Some(Family { members: (1..21).collect(), ..Family::default() });
        let mut document = document(regions, Vec::new());
        document.reports[0].families.push(family);
        document
    };
    let runs = |changed: f64| {
        [0.0, 0.004, -0.004, 0.002, -0.002].map(|noise| model(changed + noise, noise))
    };
    let compared = compare(&runs(1.0), &runs(1.5), &CompareOptions::default());
    let scope = &compared.scopes[0];
    let [family] = &scope.families[..] else { panic!("{:?}", scope.families) };
    let told = (family.name.as_str(), family.verdict, family.members.len(), family.family_size);
    assert_eq!(told, ("model::layers.*", Verdict::Same, 19, 20));
    let changed: Vec<&str> = scope
        .regions
        .iter()
        .filter(|region| region.verdict == Verdict::Slower)
        .map(|region| region.name.as_str())
        .collect();
    assert_eq!(changed, ["model", "model::layers.7"]);
    // All alike: one line, whose interval is the sum of theirs.
    let single = compare(&[model(1.0, 0.0)], &[model(1.2, 0.2)], &CompareOptions::default());
    let families = &single.scopes[0].families;
    let members: usize = families.iter().map(|family| family.members.len()).sum();
    assert!(members <= 20 && families.iter().all(|family| family.members.len() > 2));
}

/// A run that is given twice is one run.
#[test]
fn equal_runs_count_once() {
    let twice = |prefill: f64| [run(prefill, 1.0, 1.0), run(prefill, 1.0, 1.0)];
    let comparison = compare(&twice(1.0), &twice(1.5), &CompareOptions::default());
    assert_eq!(region_of(&comparison, "prefill").verdict, Verdict::HigherNotJudged);
    assert!(comparison.notes.iter().any(|note| note.code == "repeated-runs"));
}

/// Copies of a file are one measurement, whatever they are called. What was captured at other moments is not, unless the device is simulated.
#[test]
fn copied_runs_count_once() {
    let four = |prefill: f64, is_simulated: bool, stamp: &dyn Fn(usize) -> Option<String>| {
        let run = |at: usize| {
            let mut run = run(prefill, 1.0, 1.0);
            run.simulated = is_simulated;
            run.generated_at = stamp(at);
            run.sources = vec![SourceInfo {
                file: format!("copy-{at}.ncu-rep"),
                format: "ncu-rep".to_owned(),
                profiler: None,
                results: 1,
                lost: 0,
            }];
            run
        };
        (0..4).map(run).collect::<Vec<_>>()
    };
    let compared = |is_simulated: bool, stamp: &dyn Fn(usize) -> Option<String>| {
        let base = four(1.0, is_simulated, stamp);
        let new = four(1.5, is_simulated, stamp);
        let comparison = compare(&base, &new, &CompareOptions::default());
        let is_said = comparison.notes.iter().any(|note| note.code == "repeated-runs");
        (region_of(&comparison, "prefill").verdict, is_said)
    };
    let one_moment = |_| Some("2026-01-01T00:00:00Z".to_owned());
    let moments = |at| Some(format!("2026-01-01T00:0{at}:00Z"));
    let once = (Verdict::HigherNotJudged, true);
    assert_eq!(compared(false, &one_moment), once);
    assert_eq!(compared(false, &|_| None), once);
    assert_eq!(compared(false, &moments), (Verdict::Slower, false));
    assert_eq!(compared(true, &moments), once);
    // Without a moment the counters tell runs apart of which a timer of long steps shows the same.
    let other_counters = |side: &mut Vec<RegionDocument>| {
        for (at, run) in side.iter_mut().enumerate() {
            let cycles = metric(1e6 + at as f64);
            run.reports[0].totals.metrics.insert("sm__cycles_elapsed.sum".to_owned(), cycles);
        }
    };
    let (mut base, mut new) = (four(1.0, false, &|_| None), four(1.5, false, &|_| None));
    other_counters(&mut base);
    other_counters(&mut new);
    let comparison = compare(&base, &new, &CompareOptions::default());
    assert_eq!(region_of(&comparison, "prefill").verdict, Verdict::Slower);
}

/// A run that is on both sides as a copy is said.
#[test]
fn a_run_on_both_sides_is_said() {
    let base = [run(1.0, 1.0, 1.0), run(1.01, 1.0, 1.0)];
    let new = [run(1.0, 1.0, 1.0), run(1.5, 1.0, 1.0)];
    let codes = |new: &[RegionDocument]| -> Vec<String> {
        let comparison = compare(&base, new, &CompareOptions::default());
        comparison.notes.into_iter().map(|note| note.code).collect()
    };
    assert!(codes(&new).iter().any(|code| code == "run-on-both-sides"));
    assert!(codes(&base).iter().any(|code| code == "same-run"));
    assert!(!codes(&new[1..]).iter().any(|code| code == "run-on-both-sides"));
}

/// All launches take a step of the timer more: no number of runs shows whether that is anything.
#[test]
fn a_step_of_every_launch_is_none() {
    let runs = |launches: u64, ms: f64, runs: usize| -> Vec<RegionDocument> {
        let run = |at: usize| {
            let other = region(&["other"], vec![kernel("k", 1, 1.003 + 0.001 * at as f64, &[])]);
            let mut run = document(
                vec![region(&["A"], vec![kernel("k", launches, launches as f64 * ms, &[])]), other],
                Vec::new(),
            );
            run.generated_at = Some(format!("2026-01-01T00:{at:02}:00Z"));
            run
        };
        (0..runs).map(run).collect()
    };
    for launches in [1, 4] {
        for count in [2, 3, 5, 6, 10] {
            let (base, new) = (runs(launches, 0.010, count), runs(launches, 0.011, count));
            let comparison = compare(&base, &new, &CompareOptions::default());
            assert!(comparison.step_ns.is_some_and(|step| (step - 1000.0).abs() < 1e-3));
            let region = region_of(&comparison, "A");
            assert_eq!((region.verdict, region.time.runs_needed), (Verdict::Same, None));
        }
    }
}

/// Half the launches in half the time: no launch is faster.
#[test]
fn other_calls_are_not_another_speed() {
    let launched = |calls: u64, ms: f64| {
        document(vec![region(&["A"], vec![kernel("k", calls, ms, &[])])], Vec::new())
    };
    let comparison =
        compare(&[launched(10, 10.0)], &[launched(5, 5.0)], &CompareOptions::default());
    let region = region_of(&comparison, "A");
    assert_eq!(region.verdict, Verdict::FewerCalls);
    assert_eq!(region.kernels[0].verdict, Verdict::FewerCalls);
    assert_eq!(region.time.relative, Some(-0.5));
    assert_eq!(region.time_per_call.change, Change::Same);
}

/// A kernel whose time as a whole is the same, in shapes of which one is slower and one faster.
#[test]
fn launch_shapes_are_compared_apart() {
    let shaped = |times: [f64; 2]| {
        let mut made = kernel("k", 2, times.iter().sum(), &[]);
        made.launch_shapes = (1..)
            .zip(times)
            .map(|(x, ms)| LaunchShape {
                grid: Some([x, 1, 1]),
                calls: 1,
                total_ms: Some(ms),
                ..LaunchShape::default()
            })
            .collect();
        document(Vec::new(), vec![made])
    };
    let comparison =
        compare(&[shaped([1.0, 2.0])], &[shaped([1.5, 1.5])], &CompareOptions::default());
    let kernel = &comparison.scopes[0].totals.kernels[0];
    assert_eq!((kernel.verdict, kernel.shapes), (Verdict::Same, ShapeChange::Same));
    let verdicts: Vec<Verdict> = kernel.launch_shapes.iter().map(|shape| shape.verdict).collect();
    assert_eq!(verdicts, [Verdict::HigherNotJudged, Verdict::LowerNotJudged]);
}

#[test]
fn launch_shapes_of_kernels() {
    let shaped = |shapes: &[(u64, u64)]| {
        let mut kernel = kernel("k", 1, 1.0, &[]);
        kernel.launch_shapes = shapes
            .iter()
            .map(|&(x, calls)| LaunchShape {
                grid: Some([x, 1, 1]),
                block: Some([64, 1, 1]),
                calls,
                ..LaunchShape::default()
            })
            .collect();
        document(Vec::new(), vec![kernel])
    };
    for (base, new, expected) in [
        (&[(8, 1)][..], &[(8, 1)][..], ShapeChange::Same),
        (&[(8, 1)], &[(8, 2)], ShapeChange::OtherCalls),
        (&[(8, 1), (4, 1)], &[(4, 1), (8, 1)], ShapeChange::Same),
        (&[(8, 1)], &[(16, 1)], ShapeChange::Other),
    ] {
        let comparison = compare(&[shaped(base)], &[shaped(new)], &CompareOptions::default());
        assert_eq!(comparison.scopes[0].totals.kernels[0].shapes, expected, "{base:?} {new:?}");
    }
    let comparison =
        compare(&[shaped(&[(8, 1)])], &[shaped(&[(16, 1)])], &CompareOptions::default());
    let kernel = &comparison.scopes[0].totals.kernels[0];
    let shapes: Vec<_> =
        kernel.launch_shapes.iter().map(|shape| (shape.grid.unwrap()[0], shape.verdict)).collect();
    assert_eq!(shapes, [(8, Verdict::Gone), (16, Verdict::New)]);
}

#[test]
fn scopes_of_processes_are_matched_by_rank_or_order() {
    let processes = |pids: &[u32], ranks: bool| {
        let mut made = run(1.0, 1.0, 1.0);
        let report = made.reports.remove(0);
        made.reports = (0..)
            .zip(pids)
            .map(|(rank, pid)| {
                let mut report = report.clone();
                report.scope.id = format!("process:{pid}");
                report.scope.kind = ScopeKind::Process;
                report.scope.rank = ranks.then_some(rank);
                report
            })
            .collect();
        made
    };
    let options = CompareOptions { scope: ScopeKind::Process, ..CompareOptions::default() };
    let comparison = compare(&[processes(&[7, 9], true)], &[processes(&[1, 2], true)], &options);
    let scopes: Vec<&str> = comparison.scopes.iter().map(|scope| scope.scope.as_str()).collect();
    assert_eq!(scopes, ["rank:0", "rank:1"]);
    let comparison = compare(&[processes(&[7, 9], false)], &[processes(&[1], false)], &options);
    assert_eq!(comparison.scopes.len(), 1);
    assert_eq!(comparison.unmatched_scopes[0].scope, "process:1");
    assert_eq!(comparison.unmatched_scopes[0].side, "base");
}
