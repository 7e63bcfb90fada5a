//! The automatic units of the raw page: which multiple of a unit a column is printed in.
//!
//! The choice is made once per column, from its largest value, in steps of exactly 1000. Only bytes and seconds have multiples; everything else is printed as it is.
//! The steps follow ncu even where they make no sense as physics: a quotient by bytes is divided when its denominator is.

/// The largest power of 1000 for bytes is peta.
const BYTE_PREFIXES: [&str; 6] = ["", "K", "M", "G", "T", "P"];
/// Times are stored in nanoseconds and printed in at most seconds.
const TIME_PREFIXES: [&str; 4] = ["n", "u", "m", ""];
/// Rates are stored per second; a large rate is printed per a smaller time.
const RATE_PREFIXES: [&str; 4] = ["", "m", "u", "n"];

/// A unit with its prefix chosen.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Scaled {
    /// As printed.
    pub(super) unit: String,
    /// The largest value in that unit: ncu takes thousandths, one after the other, and the last bit of what comes out decides how other values are rounded.
    pub(super) largest: f64,
}

/// Chooses the multiple of `unit` in which `largest` is printed.
pub(super) fn choose(unit: &str, largest: f64) -> Scaled {
    let (above, below) = match unit.split_once('/') {
        Some((above, below)) => (above, Some(below)),
        None => (unit, None),
    };
    let (prefixes, is_scaled): (&[&str], fn(&str) -> bool) =
        if above == "byte" || below == Some("byte") {
            (&BYTE_PREFIXES, |part| part == "byte")
        } else if above == "nsecond" {
            (&TIME_PREFIXES, |part| part == "nsecond")
        } else if below == Some("second") {
            (&RATE_PREFIXES, |part| part == "second")
        } else {
            return Scaled { unit: unit.to_owned(), largest };
        };

    let (mut divisor, mut scaled) = (1.0, largest);
    let mut step = 0;
    while step + 1 < prefixes.len() && largest >= divisor * 1000.0 {
        divisor *= 1000.0;
        scaled *= 0.001;
        step += 1;
    }
    let prefix = prefixes.get(step).copied().unwrap_or_default();
    let spell = |part: &str| format!("{prefix}{}", part.strip_prefix('n').unwrap_or(part));
    let unit = match below {
        // Only one side is scaled: bytes per byte do not occur.
        Some(below) if is_scaled(above) => format!("{}/{below}", spell(above)),
        Some(below) => format!("{above}/{}", spell(below)),
        None => spell(above),
    };
    Scaled { unit, largest: scaled }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(unit: &str, largest: f64) -> String {
        let scaled = choose(unit, largest);
        format!("{} {}", scaled.unit, (scaled.largest * 1e6).round() / 1e6)
    }

    #[test]
    fn bytes_go_up_in_thousands_wherever_they_stand() {
        assert_eq!(chosen("byte", 999.0), "byte 999");
        assert_eq!(chosen("byte", 1000.0), "Kbyte 1");
        assert_eq!(chosen("byte", 5e21), "Pbyte 5000000");
        assert_eq!(chosen("byte/second", 2.5e6), "Mbyte/second 2.5");
        assert_eq!(chosen("byte/block", 1024.0), "Kbyte/block 1.024");
        assert_eq!(chosen("%/byte", 7949.0), "%/Kbyte 7.949");
    }

    #[test]
    fn times_become_longer_and_rates_are_per_a_shorter_time() {
        assert_eq!(chosen("nsecond", 999.9999), "nsecond 999.9999");
        assert_eq!(chosen("nsecond", 88512.0), "usecond 88.512");
        assert_eq!(chosen("nsecond", 6e13), "second 60000");
        assert_eq!(chosen("cycle/second", 1.4e9), "cycle/nsecond 1.4");
        assert_eq!(chosen("/second", 5000.0), "/msecond 5");
    }

    #[test]
    fn other_units_stay() {
        assert_eq!(chosen("inst/cycle", 8.0), "inst/cycle 8");
        assert_eq!(chosen("%", 8.0), "% 8");
        assert_eq!(chosen("", 8.0), " 8");
        assert_eq!(chosen("byte", f64::NAN), "byte NaN");
    }
}
