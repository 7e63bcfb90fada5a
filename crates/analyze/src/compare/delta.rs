//! One number on both sides: its spread, its difference, and whether that is noise.

use rangescope_model::comparison::{Change, Delta, Spread, Verdict};
use rangescope_model::number::plain;

/// When a difference counts as none, in words.
pub(crate) fn noise_rule(base_runs: usize, new_runs: usize, tolerance: f64) -> String {
    if base_runs > 1 || new_runs > 1 {
        "Values are medians over the runs of a side. A difference is noise when the ranges of the two sides (smallest to largest run) touch or overlap.".to_owned()
    } else {
        format!(
            "One run on each side: how much runs differ by themselves is not known. A difference below {} % is called the same.",
            plain(tolerance * 100.0)
        )
    }
}

/// How numbers are judged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Judge {
    /// With one run a side: a relative difference below this is none.
    pub(crate) tolerance: f64,
    /// Whether a side has several runs.
    pub(crate) has_spread: bool,
}

/// What it means when a side does not have a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Absence {
    /// A time or a count: there was none of it.
    Zero,
    /// A metric: nobody knows.
    Unknown,
}

impl Judge {
    /// The difference between the values of two sides, one value per run that has it.
    pub(crate) fn delta(self, base: &[f64], new: &[f64], absence: Absence) -> Delta {
        let (base, new) = (spread(base), spread(new));
        let median = |spread: Option<Spread>| match absence {
            Absence::Zero => Some(spread.map_or(0.0, |spread| spread.median)),
            Absence::Unknown => spread.map(|spread| spread.median),
        };
        let is_anywhere = base.is_some() || new.is_some();
        let pair = median(base).zip(median(new)).filter(|_| is_anywhere);
        let absolute = pair.map(|(base, new)| new - base).filter(|value| value.is_finite());
        let relative = pair
            .zip(absolute)
            // Nothing and nothing still are equal.
            .map(|((base, _), absolute)| if absolute == 0.0 { 0.0 } else { absolute / base.abs() })
            .filter(|value| value.is_finite() && base.is_some());
        let change = match (base, new) {
            (None, None) => Change::Absent,
            (None, Some(_)) => Change::New,
            (Some(_), None) => Change::Gone,
            (Some(base), Some(new)) => self.change(base, new, absolute, relative),
        };
        Delta { base, new, absolute, relative, change }
    }

    fn change(
        self,
        base: Spread,
        new: Spread,
        absolute: Option<f64>,
        relative: Option<f64>,
    ) -> Change {
        let Some(absolute) = absolute else { return Change::Absent };
        if absolute == 0.0 {
            return Change::Same;
        }
        if self.has_spread {
            if base.min <= new.max && new.min <= base.max {
                return Change::Noise;
            }
        } else if relative.is_some_and(|relative| relative.abs() < self.tolerance) {
            return Change::Same;
        }
        if absolute > 0.0 { Change::Higher } else { Change::Lower }
    }
}

/// The spread of some values; nothing if there is none. Values that are no numbers are left out.
fn spread(values: &[f64]) -> Option<Spread> {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let (min, max) = (*sorted.first()?, *sorted.last()?);
    let middle = sorted.len() / 2;
    let upper = sorted.get(middle).copied()?;
    let median = if sorted.len().is_multiple_of(2) {
        let lower = sorted.get(middle - 1).copied()?;
        // Halves first, so that very large values do not overflow.
        lower / 2.0 + upper / 2.0
    } else {
        upper
    };
    Some(Spread { min, median, max, runs: sorted.len() })
}

/// The verdict on a time.
pub(crate) fn verdict(time: &Delta) -> Verdict {
    match time.change {
        Change::Higher => Verdict::Slower,
        Change::Lower => Verdict::Faster,
        Change::New => Verdict::New,
        Change::Gone => Verdict::Gone,
        Change::Noise => Verdict::Noise,
        Change::Same | Change::Absent => Verdict::Same,
    }
}

/// How much a difference of time costs, for sorting.
pub(crate) fn cost(time: &Delta) -> f64 {
    time.absolute.map_or(0.0, f64::abs)
}

#[cfg(test)]
mod tests {
    use super::{Absence, Judge, spread};
    use rangescope_model::comparison::Change;

    const ONE: Judge = Judge { tolerance: 0.01, has_spread: false };
    const MANY: Judge = Judge { tolerance: 0.01, has_spread: true };

    #[test]
    fn medians() {
        let of =
            |values: &[f64]| spread(values).map(|spread| (spread.min, spread.median, spread.max));
        assert_eq!(of(&[3.0, 1.0, 2.0]), Some((1.0, 2.0, 3.0)));
        assert_eq!(of(&[4.0, 1.0]), Some((1.0, 2.5, 4.0)));
        assert_eq!(of(&[f64::NAN]), None);
        assert_eq!(of(&[f64::MAX, f64::MAX]), Some((f64::MAX, f64::MAX, f64::MAX)));
    }

    #[test]
    fn one_run_a_side() {
        for (base, new, expected) in [
            (100.0, 100.0, Change::Same),
            (100.0, 100.9, Change::Same),
            (100.0, 101.1, Change::Higher),
            (100.0, 98.0, Change::Lower),
            (0.0, 1.0, Change::Higher),
        ] {
            let delta = ONE.delta(&[base], &[new], Absence::Zero);
            assert_eq!(delta.change, expected, "{base} {new}");
        }
    }

    #[test]
    fn inside_the_spread_is_noise() {
        for (base, new, expected) in [
            (&[10.0, 11.0, 12.0][..], &[11.5, 13.0, 14.0][..], Change::Noise),
            (&[10.0, 11.0, 12.0], &[12.0, 13.0, 14.0], Change::Noise),
            (&[10.0, 11.0, 12.0], &[12.1, 13.0, 14.0], Change::Higher),
            (&[10.0, 12.0], &[11.0], Change::Same),
            (&[10.0, 12.0], &[11.5], Change::Noise),
            (&[10.0], &[8.0, 9.0], Change::Lower),
        ] {
            assert_eq!(MANY.delta(base, new, Absence::Zero).change, expected, "{base:?} {new:?}");
        }
    }

    #[test]
    fn what_a_side_does_not_have() {
        let new = ONE.delta(&[], &[5.0], Absence::Zero);
        assert_eq!((new.change, new.absolute, new.relative), (Change::New, Some(5.0), None));
        let gone = ONE.delta(&[5.0], &[], Absence::Zero);
        assert_eq!((gone.absolute, gone.relative), (Some(-5.0), Some(-1.0)));
        let unknown = ONE.delta(&[5.0], &[], Absence::Unknown);
        assert_eq!((unknown.change, unknown.absolute), (Change::Gone, None));
        assert_eq!(ONE.delta(&[], &[], Absence::Zero).absolute, None);
    }
}
