//! Results as rows, merged in any way, are the same results.

use std::convert::Infallible;

use super::common::{Run, Sample, as_launch, without_launches};
use super::properties::run;
use indexmap::IndexMap;
use proptest::prelude::*;
use rangescope_analyze::aggregate::rows::{Distillery, Restorer, merge};
use rangescope_analyze::aggregate::{Analysis, Outcome};
use rangescope_model::launch::ProcessInfo;
use rangescope_model::partial::{Fact, Group, Tally};

type Rows = Vec<(Group, Vec<(Fact, Tally)>)>;

/// A result that ncu gave up, one whose throughput lists its counters, or one with a counter of more than 53 bits; or as it is.
fn odd(mut sample: Sample, which: u8) -> Sample {
    const SM: &str = "sm__throughput.avg.pct_of_peak_sustained_elapsed";
    const L2: &str = "lts__t_sectors.avg.pct_of_peak_sustained_elapsed";
    match which {
        0 => {
            sample.numbers.retain(|(name, _)| name != super::common::TIME);
            sample.numbers.push((super::common::TIME.to_owned(), f64::NAN));
            sample.numbers.push(("profiler__replayer_passes".to_owned(), 1.0));
            sample
        }
        1 => sample.text(&format!("breakdown:{SM}"), L2),
        2 => sample.text(&format!("breakdown:{SM}"), "some__other.avg"),
        3 => {
            let counter = (1_u64 << 53) + u64::try_from(sample.numbers.len()).unwrap_or(0);
            sample.numbers.push(("smsp__inst_executed.sum".to_owned(), counter as f64));
            sample.large.push(("smsp__inst_executed.sum".to_owned(), counter));
            sample
        }
        _ => sample,
    }
}

/// The rows of some samples, which know of no others. Places are those in the whole run.
fn rows(run: &Run, samples: &[(usize, Sample)]) -> Rows {
    let samples: Vec<(usize, Sample)> = samples.to_vec();
    let part = Run { samples: samples.iter().map(|(_, one)| one.clone()).collect(), ..run.clone() };
    let vocabulary = part.vocabulary();
    let distillery = Distillery::new(&vocabulary).unwrap();
    let mut all = distillery.begin();
    for (place, sample) in &samples {
        let mut one = distillery.begin();
        as_launch(&vocabulary, sample, |launch| one.add(&distillery, launch, *place as u64));
        all.merge(&distillery, one);
    }
    let mut rows = Rows::new();
    let take = |group: &Group, facts: &[(Fact, Tally)]| {
        rows.push((group.clone(), facts.to_vec()));
        Ok::<(), Infallible>(())
    };
    distillery.rows(&mut all, &run.sections, take).unwrap();
    rows
}

/// What an engine makes of rows: those that agree in everything but numbers become one.
fn merged(parts: Vec<Rows>) -> Rows {
    let mut groups: IndexMap<Group, Vec<(Fact, Tally)>> = IndexMap::new();
    for (group, rows) in parts.into_iter().flatten() {
        let known = groups.entry(group).or_default();
        for (fact, tally) in rows {
            match known.iter_mut().find(|(other, _)| *other == fact) {
                Some((_, ours)) => merge(ours, &tally),
                None => known.push((fact, tally)),
            }
        }
    }
    groups.into_iter().collect()
}

fn appeared(rows: &[(Fact, Tally)]) -> Option<String> {
    let launches = rows.iter().find(|(fact, _)| *fact == Fact::Launches)?;
    launches.1.first.clone()
}

