//! One number on both sides: its spread, its difference, and whether that is more than noise.

use crate::compare::decimal::{self, Decimal};
use crate::compare::statistics::{LONGEST_NS, Samples, Verdicts, are_enough, least_runs};
use rangescope_model::comparison::{Change, Delta, Interval, Spread, Verdict};
use rangescope_model::number::plain;
use std::cell::RefCell;
use std::cmp::Ordering;

/// When a difference counts, in words.
pub(crate) fn noise_rule([base, new]: [usize; 2], measure: Measure) -> String {
    let tolerance = plain(measure.tolerance_percent);
    let step = in_words(measure.step_ms * 1e6);
    if base < 2 || new < 2 {
        return format!(
            "A side has one run: how much runs differ by themselves is not known, and no difference is judged. Below {tolerance} % it is called the same, beyond that higher or lower. Give both sides several runs (--base RUN, --new RUN; five find 5 % where runs differ by 1 %) for a verdict.{step}"
        );
    }
    if !are_enough([base, new]) {
        return format!(
            "Values are medians over the runs of a side. {base} and {new} runs are too few for a verdict, and for a gate: whatever they show, chance alone shows it too often. {} runs a side are the least, five find 5 % where runs differ by 1 %. Intervals are wide, and promise nothing unless noise is normal.{step}",
            least_runs()
        );
    }
    format!(
        "Values are medians over the runs of a side. A verdict needs a difference of at least {tolerance} % whose interval is on one side of zero. Intervals are as wide as chance makes the largest difference of all when the names of the sides are dealt out otherwise among the runs: of comparisons in which nothing changed, at most 5 in a hundred give any verdict on a time, for noise that is normal, lognormal, has tails, outliers or two modes, for steps of the timer and for a drift along the order that all regions share. Each metric is judged for itself, with as many errors of its own.{step}"
    )
}

/// What the steps of the timer do, as far as they are worth a word.
fn in_words(step_ns: f64) -> String {
    if step_ns <= 1.0 {
        return String::new();
    }
    // Durations that have more in common than a timer's longest step do not tell which it is.
    let up_to = if step_ns >= LONGEST_NS { "up to " } else { "" };
    format!(
        " Durations come in steps of {up_to}{} ns, which are part of the noise; a difference of a step is none, nor is one of a step of each launch where all are rounded alike.",
        plain((step_ns * 1e3).round() / 1e3)
    )
}

/// By what differences are measured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Measure {
    /// In per cent of the base.
    pub(crate) tolerance_percent: f64,
    /// The step of the timer.
    pub(crate) step_ms: f64,
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
    /// The time of so many launches; per launch where `is_mean`. All times are judged together.
    Time { launches: f64, is_mean: bool },
    /// All of one name are judged together.
    Metric(&'n str),
}

/// The name under which all times are judged.
pub(crate) const TIME_FAMILY: &str = "time";

impl<'n> Kind<'n> {
    fn family(self) -> Option<&'n str> {
        match self {
            Self::Count => None,
            Self::Time { .. } => Some(TIME_FAMILY),
            Self::Metric(name) => Some(name),
        }
    }

    /// How much a step of the timer moves the value if it moves one launch, and if it moves all.
    fn steps(self, step_ms: f64) -> [f64; 2] {
        match self {
            Self::Time { launches, is_mean: false } => [step_ms, step_ms * launches],
            Self::Time { launches, is_mean: true } => [step_ms / launches.max(1.0), step_ms],
            Self::Count | Self::Metric(_) => [0.0; 2],
        }
    }

    /// The variance that rounding to steps gives the logarithm of values about this large: of a sum of n rounded durations it is n·step²/12.
    fn rounding(self, step_ms: f64, value: f64) -> f64 {
        let [one, all] = self.steps(step_ms);
        one * all / 12.0 / (value * value)
    }
}

/// How numbers are judged. What is compared is walked twice: once to gather how much runs differ by themselves, once to decide.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Judge<'s> {
    measure: Measure,
    phase: Phase<'s>,
}

