//! What an unquoted scalar of a YAML file means.
//!
//! The rules are those of the loader that OmegaConf uses: YAML 1.1 (`on` is true, `0o10` is text, `010` is eight, `1:30` is ninety), without its dates, and with floats such as `1e3` that YAML 1.1 takes for text.

use crate::value::Value;

/// The error says what is wrong with it.
pub(super) fn plain(text: &str) -> Result<Value, String> {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Ok(Value::Null),
        "=" => return Err("`=` has a special meaning in YAML, quote it".to_owned()),
        _ => {}
    }
    if let Some(value) = boolean(text) {
        return Ok(Value::Bool(value));
    }
    if !text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.')) {
        return Ok(Value::Text(text.to_owned()));
    }
    if is_int(text) {
        return int(text).map(Value::Int);
    }
    if is_float(text) {
        return float(text).map(Value::Float);
    }
    Ok(Value::Text(text.to_owned()))
}

/// The words that are booleans in YAML 1.1, in their three spellings.
pub(super) fn boolean(text: &str) -> Option<bool> {
    let lower = text.to_ascii_lowercase();
    let capital = |word: &str| word[..1].to_ascii_uppercase() + &word[1..];
    let value = match lower.as_str() {
        "yes" | "true" | "on" => true,
        "no" | "false" | "off" => false,
        _ => return None,
    };
    (text == lower || text == lower.to_ascii_uppercase() || text == capital(&lower))
        .then_some(value)
}

/// An integer by its form or by its tag.
pub(super) fn int(text: &str) -> Result<i64, String> {
    let plain = text.replace('_', "");
    let (negative, digits) = match plain.as_bytes().first() {
        Some(b'-') => (true, &plain[1..]),
        Some(b'+') => (false, &plain[1..]),
        _ => (false, plain.as_str()),
    };
    let magnitude = if let Some(binary) = digits.strip_prefix("0b") {
        i128::from_str_radix(binary, 2).ok()
    } else if let Some(hexadecimal) = digits.strip_prefix("0x") {
        i128::from_str_radix(hexadecimal, 16).ok()
    } else if digits.len() > 1 && digits.starts_with('0') {
        i128::from_str_radix(digits, 8).ok()
    } else {
        digits.split(':').try_fold(0_i128, |total, part| {
            let part = part.parse::<i128>().ok()?;
            total.checked_mul(60)?.checked_add(part)
        })
    };
    let signed = magnitude.map(|magnitude| if negative { -magnitude } else { magnitude });
    signed
        .and_then(|value| i64::try_from(value).ok())
        .ok_or_else(|| format!("`{text}` is not a 64-bit integer"))
}

/// A float by its form or by its tag.
pub(super) fn float(text: &str) -> Result<f64, String> {
    let plain = text.replace('_', "").to_ascii_lowercase();
    let (sign, digits) = match plain.as_bytes().first() {
        Some(b'-') => (-1.0, &plain[1..]),
        Some(b'+') => (1.0, &plain[1..]),
        _ => (1.0, plain.as_str()),
    };
    let magnitude = match digits {
        ".inf" => Some(f64::INFINITY),
        ".nan" => Some(f64::NAN),
        // Rust would also read words here.
        _ if digits.contains(|c: char| c.is_ascii_alphabetic() && c != 'e') => None,
        _ => digits.split(':').try_fold(0.0, |total: f64, part| {
            part.parse::<f64>().ok().map(|part| total.mul_add(60.0, part))
        }),
    };
    magnitude.map(|magnitude| sign * magnitude).ok_or_else(|| format!("`{text}` is not a number"))
}

fn unsigned(text: &str) -> &str {
    text.strip_prefix(['-', '+']).unwrap_or(text)
}

/// Not empty, and only these characters.
fn all(text: &str, allowed: impl Fn(char) -> bool) -> bool {
    !text.is_empty() && text.chars().all(allowed)
}

fn digit_or_underscore(c: char) -> bool {
    c.is_ascii_digit() || c == '_'
}

/// `[0-9][0-9_]*`
fn is_loose_number(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit()) && all(text, digit_or_underscore)
}

