//! Ranks beside each other: what every rank has of a region, who is slow, and why.

use super::common::{Run, Sample, TIME};
use proptest::prelude::*;
use rangescope_model::document::{Basis, ScopeKind, ScopeReport};
use rangescope_model::imbalance::{
    Cause, Imbalance, ImbalanceRow, MemberKind, RowKind, Spread, Verdict,
};
use rangescope_model::launch::ProcessInfo;
use rangescope_model::select::ranks::RankSelection;

const CLOCK: &str = "sm__cycles_elapsed.avg.per_second";
const INSTRUCTIONS: &str = "smsp__inst_executed.sum";

fn rank(rank: u32, host: &str) -> ProcessInfo {
    ProcessInfo { pid: Some(100 + rank), host: host.into(), name: "app".into(), rank: Some(rank) }
}

/// Two ranks a host.
fn ranks(count: u32) -> Vec<ProcessInfo> {
    (0..count).map(|number| rank(number, &format!("node{}", number / 2))).collect()
}

/// One launch in the region `A` by each rank, with these times in milliseconds.
fn run(times: &[f64]) -> Run {
    let sample =
        |(process, ms): (usize, &f64)| Sample::parse("k: A").on(process, Some(0)).time(ms * 1e6);
    let mut run = Run::new(times.iter().enumerate().map(sample).collect());
    run.processes = ranks(u32::try_from(times.len()).unwrap());
    run
}

fn imbalance(run: &Run) -> Imbalance {
    run.outcome().ranks.expect("several ranks")
}

fn row<'i>(imbalance: &'i Imbalance, what: RowKind, name: &str) -> &'i ImbalanceRow {
    let found = imbalance.rows.iter().find(|row| row.what == what && row.name == name);
    found.unwrap_or_else(|| panic!("no {what:?} `{name}`"))
}

fn sentence(run: &Run) -> String {
    row(&imbalance(run), RowKind::Region, "A").sentence.clone()
}

#[test]
fn the_answer_is_a_sentence_with_its_numbers() {
    for (times, expected) in [
        (
            &[10.0, 10.0, 10.0, 18.0][..],
            "slow on rank 3 (node1): 18 ms, 1.8 × the mean of the other 3 (10 ms); whether by its clock or its work was not collected",
        ),
        (
            &[10.0, 20.0],
            "slow on rank 1 (node0): 20 ms, 2 × the other (10 ms); whether by its clock or its work was not collected",
        ),
        (
            &[10.0, 10.1, 10.2, 10.1],
            "equally slow on all 4 ranks: 10.1 ms on average, max/mean 1.01 on rank 2 (node1)",
        ),
        (
            &[10.0, 10.1, 15.0, 16.0, 10.2, 10.0],
            "slow on host node1 (2 ranks): 15.5 ms on average, 1.54 × the mean of the other 4 (10.1 ms); whether by their clock or their work was not collected",
        ),
        (
            &[10.0, 17.0, 10.0, 10.1, 10.0, 16.0, 10.1, 10.0],
            "slow on 2 ranks of 8 (1, 5): 16.5 ms on average, 1.64 × the mean of the other 6 (10 ms); whether by their clock or their work was not collected",
        ),
        (
            &[10.0, 14.0, 12.0, 16.0],
            "spread over 4 ranks: from 10 ms on rank 0 (node0) to 16 ms on rank 3 (node1), max/mean 1.23",
        ),
        (&[0.0, 0.0], "equally slow on all 2 ranks: 0 ns on average"),
        (&[f64::NAN, f64::NAN], "no time is known"),
        (&[f64::NAN, 3.0], "only rank 1 (node0) has a time: 3 ms; 1 rank without a time"),
    ] {
        assert_eq!(sentence(&run(times)), expected);
    }
}

