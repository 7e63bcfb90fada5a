use super::family::{Evidence, Judged, Row};
use super::labels::labelings;
use super::special::{t_beyond, t_two_sided};
use super::step::step;
use super::{Samples, are_enough, least_runs};

#[track_caller]
fn close(ours: f64, theirs: f64) {
    assert!((ours - theirs).abs() <= 1e-12 * theirs.abs().max(1e-300), "{ours} {theirs}");
}

/// Values of mpmath 1.4.1 (`betainc`).
#[test]
fn students_t() {
    for (t, freedom, probability) in [
        (0.0, 5.0, 1.0),
        (0.5, 1.0, 0.704_832_764_699_133_5),
        (2.0, 1.0, 0.295_167_235_300_866_5),
        (3.0, 2.0, 0.095_465_966_266_709_13),
        (4.5, 3.7, 0.012_927_381_711_591_774),
        (6.0, 8.0, 0.000_323_393_221_885_149),
        (10.0, 8.0, 8.488_181_527_628_492e-6),
        (3.9, 48.25, 0.000_297_192_133_779_914_56),
        (12.0, 300.0, 2.319_124_753_616_133e-27),
        (40.0, 2.5, 0.000_141_956_342_904_933_83),
    ] {
        close(t_two_sided(t, freedom), probability);
    }
}

/// Values of SciPy 1.17.1 (`t.isf(p / 2, f)`).
#[test]
fn students_t_backwards() {
    for (probability, freedom, t) in
        [(0.05, 4.0, 2.776_445_105_2), (0.001, 16.0, 4.014_996_327_2), (0.03, 1.0, 21.204_948_788)]
    {
        assert!((t_beyond(probability, freedom) / t - 1.0).abs() < 1e-6, "{probability} {freedom}");
    }
}

#[test]
fn names_of_sides_are_dealt_out_in_every_way_once() {
    for (runs, expected) in [([2, 2], 3), ([3, 3], 10), ([4, 4], 35), ([5, 5], 126), ([3, 5], 56)] {
        let labelings = labelings(runs);
        assert_eq!(labelings.len(), expected);
        assert_eq!(labelings[0], (0..runs[0]).collect::<Vec<_>>());
        let distinct: std::collections::BTreeSet<_> = labelings.iter().collect();
        assert_eq!(distinct.len(), expected);
        assert!(labelings.iter().all(|base| base.is_sorted() && base.len() == runs[0]));
    }
    assert_eq!(labelings([10, 10]).len(), 500);
    assert_eq!(labelings([10, 10]), labelings([10, 10]));
    let enough = [[2, 2], [3, 3], [4, 4], [3, 5], [2, 10], [1, 50]].map(are_enough);
    assert_eq!(enough, [false, false, true, true, true, false]);
    assert_eq!(least_runs(), 4);
}

#[test]
fn steps_of_timers() {
    let of = |durations: &[f64]| step(durations.iter().copied());
    assert!((of(&[32.0, 96.0, 1_600_032.0]) - 32.0).abs() < 1e-9);
    assert!((of(&[3000.0, 5000.0, 8000.0]) - 1000.0).abs() < 1e-9);
    assert!((of(&[1500.0, 5000.0, 8000.0]) - 500.0).abs() < 1e-9);
    // As floats that were milliseconds.
    let floats = [0.003_616, 12.345_696, 0.1 + 0.000_032].map(|ms: f64| ms * 1e6);
    assert!((of(&floats) - 32.0).abs() < 1e-3);
    assert!((of(&[1.0, 7.0]) - 1.0).abs() < 1e-9);
    assert!((of(&[1234.567, 7654.321]) - 0.0).abs() < 1e-9);
    assert!((of(&[]) - 0.0).abs() < 1e-9);
    assert!((of(&[f64::NAN, -5.0, 0.0]) - 0.0).abs() < 1e-9);
    // What few durations have in common by chance is no timer's.
    assert!((of(&[1e6, 1e6]) - 1024.0).abs() < 1e-9);
}

