//! Numbers as ncu prints them in the C locale.
//!
//! There are two ways: a number in its base unit is an integer if it is integral and has two decimals otherwise; a number in a column with automatic units always has six decimals.
//! Both have corners that differ (signs of infinities, numbers too large for 64 bits), and a page that is compared cell for cell needs the corners too.

/// Printed for what a kind of result does not have, and for metrics that could not be collected.
pub(super) const NOT_APPLICABLE: &str = "n/a";
/// Printed for a metric that has neither a value nor instances.
pub(super) const NO_DATA: &str = "no data";

/// 2^64, the first number whose integer text is lost.
const TOO_LARGE: f64 = 18_446_744_073_709_551_616.0;
/// -2^63, the last number that fits below zero.
const SMALLEST: f64 = -9_223_372_036_854_775_808.0;

/// A number in its base unit; with `fp` never as an integer.
pub(super) fn plain(value: f64, fp: bool) -> String {
    if value.is_nan() {
        "nan".to_owned()
    } else if value.is_infinite() {
        // The sign is lost on this way.
        "inf".to_owned()
    } else if fp || value.fract() != 0.0 {
        format!("{value:.2}")
    } else if value >= TOO_LARGE || value == 0.0 {
        "0".to_owned()
    } else {
        format!("{:.0}", value.max(SMALLEST))
    }
}

/// A number with six decimals.
pub(super) fn fixed(value: f64) -> String {
    let sign = if value.is_sign_negative() { "-" } else { "" };
    if value.is_nan() {
        format!("{sign}nan")
    } else if value.is_infinite() {
        format!("{sign}inf")
    } else {
        format!("{value:.6}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_numbers_are_integers_where_they_can_be() {
        let printed = |value| plain(value, false);
        assert_eq!(printed(122_573.0), "122573");
        assert_eq!(printed(2.5), "2.50");
        assert_eq!(printed(0.125), "0.12");
        assert_eq!(printed(0.375), "0.38");
        assert_eq!(printed(-0.0), "0");
        assert_eq!(printed(-0.001), "-0.00");
        assert_eq!(printed(9.3e18), "9300000000000000000");
        assert_eq!(printed(TOO_LARGE), "0");
        assert_eq!(printed(-1e20), "-9223372036854775808");
        assert_eq!(printed(f64::NEG_INFINITY), "inf");
        assert_eq!(printed(-f64::NAN), "nan");
    }

    #[test]
    fn fp_always_has_two_decimals() {
        assert_eq!(plain(372.0, true), "372.00");
        assert_eq!(plain(-0.0, true), "-0.00");
        assert_eq!(plain(1e20, true), "100000000000000000000.00");
    }

    #[test]
    fn fixed_numbers_have_six_decimals_and_keep_signs() {
        assert_eq!(fixed(88.512), "88.512000");
        assert_eq!(fixed(f64::NEG_INFINITY), "-inf");
        assert_eq!(fixed(f64::NAN.copysign(-1.0)), "-nan");
        assert_eq!(fixed(f64::NAN.copysign(1.0)), "nan");
    }
}
