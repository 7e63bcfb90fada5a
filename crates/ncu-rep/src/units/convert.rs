//! Spellings of units: those of the older tools, and scaled ones as the command line tool prints them.

use std::borrow::Cow;

/// The unit as ncu 2022 to 2024 spell it: `ns` is `nsecond`, `hz` is `cycle/second`, `byte/s` is `byte/second`. Units that have always been spelled so come back as they are.
pub fn legacy_unit(unit: &str) -> &str {
    match unit {
        "ns" => "nsecond",
        "hz" => "cycle/second",
        "1/s" => "1/second",
        "block/s" => "block/second",
        "branches/s" => "branches/second",
        "byte/s" => "byte/second",
        "inst/s" => "inst/second",
        "request/s" => "request/second",
        "sector/s" => "sector/second",
        "thread/s" => "thread/second",
        "warp/s" => "warp/second",
        other => other,
    }
}

/// The base unit of a printed unit, and the factor that turns printed values into it: `usecond` is 1,000 `ns`, `Gbyte/second` is 10⁹ `byte/s`, `cycle/nsecond` is 10⁹ `hz`, `%/Kbyte` is 0.001 `%/byte`.
///
/// Steps are powers of 1,000, for bytes too. A word that is not known is its own base. `None` if the text is not made like a unit.
pub fn parse_unit(text: &str) -> Option<(Cow<'_, str>, f64)> {
    if text.is_empty() {
        return Some((Cow::Borrowed(""), 1.0));
    }
    // ncu 2024 prints `%/` where a divisor has no unit of its own.
    let text = text.strip_suffix('/').unwrap_or(text);
    let (numerator, denominator) = match text.split_once('/') {
        Some((numerator, denominator)) => {
            (Word::parse(numerator)?, Some(Word::parse(denominator)?))
        }
        None => (Word::parse(text)?, None),
    };
    let (base, power) = match (numerator, denominator) {
        (Word::Time(time), None) => (Cow::Borrowed("ns"), time + 9),
        (Word::Counted(word, scale), None) => (Cow::Borrowed(word), scale),
        (Word::Counted("cycle", scale), Some(Word::Time(time))) => {
            (Cow::Borrowed("hz"), scale - time)
        }
        (Word::Counted(word, scale), Some(Word::Time(time))) => {
            (per(text, word, "s"), scale - time)
        }
        (Word::Counted(word, scale), Some(Word::Counted(other, divisor))) => {
            (per(text, word, other), scale - divisor)
        }
        (Word::Time(time), Some(Word::Counted(other, divisor))) => {
            (per(text, "ns", other), time + 9 - divisor)
        }
        (Word::Time(_), Some(Word::Time(_))) => return None,
    };
    Some((base, 10_f64.powi(power)))
}

/// One side of a unit. Scales are powers of ten, so that no division makes a factor inexact.
#[derive(Clone, Copy)]
enum Word<'t> {
    /// A time, as a power of ten of seconds.
    Time(i32),
    /// Anything else, with its scale.
    Counted(&'t str, i32),
}

/// The words that the tools print with a scale before them.
const SCALABLE: [&str; 8] = ["byte", "hz", "inst", "cycle", "sector", "request", "warp", "thread"];

impl<'t> Word<'t> {
    fn parse(text: &'t str) -> Option<Self> {
        if text.is_empty()
            || !text.chars().all(|character| {
                character.is_ascii_alphanumeric() || character == '%' || character == '_'
            })
        {
            return None;
        }
        let time = match text.strip_suffix("second").or_else(|| text.strip_suffix('s')) {
            Some("") => Some(0),
            Some("m") => Some(-3),
            Some("u") => Some(-6),
            Some("n") => Some(-9),
            _ => None,
        };
        if let Some(time) = time {
            return Some(Self::Time(time));
        }
        let scale = |letter| match letter {
            'K' | 'k' => Some(3),
            'M' => Some(6),
            'G' => Some(9),
            'T' => Some(12),
            'P' => Some(15),
            'E' => Some(18),
            _ => None,
        };
        let mut letters = text.chars();
        let scaled = letters.next().and_then(scale).zip(canonical(letters.as_str()));
        Some(match scaled {
            Some((scale, word)) => Self::Counted(word, scale),
            None => Self::Counted(canonical(text).unwrap_or(text), 0),
        })
    }
}

/// A scalable word in its usual spelling: `Hz` is `hz`.
fn canonical(word: &str) -> Option<&'static str> {
    SCALABLE.into_iter().find(|known| known.eq_ignore_ascii_case(word))
}

/// `word/other`, borrowed if the text says just that.
fn per<'t>(text: &'t str, word: &str, other: &str) -> Cow<'t, str> {
    match text.split_once('/') {
        Some((before, after)) if before == word && after == other => Cow::Borrowed(text),
        _ => Cow::Owned(format!("{word}/{other}")),
    }
}