/// Sides in the given order, each row as `rows` makes them.
fn judge(rows: &[[Vec<Option<f64>>; 2]]) -> Vec<Evidence> {
    judged(rows, 0.0).rows
}

fn judged(rows: &[[Vec<Option<f64>>; 2]], steps: f64) -> Judged {
    let runs = rows[0].each_ref().map(Vec::len);
    let row = |[base, new]: &[Vec<Option<f64>>; 2]| Row {
        values: [&base[..], &new[..]].concat(),
        base: base.len(),
        steps,
    };
    let places: Vec<f64> = (0..runs[0] + runs[1]).map(|at| at as f64).collect();
    super::family::judge(rows.iter().map(row).collect(), runs, &places)
}

fn is_shown(evidence: &Evidence) -> bool {
    evidence.are_enough && (evidence.interval[0] > 0.0 || evidence.interval[1] < 0.0)
}

fn rows(
    count: u32,
    runs: u32,
    value: impl Fn(u32, usize, u32) -> f64,
) -> Vec<[Vec<Option<f64>>; 2]> {
    let side = |row, side| (0..runs).map(|run| Some(value(row, side, run))).collect();
    (0..count).map(|row| [side(row, 0), side(row, 1)]).collect()
}

/// Noise of about one per cent: sums of evenly scattered numbers are nearly normal.
fn scattered(row: u32, side: usize, run: u32) -> f64 {
    let mut state = (u64::from(row) << 32) + ((side as u64) << 16) + u64::from(run);
    let mut even = || {
        // SplitMix64.
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    };
    ((0..12).map(|_| even()).sum::<f64>() - 6.0) * 0.01
}

#[test]
fn a_difference_that_all_runs_show_is_shown() {
    let changed = |row, side, run| {
        let change = if row == 3 && side == 1 { 0.05 } else { 0.0 };
        scattered(row, side, run) + change
    };
    let evidence = judge(&rows(50, 5, changed));
    let shown: Vec<usize> = (0..50).filter(|row| is_shown(&evidence[*row])).collect();
    assert_eq!(shown, [3]);
    assert!((evidence[3].difference - 0.05).abs() < 0.01);
    assert!(evidence[4].runs_needed(0.0).is_none_or(|runs| runs > 5), "{:?}", evidence[4]);
}

#[test]
fn one_run_that_is_far_off_shows_nothing() {
    let off = |row, side, run| {
        scattered(row, side, run) + if row == 3 && side == 1 && run == 0 { 5.0 } else { 0.0 }
    };
    for runs in [2, 3, 5, 10] {
        assert!(judge(&rows(50, runs, off)).iter().all(|evidence| !is_shown(evidence)), "{runs}");
    }
}

/// A few rows, of which some are ten times as noisy: of 400 comparisons of which one in twenty may be wrong, 34 or more are in 0.3 % of all cases.
#[test]
fn few_rows_are_judged_by_their_own_runs() {
    for (count, runs) in [(1, 4), (1, 5), (2, 4), (4, 5), (12, 4)] {
        let wrong = (0..400).filter(|again| {
            let noise = |row, side, run| {
                let row = row + again * count;
                scattered(row, side, run) * if row % 2 == 0 { 10.0 } else { 1.0 }
            };
            judge(&rows(count, runs, noise)).iter().any(is_shown)
        });
        let wrong = wrong.count();
        assert!(wrong < 34, "{count} rows, {runs} runs: {wrong}");
    }
}

/// Whatever two or three runs look like, chance makes them look so too often.
#[test]
fn too_few_runs_show_nothing() {
    let apart = |row, side, run| scattered(row, side, run) + side as f64;
    for runs in [2, 3] {
        let evidence = judge(&rows(20, runs, apart));
        assert!(evidence.iter().all(|evidence| !is_shown(evidence)));
        assert_eq!(evidence[0].runs_needed(0.0), Some(4));
    }
    assert!(judge(&rows(20, 4, apart)).iter().all(is_shown));
}