#[derive(Clone, Copy, Debug)]
enum Phase<'s> {
    Gather(&'s RefCell<Samples>),
    Decide(&'s Verdicts),
}

impl<'s> Judge<'s> {
    pub(crate) fn gathering(samples: &'s RefCell<Samples>, measure: Measure) -> Self {
        Self { measure, phase: Phase::Gather(samples) }
    }

    pub(crate) fn deciding(verdicts: &'s Verdicts, measure: Measure) -> Self {
        Self { measure, phase: Phase::Decide(verdicts) }
    }

    /// The difference between two sides, one reading per run.
    pub(crate) fn delta(self, kind: Kind<'_>, base: &[Reading], new: &[Reading]) -> Delta {
        let values = |side: &[Reading]| -> Vec<Option<f64>> {
            side.iter().map(|reading| reading.value()).collect()
        };
        let (base_values, new_values) = (values(base), values(new));
        let mut delta = unjudged(base, new, spread(&base_values), spread(&new_values));
        let Some(family) = kind.family() else {
            count(&mut delta);
            return delta;
        };
        let verdicts = match self.phase {
            Phase::Decide(verdicts) => verdicts,
            Phase::Gather(samples) => {
                let known = || base_values.iter().chain(&new_values).flatten();
                let mean = known().sum::<f64>() / known().count() as f64;
                let rounding = kind.rounding(self.measure.step_ms, mean);
                samples.borrow_mut().add(family, &base_values, &new_values, rounding);
                return delta;
            }
        };
        let (Some(base), Some(new), Some(absolute)) = (delta.base, delta.new, delta.absolute)
        else {
            return delta;
        };
        let evidence = verdicts.of(family, &base_values, &new_values);
        let [one_step, all_steps] = kind.steps(self.measure.step_ms);
        // A little more, because neither is exact.
        let rounding = (1.0 + 1e-9)
            * if evidence.is_none_or(|evidence| evidence.is_dithered) {
                one_step
            } else {
                all_steps
            };
        if let Some(evidence) = evidence {
            let [low, high] = evidence.interval.map(|log| base.median * log.exp_m1());
            // What the medians say is possible too.
            let [low, high] = [low.min(absolute) - rounding, high.max(absolute) + rounding];
            delta.interval = Some(interval(base.median, [low, high]));
        }
        let by_direction = |higher, lower| if absolute > 0.0 { higher } else { lower };
        delta.change = match evidence {
            _ if absolute.abs() <= rounding
                || self.is_within_tolerance(base.median, new.median) =>
            {
                Change::Same
            }
            None => by_direction(Change::HigherNotJudged, Change::LowerNotJudged),
            Some(seen) if seen.are_enough && delta.interval.is_some_and(is_one_sided) => {
                by_direction(Change::Higher, Change::Lower)
            }
            Some(seen) => {
                delta.runs_needed = seen.runs_needed(rounding / base.median);
                Change::Undecided
            }
        };
        delta
    }

    /// The tolerance itself is beyond it.
    fn is_within_tolerance(self, base: f64, new: f64) -> bool {
        let Some(tolerance) = Decimal::of(self.measure.tolerance_percent) else { return false };
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
    Delta {
        base: base_spread,
        new: new_spread,
        absolute,
        relative,
        interval: None,
        change,
        runs_needed: None,
    }
}

/// A count is exact: its interval reaches as far as the runs of a side disagree.
fn count(delta: &mut Delta) {
    let (Some(base), Some(new), Some(absolute)) = (delta.base, delta.new, delta.absolute) else {
        return;
    };
    let [low, high] = [new.min - base.max, new.max - base.min];
    delta.interval = Some(interval(base.median, [low, high]));
    delta.change = match () {
        () if absolute == 0.0 => Change::Same,
        () if low <= 0.0 && high >= 0.0 => Change::Undecided,
        () if absolute > 0.0 => Change::Higher,
        () => Change::Lower,
    };
}

fn is_one_sided(interval: Interval) -> bool {
    interval.low > 0.0 || interval.high < 0.0
}

/// An interval of the difference to a base.
fn interval(base: f64, [low, high]: [f64; 2]) -> Interval {
    let relative = |bound: f64| Some(bound / base.abs()).filter(|share| share.is_finite());
    Interval { low, high, relative_low: relative(low), relative_high: relative(high) }
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
    use super::{Judge, Kind, Measure, Reading, spread, verdict};
    use crate::compare::statistics::Samples;
    use rangescope_model::comparison::{Change, Delta, Interval, Verdict};
    use std::cell::RefCell;

    fn readings(values: &[f64]) -> Vec<Reading> {
        values.iter().map(|value| Reading::Value(*value)).collect()
    }

    const TIME: Kind<'static> = Kind::Time { launches: 1.0, is_mean: false };

    fn delta(kind: Kind<'_>, base: &[Reading], new: &[Reading]) -> Delta {
        in_steps(0.0, kind, base, new)
    }

    fn in_steps(step_ms: f64, kind: Kind<'_>, base: &[Reading], new: &[Reading]) -> Delta {
        let measure = Measure { tolerance_percent: 1.0, step_ms };
        let samples = RefCell::new(Samples::default());
        Judge::gathering(&samples, measure).delta(kind, base, new);
        let places: Vec<f64> = (0..base.len() + new.len()).map(|at| at as f64).collect();
        let verdicts = samples.into_inner().judge(&places);
        Judge::deciding(&verdicts, measure).delta(kind, base, new)
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
        assert!(few.runs_needed.is_some_and(|runs| (4..20).contains(&runs)), "{few:?}");
        let base = [10.0, 10.1, 9.9, 10.05, 9.95];
        let slower = base.map(|time| time * 1.1);
        assert_eq!(of(TIME, &base, &slower).change, Change::Higher);
        assert_eq!(of(TIME, &slower, &base).change, Change::Lower);
        let little = base.map(|time| time * 1.009);
        assert_eq!(of(TIME, &base, &little).change, Change::Same);
        assert_eq!(of(Kind::Count, &[5.0, 5.0], &[6.0, 6.0]).change, Change::Higher);
        assert_eq!(of(Kind::Count, &[5.0, 7.0], &[6.0, 7.0]).change, Change::Undecided);
    }

    /// All runs of the new side are a step longer: a clock that ticks once a microsecond cannot show less.
    #[test]
    fn a_step_of_the_timer_is_no_change() {
        let [base, step_more, more] = [0.010, 0.011, 0.012].map(|ms| readings(&[ms; 5]));
        let one = Kind::Time { launches: 1.0, is_mean: false };
        assert_eq!(in_steps(0.0, one, &base, &step_more).change, Change::Higher);
        let rounded = in_steps(0.001, one, &base, &step_more);
        assert_eq!(rounded.change, Change::Same);
        let interval = rounded.interval.unwrap();
        assert!(interval.low <= 0.0 && interval.high >= 0.002, "{interval:?}");
        assert_eq!(in_steps(0.0001, one, &base, &more).change, Change::Higher);
        // Launches that are rounded alike move together.
        let [base, more] = [0.100, 0.110].map(|ms| readings(&[ms; 5]));
        let ten = Kind::Time { launches: 10.0, is_mean: false };
        assert_eq!(in_steps(0.001, ten, &base, &more).change, Change::Same);
        let [base, more] = [0.010, 0.011].map(|ms| readings(&[ms]));
        assert_eq!(in_steps(0.001, one, &base, &more).change, Change::Same);
    }

    /// A difference of little more than steps needs more runs than one of as much without steps, and none where the rest is as good as nothing.
    #[test]
    fn runs_do_not_settle_what_steps_leave_open() {
        let of = |step_ms: f64, by: f64| {
            let noise = [0.0, 0.0008, -0.0008, 0.0004, -0.0004];
            let [base, new] = [0.010, 0.010 + by].map(|ms| readings(&noise.map(|by| ms + by)));
            in_steps(step_ms, TIME, &base, &new)
        };
        for by in [0.0008, 0.001] {
            assert_eq!(of(0.001, by).change, Change::Same, "{by}");
        }
        let without = of(0.0, 0.0011);
        assert_eq!(without.change, Change::Undecided);
        assert!(without.runs_needed.is_some_and(|runs| runs < 50), "{without:?}");
        let with = of(0.001, 0.0011);
        assert_eq!((with.change, with.runs_needed), (Change::Undecided, None));
        let more = of(0.001, 0.002);
        assert_eq!(more.change, Change::Undecided);
        assert!(more.runs_needed > without.runs_needed, "{more:?}");
    }

    #[test]
    fn intervals_hold_what_the_verdict_says() {
        let base = [10.0, 10.1, 9.9, 10.05, 9.95];
        for factor in [0.8, 1.0, 1.02, 1.1] {
            let delta = of(TIME, &base, &base.map(|time| time * factor));
            let Interval { low, high, relative_low, relative_high } = delta.interval.unwrap();
            assert!(low <= delta.absolute.unwrap() && delta.absolute.unwrap() <= high);
            assert!((relative_low.unwrap() * 10.0 - low).abs() < 1e-9);
            assert!((relative_high.unwrap() * 10.0 - high).abs() < 1e-9);
            let is_judged = matches!(delta.change, Change::Higher | Change::Lower);
            assert_eq!(
                is_judged,
                (low > 0.0 || high < 0.0) && (factor - 1.0_f64).abs() > 1e-9,
                "{delta:?}"
            );
        }
        assert_eq!(of(TIME, &[1.0], &[2.0]).interval, None);
        let counts = of(Kind::Count, &[5.0, 7.0], &[6.0, 9.0]).interval.unwrap();
        assert_eq!((counts.low, counts.high), (-1.0, 4.0));
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