#[test]
fn counters_say_why_a_rank_is_slow() {
    for (clocks, instructions, cause, words) in [
        (
            [1.5e9, 0.8e9],
            [1e6, 1e6],
            Cause::LowerClock,
            "its SM clock is 800 MHz, 0.533 × that of the others: a lower clock or throttling",
        ),
        (
            [1.5e9, 1.5e9],
            [1e6, 1.9e6],
            Cause::MoreWork,
            "more work: 1.9 × the executed instructions of the others",
        ),
        (
            [1.5e9, 1.4e9],
            [1e6, 1.1e6],
            Cause::TookLonger,
            "same work, same clock (SM clock 0.933 ×, executed instructions 1.1 ×, launches 1 ×): it took longer",
        ),
        (
            [1.5e9, 1.5e9],
            [1e6, f64::NAN],
            Cause::Unknown,
            "whether by its clock or its work was not collected",
        ),
    ] {
        let mut run = run(&[10.0, 20.0]);
        for (at, sample) in run.samples.iter_mut().enumerate() {
            *sample = sample.clone().with(CLOCK, clocks[at]).with(INSTRUCTIONS, instructions[at]);
        }
        let found = imbalance(&run);
        let row = row(&found, RowKind::Region, "A");
        assert_eq!(row.slow.as_ref().map(|slow| slow.cause), Some(cause));
        assert!(row.sentence.ends_with(words), "{}", row.sentence);
        assert_eq!(row.verdict, Verdict::OneMember);
        let clock = row.counters.iter().find(|counter| counter.name == CLOCK).unwrap();
        assert!((clock.spread.min.value - clocks[1].min(clocks[0])).abs() < 1.0);
    }
}

/// One launch by each rank: time in milliseconds, clock, instructions, bytes.
fn counted(ranks: &[[f64; 4]]) -> ImbalanceRow {
    let times: Vec<f64> = ranks.iter().map(|[ms, ..]| *ms).collect();
    let mut run = run(&times);
    for (sample, [_, clock, instructions, bytes]) in run.samples.iter_mut().zip(ranks) {
        let counters = [(CLOCK, clock), (INSTRUCTIONS, instructions), (BYTES, bytes)];
        for (name, value) in counters.iter().filter(|(_, value)| !value.is_nan()) {
            *sample = sample.clone().with(name, **value);
        }
    }
    row(&imbalance(&run), RowKind::Region, "A").clone()
}

const BYTES: &str = "dram__bytes.sum";

#[test]
fn what_is_said_of_work_and_clock_agrees_with_the_counters() {
    const NONE: f64 = f64::NAN;
    let usual = [10.0, 1e9, 1e6, 1e6];
    for (slow, cause, words) in [
        (
            [20.0, 1e9, 1.1e6, 1e6],
            Cause::TookLonger,
            "same work, same clock (SM clock 1 ×, executed instructions 1.1 ×, DRAM bytes 1 ×, launches 1 ×): it took longer",
        ),
        (
            [20.0, 1e9, 1.11e6, 1e6],
            Cause::NotExplained,
            "neither its clock nor its work explains that (SM clock 1 ×, executed instructions 1.11 ×, DRAM bytes 1 ×, launches 1 ×)",
        ),
        (
            [20.0, 1e9, 1.4e6, 1e6],
            Cause::NotExplained,
            "executed instructions 1.4 ×, DRAM bytes 1 ×, launches 1 ×)",
        ),
        (
            [20.0, 1e9, 0.5e6, 1e6],
            Cause::NotExplained,
            "executed instructions 0.5 ×, DRAM bytes 1 ×, launches 1 ×)",
        ),
        (
            [20.0, 0.9e9, 1e6, 1e6],
            Cause::NotExplained,
            "(SM clock 0.9 ×, executed instructions 1 ×, DRAM bytes 1 ×, launches 1 ×)",
        ),
        (
            [20.0, 1e9, 1.5e6, 1e6],
            Cause::MoreWork,
            "more work: 1.5 × the executed instructions of the others",
        ),
        (
            [20.0, 1e9, 0.5e6, 3e6],
            Cause::MoreWork,
            "more work: 3 × the DRAM bytes of the others, but 0.5 × the executed instructions",
        ),
        (
            [20.0, NONE, 1e6, 1e6],
            Cause::Unknown,
            "whether by its clock or its work was not collected",
        ),
        (
            [20.0, NONE, NONE, NONE],
            Cause::Unknown,
            "whether by its clock or its work was not collected",
        ),
    ] {
        let row = counted(&[usual, usual, usual, slow]);
        let found = row.slow.as_ref().unwrap();
        assert_eq!(found.cause, cause, "{}", row.sentence);
        assert!(row.sentence.ends_with(words), "{}", row.sentence);
        let same_work = found
            .compared
            .iter()
            .filter(|one| one.name != CLOCK)
            .all(|one| (1.0 / 1.1..=1.1 + 1e-12).contains(&(one.mean / one.others_mean)));
        assert!(same_work || !row.sentence.contains("same work"), "{}", row.sentence);
    }
    // Of the others at least half must have a counter, and all that are slow.
    let (silent, slow) = ([10.0, NONE, NONE, NONE], [20.0, 1e9, 1e6, 1e6]);
    let cause = |ranks: &[[f64; 4]]| counted(ranks).slow.map(|slow| slow.cause);
    assert_eq!(cause(&[usual, silent, usual, slow]), Some(Cause::TookLonger));
    assert_eq!(cause(&[usual, silent, silent, slow]), Some(Cause::Unknown));
    let few = [usual, slow, usual, usual, usual, [20.0, NONE, NONE, NONE], usual, usual];
    let few = counted(&few);
    assert_eq!(few.verdict, Verdict::FewMembers);
    assert_eq!(few.slow.unwrap().cause, Cause::Unknown);
}