/// `[0-9]+(_[0-9]+)*`
fn is_strict_number(text: &str) -> bool {
    text.split('_').all(|part| all(part, |c| c.is_ascii_digit()))
}

/// A number of base 60 after the first colon: one or more parts of one or two digits below 60.
fn is_sexagesimal_tail(text: &str) -> bool {
    text.split(':').all(|part| match part.as_bytes() {
        [unit] => unit.is_ascii_digit(),
        [ten, unit] => (b'0'..=b'5').contains(ten) && unit.is_ascii_digit(),
        _ => false,
    })
}

fn is_int(text: &str) -> bool {
    let digits = unsigned(text);
    if let Some(binary) = digits.strip_prefix("0b") {
        return all(binary, |c| matches!(c, '0' | '1' | '_'));
    }
    if let Some(hexadecimal) = digits.strip_prefix("0x") {
        return all(hexadecimal, |c| c.is_ascii_hexdigit() || c == '_');
    }
    if let Some(octal) = digits.strip_prefix('0') {
        return octal.is_empty() || all(octal, |c| matches!(c, '0'..='7' | '_'));
    }
    match digits.split_once(':') {
        Some((first, rest)) => is_loose_number(first) && is_sexagesimal_tail(rest),
        None => is_loose_number(digits),
    }
}

fn is_float(text: &str) -> bool {
    let digits = unsigned(text);
    if matches!(digits, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN") {
        return true;
    }
    if let Some((first, rest)) = digits.split_once(':') {
        return rest.split_once('.').is_some_and(|(tail, fraction)| {
            is_loose_number(first)
                && is_sexagesimal_tail(tail)
                && fraction.chars().all(digit_or_underscore)
        });
    }
    let (mantissa, exponent) = match digits.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (digits, None),
    };
    let signed_exponent = exponent.is_some_and(|exponent| exponent.starts_with(['-', '+']));
    if exponent.is_some_and(|exponent| !all(unsigned(exponent), |c| c.is_ascii_digit())) {
        return false;
    }
    match mantissa.split_once('.') {
        // Without a digit before the point neither a sign nor an exponent without one is taken.
        Some(("", fraction)) => {
            text.starts_with('.')
                && is_loose_number(fraction)
                && (exponent.is_none() || signed_exponent)
        }
        Some((whole, fraction)) => {
            let whole_is_number = is_loose_number(whole) && (exponent.is_none() || signed_exponent);
            (whole_is_number || is_strict_number(whole))
                && fraction.chars().all(digit_or_underscore)
        }
        None => exponent.is_some() && is_strict_number(mantissa),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars_mean_what_omegaconf_takes_them_for() {
        let int = |value| Ok(Value::Int(value));
        let float = |value| Ok(Value::Float(value));
        let text = |value: &str| Ok(Value::Text(value.to_owned()));
        let cases = [
            ("on", Ok(Value::Bool(true))),
            ("No", Ok(Value::Bool(false))),
            ("oN", text("oN")),
            ("y", text("y")),
            ("~", Ok(Value::Null)),
            ("1e3", float(1000.0)),
            ("1.5e3", float(1500.0)),
            ("-.5", text("-.5")),
            (".5", float(0.5)),
            (".5e3", text(".5e3")),
            (".5e+3", float(500.0)),
            ("1_000", int(1000)),
            ("010", int(8)),
            ("08", text("08")),
            ("0o10", text("0o10")),
            ("0x1F", int(31)),
            ("-0b101", int(-5)),
            ("1:30", int(90)),
            ("1:30.5", float(90.5)),
            ("1.", float(1.0)),
            ("2024-01-01", text("2024-01-01")),
            ("-", text("-")),
            (".", text(".")),
            ("cuda:0", text("cuda:0")),
            ("1e", text("1e")),
            (".inf", float(f64::INFINITY)),
        ];
        for (source, expected) in cases {
            assert_eq!(plain(source), expected, "{source}");
        }
        assert!(plain("99999999999999999999").is_err());
        assert!(plain("0x_").is_err());
    }
}
