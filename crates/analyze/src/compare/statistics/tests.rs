use super::family::{judge, tests};
use super::noise::{Measured, Noises};
use super::special::t_two_sided;
use super::{ERROR, Samples};

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

/// Six rows, three runs against four, one value missing. The numbers beside are from a second implementation of docs/comparing.md in NumPy 2.4 and SciPy 1.17.1,
/// with `chi2.pdf` for the fit of a variance and `t.sf` for the tails.
#[test]
fn chances_are_those_of_scipy() {
    let measured: [([f64; 3], [f64; 4], f64); 6] = [
        ([0.000, 0.012, -0.009], [0.061, 0.055, 0.048, 0.070], 5.489_318_193_742e-4),
        ([1.000, 1.002, 0.997], [1.001, 0.998, 1.004, 1.000], 8.545_994_310_064e-1),
        ([2.000, 2.030, 1.955], [2.140, 2.090, 2.185, 2.150], 2.107_078_498_532e-2),
        ([0.500, 0.507, 0.511], [0.471, 0.463, 0.482, 0.466], 7.678_363_226_654e-4),
        ([3.000, 3.004, f64::NAN], [3.030, 3.026, 3.033, 3.028], 1.652_791_142_965e-2),
        ([0.250, 0.262, 0.241], [0.255, 0.244, 0.260, 0.249], 9.009_054_132_269e-1),
    ];
    let side =
        |values: &[f64]| values.iter().map(|value| Some(*value).filter(|v| !v.is_nan())).collect();
    let rows: Vec<[Vec<Option<f64>>; 2]> =
        measured.iter().map(|(base, new, _)| [side(base), side(new)]).collect();
    for (test, (_, _, theirs)) in tests(&rows).iter().zip(&measured) {
        let ours = test.chance;
        // What shows nothing anyway is not computed to the end.
        let is_theirs = if *theirs > ERROR {
            ours > ERROR && ours <= *theirs
        } else {
            (ours / theirs - 1.0).abs() < 1e-6
        };
        assert!(is_theirs, "{ours} {theirs}");
    }
}

/// A row that is quiet by chance among noisy ones is taken for noisy; among quiet ones it is quiet. One row has nothing to learn from.
#[test]
fn rows_learn_from_each_other() {
    let of = |variance: f64| [Measured { variance, freedom: 2.0 }; 2];
    let typical = |rows: &[[Measured; 2]]| {
        let noises = Noises::of(rows).of_row(0);
        let sum: f64 = noises.iter().map(|(_, weight)| weight).sum();
        assert!((sum - 1.0).abs() < 1e-9, "{sum}");
        noises.iter().map(|([base, _], weight)| weight * base.ln()).sum::<f64>().exp()
    };
    // Quantiles of χ² with two degrees of freedom over two: variances as chance spreads them.
    let spread = [0.05, 0.16, 0.29, 0.43, 0.60, 0.80, 1.05, 1.39, 1.90, 3.00];
    let others = |level: f64| {
        let sides = spread.iter().flat_map(|base| spread.iter().map(move |new| [*base, *new]));
        sides.map(move |row| row.map(|ratio| Measured { variance: ratio * level, freedom: 2.0 }))
    };
    let among =
        |level| typical(&std::iter::once(of(0.05)).chain(others(level)).collect::<Vec<_>>());
    let alone = typical(&[of(0.05)]);
    assert!(among(1.0) > 0.5 && among(0.05) < 0.1, "{} {}", among(1.0), among(0.05));
    assert!(alone > 0.05 && alone < among(1.0), "{alone}");
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
    let shown: Vec<usize> = (0..50).filter(|row| evidence[*row].is_shown).collect();
    assert_eq!(shown, [3]);
    assert!((evidence[3].difference - 0.05).abs() < 0.01);
    assert!(evidence[3].runs_needed.is_some_and(|runs| runs <= 10), "{:?}", evidence[3]);
    assert!(evidence[4].runs_needed.is_none_or(|runs| runs > 5), "{:?}", evidence[4]);
}

#[test]
fn one_run_that_is_far_off_shows_nothing() {
    let off = |row, side, run| {
        scattered(row, side, run) + if row == 3 && side == 1 && run == 0 { 5.0 } else { 0.0 }
    };
    for runs in [2, 3, 5, 10] {
        assert!(judge(&rows(50, runs, off)).iter().all(|evidence| !evidence.is_shown), "{runs}");
    }
}

/// A few rows, of which some are ten times as noisy: of 400 comparisons of which one in twenty may be wrong, 34 or more are in 0.3 % of all cases.
#[test]
fn few_rows_are_judged_by_their_own_runs() {
    for (count, runs) in [(1, 2), (1, 3), (2, 2), (4, 2), (4, 3), (12, 2)] {
        let wrong = (0..400).filter(|again| {
            let noise = |row, side, run| {
                let row = row + again * count;
                scattered(row, side, run) * if row % 2 == 0 { 10.0 } else { 1.0 }
            };
            judge(&rows(count, runs, noise)).iter().any(|evidence| evidence.is_shown)
        });
        let wrong = wrong.count();
        assert!(wrong < 34, "{count} rows, {runs} runs: {wrong}");
    }
}

/// A run in which everything is slow is one sample, however many regions it has.
#[test]
fn what_all_rows_share_is_measured_by_the_runs() {
    let slow = |row, side, run| {
        scattered(row, side, run) + if side == 1 { [0.0, 0.3, 0.1][run as usize] } else { 0.0 }
    };
    assert!(judge(&rows(200, 3, slow)).iter().all(|evidence| !evidence.is_shown));
}

#[test]
fn what_cannot_be_judged_is_not() {
    let one = [Some(1.0)];
    let two = [Some(1.0), Some(1.01)];
    let zero = [Some(0.0), Some(1.0)];
    let missing = [Some(1.0), None, Some(1.02)];
    let mut samples = Samples::default();
    for (base, new) in [(&two[..], &one[..]), (&two, &zero), (&missing, &two), (&two, &two)] {
        samples.add("time", base, new);
        samples.add("time", base, new);
    }
    let verdicts = samples.judge();
    assert_eq!(verdicts.of("time", &two, &one), None);
    assert_eq!(verdicts.of("time", &two, &zero), None);
    assert_eq!(verdicts.of("other", &two, &two), None);
    let same = verdicts.of("time", &two, &two).unwrap();
    assert!(!same.is_shown && same.difference == 0.0 && same.runs_needed.is_none());
    assert!(verdicts.of("time", &missing, &two).is_some());
}