#[test]
fn a_rank_that_is_missing_is_said_where_it_is_certain() {
    let mut run = run(&[10.0; 8]);
    run.samples.retain(|sample| sample.process != 5);
    run.processes[5] = rank(0, "node0");
    run.sizes.insert(8);
    let absent = |run: &Run| {
        let outcome = run.outcome();
        let note = outcome.notes.iter().find(|note| note.code == "absent-ranks");
        let found = outcome.ranks.unwrap();
        assert_eq!(found.absent.is_some(), note.is_some());
        note.map(|note| (note.message.clone(), found.counted()))
    };
    let message = "Of 8 ranks there is nothing of rank 5: no number includes them.";
    assert_eq!(absent(&run), Some((message.to_owned(), "7 of 8 ranks".to_owned())));
    let mut huge = run.clone();
    huge.sizes = [u32::MAX].into();
    assert!(absent(&huge).unwrap().0.contains("of ranks 5,8-22 and 4,294,967,272 more"));
    let mut several = run.clone();
    several.sizes.insert(16);
    assert_eq!(absent(&several), None, "different jobs");
    let mut small = run.clone();
    small.sizes = [7].into();
    assert_eq!(absent(&small), None, "rank 7 is none of 7");
    run.processes[0].rank = None;
    assert_eq!(absent(&run), None, "it may be this process");
}

/// Launches `kernel: region` by ranks, with their times in milliseconds.
fn launches(all: &[(u32, &str, f64)], count: u32) -> Run {
    let sample = |(rank, text, ms): &(u32, &str, f64)| {
        Sample::parse(text).on(*rank as usize, Some(0)).time(ms * 1e6)
    };
    let mut run = Run::new(all.iter().map(sample).collect());
    run.processes = ranks(count);
    run
}

#[test]
fn stages_of_a_pipeline_are_compared_each_for_itself() {
    const NCCL: &str = "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>): step";
    let mut all = Vec::new();
    for rank in 0..8 {
        let (text, ms) = if rank < 4 {
            ("embed_gemm: step/front", 10.0)
        } else {
            ("head_gemm: step/back", 30.0)
        };
        all.push((rank, text, if rank == 6 { 2.0 * ms } else { ms }));
        all.push((rank, NCCL, 4.0));
        all.push((rank, "fill: step", 0.1));
    }
    let found = imbalance(&launches(&all, 8));
    let firsts: Vec<_> =
        found.stages.iter().map(|stage| (stage.count, stage.first[0].rank)).collect();
    assert_eq!(firsts, [(4, Some(0)), (4, Some(4))]);
    let total = row(&found, RowKind::Total, "");
    assert_eq!((total.verdict, total.slow.is_none()), (Verdict::Stages, true));
    assert_eq!(
        total.sentence,
        "2 stages run different kernels and are not compared with each other. \
         Stage 1 (4 ranks: 0, 1, 2 and 1 more): equally slow on all 4 ranks: 14.1 ms on average, max/mean 1 on rank 0 (node0). \
         Stage 2 (4 ranks: 4, 5, 6 and 1 more): slow on rank 6 (node3): 64.1 ms, 1.88 × the mean of the other 3 (34.1 ms); \
         whether by its clock or its work was not collected"
    );
    let of_stage: Vec<_> = total.stages.iter().map(|stage| (stage.stage, stage.verdict)).collect();
    assert_eq!(of_stage, [(1, Verdict::Alike), (2, Verdict::OneMember)]);
    assert_eq!(total.stages[1].slow.as_ref().unwrap().named[0].rank, Some(6));
    let front = row(&found, RowKind::Region, "step::front");
    assert_eq!((front.verdict, front.missing, front.elsewhere), (Verdict::Alike, 0, 4));
    assert!(
        front.sentence.ends_with("; 4 ranks of other stages do not run it"),
        "{}",
        front.sentence
    );
    let kernels = found.rows.iter().filter(|row| row.what == RowKind::Kernel);
    let nccl = kernels.clone().find(|row| row.name.starts_with("nccl")).unwrap();
    assert_eq!((nccl.verdict, nccl.slow.is_none()), (Verdict::Stages, true));
}

