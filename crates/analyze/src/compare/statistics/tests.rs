use super::family::judge;
use super::special::{digamma, t_critical, t_two_sided, trigamma, trigamma_inverse};
use super::{Samples, shrink};

#[track_caller]
fn close(ours: f64, theirs: f64) {
    assert!((ours - theirs).abs() <= 1e-12 * theirs.abs().max(1e-300), "{ours} {theirs}");
}

/// Values of mpmath 1.4.1 with 30 digits.
#[test]
fn gamma_functions() {
    for (x, first, second) in [
        (0.5, -1.963_510_026_021_423_5, 4.934_802_200_544_679),
        (1.0, -0.577_215_664_901_532_9, 1.644_934_066_848_226_4),
        (1.5, 0.036_489_973_978_576_52, 0.934_802_200_544_679_3),
        (2.0, 0.422_784_335_098_467_14, 0.644_934_066_848_226_4),
        (4.5, 1.388_870_926_359_529, 0.248_725_103_039_010_38),
        (10.0, 2.251_752_589_066_721, 0.105_166_335_681_685_75),
        (37.25, 3.604_169_073_005_627, 0.027_209_205_803_955_575),
    ] {
        assert!((digamma(x) - first).abs() < 1e-13, "{x}");
        close(trigamma(x), second);
        close(trigamma_inverse(second), x);
    }
}

/// Values of mpmath 1.4.1 (`betainc`) and SciPy 1.17.1 (`t.isf`).
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
    for (probability, freedom, t) in [
        (0.05, 1.0, 12.706_204_736_174_705),
        (0.02 / 300.0, 8.0, 7.540_655_685_931_727),
        (0.02 / 1000.0, 2.0, 223.603_443_634_037_18),
        (1e-6, 198.0, 5.049_911_927_138_1),
    ] {
        close(t_critical(probability, freedom), t);
    }
}

/// The variances of rows that differ in nothing but chance come together; those of rows that differ stay apart.
#[test]
fn variances_are_drawn_together_as_far_as_rows_are_alike() {
    // Quantiles of χ² with four degrees of freedom over four: variances as chance spreads them.
    let by_chance = [0.178, 0.266, 0.412, 0.549, 0.689, 0.839, 1.011, 1.220, 1.497, 1.945, 2.372];
    let rows: Vec<f64> = by_chance.iter().cycle().take(220).copied().collect();
    let alike = shrink::shrink(&rows, &[4.0; 220]);
    let ratio = |variances: &[f64]| variances[10] / variances[0];
    assert!(ratio(&alike.variances) < 2.0, "{alike:?}");
    let apart: Vec<f64> =
        rows.iter().zip((0..5).cycle()).map(|(row, size)| row * 10_f64.powi(size)).collect();
    let shrunk = shrink::shrink(&apart, &[4.0; 220]);
    assert!(shrunk.freedom[0] < 6.0, "{}", shrunk.freedom[0]);
    // One row has nothing to learn from.
    assert_eq!(shrink::shrink(&[3.0], &[4.0]).variances, [3.0]);
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
