//! Sizes as people write them.

/// A number of bytes: plain, or with K, M, G or T for powers of 1024. `B` and `iB` may follow.
pub(crate) fn bytes(text: &str) -> Result<u64, String> {
    const UNITS: [&str; 5] = ["", "K", "M", "G", "T"];
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let unit = unit.trim_start().to_ascii_uppercase();
    let unit = unit.strip_suffix("IB").or(unit.strip_suffix('B')).unwrap_or(&unit);
    let power = UNITS.iter().position(|known| *known == unit);
    power
        .and_then(|power| number.parse::<u64>().ok()?.checked_mul(1 << (10 * power)))
        .filter(|bytes| *bytes > 0)
        .ok_or_else(|| "a size is a number of bytes, or one with K, M, G or T: 512M".to_owned())
}

#[cfg(test)]
mod tests {
    use rangescope_capture::recorder::DEFAULT_LIMIT;

    use super::*;

    #[test]
    fn sizes_are_read_and_anything_else_is_refused() {
        assert_eq!(bytes("1G"), Ok(DEFAULT_LIMIT), "what the help says is what the recorder does");
        let good = [("70000", 70_000), ("2k", 2048), ("3 MiB", 3 << 20), ("4TB", 4 << 40)];
        for (text, expected) in good {
            assert_eq!(bytes(text), Ok(expected), "{text}");
        }
        for text in ["", "0", "G", "-1", "1.5G", "1X", "1GG", "99999999999T", "é"] {
            assert!(bytes(text).is_err(), "{text}");
        }
    }
}