#[test]
fn only_ranks_that_share_no_main_kernel_are_stages() {
    let verdict = |all: &[(u32, &str, f64)], count| {
        let found = imbalance(&launches(all, count));
        (found.stages.len(), row(&found, RowKind::Total, "").verdict)
    };
    // One kernel in common is enough, and it ties ranks that have none in common themselves.
    let overlapping = [
        (0, "a: x", 10.0),
        (0, "b: x", 10.0),
        (1, "b: x", 10.0),
        (1, "c: x", 30.0),
        (2, "c: x", 10.0),
    ];
    assert_eq!(verdict(&overlapping, 3), (0, Verdict::OneMember));
    // What is less than a twentieth of the time of each is none of its main kernels.
    let shared =
        |ms| [(0, "a: x", 10.0), (0, "fill: x", ms), (1, "b: x", 30.0), (1, "fill: x", ms)];
    assert_eq!(verdict(&shared(0.5), 2), (2, Verdict::Stages));
    assert_eq!(verdict(&shared(5.0), 2), (0, Verdict::OneMember));
    // Without times all kernels are main ones.
    let untimed = [(0, "a: x", f64::NAN), (1, "b: x", f64::NAN)];
    assert_eq!(verdict(&untimed, 2), (2, Verdict::Stages));
    // Ranks that run collectives only are not told apart.
    let collectives =
        [(0, "ncclDevKernel_AllGather: x", 10.0), (1, "ncclDevKernel_AllReduce: x", 30.0)];
    assert_eq!(verdict(&collectives, 2), (0, Verdict::OneMember));
    let whole: Vec<Sample> = [10.0, 30.0]
        .iter()
        .zip(0..)
        .map(|(ms, at)| Sample::parse("r: x").range().on(at, Some(0)).time(ms * 1e6))
        .collect();
    let mut whole = Run::new(whole);
    whole.processes = ranks(2);
    assert!(imbalance(&whole).stages.is_empty(), "the kernels of whole ranges are not known");
}

#[test]
fn twice_the_launches_are_more_work() {
    let mut run = run(&[10.0, 10.0, 10.0]);
    run.samples.push(run.samples[2].clone());
    assert!(sentence(&run).ends_with("more work: 2 × the launches of the others"));
}

#[test]
fn a_rank_that_ran_nothing_is_missing_and_not_zero() {
    let mut run = run(&[10.0, 10.0, 10.0]);
    run.samples.push(Sample::parse("k: B").on(1, Some(0)).time(5e6));
    run.samples.push(Sample::parse("k: C").on(1, Some(0)).time(f64::NAN));
    run.samples.push(Sample::parse("k: C").on(2, Some(0)).time(1e6));
    let found = imbalance(&run);
    let only = row(&found, RowKind::Region, "B");
    assert_eq!((only.missing, only.verdict), (2, Verdict::OnlyOne));
    assert_eq!(
        only.sentence,
        "only rank 1 (node0) has a time: 5 ms; 2 ranks ran nothing of it (0, 2)"
    );
    assert_eq!(
        only.missing_members.iter().map(|one| one.rank).collect::<Vec<_>>(),
        [Some(0), Some(2)]
    );
    let time = only.time.as_ref().unwrap();
    assert_eq!((time.n, time.min.value), (1, 5.0));
    let untimed = row(&found, RowKind::Region, "C");
    assert_eq!((untimed.missing, untimed.untimed), (1, 1));
}

