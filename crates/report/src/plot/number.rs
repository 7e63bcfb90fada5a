//! Numbers in drawings: few digits, always the same bytes, never zero for what is not zero.

/// A coordinate with at most two decimals and no needless ones.
pub(crate) fn coordinate(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" || text.is_empty() { "0".to_owned() } else { text.to_owned() }
}

/// Milliseconds in the unit that suits them.
pub(crate) fn time(ms: f64) -> String {
    let (value, unit) = match ms {
        _ if ms >= 1e3 => (ms / 1e3, "s"),
        _ if ms >= 1.0 => (ms, "ms"),
        _ if ms >= 1e-3 => (ms * 1e3, "µs"),
        _ => (ms * 1e6, "ns"),
    };
    format!("{} {unit}", digits(value))
}

/// A share of 0 to 1 in per cent.
pub(crate) fn share(share: f64) -> String {
    percent(share * 100.0)
}

/// A percentage with one decimal.
pub(crate) fn percent(value: f64) -> String {
    if value > 0.0 && value < 0.05 { "<0.1 %".to_owned() } else { format!("{value:.1} %") }
}

/// A rate with a decimal prefix: `936 GB/s`.
pub(crate) fn scaled(value: f64, unit: &str) -> String {
    const PREFIXES: [(f64, &str); 6] =
        [(1e18, "E"), (1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")];
    let (factor, prefix) =
        PREFIXES.into_iter().find(|(factor, _)| value >= *factor).unwrap_or((1.0, ""));
    format!("{} {prefix}{unit}", digits(value / factor))
}

/// Three digits that matter, without needless zeros after the point.
pub(crate) fn digits(value: f64) -> String {
    let size = value.abs();
    if size > 0.0 && size < 0.0005 {
        return format!("{value:.1e}");
    }
    let decimals = match size {
        _ if size >= 100.0 => 0,
        _ if size >= 10.0 => 1,
        _ if size >= 1.0 => 2,
        _ => 3,
    };
    let text = format!("{value:.decimals$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// A whole number with commas between thousands.
pub(crate) fn count(number: u64) -> String {
    let text = number.to_string();
    let mut shown = String::with_capacity(text.len() + text.len() / 3);
    for (index, digit) in text.chars().enumerate() {
        if index > 0 && (text.len() - index).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

/// `1 call`, `3 calls`.
pub(crate) fn counted(number: u64, one: &str) -> String {
    format!("{} {one}{}", count(number), if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::{coordinate, counted, percent, scaled, time};

    #[test]
    fn for_reading() {
        assert_eq!([0.0, -0.001, 12.5, 3.337].map(coordinate), ["0", "0", "12.5", "3.34"]);
        assert_eq!(
            [0.0005, 0.0032, 12.0, 4321.0].map(time),
            ["500 ns", "3.2 µs", "12 ms", "4.32 s"]
        );
        assert_eq!([0.0, 0.01, 33.333].map(percent), ["0.0 %", "<0.1 %", "33.3 %"]);
        assert_eq!(scaled(9.36e11, "B/s"), "936 GB/s");
        assert_eq!([1, 1234].map(|number| counted(number, "call")), ["1 call", "1,234 calls"]);
    }
}
