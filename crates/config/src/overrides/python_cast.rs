//! `int()`, `float()`, `str()` and `bool()` of the override grammar, with Python's meaning.

use super::Element;
use crate::python;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cast {
    Int,
    Float,
    Str,
    Bool,
}

impl Cast {
    /// Lists and the values of maps are cast item by item.
    pub(super) fn element(self, element: Element) -> Result<Element, String> {
        match element {
            Element::List(items) => {
                let items =
                    items.into_iter().map(|item| self.element(item)).collect::<Result<_, _>>()?;
                Ok(Element::List(items))
            }
            Element::Map(entries) => {
                let cast = |(key, value)| self.element(value).map(|value| (key, value));
                Ok(Element::Map(entries.into_iter().map(cast).collect::<Result<_, _>>()?))
            }
            Element::Quoted(text, _) => self.scalar(&Element::Text(text)),
            scalar => self.scalar(&scalar),
        }
    }

    fn scalar(self, scalar: &Element) -> Result<Element, String> {
        if *scalar == Element::Null {
            return Err("cannot cast null".to_owned());
        }
        match self {
            Self::Int => int(scalar).map(Element::Int),
            Self::Float => float(scalar).map(Element::Float),
            Self::Bool => boolean(scalar).map(Element::Bool),
            Self::Str => Ok(Element::Text(text(scalar))),
        }
    }
}

fn int(scalar: &Element) -> Result<i64, String> {
    let refuse = || format!("`{}` cannot become an integer", text(scalar));
    match scalar {
        Element::Int(value) => Ok(*value),
        Element::Bool(value) => Ok(i64::from(*value)),
        Element::Float(value) => {
            let whole = value.trunc();
            // Every float below 2^63 in magnitude has its integer.
            let fits = whole.is_finite() && whole.abs() < 9_223_372_036_854_775_808.0;
            #[expect(clippy::cast_possible_truncation, reason = "the range is checked")]
            fits.then_some(whole as i64).ok_or_else(refuse)
        }
        Element::Text(text) => {
            digits(text).and_then(|digits| digits.parse().ok()).ok_or_else(refuse)
        }
        _ => Err(refuse()),
    }
}

fn float(scalar: &Element) -> Result<f64, String> {
    let refuse = || format!("`{}` cannot become a number", text(scalar));
    match scalar {
        Element::Int(value) => Ok(*value as f64),
        Element::Bool(value) => Ok(f64::from(u8::from(*value))),
        Element::Float(value) => Ok(*value),
        Element::Text(text) => {
            digits(text).and_then(|digits| digits.parse().ok()).ok_or_else(refuse)
        }
        _ => Err(refuse()),
    }
}

fn boolean(scalar: &Element) -> Result<bool, String> {
    match scalar {
        Element::Int(value) => Ok(*value != 0),
        Element::Bool(value) => Ok(*value),
        Element::Float(value) => Ok(*value != 0.0),
        Element::Text(text) if text.eq_ignore_ascii_case("true") => Ok(true),
        Element::Text(text) if text.eq_ignore_ascii_case("false") => Ok(false),
        other => Err(format!("`{}` cannot become a boolean", text(other))),
    }
}

/// The digits of a number in text: Python allows blanks around it and single underscores between digits.
fn digits(text: &str) -> Option<String> {
    let text = text.trim();
    let badly_placed = text.starts_with('_') || text.ends_with('_') || text.contains("__");
    (!badly_placed).then(|| text.replace('_', ""))
}

fn text(scalar: &Element) -> String {
    match scalar {
        Element::Text(text) | Element::Quoted(text, _) => text.clone(),
        Element::Bool(value) => value.to_string(),
        Element::Int(value) => value.to_string(),
        Element::Float(value) => python::float_text(*value),
        Element::Null | Element::List(_) | Element::Map(_) => String::new(),
    }
}
