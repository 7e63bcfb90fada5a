//! Units of columns and cells: what [`crate::units`] knows, as the pages need it.

use crate::units::parse_unit;

/// Turns a value into the base unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Factor {
    /// A power of ten, which can be applied without rounding twice.
    Power(i32),
    Times(f64),
}

impl Default for Factor {
    fn default() -> Self {
        Self::Power(0)
    }
}

/// Powers of ten that prefixes make.
const POWERS: std::ops::RangeInclusive<i32> = -18..=18;

/// The factor of a unit as printed, if the unit is known.
pub(super) fn factor(unit: &str) -> Option<Factor> {
    let unit = unit.trim();
    // A count of nothing in particular has no word before the slash.
    let factor = match unit.strip_prefix('/') {
        Some(below) => parse_unit(&format!("1/{below}"))?.1,
        None => parse_unit(unit)?.1,
    };
    // Both sides are the same decimal read by the same rules, so that they are equal if they are meant to be.
    let power = POWERS.into_iter().find(|power| format!("1e{power}").parse() == Ok(factor));
    Some(power.map_or(Factor::Times(factor), Factor::Power))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_are_powers_of_ten() {
        assert_eq!(factor(""), Some(Factor::Power(0)));
        assert_eq!(factor("usecond"), Some(Factor::Power(3)));
        assert_eq!(factor("Gbyte/s"), Some(Factor::Power(9)));
        assert_eq!(factor("cycle/nsecond"), Some(Factor::Power(9)));
        assert_eq!(factor("Tbyte/second"), Some(Factor::Power(12)));
        assert_eq!(factor("inst/cycle"), Some(Factor::Power(0)));
        assert_eq!(factor("/nsecond"), Some(Factor::Power(9)));
    }
}
