//! Numbers as ncu prints them under any locale, and the evidence by which a locale is told.
//!
//! ncu prints integers, numbers with exactly two decimals, and on the raw page numbers with exactly six. The first two follow the locale: groups of three digits may be separated by a
//! point, a comma, an apostrophe or some space, and the decimals begin with a point or a comma. The third kind always has a point and no groups. So `88.512` is 88512 under a German
//! locale, and 88.512 only if another program has written the file again. Three digits after a single separator are therefore judged by the other numbers of the table:
//!
//! - a separator that comes twice in a number separates groups, as does the first of two different ones;
//! - a separator before any other number of digits than three, or after a leading zero, begins the decimals (six digits after a point say nothing about the rest);
//! - an integer of four or more digits without a separator says that nothing is grouped, so a point before three digits begins the decimals.
//!
//! Without any evidence the three digits are a group, because ncu never prints three decimals.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    Group,
    Decimal,
}

/// What the numbers of a table say about its separators.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Evidence {
    /// In some number the point begins the decimals or the comma separates groups.
    point_decimals: bool,
    /// In some number the comma begins the decimals or the point separates groups.
    comma_decimals: bool,
    /// Some number has no groups though it could have them.
    ungrouped: bool,
}

impl Evidence {
    /// Takes the cell of a metric into account, if it is a number.
    pub(super) fn observe(&mut self, text: &str) {
        let Some(shape) = Shape::of(text) else { return };
        match shape.separators {
            Separators::None => self.ungrouped |= !shape.spaced && shape.before >= 4,
            Separators::Both { last: '.' } | Separators::Several(',') => self.point_decimals = true,
            Separators::Both { .. } | Separators::Several(_) => self.comma_decimals = true,
            Separators::One(_) if shape.could_group() => {}
            Separators::One('.') if shape.after == 6 => {}
            Separators::One('.') => self.point_decimals = true,
            Separators::One(_) => self.comma_decimals = true,
        }
    }

    pub(super) fn conflicts(self) -> bool {
        self.point_decimals && self.comma_decimals
    }

    /// What a single separator before three digits means, and whether that is a guess.
    fn meaning(self, separator: char) -> (Meaning, bool) {
        let comma_decimals = self.comma_decimals && !self.conflicts();
        match separator {
            '.' if comma_decimals => (Meaning::Group, false),
            '.' if self.point_decimals || self.ungrouped => (Meaning::Decimal, false),
            '.' => (Meaning::Group, true),
            // ncu would not print three decimals after a comma, but another program may.
            _ if comma_decimals => (Meaning::Decimal, true),
            _ => (Meaning::Group, false),
        }
    }

