//! Numbers for people: few digits, with a sign where they are differences.

use crate::comparison::{Delta, Spread};

/// What stands for a number that does not exist.
pub const ABSENT: &str = "–";

/// A share as `5 %`, with one decimal where that matters.
pub fn percent(share: f64) -> String {
    let value = share * 100.0;
    let text = if value.abs() >= 100.0 { format!("{value:.0}") } else { format!("{value:.1}") };
    format!("{} %", text.strip_suffix(".0").unwrap_or(&text))
}

/// A relative difference as `+5.2 %`; what is not zero never shows as zero.
pub fn signed_percent(share: Option<f64>) -> String {
    let Some(value) = share.map(|share| share * 100.0) else { return ABSENT.to_owned() };
    let size = value.abs();
    match size {
        _ if size == 0.0 => "0 %".to_owned(),
        _ if !size.is_finite() => format!("{}∞ %", sign(value)),
        _ if size < 0.05 => format!("{}<0.1 %", sign(value)),
        _ if size < 1000.0 => format!("{value:+.1} %"),
        _ if size < 1e7 => format!("{value:+.0} %"),
        _ => format!("{value:+.2e} %"),
    }
}

/// A number with about four digits that matter.
pub fn plain(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 {
        return "0".to_owned();
    }
    if !(1e-4..1e15).contains(&size) {
        return format!("{value:.3e}");
    }
    if value.fract() == 0.0 {
        return format!("{value:.0}");
    }
    let decimals = match size {
        _ if size >= 1000.0 => 0,
        _ if size >= 100.0 => 1,
        _ if size >= 10.0 => 2,
        _ if size >= 1.0 => 3,
        _ => 4,
    };
    let text = format!("{value:.decimals$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// A value in its unit, both scaled: `1.23 Gbyte`, `45.1 %`.
pub fn scaled(value: f64, unit: &str) -> String {
    const PREFIXES: [(f64, &str); 4] = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "K")];
    let scales = matches!(unit, "byte" | "hz" | "inst") || unit.starts_with("byte/");
    let size = value.abs();
    let prefix = PREFIXES.iter().find(|(factor, _)| scales && size >= *factor);
    match prefix {
        Some((factor, prefix)) => format!("{:.2} {prefix}{unit}", value / factor),
        None if unit.is_empty() => plain(value),
        None => format!("{} {unit}", plain(value)),
    }
}

/// A scaled difference with its sign.
pub fn signed_scaled(value: Option<f64>, unit: &str) -> String {
    match value {
        None => ABSENT.to_owned(),
        Some(value) if value > 0.0 => format!("+{}", scaled(value, unit)),
        Some(value) => scaled(value, unit),
    }
}

/// Milliseconds with the decimals that suit the whole run.
#[derive(Clone, Copy, Debug)]
pub struct Milliseconds {
    decimals: usize,
}

impl Milliseconds {
    /// Microseconds for ordinary runs, nanoseconds where the whole run lasted less than a millisecond.
    pub fn for_total(total_ms: f64) -> Self {
        Self { decimals: if total_ms > 0.0 && total_ms < 1.0 { 6 } else { 3 } }
    }

    pub fn of(time: &Delta) -> Self {
        let median = |spread: Option<Spread>| spread.map_or(0.0, |spread| spread.median);
        Self::for_total(median(time.base).max(median(time.new)))
    }

    /// The median, with the range where there are several runs.
    pub fn spread(self, spread: Option<Spread>) -> String {
        let decimals = self.decimals;
        match spread {
            None => ABSENT.to_owned(),
            Some(spread) if spread.min < spread.max => format!(
                "{:.decimals$} [{:.decimals$}–{:.decimals$}]",
                spread.median, spread.min, spread.max
            ),
            Some(spread) => format!("{:.decimals$}", spread.median),
        }
    }

    pub fn signed(self, ms: Option<f64>) -> String {
        let decimals = self.decimals;
        match ms {
            None => ABSENT.to_owned(),
            Some(0.0) => format!("{:.decimals$}", 0.0),
            Some(ms) => format!("{ms:+.decimals$}"),
        }
    }
}

fn sign(value: f64) -> &'static str {
    if value > 0.0 { "+" } else { "-" }
}

#[cfg(test)]
mod tests {
    use super::{percent, plain, scaled, signed_percent};

    #[test]
    fn for_reading() {
        assert_eq!([0.05, 0.012, 1.5].map(percent), ["5 %", "1.2 %", "150 %"]);
        let shown =
            [0.0, 0.0001, -0.0001, 0.0521, -0.5, 12.0].map(|share| signed_percent(Some(share)));
        assert_eq!(shown, ["0 %", "+<0.1 %", "-<0.1 %", "+5.2 %", "-50.0 %", "+1200 %"]);
        assert_eq!(
            [0.0, 1.5, 1234.5, 0.000_01, 42.0].map(plain),
            ["0", "1.5", "1234", "1.000e-5", "42"]
        );
        assert_eq!(scaled(1_234_567.0, "byte"), "1.23 Mbyte");
        assert_eq!(scaled(45.123, "%"), "45.12 %");
        assert_eq!(scaled(1e300, ""), "1.000e300");
    }
}
