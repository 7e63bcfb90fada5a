//! How single launches are spread over their durations: bins between round times, so that few digits tell their ends apart.

use super::kernel::DurationBin;

/// Bins of a histogram at most.
const MOST: usize = 20;
/// The widths of bins are these times a power of ten.
const ROUND: [f64; 3] = [1.0, 2.0, 5.0];

/// Of durations in nanoseconds, in order; a single bin where all are the same.
pub(super) fn histogram(ns: &[f64]) -> Vec<DurationBin> {
    let (Some(&first), Some(&last)) = (ns.first(), ns.last()) else { return Vec::new() };
    let edges = edges(first, last, MOST.min(ns.len())).unwrap_or_else(|| vec![first, last]);
    let mut bins: Vec<DurationBin> = edges
        .windows(2)
        .map(|ends| DurationBin { from_ms: ends[0] / 1e6, to_ms: ends[1] / 1e6, launches: 0 })
        .collect();
    for duration in ns {
        let at = edges.partition_point(|edge| edge <= duration).saturating_sub(1);
        if let Some(bin) = bins.get_mut(at.min(edges.len() - 2)) {
            bin.launches += 1;
        }
    }
    bins
}

/// The ends of at most so many bins that hold everything between these two; nothing where those are too close to each other for that.
fn edges(first: f64, last: f64, most: usize) -> Option<Vec<f64>> {
    let span = Some(last - first).filter(|span| *span > 0.0 && span.is_finite())?;
    // The narrowest width by which they could be enough, and wider ones.
    let power = (span / most as f64).log10().floor();
    let widths = (0..3).flat_map(|wider| ROUND.map(|round| (round, power + f64::from(wider))));
    widths.map(|(round, power)| between(first, last, round, power)).find_map(|edges| {
        let is_ascending = edges.windows(2).all(|ends| ends[0] < ends[1]);
        let is_enough = (2..=most + 1).contains(&edges.len());
        (is_enough && is_ascending).then_some(edges)
    })
}

/// The multiples of a round width around these two.
fn between(first: f64, last: f64, round: f64, power: f64) -> Vec<f64> {
    // A power of ten below one is no number of a computer: what is divided by its inverse is rounded once.
    let scale = 10_f64.powf(power.abs());
    let multiple = |number: f64| {
        if power < 0.0 { number * round / scale } else { number * round * scale }
    };
    let number_of = |duration: f64| {
        let width = multiple(1.0);
        let number = (duration / width).floor();
        // The quotient may have been rounded over the next multiple.
        if multiple(number) > duration { number - 1.0 } else { number }
    };
    let start = number_of(first);
    let numbers = (0_u32..).take(MOST + 2).map(|step| start + f64::from(step));
    let mut edges: Vec<f64> = Vec::new();
    for edge in numbers.map(multiple) {
        edges.push(edge);
        if edge > last {
            break;
        }
    }
    edges
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;
    use rangescope_model::number::times_apart;

    use super::*;

    fn ends(bins: &[DurationBin]) -> Vec<f64> {
        bins.iter().map(|bin| bin.from_ms).chain(bins.last().map(|bin| bin.to_ms)).collect()
    }

    #[test]
    fn bins_lie_between_round_times() {
        let found = histogram(&[71_296.0, 71_328.0, 71_360.0, 71_360.0, 71_488.0]);
        let printed = ["71.25 µs", "71.30 µs", "71.35 µs", "71.40 µs", "71.45 µs", "71.50 µs"];
        assert_eq!(times_apart(&ends(&found)), printed);
        let one = histogram(&[7e6, 7e6]);
        assert_eq!((one.len(), one[0].launches), (1, 2));
        assert!(histogram(&[]).is_empty());
    }

    proptest! {
        #[test]
        fn every_launch_is_in_its_bin_and_all_ends_differ_as_printed(
            base in prop_oneof![Just(0.0), 1.0..1e4_f64, 1e4..1e9_f64],
            step in prop_oneof![Just(32.0), Just(0.5), Just(1000.0), 0.5..1e9_f64],
            steps in vec(0_u32..200, 1..60),
        ) {
            let mut ns: Vec<f64> = steps.iter().map(|many| base + step * f64::from(*many)).collect();
            ns.sort_by(f64::total_cmp);
            let bins = histogram(&ns);
            prop_assert_eq!(bins.iter().map(|bin| bin.launches).sum::<u64>(), ns.len() as u64);
            prop_assert!(bins.len() <= MOST.min(ns.len()).max(1));
            for bin in &bins {
                let inside = ns.iter().filter(|one| (bin.from_ms..bin.to_ms).contains(&(**one / 1e6)));
                prop_assert!(bins.len() == 1 || inside.count() as u64 == bin.launches);
            }
            if bins.len() > 1 {
                let mut printed = times_apart(&ends(&bins));
                let count = printed.len();
                printed.sort();
                printed.dedup();
                prop_assert_eq!(printed.len(), count);
            }
        }
    }
}