#[test]
fn without_all_ranks_processes_are_compared() {
    let mut run = run(&[10.0, 20.0]);
    run.processes[0].rank = None;
    let found = imbalance(&run);
    assert_eq!((found.members, found.count, found.hosts), (MemberKind::Processes, 2, 1));
    assert!(
        row(&found, RowKind::Total, "").sentence.starts_with("slow on process 101 (node0): 20 ms")
    );
}

#[test]
fn processes_of_one_rank_add_up_and_one_rank_is_not_compared() {
    let mut run = run(&[10.0, 10.0, 10.0]);
    run.processes[2] = ProcessInfo { pid: Some(7), ..rank(1, "node0") };
    let found = imbalance(&run);
    assert_eq!(found.count, 2);
    assert!(sentence(&run).starts_with("slow on rank 1 (node0): 20 ms, 2 × the other (10 ms)"));
    run.processes[0].rank = Some(1);
    assert_eq!(run.outcome().ranks, None);
    run.processes.truncate(1);
    run.samples.truncate(1);
    assert_eq!(run.outcome().ranks, None);
}

#[test]
fn only_ranks_that_are_selected_are_read() {
    let mut run = run(&[10.0, 11.0, 30.0, 13.0]);
    run.options.ranks = RankSelection::of(&[0, 1, 3]);
    let found = imbalance(&run);
    assert_eq!(found.count, 3);
    assert_eq!(row(&found, RowKind::Total, "").time.as_ref().unwrap().max.value, 13.0);
    let outcome = run.outcome();
    assert!(!outcome.reports.iter().any(|report| report.scope.rank == Some(2)));
    let selection = &outcome.reports[0].selection;
    assert_eq!((selection.ranks.as_deref(), selection.results_seen), (Some("0-1,3"), 3));
    run.options.ranks = RankSelection::of(&[3]);
    assert_eq!(run.outcome().ranks, None);
}

/// Time over processes of one rank, made from the reports of processes alone.
fn of_reports(
    reports: &[ScopeReport],
    basis: Basis,
    time: impl Fn(&ScopeReport) -> Option<f64>,
) -> Vec<f64> {
    let processes = reports.iter().filter(|one| one.scope.kind == ScopeKind::Process);
    processes.filter(|one| one.basis == basis).filter_map(time).collect()
}

fn agrees(times: &[f64], spread: Option<&Spread>) {
    let Some(spread) = spread else {
        assert!(times.is_empty());
        return;
    };
    let near = |left: f64, right: f64| (left - right).abs() <= 1e-12 * left.abs().max(right.abs());
    let mean = times.iter().sum::<f64>() / times.len() as f64;
    assert_eq!(spread.n, times.len() as u64);
    assert!(near(spread.mean, mean), "{} {mean}", spread.mean);
    assert_eq!(spread.max.value, times.iter().copied().fold(f64::MIN, f64::max));
    assert_eq!(spread.min.value, times.iter().copied().fold(f64::MAX, f64::min));
}

/// Every number of times again, from the reports of the processes.
fn check_against_reports(run: &Run) {
    let outcome = run.outcome();
    let Some(found) = &outcome.ranks else { return };
    let mut checked = 0;
    for row in &found.rows {
        let times = of_reports(&outcome.reports, row.basis, |report| match row.what {
            RowKind::Total => report.totals.total_ms,
            RowKind::Kernel => {
                let mut kernels = report.totals.kernels.iter();
                kernels.find(|kernel| kernel.kernel_name == row.name)?.total_ms
            }
            RowKind::Region => {
                let identity = row.region.as_ref().unwrap();
                let found = report.regions.iter().find(|region| {
                    region.path == identity.path
                        && region.domain == identity.domain
                        && region.kind == identity.kind
                });
                found?.set.total_ms
            }
            RowKind::Family => None,
        });
        if row.what != RowKind::Family {
            agrees(&times, row.time.as_ref());
            checked += 1;
        }
        if let (Some(slow), [_]) =
            (&row.slow, row.slow.as_ref().map_or(&[][..], |slow| &slow.named))
            && row.what != RowKind::Family
        {
            let slowest = times.iter().copied().fold(f64::MIN, f64::max);
            let others = (times.iter().sum::<f64>() - slowest) / (times.len() - 1) as f64;
            assert!((slow.others_mean_ms - others).abs() <= 1e-9 * others);
            assert!(
                (slow.times.unwrap_or(0.0) - slowest / others).abs() <= 1e-9 * slowest / others
                    || others == 0.0
            );
        }
    }
    assert!(checked > 0 || found.rows.is_empty());
}