    /// Reads a number that is to be multiplied by a power of ten.
    pub(super) fn parse(self, text: &str, exponent: i32) -> Option<Number> {
        if let Some(value) = special(text) {
            return Some(Number { value, integer: None, guessed: false });
        }
        let shape = Shape::of(text)?;
        let (decimal, guessed) = match shape.separators {
            Separators::None | Separators::Several(_) => (None, false),
            Separators::Both { last } => (Some(last), false),
            Separators::One(separator) if shape.could_group() => match self.meaning(separator) {
                (Meaning::Group, guessed) => (None, guessed),
                (Meaning::Decimal, guessed) => (Some(separator), guessed),
            },
            Separators::One(separator) => (Some(separator), false),
        };
        // Everything but digits, signs and the one separator of the decimals goes; a power of ten is left to the parser, which rounds once.
        let mut digits = String::with_capacity(text.len() + 5);
        for char in text.trim().chars() {
            match char {
                '0'..='9' | '-' => digits.push(char),
                _ if Some(char) == decimal => digits.push('.'),
                _ => {}
            }
        }
        let integer = if decimal.is_none() && exponent == 0 { digits.parse().ok() } else { None };
        if exponent != 0 {
            digits.push('e');
            digits.push_str(&exponent.to_string());
        }
        Some(Number { value: digits.parse().ok()?, integer, guessed })
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Number {
    pub(super) value: f64,
    /// The number without loss, if it is a counter.
    pub(super) integer: Option<u64>,
    /// The meaning of a separator is a guess.
    pub(super) guessed: bool,
}

/// Numbers that are printed as words.
fn special(text: &str) -> Option<f64> {
    match text.trim() {
        "nan" | "NaN" => Some(f64::NAN),
        "-nan" => Some(f64::NAN.copysign(-1.0)),
        "inf" => Some(f64::INFINITY),
        "-inf" => Some(f64::NEG_INFINITY),
        _ => None,
    }
}

/// The separators in a number other than spaces and apostrophes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Separators {
    None,
    One(char),
    /// The same one, more than once.
    Several(char),
    /// Groups by one and decimals by the other.
    Both {
        last: char,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shape {
    separators: Separators,
    /// Digits before the first point or comma.
    before: usize,
    /// Digits after the last point or comma.
    after: usize,
    leading_zero: bool,
    /// Spaces or apostrophes separate groups.
    spaced: bool,
}

impl Shape {
    /// The shape of a text, if it is a number at all.
    fn of(text: &str) -> Option<Self> {
        let text = text.trim();
        let spaced = text.contains(is_space);
        let digits = if spaced { &without_spaces(text)? } else { text };
        let digits = digits.strip_prefix('-').unwrap_or(digits);
        let leading_zero = digits.starts_with('0');
        let shape = |separators, before: &str, after: &str| {
            let numeric = (before.bytes().chain(after.bytes())).all(|byte| byte.is_ascii_digit());
            numeric.then_some(Self {
                separators,
                before: before.len(),
                after: after.len(),
                leading_zero,
                spaced,
            })
        };

        let Some((before, rest)) = digits.split_once(['.', ',']) else {
            return (!digits.is_empty()).then(|| shape(Separators::None, digits, "")).flatten();
        };
        let first = digits.chars().nth(before.len())?;
        let Some((middle, after)) = rest.rsplit_once(['.', ',']) else {
            return (!rest.is_empty())
                .then(|| shape(Separators::One(first), before, rest))
                .flatten();
        };
        // With two separators or more, everything between them is groups.
        let last = rest.chars().nth(middle.len())?;
        let grouped = (1..=3).contains(&before.len())
            && middle
                .split(first)
                .all(|group| group.len() == 3 && group.bytes().all(|byte| byte.is_ascii_digit()));
        match () {
            () if !grouped || spaced => None,
            () if last != first && !after.is_empty() => {
                shape(Separators::Both { last }, before, after)
            }
            () if last == first && after.len() == 3 => {
                shape(Separators::Several(first), before, after)
            }
            () => None,
        }
    }

    /// The digits after a single separator could be a group.
    fn could_group(self) -> bool {
        self.after == 3 && (1..=3).contains(&self.before) && !self.leading_zero && !self.spaced
    }
}

/// Takes out the spaces and apostrophes by which groups of three digits are separated.
fn without_spaces(text: &str) -> Option<String> {
    let end = text.find(['.', ',']).unwrap_or(text.len());
    let (integer, decimals) = text.split_at_checked(end)?;
    let mut groups = integer.split(is_space);
    let first = groups.next()?;
    let is_first = (1..=3).contains(&first.strip_prefix('-').unwrap_or(first).len());
    let mut digits = first.to_owned();
    for group in groups {
        if group.len() != 3 {
            return None;
        }
        digits.push_str(group);
    }
    digits.push_str(decimals);
    (is_first && !decimals.contains(is_space)).then_some(digits)
}

/// Spaces and apostrophes by which locales separate groups, and what a byte that was no UTF-8 has become.
fn is_space(char: char) -> bool {
    matches!(
        char,
        ' ' | '\u{A0}'
            | '\u{2007}'
            | '\u{2009}'
            | '\u{202F}'
            | '\''
            | '\u{2019}'
            | char::REPLACEMENT_CHARACTER
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evidence(cells: &[&str]) -> Evidence {
        let mut evidence = Evidence::default();
        for cell in cells {
            evidence.observe(cell);
        }
        evidence
    }

    #[track_caller]
    fn check(cells: &[&str], text: &str, expected: Option<f64>) {
        assert_eq!(
            evidence(cells).parse(text, 0).map(|number| number.value),
            expected,
            "{text} among {cells:?}"
        );
    }

    #[test]
    fn clear_numbers_need_no_evidence() {
        for (text, value) in [
            ("0", 0.0),
            ("-3", -3.0),
            ("124056", 124_056.0),
            ("2,273,471", 2_273_471.0),
            ("2.273.471", 2_273_471.0),
            ("2,047,666.39", 2_047_666.39),
            ("2.047.666,39", 2_047_666.39),
            ("1\u{202F}234\u{202F}567,89", 1_234_567.89),
            ("12'345", 12_345.0),
            ("6.68", 6.68),
            ("999,50", 999.5),
            ("88.512000", 88.512),
            ("0.512", 0.512),
            ("inf", f64::INFINITY),
        ] {
            check(&[], text, Some(value));
        }
    }

    #[test]
    fn what_is_no_number_stays_text() {
        for text in [
            "",
            "-",
            ".",
            "1.",
            "1..2",
            "1,23,456",
            "1 2",
            "0x10",
            "NVIDIA A100",
            "1.234.56",
            "12.34,5",
            "+1",
            "1e5",
            "١٢",
        ] {
            check(&[], text, None);
        }
    }

    #[test]
    fn three_digits_after_a_separator_are_judged_by_the_rest() {
        // Under a German locale.
        check(&["1.234.567"], "88.512", Some(88_512.0));
        check(&["999,50"], "88.512", Some(88_512.0));
        check(&["999,50", "1.234567", "88.512000"], "122.573", Some(122_573.0));
        // Written again by another program.
        check(&["6.68"], "88.512", Some(88.512));
        check(&["16384"], "88.512", Some(88.512));
        check(&["1,234"], "1,234", Some(1234.0));
        // Nothing to judge by: ncu itself never prints three decimals.
        let number = evidence(&["88.512"]).parse("88.512", 0);
        assert_eq!(number, Some(Number { value: 88_512.0, integer: Some(88_512), guessed: true }));
        assert!(evidence(&["1.234.567", "6.68"]).conflicts());
    }

    #[test]
    fn powers_of_ten_are_rounded_once() {
        let number = Evidence::default().parse("1.005000", 3);
        assert_eq!(number, Some(Number { value: 1005.0, integer: None, guessed: false }));
        assert_eq!(
            Evidence::default().parse("18446744073709551615", 0).and_then(|n| n.integer),
            Some(u64::MAX)
        );
    }
}