fn restored(run: &Run, parts: &[Rows]) -> Outcome {
    let vocabulary = run.vocabulary();
    let analysis = Analysis::new(&run.options, &vocabulary).unwrap();
    let mut restorer = Restorer::new(&analysis);
    let mut partial = analysis.partial();
    let process = |group: &Group| {
        vocabulary.processes.iter().position(|known| Some(known) == group.process.as_ref()).unwrap()
    };
    let mut order: Vec<&(Group, Vec<(Fact, Tally)>)> = parts.iter().flatten().collect();
    order.sort_by_key(|(_, rows)| appeared(rows));
    for (group, _) in order {
        restorer.announce(&mut partial, process(group), group);
    }
    for part in parts {
        let mut of_part = analysis.partial();
        for (group, rows) in part {
            restorer.add(&mut of_part, process(group), group, rows);
        }
        of_part.condense(&analysis);
        partial.merge(of_part);
    }
    let sections = restorer.sections();
    analysis.finish(partial, &sections)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn rows_that_were_merged_in_any_way_give_the_same_outcome(
        mut run in run(),
        odds in prop::collection::vec(0..12_u8, 25),
        parts in prop::collection::vec(0..4_usize, 25),
        order in Just([0, 1, 2, 3]).prop_shuffle(),
        mergers in prop::collection::vec(0..3_usize, 4),
        selected in any::<bool>(),
    ) {
        run.samples = std::mem::take(&mut run.samples).into_iter().zip(odds).map(|(sample, which)| odd(sample, which)).collect();
        if selected {
            run.options.kernel_include = vec!["k1".to_owned()];
            run.options.regions = vec!["A".to_owned()];
        }
        // Each result is in one of four files; the files are merged in any order by up to three mergers.
        let files: Vec<Rows> = order.iter().map(|file| {
            let samples = run.samples.iter().cloned().enumerate().zip(&parts);
            let of_file: Vec<(usize, Sample)> = samples.filter(|(_, part)| *part == file).map(|(sample, _)| sample).collect();
            rows(&run, &of_file)
        }).collect();
        let mut by_merger = vec![Vec::new(); 3];
        for (file, merger) in files.into_iter().zip(mergers) {
            by_merger[merger].push(file);
        }
        let parts: Vec<Rows> = by_merger.into_iter().map(merged).collect();
        let (ours, mut whole) = (restored(&run, &parts), run.outcome());
        whole.reports = without_launches(whole.reports);
        prop_assert_eq!(&ours.notes, &whole.notes);
        for (ours, whole) in ours.reports.iter().zip(&whole.reports) {
            prop_assert_eq!(&ours.selection, &whole.selection);
            prop_assert_eq!(&ours.totals, &whole.totals);
        }
        prop_assert_eq!(ours, whole);
    }
}

/// Results of so many processes, each with kernels of two shapes in two regions.
fn of_processes(processes: u32) -> Run {
    const SM: &str = "sm__throughput.avg.pct_of_peak_sustained_elapsed";
    const DRAM: &str = "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed";
    let mut all = Vec::new();
    for process in 0..processes {
        for (at, text) in ["k1: A", "k2: A", "k1: A/B", "k2:", "k1: A"].into_iter().enumerate() {
            let [mut sample] = <[Sample; 1]>::try_from(super::common::samples(text)).unwrap();
            sample.process = process as usize;
            sample.grid = Some([1 + at as u64 % 2, 1, 1]);
            let value = f64::from(process % 7) * 10.0 + at as f64;
            all.push(sample.time(100.0 + value).with(SM, value).with(DRAM, 100.0 - value));
        }
    }
    let known = |pid| ProcessInfo { pid: Some(pid), ..ProcessInfo::default() };
    Run { processes: (0..processes).map(known).collect(), ..Run::new(all) }
}

#[test]
fn scopes_of_many_processes_are_those_of_the_results() {
    for processes in [1, 64, 65, 308, 1000] {
        let run = of_processes(processes);
        let results: Vec<(usize, Sample)> = run.samples.iter().cloned().enumerate().collect();
        let files: Vec<Rows> = results.chunks(5).map(|of_file| rows(&run, of_file)).collect();
        let mut whole = run.outcome();
        whole.reports = without_launches(whole.reports);
        // One by one, and merged by something else before.
        for parts in [files.clone(), vec![merged(files)]] {
            let ours = restored(&run, &parts);
            assert_eq!(ours.reports.len(), whole.reports.len());
            for (ours, whole) in ours.reports.iter().zip(&whole.reports) {
                assert_eq!(ours.totals, whole.totals, "{processes}: {}", whole.scope.id);
                assert_eq!(ours.regions, whole.regions, "{processes}: {}", whole.scope.id);
            }
        }
        let of_one =
            whole.reports.iter().find(|report| report.scope.process_id == Some(0)).unwrap();
        let covered = of_one.totals.metrics.values().map(|metric| metric.covered);
        assert!(covered.min() == Some(5), "{processes}");
    }
}
