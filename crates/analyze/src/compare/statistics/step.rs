//! The step of the timer: durations are multiples of it.

/// Timers step by a microsecond at most. Few durations may have more in common than that by chance.
pub(crate) const LONGEST_NS: f64 = 1024.0;

/// What floats make of whole nanoseconds is nearer than this.
const NEARLY_NS: f64 = 1e-3;

/// The largest time of which all these are nearly multiples, in nanoseconds, as far as a timer has such; zero where there is none.
pub(crate) fn step(durations_ns: impl Iterator<Item = f64>) -> f64 {
    let mut common = 0.0;
    for duration in durations_ns {
        // Too long to be known to a fraction of a nanosecond.
        if !(duration > 0.0 && duration < 1e12) {
            continue;
        }
        common = divisor(common, duration);
        if common < 1.0 {
            return 0.0;
        }
    }
    common.min(LONGEST_NS)
}

/// Euclid's, where a remainder that floats may make is none.
fn divisor(mut larger: f64, mut smaller: f64) -> f64 {
    while smaller >= NEARLY_NS {
        let rest = larger % smaller;
        let rest = if smaller - rest < NEARLY_NS { 0.0 } else { rest };
        (larger, smaller) = (smaller, rest);
    }
    larger
}