#[test]
fn ranges_that_were_measured_whole_are_not_counted_twice() {
    let samples = ["r: A/B", "r: A", "r: C/D"].into_iter().zip([(0, 2.0), (0, 7.0), (1, 3.0)]);
    let mut samples: Vec<Sample> = samples
        .map(|(text, (process, ms))| {
            Sample::parse(text).range().on(process, Some(0)).time(ms * 1e6)
        })
        .collect();
    samples.push(Sample::parse("r: A/B").range().on(1, Some(0)).time(4e6));
    let mut run = Run::new(samples);
    run.processes = ranks(2);
    let found = imbalance(&run);
    let total = row(&found, RowKind::Total, "").time.clone().unwrap();
    assert_eq!((total.min.value, total.max.value), (7.0, 7.0));
    assert_eq!(row(&found, RowKind::Region, "A").time.as_ref().unwrap().min.value, 4.0);
    check_against_reports(&run);
}

#[test]
fn families_are_compared_as_one() {
    let mut samples = Vec::new();
    for process in 0..2 {
        for layer in 0..3 {
            let ms = if process == 1 && layer == 2 { 4.0 } else { 1.0 };
            let text = format!("k: run/l{layer}");
            samples.push(Sample::parse(&text).on(process, Some(0)).time(ms * 1e6));
        }
    }
    let mut run = Run::new(samples);
    run.processes = ranks(2);
    let found = imbalance(&run);
    let family = row(&found, RowKind::Family, "run::l*").time.as_ref().unwrap();
    assert_eq!((family.min.value, family.max.value), (3.0, 6.0));
    assert!(row(&found, RowKind::Region, "run::l2").in_family);
    assert!(!row(&found, RowKind::Region, "run").in_family);
    check_against_reports(&run);
}

#[test]
fn many_regions_leave_a_bounded_list() {
    let sample = |at: usize| {
        let text = format!("k{}: r{}", at / 2 % 300, at / 2);
        Sample::parse(&text).on(at % 2, Some(0)).time(1e6 + (at * 7919 % 1000) as f64)
    };
    let mut run = Run::new((0..10_000).map(sample).collect());
    run.processes = ranks(2);
    let found = imbalance(&run);
    let of = |what| found.rows.iter().filter(|row| row.what == what).count();
    assert_eq!((of(RowKind::Region), of(RowKind::Kernel)), (200, 100));
    assert_eq!(found.rows_left_out, 4_800 + 200);
    assert_eq!(found.heat_map.rows.len(), 201);
    let costs: Vec<f64> = found
        .rows
        .iter()
        .filter(|row| row.what == RowKind::Region)
        .filter_map(|row| row.time.as_ref().map(|time| time.max.value - time.mean))
        .collect();
    assert!(costs.is_sorted_by(|left, right| left >= right));
}