/// As many runs as are said to settle a difference do so in most cases: of 100, fewer than 75 in one of a thousand if it is nine of ten on average.
#[test]
fn as_many_runs_as_are_needed_show_it() {
    let by = |row, side, change: f64| if row % 10 == 3 && side == 1 { change } else { 0.0 };
    let changed = |runs: u32, again: u32| {
        judge(&rows(20, runs, |row, side, run| {
            scattered(row + 20 * again, side, run) + by(row, side, 0.025)
        }))
    };
    let mut needed: Vec<u32> = (0..50)
        .flat_map(|again| {
            let evidence = changed(4, again);
            [3, 13].map(|at: usize| evidence[at])
        })
        .filter(|evidence| !is_shown(evidence))
        .filter_map(|evidence| evidence.runs_needed(0.0))
        .collect();
    needed.sort_unstable();
    let needed = needed[needed.len() / 2];
    let shown = (50..100)
        .flat_map(|again| {
            let evidence = changed(needed, again);
            [3, 13].map(|at: usize| is_shown(&evidence[at]))
        })
        .filter(|is_shown| *is_shown)
        .count();
    assert!(shown >= 75, "{needed} runs: {shown}");
}

/// What depends on how much of a drift is believed more runs in that order do not settle.
#[test]
fn runs_do_not_settle_what_a_drift_leaves_open() {
    let drifting = |row, side, run| {
        scattered(row, side, run) + 0.01 * (f64::from(run) + 5.0 * side as f64)
            - if side == 1 { 0.02 } else { 0.0 }
    };
    let judged = judged(&rows(50, 5, drifting), 0.0);
    assert!((judged.rows[0].difference - 0.03).abs() < 0.02);
    assert!(judged.rows.iter().filter(|evidence| evidence.runs_needed(0.0).is_none()).count() > 45);
}

#[test]
fn a_drift_is_not_a_change() {
    let drifting =
        |row, side, run| scattered(row, side, run) + 0.01 * (f64::from(run) + 5.0 * side as f64);
    let judged = judged(&rows(50, 5, drifting), 0.0);
    assert!((judged.drift - 0.01).abs() < 0.003, "{}", judged.drift);
    assert!(judged.rows.iter().all(|evidence| !is_shown(evidence)));
    assert!((judged.rows[0].difference - 0.05).abs() < 0.02);
}

/// A run in which everything is slow is one sample, however many regions it has.
#[test]
fn what_all_rows_share_is_measured_by_the_runs() {
    let slow = |row, side, run| {
        scattered(row, side, run) + if side == 1 { [0.0, 0.3, 0.1][run as usize] } else { 0.0 }
    };
    assert!(judge(&rows(200, 3, slow)).iter().all(|evidence| !is_shown(evidence)));
}

#[test]
fn what_cannot_be_judged_is_not() {
    let one = [Some(1.0)];
    let two = [Some(1.0), Some(1.01)];
    let zero = [Some(0.0), Some(1.0)];
    let mut samples = Samples::default();
    for (base, new) in [(&two[..], &one[..]), (&two, &zero), (&two, &two)] {
        samples.add("time", base, new, 0.0);
        samples.add("time", base, new, 0.0);
    }
    let verdicts = samples.judge(&[0.0, 1.0, 2.0, 3.0]);
    assert_eq!(verdicts.of("time", &two, &one), None);
    assert_eq!(verdicts.of("time", &two, &zero), None);
    assert_eq!(verdicts.of("other", &two, &two), None);
    let same = verdicts.of("time", &two, &two).unwrap();
    assert!(!is_shown(&same) && same.difference == 0.0 && same.runs_needed(0.0).is_none());
}
