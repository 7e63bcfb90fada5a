//! Numbers as they stand in the page: six significant digits, which is what is shown, and whole numbers in full.

use std::hash::{Hash, Hasher};

use serde::{Serialize, Serializer};

/// A rounded number that can be compared bit by bit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Number(f64);

/// Whole numbers up to here are exact in a browser.
const LARGEST_WHOLE: f64 = 9_007_199_254_740_992.0;

impl Number {
    /// The number, rounded if it is not whole.
    pub(crate) fn new(value: f64) -> Self {
        let size = value.abs();
        if value.fract() == 0.0 {
            // Adding zero turns a negative zero into an ordinary one.
            return Self(value + 0.0);
        }
        if (1e5..LARGEST_WHOLE).contains(&size) {
            return Self((value * 10.0).round() / 10.0);
        }
        Self(format!("{value:.5e}").parse().unwrap_or(value))
    }

    /// Milliseconds as nanoseconds, which are mostly whole.
    pub(crate) fn ns(ms: impl Into<Option<f64>>) -> Self {
        let ns = ms.into().unwrap_or(f64::NAN) * 1e6;
        // What is left of a multiplication in binary is not a fraction of a nanosecond.
        if (ns - ns.round()).abs() < 1e-4 { Self::new(ns.round()) } else { Self::new(ns) }
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        self.0.to_bits() == other.0.to_bits()
    }
}

impl Eq for Number {}

impl Hash for Number {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.to_bits().hash(state);
    }
}

impl Serialize for Number {
    #[expect(clippy::cast_possible_truncation, reason = "whole and in range, as tested")]
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.fract() == 0.0 && self.0.abs() < LARGEST_WHOLE {
            serializer.serialize_i64(self.0 as i64)
        } else {
            // What is not finite becomes null, like everything that is not there.
            serializer.serialize_f64(self.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Number;

    fn shown(number: Number) -> String {
        serde_json::to_string(&number).unwrap()
    }

    #[test]
    fn whole_numbers_stay_and_others_keep_six_digits() {
        for (value, text) in [
            (0.0, "0"),
            (-0.0, "0"),
            (17.0, "17"),
            (823_891_456.0, "823891456"),
            (68.682_586_934_504_07, "68.6826"),
            (0.000_012_345_678, "0.0000123457"),
            (123_456.789, "123456.8"),
            (40_115_401_634.266_495, "40115401634.3"),
            (-2.5, "-2.5"),
            (1e300, "1e300"),
            (f64::NAN, "null"),
            (f64::INFINITY, "null"),
        ] {
            let found = shown(Number::new(value));
            let same = found == text || found.parse::<f64>().is_ok_and(|f| text.parse() == Ok(f));
            assert!(same, "{value}: {found}, not {text}");
        }
    }

    #[test]
    fn milliseconds_become_whole_nanoseconds() {
        assert_eq!(shown(Number::ns(0.874_659)), "874659");
        assert_eq!(shown(Number::ns(5.859_835)), "5859835");
        assert_eq!(shown(Number::ns(0.000_000_5)), "0.5");
    }
}
