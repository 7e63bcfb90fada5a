//! Sums whose result does not depend on the order of the terms.
//!
//! A counter over thousands of results is added up in whatever order files and threads deliver it; plain floating-point addition would give
//! different last digits each time. A [`Sum`] carries the rounding error of every addition along, so that any order gives the same number in practice.
//! Products are split by hand instead of using a fused multiply-add, which is a slow library call on processors that the build does not assume.

use rangescope_model::partial::Total;

/// A running sum together with the rounding errors made so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Sum {
    high: f64,
    low: f64,
}

impl Sum {
    /// A sum of one term.
    pub(crate) fn of(term: f64) -> Self {
        Self { high: term, low: 0.0 }
    }

    /// Adds one term.
    #[inline]
    pub(crate) fn add(&mut self, term: f64) {
        let (sum, error) = two_sum(self.high, term);
        self.high = sum;
        self.low += error;
    }

    /// Adds the product of two numbers without losing its low digits.
    #[inline]
    pub(crate) fn add_product(&mut self, left: f64, right: f64) {
        let (product, product_error) = two_product(left, right);
        let (sum, sum_error) = two_sum(self.high, product);
        self.high = sum;
        self.low += sum_error + product_error;
    }

    /// Adds another sum.
    #[inline]
    pub(crate) fn merge(&mut self, other: Self) {
        let (sum, error) = two_sum(self.high, other.high);
        self.high = sum;
        self.low += error + other.low;
    }

    /// The sum as one number; infinite when it left the range of numbers.
    pub(crate) fn value(self) -> f64 {
        // After an overflow the error term is not a number and must not hide the infinity.
        if self.high.is_finite() { self.high + self.low } else { self.high }
    }

    /// The sum as a whole number of up to 64 bits, if it is one; all digits of a sum of whole numbers are here.
    #[expect(clippy::cast_possible_truncation, reason = "both are whole and inside the range")]
    pub(crate) fn whole(self) -> Option<i128> {
        const RANGE: f64 = 18_446_744_073_709_551_616.0;
        let is_whole = self.high.fract() == 0.0 && self.low.fract() == 0.0;
        (is_whole && self.high.abs() <= RANGE && self.low.abs() <= RANGE)
            .then(|| self.high as i128 + self.low as i128)
    }

    /// In parts that any engine can add: whole numbers are added without rounding.
    pub(crate) fn total(self) -> Total {
        match self.whole() {
            Some(whole) => Total { whole, ..Total::default() },
            None => Total { high: self.high, low: self.low, ..Total::default() },
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "what is lost is added again")]
    #[expect(clippy::cast_possible_truncation, reason = "a rounded whole number is whole")]
    pub(crate) fn of_total(total: Total) -> Self {
        let rounded = total.whole as f64;
        let mut sum = Self { high: rounded, low: (total.whole - rounded as i128) as f64 };
        // An empty part must not turn the sum of nothing into another zero, nor an infinity into what is no number.
        if total.high != 0.0 || total.low != 0.0 {
            sum.merge(Self { high: total.high, low: total.low });
        }
        sum
    }

    pub(crate) fn subtract(&mut self, other: Self) {
        self.merge(Self { high: -other.high, low: -other.low });
    }

    /// This sum divided by another one; nothing when that is zero or when the quotient is no finite number.
    ///
    /// The quotient is corrected by its remainder, so that the weighted mean of equal values is exactly that value.
    pub(crate) fn over(self, divisor: Self) -> Option<f64> {
        let (dividend_value, divisor_value) = (self.value(), divisor.value());
        if divisor_value == 0.0 {
            return None;
        }
        let quotient = dividend_value / divisor_value;
        let (product, product_error) = two_product(quotient, divisor.high);
        let remainder = (self.high - product) - product_error + (self.low - quotient * divisor.low);
        let corrected = quotient + remainder / divisor_value;
        let best = if corrected.is_finite() { corrected } else { quotient };
        best.is_finite().then_some(best)
    }
}

/// The rounded sum and the exact error of rounding it.
#[inline]
fn two_sum(left: f64, right: f64) -> (f64, f64) {
    let sum = left + right;
    let right_part = sum - left;
    let left_part = sum - right_part;
    (sum, (left - left_part) + (right - right_part))
}

/// The rounded product and the exact error of rounding it (Dekker's splitting).
#[inline]
fn two_product(left: f64, right: f64) -> (f64, f64) {
    let product = left * right;
    let (left_high, left_low) = split(left);
    let (right_high, right_low) = split(right);
    let error =
        ((left_high * right_high - product) + left_high * right_low + left_low * right_high)
            + left_low * right_low;
    // Splitting overflows near the end of the range of numbers; the rounded product is all there is then.
    (product, if error.is_finite() { error } else { 0.0 })
}

/// Splits a number into two halves of at most 26 significant bits each.
#[inline]
fn split(number: f64) -> (f64, f64) {
    const FACTOR: f64 = 134_217_729.0; // 2^27 + 1
    let scaled = FACTOR * number;
    let high = scaled - (scaled - number);
    (high, number - high)
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "exact outcomes are what is tested")]
mod tests {
    use super::Sum;

    fn sum_of(terms: &[f64]) -> Sum {
        let mut sum = Sum::default();
        for &term in terms {
            sum.add(term);
        }
        sum
    }

    #[test]
    fn small_terms_survive_large_ones() {
        assert_eq!(sum_of(&[1e16, 1.0, -1e16]).value(), 1.0);
        assert_eq!(sum_of(&[1.0, 1e16, -1e16]).value(), 1.0);
    }

    #[test]
    fn ten_tenths_are_one() {
        assert_eq!(sum_of(&[0.1; 10]).value(), 1.0);
    }

    #[test]
    fn splitting_does_not_change_a_sum() {
        let terms: Vec<f64> = (1..1000).map(|i| f64::from(i).sqrt() * 1e3).collect();
        let whole = sum_of(&terms).value();
        for cut in [1, 10, 500, 998] {
            let mut left = sum_of(&terms[..cut]);
            left.merge(sum_of(&terms[cut..]));
            assert_eq!(left.value(), whole);
        }
    }

    #[test]
    fn the_weighted_mean_of_one_value_is_that_value() {
        for value in [0.1, 22.3, 1.0 / 3.0, 97.123_456_789] {
            let (mut products, mut weights) = (Sum::default(), Sum::default());
            for weight in [3.0, 7.7, 1234.567] {
                products.add_product(value, weight);
                weights.add(weight);
            }
            assert_eq!(products.over(weights), Some(value));
        }
    }

    #[test]
    fn sums_of_whole_numbers_keep_every_digit() {
        let large = 9_007_199_254_740_992.0;
        assert_eq!(sum_of(&[large, 1.0, 1.0, 1.0]).whole(), Some((1 << 53) + 3));
        assert_eq!(sum_of(&[large, 0.5]).whole(), None);
        assert_eq!(sum_of(&[f64::MAX, 1.0]).whole(), None);
        assert_eq!(sum_of(&[f64::NAN]).whole(), None);
    }

    #[test]
    fn an_overflow_stays_visible() {
        assert_eq!(sum_of(&[f64::MAX, f64::MAX]).value(), f64::INFINITY);
        assert_eq!(sum_of(&[1.0]).over(Sum::default()), None);
    }
}
