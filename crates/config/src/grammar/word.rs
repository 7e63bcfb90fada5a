//! Finding the longest word at the start of a text, and what it means alone.

use crate::value::Value;

/// The order is that of the rules in the grammars: of equally long words the earlier kind wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WordKind {
    Float,
    Int,
    Bool,
    Null,
    /// One of `/ - \ + . $ % * @ ? |`.
    Bare,
    Id,
    /// One or more backslashes, each before a character that has a meaning of its own.
    Escape,
    Blank,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Word<'a> {
    pub(crate) kind: WordKind,
    pub(crate) text: &'a str,
}

/// The longest word at the start, or `None` where no word begins with that character.
pub(crate) fn word(text: &str) -> Option<Word<'_>> {
    let candidates = [
        (WordKind::Float, float(text)),
        (WordKind::Int, int(text)),
        (WordKind::Bool, keyword(text, "true").max(keyword(text, "false"))),
        (WordKind::Null, keyword(text, "null")),
        (WordKind::Bare, usize::from(text.starts_with(is_bare))),
        (WordKind::Id, id(text)),
        (WordKind::Escape, escape(text)),
        (WordKind::Blank, blanks(text)),
    ];
    let (kind, length) = candidates
        .into_iter()
        .fold((WordKind::Blank, 0), |best, next| if next.1 > best.1 { next } else { best });
    (length > 0).then(|| Word { kind, text: &text[..length] })
}

impl Word<'_> {
    /// What the word means when it stands alone. An integer of more than 64 bits has no meaning here.
    pub(crate) fn alone(&self) -> Result<Value, String> {
        let digits = || self.text.replace('_', "");
        Ok(match self.kind {
            WordKind::Float => {
                let value =
                    digits().parse().map_err(|_| format!("`{}` is not a number", self.text))?;
                Value::Float(value)
            }
            WordKind::Int => {
                let value = digits()
                    .parse()
                    .map_err(|_| format!("`{}` is not a 64-bit integer", self.text))?;
                Value::Int(value)
            }
            WordKind::Bool => Value::Bool(self.text.eq_ignore_ascii_case("true")),
            WordKind::Null => Value::Null,
            WordKind::Escape => Value::Text(unescaped(self.text)),
            WordKind::Bare | WordKind::Id | WordKind::Blank => Value::Text(self.text.to_owned()),
        })
    }
}

/// Drops the first of every two characters: the backslash of every escape.
pub(crate) fn unescaped(escapes: &str) -> String {
    escapes.chars().skip(1).step_by(2).collect()
}

/// Length of the blanks at the start.
pub(crate) fn blanks(text: &str) -> usize {
    text.len() - text.trim_start_matches([' ', '\t']).len()
}

fn is_bare(c: char) -> bool {
    matches!(c, '/' | '-' | '\\' | '+' | '.' | '$' | '%' | '*' | '@' | '?' | '|')
}

fn sign(text: &str) -> usize {
    usize::from(text.starts_with(['-', '+']))
}

/// `[0-9](_?[0-9])*`
fn digits(text: &str) -> usize {
    let bytes = text.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let mut end = 0;
    loop {
        if is_digit(end) {
            end += 1;
        } else if end > 0 && bytes.get(end) == Some(&b'_') && is_digit(end + 1) {
            end += 2;
        } else {
            return end;
        }
    }
}

/// Length of an integer without sign: `0`, or digits that do not begin with it.
pub(crate) fn whole(text: &str) -> usize {
    if text.starts_with('0') { 1 } else { digits(text) }
}

fn int(text: &str) -> usize {
    let sign = sign(text);
    match whole(&text[sign..]) {
        0 => 0,
        length => sign + length,
    }
}

fn float(text: &str) -> usize {
    let sign = sign(text);
    let rest = &text[sign..];
    let name = keyword(rest, "inf").max(keyword(rest, "nan"));
    if name > 0 {
        return sign + name;
    }
    let whole = whole(rest);
    let fraction = rest[whole..].strip_prefix('.').map(digits);
    let point = match fraction {
        Some(0) if whole == 0 => 0,
        Some(fraction) => whole + 1 + fraction,
        None => 0,
    };
    let mantissa = point.max(whole);
    if mantissa == 0 {
        return 0;
    }
    let length = match exponent(&rest[mantissa..]) {
        0 => point,
        exponent => mantissa + exponent,
    };
    if length == 0 { 0 } else { sign + length }
}

fn exponent(text: &str) -> usize {
    let Some(rest) = text.strip_prefix(['e', 'E']) else { return 0 };
    let sign = sign(rest);
    match digits(&rest[sign..]) {
        0 => 0,
        length => 1 + sign + length,
    }
}

/// Length of the keyword, in any case, if the text begins with it.
fn keyword(text: &str, keyword: &str) -> usize {
    let found = text
        .as_bytes()
        .get(..keyword.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(keyword.as_bytes()));
    if found { keyword.len() } else { 0 }
}

fn id(text: &str) -> usize {
    if !text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        return 0;
    }
    let part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    text.len() - text.trim_start_matches(part).len()
}

fn escape(text: &str) -> usize {
    let mut length = 0;
    let special = |c: &u8| {
        matches!(
            c,
            b'\\' | b'(' | b')' | b'[' | b']' | b'{' | b'}' | b':' | b'=' | b',' | b' ' | b'\t'
        )
    };
    while let [b'\\', next, ..] = &text.as_bytes()[length..]
        && special(next)
    {
        length += 2;
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_word_wins() {
        let cases = [
            ("1e3,", WordKind::Float, "1e3"),
            ("1.5.3", WordKind::Float, "1.5"),
            ("1.", WordKind::Float, "1."),
            (".5e-1_0x", WordKind::Float, ".5e-1_0"),
            ("-inf", WordKind::Float, "-inf"),
            ("inf-x", WordKind::Id, "inf-x"),
            ("1_000_", WordKind::Int, "1_000"),
            ("007", WordKind::Int, "0"),
            ("+5", WordKind::Int, "+5"),
            ("nullx", WordKind::Id, "nullx"),
            ("NULL", WordKind::Null, "NULL"),
            ("TrUe ", WordKind::Bool, "TrUe"),
            ("- ", WordKind::Bare, "-"),
            ("\\,\\:x", WordKind::Escape, "\\,\\:"),
            ("\\x", WordKind::Bare, "\\"),
            ("  \tx", WordKind::Blank, "  \t"),
            ("1e", WordKind::Int, "1"),
            (".e5", WordKind::Bare, "."),
        ];
        for (text, kind, expected) in cases {
            assert_eq!(word(text), Some(Word { kind, text: expected }), "{text}");
        }
        assert_eq!(word("(x"), None);
        assert_eq!(word("é"), None);
        assert_eq!(word(""), None);
    }
}
