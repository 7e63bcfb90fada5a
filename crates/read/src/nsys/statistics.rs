//! The figures about a list of durations.

use serde::Serialize;

/// Durations in nanoseconds, summed up. All are zero where there are none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Statistics {
    pub total_ns: u64,
    pub mean_ns: f64,
    /// The middle one; the mean of the two in the middle of an even number.
    pub median_ns: f64,
    pub min_ns: u64,
    pub max_ns: u64,
}

impl Statistics {
    /// The figures; leaves the list in another order.
    pub(crate) fn of(durations: &mut [u64]) -> Self {
        let count = durations.len();
        let (Some(&min_ns), Some(&max_ns)) = (durations.iter().min(), durations.iter().max())
        else {
            return Self::default();
        };
        let sum: u128 = durations.iter().map(|&duration| u128::from(duration)).sum();
        let (below, &mut upper, _) = durations.select_nth_unstable(count / 2);
        let lower = if count % 2 == 1 { upper } else { below.iter().copied().max().unwrap_or(0) };
        Self {
            total_ns: u64::try_from(sum).unwrap_or(u64::MAX),
            mean_ns: sum as f64 / count as f64,
            median_ns: f64::midpoint(lower as f64, upper as f64),
            min_ns,
            max_ns,
        }
    }
}

/// From one time to another; nothing where the second is before the first.
pub(crate) fn duration(start: i64, end: i64) -> u64 {
    u64::try_from(i128::from(end) - i128::from(start)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_those_of_a_sorted_list() {
        let figures = Statistics::of(&mut [9, 1, 4, 2]);
        assert_eq!((figures.total_ns, figures.min_ns, figures.max_ns), (16, 1, 9));
        assert_eq!((figures.mean_ns, figures.median_ns), (4.0, 3.0));
        assert!((Statistics::of(&mut [5, 1, 3]).median_ns - 3.0).abs() < 1e-9);
        assert_eq!(Statistics::of(&mut []), Statistics::default());
        assert_eq!(Statistics::of(&mut [u64::MAX, u64::MAX]).total_ns, u64::MAX);
    }

    #[test]
    fn time_does_not_run_backwards() {
        assert_eq!(duration(5, 9), 4);
        assert_eq!(duration(9, 5), 0);
        assert_eq!(duration(i64::MIN, i64::MAX), u64::MAX);
    }
}
