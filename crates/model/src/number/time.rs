//! Times: in the unit that suits each, or in milliseconds throughout.

use super::ABSENT;
use super::digits::{grouped, three_digits};
use crate::comparison::{Delta, Spread};

/// Milliseconds in the unit that suits them: `3.2 µs`.
pub fn time(ms: impl Into<Option<f64>>) -> String {
    let Some(ms) = ms.into() else { return ABSENT.to_owned() };
    let (per_ms, unit) = unit_of(ms);
    format!("{} {unit}", three_digits(ms * per_ms))
}

/// How many of the unit that suits a time are a millisecond, and what it is called.
fn unit_of(ms: f64) -> (f64, &'static str) {
    // What would round to 1000 of a unit is 1 of the next.
    match ms * 1e6 {
        ns if ns >= 999.5e6 => (1e-3, "s"),
        ns if ns >= 999.5e3 => (1.0, "ms"),
        ns if ns >= 999.5 => (1e3, "µs"),
        _ => (1e6, "ns"),
    }
}

/// Decimals that a number of a computer may have behind thousands.
const MOST_DECIMALS: usize = 15;

/// Ascending times in one unit, with as many digits as it takes to tell them apart.
pub fn times_apart(ms: &[f64]) -> Vec<String> {
    let largest = ms.iter().map(|ms| ms.abs()).fold(0.0, f64::max);
    let (per_ms, unit) = unit_of(largest);
    let value = |ms: &f64| ms * per_ms;
    let closest = ms.windows(2).map(|pair| (pair[1] - pair[0]) * per_ms).fold(f64::MAX, f64::min);
    let is_enough = |decimals: usize| {
        let rounded = |ms: &f64| format!("{:.decimals$}", value(ms)).parse().unwrap_or(f64::NAN);
        ms.iter().all(|ms| (rounded(ms) - value(ms)).abs() * 100.0 <= closest)
    };
    let decimals = (0..MOST_DECIMALS).find(|decimals| is_enough(*decimals));
    let decimals = decimals.unwrap_or(MOST_DECIMALS);
    ms.iter()
        .map(|ms| format!("{} {unit}", grouped(&format!("{:.decimals$}", value(ms)))))
        .collect()
}

/// A time or share as a weight, to order, sum and draw by: what is not known weighs nothing, and a document made by others may hold anything.
pub fn weight(known: impl Into<Option<f64>>) -> f64 {
    known.into().filter(|known| known.is_finite()).map_or(0.0, |known| known.max(0.0))
}

/// How many decimals the milliseconds of one report have, so that a column can be compared at a glance.
#[derive(Clone, Copy, Debug)]
pub struct Milliseconds {
    decimals: usize,
}

impl Milliseconds {
    /// Microseconds for ordinary runs, nanoseconds where the whole run lasted less than a millisecond.
    pub fn for_total(total_ms: impl Into<Option<f64>>) -> Self {
        let is_short = total_ms.into().is_some_and(|ms| ms > 0.0 && ms < 1.0);
        Self { decimals: if is_short { 6 } else { 3 } }
    }

    pub fn for_all(times: impl IntoIterator<Item = Option<f64>>) -> Self {
        Self::for_total(times.into_iter().map(weight).fold(0.0, f64::max))
    }

    pub fn for_both(time: &Delta) -> Self {
        let median = |spread: Option<Spread>| spread.map_or(0.0, |spread| spread.median);
        Self::for_total(median(time.base).max(median(time.new)))
    }

    /// The value; `<0.001` for what would round to zero, `–` for what is not known.
    pub fn show(self, ms: impl Into<Option<f64>>) -> String {
        let Some(ms) = ms.into() else { return ABSENT.to_owned() };
        let decimals = self.decimals;
        let smallest = if decimals == 6 { 0.000_001 } else { 0.001 };
        if ms > 0.0 && ms < smallest / 2.0 {
            return format!("<{smallest:.decimals$}");
        }
        grouped(&format!("{ms:.decimals$}"))
    }

    /// The median, with the range where there are several runs.
    pub fn spread(self, spread: Option<Spread>) -> String {
        match spread {
            Some(Spread { min, median, max, .. }) if min < max => {
                format!("{} [{}–{}]", self.show(median), self.show(min), self.show(max))
            }
            spread => self.show(spread.map(|spread| spread.median)),
        }
    }

    /// A difference with its sign.
    pub fn signed(self, ms: Option<f64>) -> String {
        let decimals = self.decimals;
        match ms {
            None | Some(0.0) => self.show(ms),
            Some(ms) => grouped(&format!("{ms:+.decimals$}")),
        }
    }
}
