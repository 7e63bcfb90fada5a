//! Decimal arithmetic without rounding.
//!
//! 1 ms and 1.05 ms differ by 5 %, not by more; the nearest binary numbers do not know that. A number stands for the shortest decimal that reads as it,
//! which is what people see and what a report counted in nanoseconds meant.

use std::cmp::Ordering;

/// `digits × 10^exponent`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decimal {
    digits: i128,
    exponent: i32,
}

impl Decimal {
    pub(crate) const ZERO: Self = Self::whole(0);

    pub(crate) const fn whole(digits: i128) -> Self {
        Self { digits, exponent: 0 }
    }

    /// A power of ten.
    pub(crate) const fn power(exponent: i32) -> Self {
        Self { digits: 1, exponent }
    }

    /// Nothing for what is no number.
    pub(crate) fn of(value: f64) -> Option<Self> {
        Self::parse(&format!("{value:e}"))
    }

    /// A number as people write it: `-3`, `0.5`, `1e-3`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (number, exponent) = match text.split_once(['e', 'E']) {
            Some((number, exponent)) => (number, exponent.parse::<i32>().ok()?),
            None => (text, 0),
        };
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let digits = format!("{whole}{fraction}").parse().ok()?;
        let exponent = exponent.checked_sub(i32::try_from(fraction.len()).ok()?)?;
        Some(Self { digits, exponent })
    }

    /// The nearest number.
    pub(crate) fn number(self) -> f64 {
        format!("{}e{}", self.digits, self.exponent).parse().unwrap_or(f64::NAN)
    }

    pub(crate) fn plus(self, other: Self) -> Option<Self> {
        let (left, right, exponent) = self.aligned(other)?;
        Some(Self { digits: left.checked_add(right)?, exponent })
    }

    pub(crate) fn minus(self, other: Self) -> Option<Self> {
        self.plus(other.negative())
    }

    pub(crate) fn times(self, other: Self) -> Option<Self> {
        let digits = self.digits.checked_mul(other.digits)?;
        Some(Self { digits, exponent: self.exponent.checked_add(other.exponent)? })
    }

    pub(crate) fn half(self) -> Option<Self> {
        self.times(Self { digits: 5, exponent: -1 })
    }

    pub(crate) fn negative(self) -> Self {
        Self { digits: self.digits.saturating_neg(), ..self }
    }

    pub(crate) fn abs(self) -> Self {
        Self { digits: self.digits.saturating_abs(), ..self }
    }

    /// Numbers too far apart for a common exponent are compared as they are: rounding does not matter then.
    pub(crate) fn compare(self, other: Self) -> Ordering {
        match self.aligned(other) {
            Some((left, right, _)) => left.cmp(&right),
            None => self.number().total_cmp(&other.number()),
        }
    }

    fn aligned(self, other: Self) -> Option<(i128, i128, i32)> {
        let exponent = self.exponent.min(other.exponent);
        let digits = |one: Self| {
            if one.digits == 0 {
                return Some(0);
            }
            let zeros = u32::try_from(one.exponent.checked_sub(exponent)?).ok()?;
            one.digits.checked_mul(10_i128.checked_pow(zeros)?)
        };
        Some((digits(self)?, digits(other)?, exponent))
    }
}

/// How `new - base` compares with a share of the base; nothing where there is no such share.
pub(crate) fn compare_relative(base: f64, new: f64, percent: Decimal) -> Option<Ordering> {
    let [base, new] = [Decimal::of(base)?, Decimal::of(new)?];
    if base.digits == 0 {
        return None;
    }
    let exact = || {
        let difference = new.minus(base)?.times(Decimal::power(2))?;
        Some((difference, base.abs().times(percent)?))
    };
    let Some((difference, limit)) = exact() else {
        let difference = (new.number() - base.number()) / base.number().abs() * 100.0;
        return difference.partial_cmp(&percent.number());
    };
    Some(difference.compare(limit))
}

/// `new - base`, rounded once.
pub(crate) fn difference(base: f64, new: f64) -> f64 {
    let exact = || Some(Decimal::of(new)?.minus(Decimal::of(base)?)?.number());
    exact().unwrap_or(new - base)
}

/// The number in the middle of two, rounded once.
pub(crate) fn midpoint(left: f64, right: f64) -> f64 {
    let exact = || Some(Decimal::of(left)?.plus(Decimal::of(right)?)?.half()?.number());
    exact().unwrap_or_else(|| f64::midpoint(left, right))
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "decimals are exact")]
mod tests {
    use super::{Decimal, compare_relative, difference, midpoint};
    use std::cmp::Ordering;

    #[test]
    fn text_and_numbers() {
        for text in ["0", "-3", "0.5", "1e-3", "12.50", "1.7976931348623157e308", "5e-324"] {
            let decimal = Decimal::parse(text).unwrap();
            assert_eq!(decimal.number(), text.parse::<f64>().unwrap(), "{text}");
        }
        for wrong in ["", "-", "1.2.3", "x", "1e", "NaN", "inf", "1.-2"] {
            assert!(Decimal::parse(wrong).is_none(), "{wrong}");
        }
        assert!(Decimal::of(f64::NAN).is_none() && Decimal::of(f64::INFINITY).is_none());
    }

    /// Every base and share that people write in decimals: what is exactly at the limit is neither above nor below it.
    #[test]
    fn what_is_exactly_at_a_limit_is_at_it() {
        for base in [1, 3, 7, 10, 11, 13, 70, 110, 333, 1009, 12_345] {
            for percent in [-50, -7, -1, 0, 1, 2, 3, 5, 7, 10, 11, 15, 20, 30, 70] {
                for scale in [-9, -6, -3, 0, 3] {
                    let number = |digits: i64, exponent: i32| -> f64 {
                        format!("{digits}e{exponent}").parse().unwrap()
                    };
                    let value = number(base, scale);
                    let share = Decimal::parse(&percent.to_string()).unwrap();
                    let at = |more: i64| {
                        let new = number(base * (100 + percent) * 1000 + more, scale - 5);
                        compare_relative(value, new, share)
                    };
                    let seen = [at(-1), at(0), at(1)];
                    let expected = [Ordering::Less, Ordering::Equal, Ordering::Greater].map(Some);
                    assert_eq!(seen, expected, "{base}e{scale} {percent} %");
                }
            }
        }
    }

    #[test]
    fn differences_and_middles() {
        assert_eq!(difference(1.0, 1.05), 0.05);
        assert_eq!(difference(0.3, 0.1), -0.2);
        assert_eq!(difference(1e300, 1e-300), -1e300);
        assert_eq!(midpoint(0.1, 0.2), 0.15);
        assert_eq!(midpoint(f64::MAX, f64::MAX), f64::MAX);
        assert_eq!(compare_relative(0.0, 1.0, Decimal::power(2)), None);
        assert_eq!(compare_relative(1e-300, 1e300, Decimal::power(2)), Some(Ordering::Greater));
    }
}
