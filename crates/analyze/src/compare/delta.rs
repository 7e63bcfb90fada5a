//! One number on both sides: its spread, its difference, and whether that is more than noise.

use crate::compare::decimal::{self, Decimal};
use crate::compare::statistics::{Samples, Verdicts};
use rangescope_model::comparison::{Change, Delta, Spread, Verdict};
use rangescope_model::number::plain;
use std::cell::RefCell;
use std::cmp::Ordering;

/// When a difference counts, in words.
pub(crate) fn noise_rule(base_runs: usize, new_runs: usize, tolerance_percent: f64) -> String {
    let tolerance = plain(tolerance_percent);
    if base_runs > 1 && new_runs > 1 {
        format!(
            "Values are medians over the runs of a side. A verdict needs a difference of at least {tolerance} % and runs that show it: of comparisons in which nothing changed, at most 5 in a hundred give any, by a t test on the logarithms of each run with the noise of all regions and kernels in view."
        )
    } else {
        format!(
            "A side has one run: how much runs differ by themselves is not known, and no difference is judged. Below {tolerance} % it is called the same, beyond that higher or lower. Give both sides several runs (--base RUN, --new RUN; five find 5 % where runs differ by 1 %) for a verdict."
        )
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Reading {
    /// The run does not have it.
    Missing,
    /// The run has it and could not measure it.
    Unknown,
    Value(f64),
}

impl Reading {
    pub(crate) fn value(self) -> Option<f64> {
        match self {
            Self::Value(value) if value.is_finite() => Some(value),
            _ => None,
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind<'n> {
    /// A run counts right: every difference is one, unless the runs of a side disagree.
    Count,
    /// All of one name are judged together.
    Measured(&'n str),
}

/// The name under which all times are judged.
pub(crate) const TIME: Kind<'static> = Kind::Measured("time");

/// How numbers are judged. What is compared is walked twice: once to gather how much runs differ by themselves, once to decide.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Judge<'s> {
    tolerance_percent: f64,
    phase: Phase<'s>,
}

#[derive(Clone, Copy, Debug)]
enum Phase<'s> {
    Gather(&'s RefCell<Samples>),
    Decide(&'s Verdicts),
}

impl<'s> Judge<'s> {
    pub(crate) fn gathering(samples: &'s RefCell<Samples>) -> Self {
        Self { tolerance_percent: 0.0, phase: Phase::Gather(samples) }
    }

    pub(crate) fn deciding(verdicts: &'s Verdicts, tolerance_percent: f64) -> Self {
        Self { tolerance_percent, phase: Phase::Decide(verdicts) }
    }

    /// The difference between two sides, one reading per run.
    pub(crate) fn delta(self, kind: Kind<'_>, base: &[Reading], new: &[Reading]) -> Delta {
        let values = |side: &[Reading]| -> Vec<Option<f64>> {
            side.iter().map(|reading| reading.value()).collect()
        };
        let (base_values, new_values) = (values(base), values(new));
        if let (Kind::Measured(family), Phase::Gather(samples)) = (kind, self.phase) {
            samples.borrow_mut().add(family, &base_values, &new_values);
            return Delta {
                base: None,
                new: None,
                absolute: None,
                relative: None,
                change: Change::Undecided,
                runs_needed: None,
            };
        }
        let mut delta = unjudged(base, new, spread(&base_values), spread(&new_values));
        let (Some(base), Some(new), Some(absolute)) = (delta.base, delta.new, delta.absolute)
        else {
            return delta;
        };
        let by_direction = |higher, lower| if absolute > 0.0 { higher } else { lower };
        let judged = by_direction(Change::Higher, Change::Lower);
        delta.change = match (kind, self.phase) {
            _ if absolute == 0.0 => Change::Same,
            (Kind::Count, _) if base.min <= new.max && new.min <= base.max => Change::Undecided,
            (Kind::Count, _) => judged,
            (_, Phase::Gather(_)) => Change::Undecided,
            (Kind::Measured(_), _) if self.is_within_tolerance(base.median, new.median) => {
                Change::Same
            }
            (Kind::Measured(family), Phase::Decide(verdicts)) => {
                match verdicts.of(family, &base_values, &new_values) {
                    None => by_direction(Change::HigherNotJudged, Change::LowerNotJudged),
                    // The median shows what the mean of the logarithms has to show too.
                    Some(seen) if seen.is_shown && (seen.difference > 0.0) == (absolute > 0.0) => {
                        judged
                    }
                    Some(seen) => {
                        delta.runs_needed = seen.runs_needed;
                        Change::Undecided
                    }
                }
            }
        };
        delta
    }

    /// The tolerance itself is beyond it.
    fn is_within_tolerance(self, base: f64, new: f64) -> bool {
        let Some(tolerance) = Decimal::of(self.tolerance_percent) else { return false };
        let against = |limit| decimal::compare_relative(base, new, limit);
        against(tolerance) == Some(Ordering::Less)
            && against(tolerance.negative()) == Some(Ordering::Greater)
    }
}

/// The difference as it was measured, and which side lacks it.
fn unjudged(
    base: &[Reading],
    new: &[Reading],
    base_spread: Option<Spread>,
    new_spread: Option<Spread>,
) -> Delta {
    let is_missing = |side: &[Reading]| side.iter().all(|reading| *reading == Reading::Missing);
    let pair = base_spread.zip(new_spread).map(|(base, new)| (base.median, new.median));
    let absolute = pair
        .map(|(base, new)| decimal::difference(base, new))
        .filter(|difference| difference.is_finite());
    let relative = pair
        .zip(absolute)
        // Nothing and nothing still are equal.
        .map(|((base, _), absolute)| if absolute == 0.0 { 0.0 } else { absolute / base.abs() })
        .filter(|relative| relative.is_finite());
    let change = match (is_missing(base), is_missing(new)) {
        (true, true) => Change::Absent,
        (true, false) => Change::New,
        (false, true) => Change::Gone,
        (false, false) => Change::Unknown,
    };
    Delta { base: base_spread, new: new_spread, absolute, relative, change, runs_needed: None }
}

/// The spread of the values that are there.
fn spread(values: &[Option<f64>]) -> Option<Spread> {
    let mut sorted: Vec<f64> = values.iter().copied().flatten().collect();
    sorted.sort_by(f64::total_cmp);
    let (min, max) = (*sorted.first()?, *sorted.last()?);
    let middle = sorted.len() / 2;
    let upper = sorted.get(middle).copied()?;
    let median = if sorted.len().is_multiple_of(2) {
        decimal::midpoint(sorted.get(middle - 1).copied()?, upper)
    } else {
        upper
    };
    Some(Spread { min, median, max, runs: sorted.len() })
}

/// The verdict on a time. Where the number of calls changed, the time of a call decides whether anything is slower or faster.
pub(crate) fn verdict(time: &Delta, calls: &Delta, per_call: &Delta) -> Verdict {
    let is_up = |delta: &Delta| matches!(delta.change, Change::Higher | Change::HigherNotJudged);
    let is_down = |delta: &Delta| matches!(delta.change, Change::Lower | Change::LowerNotJudged);
    match time.change {
        _ if is_up(time) && is_up(calls) && !is_up(per_call) => Verdict::MoreCalls,
        _ if is_down(time) && is_down(calls) && !is_down(per_call) => Verdict::FewerCalls,
        Change::Higher => Verdict::Slower,
        Change::Lower => Verdict::Faster,
        Change::HigherNotJudged => Verdict::HigherNotJudged,
        Change::LowerNotJudged => Verdict::LowerNotJudged,
        Change::New => Verdict::New,
        Change::Gone => Verdict::Gone,
        Change::Unknown => Verdict::Unknown,
        Change::Undecided => Verdict::Undecided,
        Change::Same | Change::Absent => Verdict::Same,
    }
}

/// How much a difference of time costs, for sorting: what only one side has costs all of its time.
pub(crate) fn cost(time: &Delta) -> f64 {
    let one_side = || time.base.xor(time.new).map(|spread| spread.median);
    time.absolute.or_else(one_side).map_or(0.0, f64::abs)
}

#[cfg(test)]
mod tests {
    use super::{Judge, Kind, Reading, TIME, spread, verdict};
    use crate::compare::statistics::Samples;
    use rangescope_model::comparison::{Change, Delta, Verdict};
    use std::cell::RefCell;

    fn readings(values: &[f64]) -> Vec<Reading> {
        values.iter().map(|value| Reading::Value(*value)).collect()
    }

    fn delta(kind: Kind<'_>, base: &[Reading], new: &[Reading]) -> Delta {
        let samples = RefCell::new(Samples::default());
        Judge::gathering(&samples).delta(kind, base, new);
        let verdicts = samples.into_inner().judge();
        Judge::deciding(&verdicts, 1.0).delta(kind, base, new)
    }

    fn of(kind: Kind<'_>, base: &[f64], new: &[f64]) -> Delta {
        delta(kind, &readings(base), &readings(new))
    }

    #[test]
    fn medians() {
        let of = |values: &[f64]| {
            let values: Vec<Option<f64>> = values.iter().copied().map(Some).collect();
            spread(&values).map(|spread| (spread.min, spread.median, spread.max))
        };
        assert_eq!(of(&[3.0, 1.0, 2.0]), Some((1.0, 2.0, 3.0)));
        assert_eq!(of(&[4.0, 1.0]), Some((1.0, 2.5, 4.0)));
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[f64::MAX, f64::MAX]), Some((f64::MAX, f64::MAX, f64::MAX)));
    }

    #[test]
    fn one_run_a_side_is_not_judged() {
        for (base, new, expected) in [
            (100.0, 100.0, Change::Same),
            (100.0, 100.9, Change::Same),
            (100.0, 99.1, Change::Same),
            (100.0, 101.0, Change::HigherNotJudged),
            (1.0, 1.01, Change::HigherNotJudged),
            (1.0, 0.99, Change::LowerNotJudged),
            (100.0, 150.0, Change::HigherNotJudged),
            (100.0, 98.0, Change::LowerNotJudged),
            (0.0, 1.0, Change::HigherNotJudged),
        ] {
            assert_eq!(of(TIME, &[base], &[new]).change, expected, "{base} {new}");
        }
        // Many runs of one side say nothing about the other.
        let many = [1.0, 1.01, 0.99, 1.0];
        assert_eq!(of(TIME, &many, &[2.0]).change, Change::HigherNotJudged);
        assert_eq!(of(Kind::Count, &[10.0], &[11.0]).change, Change::Higher);
    }

    #[test]
    fn several_runs_are_judged() {
        let few = of(TIME, &[10.0, 10.1], &[10.3, 10.5]);
        assert_eq!(few.change, Change::Undecided);
        assert!(few.runs_needed.is_some_and(|runs| (3..20).contains(&runs)), "{few:?}");
        let base = [10.0, 10.1, 9.9, 10.05, 9.95];
        let slower = base.map(|time| time * 1.1);
        assert_eq!(of(TIME, &base, &slower).change, Change::Higher);
        assert_eq!(of(TIME, &slower, &base).change, Change::Lower);
        let little = base.map(|time| time * 1.009);
        assert_eq!(of(TIME, &base, &little).change, Change::Same);
        assert_eq!(of(Kind::Count, &[5.0, 5.0], &[6.0, 6.0]).change, Change::Higher);
        assert_eq!(of(Kind::Count, &[5.0, 7.0], &[6.0, 7.0]).change, Change::Undecided);
    }

    #[test]
    fn what_a_side_does_not_have_or_know_makes_no_difference() {
        use Reading::{Missing, Unknown, Value};
        for (base, new, expected) in [
            (Missing, Value(5.0), Change::New),
            (Value(5.0), Missing, Change::Gone),
            (Missing, Unknown, Change::New),
            (Value(5.0), Unknown, Change::Unknown),
            (Value(5.0), Value(f64::NAN), Change::Unknown),
            (Unknown, Unknown, Change::Unknown),
            (Missing, Missing, Change::Absent),
        ] {
            let delta = delta(TIME, &[base], &[new]);
            assert_eq!((delta.change, delta.absolute, delta.relative), (expected, None, None));
        }
        // A run that failed does not speak for those that did not.
        let some = delta(TIME, &[Value(1.0), Unknown], &[Value(1.5)]);
        assert_eq!((some.change, some.base.unwrap().runs), (Change::HigherNotJudged, 1));
    }

    #[test]
    fn other_calls_are_not_another_speed() {
        let verdict = |times: (f64, f64), calls: (f64, f64)| {
            let per_call = of(TIME, &[times.0 / calls.0], &[times.1 / calls.1]);
            verdict(
                &of(TIME, &[times.0], &[times.1]),
                &of(Kind::Count, &[calls.0], &[calls.1]),
                &per_call,
            )
        };
        assert_eq!(verdict((10.0, 5.0), (10.0, 5.0)), Verdict::FewerCalls);
        assert_eq!(verdict((10.0, 7.0), (12.0, 7.0)), Verdict::FewerCalls);
        assert_eq!(verdict((10.0, 4.0), (10.0, 5.0)), Verdict::LowerNotJudged);
        assert_eq!(verdict((5.0, 10.0), (5.0, 10.0)), Verdict::MoreCalls);
        assert_eq!(verdict((5.0, 6.0), (10.0, 5.0)), Verdict::HigherNotJudged);
        assert_eq!(verdict((5.0, 5.0), (10.0, 5.0)), Verdict::Same);
    }
}
