use super::*;
use crate::machine::{DEFAULT, Precision, Work};

fn kernels() -> Vec<Activity> {
    let mut all = Vec::new();
    for (flops, bytes, tensor, precision) in [
        (1e11, 1e3, false, Precision::Fp32),
        (1e3, 1e10, false, Precision::Fp32),
        (0.0, 0.0, false, Precision::Fp32),
        (1e12, 1e9, true, Precision::Fp16),
        (1e9, 1e6, false, Precision::Fp64),
        (3e10, 2e8, false, Precision::Fp16),
    ] {
        for (blocks, threads) in [(1, 32), (460, 256), (100_000, 1024)] {
            for l2_hit_rate in [0.0, 0.6, 1.0] {
                let work = Work {
                    grid: [blocks, 1, 1],
                    block: [threads, 1, 1],
                    flops,
                    bytes_read: bytes,
                    bytes_written: bytes / 3.0,
                    precision,
                    tensor,
                    l2_hit_rate,
                    ..Work::default()
                };
                all.push(DEFAULT.price(&work, 1.0).activity);
            }
        }
    }
    all
}

#[test]
fn no_share_of_a_peak_is_beyond_it_and_nothing_is_negative() {
    let names = known_names();
    assert!(names.len() > 1000, "{}", names.len());
    for activity in kernels() {
        for name in &names {
            let value = number(name, &activity, &DEFAULT).unwrap();
            assert!(value.is_finite() && value >= 0.0, "{name} = {value}: {activity:?}");
            // More cycles pass than there is work in: that share of a peak means nothing.
            let is_share = !name.contains("__cycles_elapsed");
            if is_share && name.contains("pct_of_peak")
                || name.split('.').next_back() == Some("pct")
            {
                assert!(value <= 100.0 + 1e-6, "{name} = {value}: {activity:?}");
            }
        }
    }
}

#[test]
fn metrics_of_a_sum_are_the_sums_and_the_ratios_of_sums() {
    let parts = kernels();
    let mut whole = Activity::default();
    for part in &parts {
        whole.add(part);
    }
    let sum = |name: &str| -> f64 {
        parts.iter().map(|part| number(name, part, &DEFAULT).unwrap()).sum()
    };
    let of_whole = |name: &str| number(name, &whole, &DEFAULT).unwrap();
    let close = |a: f64, b: f64| (a - b).abs() <= 1e-9 * a.abs().max(b.abs());
    for base in known_bases() {
        for name in [format!("{base}.sum"), format!("{base}.avg")] {
            if is_known(&name) {
                assert!(close(of_whole(&name), sum(&name)), "{name}");
            }
        }
    }
    let hits = sum("lts__t_sectors_lookup_hit.sum") / sum("lts__t_sectors.sum");
    assert!(close(of_whole("lts__t_sector_hit_rate.pct"), 100.0 * hits));
    let rate = sum("dram__bytes.sum") / (sum("gpu__time_duration.sum") * 1e-9);
    assert!(close(of_whole("dram__bytes.sum.per_second"), rate));
}

#[test]
fn what_warps_wait_for_adds_up_to_their_time() {
    for activity in kernels() {
        let of = |name: &str| number(name, &activity, &DEFAULT).unwrap();
        let stalls: f64 = known_bases()
            .iter()
            .filter(|base| base.starts_with("smsp__warps_issue_stalled_"))
            .map(|base| of(&format!("{base}.sum")))
            .sum();
        let active = of("smsp__warps_active.sum");
        assert!((stalls - active).abs() <= 1e-9 * active, "{stalls} of {active}");
    }
}

#[test]
fn names_are_expanded_as_on_the_command_line() {
    assert_eq!(expand("sm__cycles_active.avg").unwrap(), ["sm__cycles_active.avg"]);
    assert_eq!(expand("dram__bytes").unwrap().len(), 4);
    assert_eq!(
        expand("breakdown:dram__throughput.avg.pct_of_peak_sustained_elapsed").unwrap().len(),
        2
    );
    assert_eq!(expand("breakdown:dram__bytes.sum").unwrap(), Vec::<String>::new());
    assert_eq!(expand("bogus__metric.sum"), None);
    assert_eq!(expand("dram__bytes.median"), None);
}
