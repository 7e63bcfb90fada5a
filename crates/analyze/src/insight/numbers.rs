//! Numbers in sentences: few digits, never zero for what is not zero.

/// A share of 0 to 1 as `7 %`, `0.4 %` or `below 0.1 %`.
pub(crate) fn percent(share: f64) -> String {
    of_hundred(share * 100.0)
}

/// A percentage likewise.
pub(crate) fn of_hundred(value: f64) -> String {
    if value >= 9.95 {
        format!("{value:.0} %")
    } else if value >= 0.095 || value <= 0.0 {
        let text = format!("{value:.1}");
        format!("{} %", text.strip_suffix(".0").unwrap_or(&text))
    } else {
        "below 0.1 %".to_owned()
    }
}

/// Milliseconds in the unit that suits them.
pub(crate) fn time(ms: f64) -> String {
    let (value, unit) = match ms {
        _ if ms >= 1e3 => (ms / 1e3, "s"),
        _ if ms >= 1.0 => (ms, "ms"),
        _ if ms >= 1e-3 => (ms * 1e3, "µs"),
        _ => (ms * 1e6, "ns"),
    };
    format!("{} {unit}", three_digits(value))
}

/// Three digits that matter.
pub(crate) fn three_digits(value: f64) -> String {
    let size = value.abs();
    if size > 0.0 && size < 0.0005 {
        return "less than 0.001".to_owned();
    }
    let decimals = match size {
        _ if size >= 100.0 || size == 0.0 => 0,
        _ if size >= 10.0 => 1,
        _ if size >= 1.0 => 2,
        _ => 3,
    };
    format!("{value:.decimals$}")
}

/// A kernel name that fits into a sentence: some are ten thousand characters long.
pub(crate) fn short_name(name: &str) -> String {
    const LONGEST: usize = 100;
    let mut characters = name.char_indices();
    match (characters.nth(LONGEST), name.char_indices().nth(LONGEST - 1)) {
        (Some(_), Some((end, _))) => format!("{}…", name.get(..end).unwrap_or_default()),
        _ => name.to_owned(),
    }
}

/// The name at the beginning of a sentence; regions are quoted and keep their own letters.
pub(crate) fn capital(name: &str) -> String {
    if name == "the run" { "The run".to_owned() } else { name.to_owned() }
}

/// `1 kernel`, `3 kernels`.
pub(crate) fn count(number: u64, one: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {one}s") }
}

/// `a`, `a and b`, `a, b and c`.
pub(crate) fn list(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [before @ .., last] => format!("{} and {last}", before.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::{list, percent, time};

    #[test]
    fn for_reading() {
        let shown: Vec<String> = [0.0, 0.0003, 0.004, 0.07, 0.0725, 0.5, 1.0].map(percent).into();
        assert_eq!(shown, ["0 %", "below 0.1 %", "0.4 %", "7 %", "7.2 %", "50 %", "100 %"]);
        let shown: Vec<String> = [0.000_5, 0.0032, 0.42, 12.345, 4321.0].map(time).into();
        assert_eq!(shown, ["500 ns", "3.20 µs", "420 µs", "12.3 ms", "4.32 s"]);
        assert_eq!(list(&["a".into(), "b".into(), "c".into()]), "a, b and c");
    }
}