#[test]
fn ten_thousand_ranks_stay_readable_and_none_is_lost() {
    const RANKS: u32 = 10_000;
    let mut samples = Vec::new();
    for process in 0..RANKS as usize {
        for region in 0..8 {
            let slow = process == 7_777 && region == 3;
            let text = format!("k: step/{}", ["a", "b", "c", "d", "e", "f", "g", "h"][region]);
            let ms = if slow { 3.0 } else { 1.0 + (process % 10) as f64 * 1e-3 };
            samples.push(Sample::parse(&text).on(process, Some(0)).time(ms * 1e6));
        }
    }
    let mut run = Run::new(samples);
    run.processes = (0..RANKS).map(|number| rank(number, &format!("n{}", number / 8))).collect();
    run.stored = 40 << 20;
    let found = imbalance(&run);
    assert_eq!((found.count, found.results_left_out, found.hosts), (10_000, 0, 1_250));
    let slow = row(&found, RowKind::Region, "step::d");
    assert!(
        slow.sentence
            .starts_with("slow on rank 7777 (n972): 3 ms, 2.99 × the mean of the other 9,999"),
        "{}",
        slow.sentence
    );
    assert_eq!(slow.outliers[0].member.rank, Some(7_777));
    assert_eq!(found.standing_out.len(), 1);
    let map = &found.heat_map;
    assert_eq!(map.bins.iter().map(|bin| bin.members).sum::<u64>(), 10_000);
    assert_eq!((map.bins.len(), map.rows.len()), (256, 10));
    let place = found.rows.iter().position(|row| row.name == "step::d").unwrap();
    let heat = map.rows.iter().find(|row| row.row as usize == place).unwrap();
    let bin = map.bins.iter().position(|bin| {
        bin.first.rank <= Some(7_777) && bin.last.as_ref().unwrap().rank >= Some(7_777)
    });
    assert_eq!(heat.max[bin.unwrap()], Some((3.0, Some(7_777))));
    let stored = serde_json::to_string(&found).unwrap();
    assert!(stored.len() < 400_000, "{}", stored.len());

    // Where a document has no room for all of them, what is left out is counted.
    run.stored = 0;
    let found = imbalance(&run);
    assert!(found.results_left_out > 10_000, "{}", found.results_left_out);
}

/// Results of up to five ranks.
fn samples() -> impl Strategy<Value = Vec<Sample>> {
    let place =
        prop::sample::select(vec!["", "A", "A/B", "A/l0", "A/l1", "A/l2", "x@C ~S", "C ~S ~T"]);
    let one = (
        place,
        0..5_usize,
        0..2_u32,
        prop::option::of(0.0..1e7_f64),
        prop::option::of(0.0..1e9_f64),
        any::<bool>(),
    );
    let sample = one.prop_map(|(place, process, device, time, instructions, is_range)| {
        let sample = Sample::parse(&format!("k{device}: {place}")).on(process, Some(device));
        let sample = sample.time(time.unwrap_or(f64::NAN));
        let sample = match instructions {
            Some(instructions) => sample.with(INSTRUCTIONS, instructions.round()),
            None => sample,
        };
        if is_range && !place.is_empty() { sample.range() } else { sample }
    });
    prop::collection::vec(sample, 1..60)
}

proptest! {
    #[test]
    fn neither_parts_nor_the_order_of_results_or_processes_matter(
        samples in samples(),
        cut in any::<prop::sample::Index>(),
        seed in prop::collection::vec(any::<u32>(), 60),
    ) {
        let mut run = Run::new(samples);
        run.processes = ranks(5);
        let expected = run.outcome().ranks;
        let cut = cut.index(run.samples.len());
        prop_assert_eq!(&run.outcome_in_parts(&[cut]).ranks, &expected);
        // Another order of results and another numbering of processes.
        let mut keyed: Vec<(u32, Sample)> = seed.iter().copied().zip(run.samples).collect();
        keyed.sort_by_key(|(key, _)| *key);
        run.samples = keyed.into_iter().map(|(_, sample)| sample).collect();
        run.processes.reverse();
        for sample in &mut run.samples {
            sample.process = 4 - sample.process;
        }
        prop_assert_eq!(&run.outcome().ranks, &expected);
    }

    #[test]
    fn every_number_is_that_of_the_reports_of_single_ranks(samples in samples()) {
        let mut run = Run::new(samples);
        run.processes = ranks(5);
        check_against_reports(&run);
    }
}

#[test]
fn metrics_that_are_asked_for_are_compared_if_they_can_be_summed() {
    let mut run = run(&[10.0, 10.0]);
    run.samples = run
        .samples
        .into_iter()
        .map(|sample| {
            sample
                .with("lts__t_sectors.sum", 5.0)
                .with("sm__throughput.avg.pct_of_peak_sustained_elapsed", 5.0)
        })
        .collect();
    run.options.metrics = vec!["lts__t_sectors.sum".into(), "sm__throughput*".into(), TIME.into()];
    let found = imbalance(&run);
    let names: Vec<&str> =
        found.rows[0].counters.iter().map(|counter| counter.name.as_str()).collect();
    assert_eq!(names, ["launches", "lts__t_sectors.sum"]);
}
