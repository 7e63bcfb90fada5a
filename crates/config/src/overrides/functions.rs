//! The functions of the override grammar: casts, and what makes a sweep.
//!
//! `interval`, `tag`, `shuffle` and `sort` are left out: they serve optimisers and random order, which a sweep that runs everything in order has no use for.

use super::python_cast::Cast;
use super::{Element, Given, Sweep};

const NAMES: [&str; 7] = ["bool", "choice", "float", "glob", "int", "range", "str"];

#[derive(Default)]
pub(super) struct Arguments {
    pub(super) positional: Vec<Given>,
    pub(super) named: Vec<(String, Given)>,
}

impl Arguments {
    pub(super) fn is_empty(&self) -> bool {
        self.positional.is_empty() && self.named.is_empty()
    }

    /// One argument per name, by position or by name.
    fn bind<const N: usize>(self, names: [&str; N]) -> Result<[Option<Given>; N], String> {
        let mut bound = [const { None }; N];
        if self.positional.len() > N {
            return Err(format!("takes at most {N} arguments"));
        }
        for (slot, value) in bound.iter_mut().zip(self.positional) {
            *slot = Some(value);
        }
        for (name, value) in self.named {
            let slot = names
                .iter()
                .position(|known| *known == name)
                .and_then(|index| bound.get_mut(index));
            match slot {
                None => return Err(format!("has no argument `{name}`")),
                Some(Some(_)) => return Err(format!("got the argument `{name}` twice")),
                Some(slot) => *slot = Some(value),
            }
        }
        Ok(bound)
    }
}

pub(super) fn call(name: &str, arguments: Arguments) -> Result<Given, String> {
    match name {
        "int" => cast(arguments, Cast::Int),
        "float" => cast(arguments, Cast::Float),
        "str" => cast(arguments, Cast::Str),
        "bool" => cast(arguments, Cast::Bool),
        "choice" => choice(arguments),
        "range" => range(arguments),
        "glob" => glob(arguments),
        _ => Err(format!("there is no such function, only {}", NAMES.join(", "))),
    }
}

fn cast(mut arguments: Arguments, cast: Cast) -> Result<Given, String> {
    let value = match (arguments.positional.len(), arguments.named.pop()) {
        (0, Some((name, value))) if name == "value" && arguments.named.is_empty() => value,
        (1, None) => arguments.positional.remove(0),
        (0, _) | (_, Some(_)) => return Err("takes one value".to_owned()),
        (_, None) => {
            let values = arguments.positional.into_iter().map(element).collect::<Result<_, _>>()?;
            Given::Sweep(Sweep::Choice { values, simple: true })
        }
    };
    match value {
        Given::Element(element) => cast.element(element).map(Given::Element),
        Given::Sweep(Sweep::Choice { values, simple }) => {
            let values =
                values.into_iter().map(|value| cast.element(value)).collect::<Result<_, _>>()?;
            Ok(Given::Sweep(Sweep::Choice { values, simple }))
        }
        Given::Sweep(Sweep::Range { start, stop, step })
            if matches!(cast, Cast::Int | Cast::Float) =>
        {
            let [start, stop, step] = [start, stop, step].map(|part| cast.element(part));
            Ok(Given::Sweep(Sweep::Range { start: start?, stop: stop?, step: step? }))
        }
        Given::Sweep(_) => Err("cannot cast this sweep".to_owned()),
    }
}

fn choice(arguments: Arguments) -> Result<Given, String> {
    if let Some((name, _)) = arguments.named.first() {
        return Err(format!("has no argument `{name}`"));
    }
    let mut values = arguments.positional;
    match values.pop() {
        None => Err("needs at least one value".to_owned()),
        Some(Given::Sweep(Sweep::Choice { values: inner, simple: true })) if values.is_empty() => {
            Ok(Given::Sweep(Sweep::Choice { values: inner, simple: false }))
        }
        Some(last) => {
            values.push(last);
            let values = values
                .into_iter()
                .map(|value| element(value).map(unquoted))
                .collect::<Result<Vec<_>, _>>()?;
            if values.contains(&Element::Null) {
                return Err("`null` cannot be a choice".to_owned());
            }
            Ok(Given::Sweep(Sweep::Choice { values, simple: false }))
        }
    }
}

fn range(arguments: Arguments) -> Result<Given, String> {
    let number = |given: Given| match element(given)? {
        number @ (Element::Int(_) | Element::Float(_)) => Ok(number),
        _ => Err("takes numbers".to_owned()),
    };
    let [start, stop, step] =
        arguments.bind(["start", "stop", "step"])?.map(|given| given.map(number).transpose());
    let start = start?.ok_or("needs at least one number")?;
    let step = step?.unwrap_or(Element::Int(1));
    let (start, stop) = match stop? {
        Some(stop) => (start, stop),
        None => (Element::Int(0), start),
    };
    if matches!(step, Element::Int(0)) || matches!(step, Element::Float(step) if step == 0.0) {
        return Err("the step cannot be zero".to_owned());
    }
    Ok(Given::Sweep(Sweep::Range { start, stop, step }))
}

fn glob(arguments: Arguments) -> Result<Given, String> {
    let texts = |given: Option<Given>| match given.map(element).transpose()?.map(unquoted) {
        None => Ok(Vec::new()),
        Some(Element::Text(text)) => Ok(vec![text]),
        Some(Element::List(items)) => items
            .into_iter()
            .map(|item| match unquoted(item) {
                Element::Text(text) => Ok(text),
                _ => Err("takes texts or lists of texts".to_owned()),
            })
            .collect(),
        Some(_) => Err("takes texts or lists of texts".to_owned()),
    };
    let [include, exclude] = arguments.bind(["include", "exclude"])?;
    if include.is_none() {
        return Err("needs a pattern".to_owned());
    }
    Ok(Given::Sweep(Sweep::Glob { include: texts(include)?, exclude: texts(exclude)? }))
}

fn element(given: Given) -> Result<Element, String> {
    match given {
        Given::Element(element) => Ok(element),
        Given::Sweep(_) => Err("a sweep cannot be part of this".to_owned()),
    }
}

/// Functions see the content of quoted texts.
fn unquoted(element: Element) -> Element {
    match element {
        Element::Quoted(text, _) => Element::Text(text),
        other => other,
    }
}
