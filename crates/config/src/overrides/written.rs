//! Writing values as text that reads back as the same value.

use super::Element;
use crate::python;

/// Writes any text as the value of an override, in quotes, so that nothing in it has a meaning.
pub fn quoted(text: &str) -> String {
    in_quotes(&literal(text), '"')
}

/// The text with every `${` escaped: interpolations are found in quotes too.
fn literal(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (index, part) in text.split("${").enumerate() {
        if index > 0 {
            // Backslashes before an escaped interpolation are escapes themselves.
            let backslashes = out.len() - out.trim_end_matches('\\').len();
            out.extend(std::iter::repeat_n('\\', backslashes + 1));
            out.push_str("${");
        }
        out.push_str(part);
    }
    out
}

/// The text of a value after the `=`, as Hydra writes it for each run of a sweep.
pub(crate) fn written(element: &Element) -> String {
    match element {
        Element::Null => "null".to_owned(),
        // Python's spelling of booleans reads back as well.
        Element::Bool(value) => if *value { "True" } else { "False" }.to_owned(),
        Element::Int(value) => value.to_string(),
        Element::Float(value) => python::float_text(*value),
        Element::Text(text) => escaped(text),
        Element::Quoted(text, quote) => in_quotes(text, *quote),
        Element::List(items) => {
            format!("[{}]", items.iter().map(written).collect::<Vec<_>>().join(","))
        }
        Element::Map(entries) => {
            let entry =
                |(key, value): &(Element, Element)| format!("{}:{}", written(key), written(value));
            format!("{{{}}}", entries.iter().map(entry).collect::<Vec<_>>().join(","))
        }
    }
}

/// A backslash before every character that has a meaning of its own; quotes where that does not suffice.
fn escaped(text: &str) -> String {
    let is_known = |c: char| c.is_ascii_alphanumeric() || "_/-\\+.$%*@?|;()[]{}:=, \t".contains(c);
    if !text.chars().all(is_known) {
        return in_quotes(text, '"');
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if "\\()[]{}:=, \t".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// The text between quotes: a backslash before each such quote, and twice the backslashes that precede one.
fn in_quotes(text: &str, quote: char) -> String {
    let mut out = String::from(quote);
    let mut backslashes = 0;
    for c in text.chars().map(Some).chain([None]) {
        match c {
            Some('\\') => backslashes += 1,
            Some(c) if c != quote => {
                out.extend(std::iter::repeat_n('\\', std::mem::take(&mut backslashes)));
                out.push(c);
            }
            // A quote of the text, or the closing one.
            _ => {
                out.extend(std::iter::repeat_n('\\', 2 * std::mem::take(&mut backslashes)));
                out.extend(c.map(|_| '\\'));
                out.push(quote);
            }
        }
    }
    out
}
