//! Sweeps: one override with several values becomes several runs.
//!
//! The runs come in the order of Hydra's basic sweeper: the last override varies fastest.

use indexmap::IndexMap;

use crate::error::{ConfigError, Problem};
use crate::limits;
use crate::overrides::{Action, Element, Given, Override, OverrideArg, Sweep, parse, written};
use crate::tree::Tree;

/// The overrides of every run. Without any sweep there is one run.
///
/// An override that is given twice counts once, with its last value at the place of the first, as in Hydra.
pub fn sweep(tree: &Tree, overrides: &[OverrideArg]) -> Result<Vec<Vec<OverrideArg>>, ConfigError> {
    let mut columns: IndexMap<String, Vec<OverrideArg>> = IndexMap::new();
    let mut runs = 1_usize;
    for (index, arg) in overrides.iter().enumerate() {
        let change = parse(arg, index)?;
        let key = format!("{}{}", sign(change.action), change.target());
        let is_sweep = matches!(change.value, Some(Given::Sweep(_)));
        if is_sweep && change.is_about_hydra() {
            let problem = Problem::Override("Hydra's own configuration cannot be swept".to_owned());
            return Err(ConfigError::new(problem).at(&change.origin).with_key(key));
        }
        let values = values(tree, &change)
            .map_err(|error| error.at(&change.origin).with_key(change.target()))?;
        let arg =
            |value: String| OverrideArg { text: format!("{key}={value}"), flag: arg.flag.clone() };
        let args: Vec<OverrideArg> = values.into_iter().map(arg).collect();
        columns.insert(key, args);
    }
    for column in columns.values() {
        runs = runs.saturating_mul(column.len());
        if runs > limits::SWEEP_RUNS {
            return Err(ConfigError::too_much("the runs of a sweep", limits::SWEEP_RUNS));
        }
    }
    let mut product: Vec<Vec<OverrideArg>> = vec![Vec::new()];
    for column in columns.values() {
        let extended = |run: &Vec<OverrideArg>| {
            column
                .iter()
                .map(|arg| [run.as_slice(), std::slice::from_ref(arg)].concat())
                .collect::<Vec<_>>()
        };
        product = product.iter().flat_map(extended).collect();
    }
    Ok(product)
}

fn sign(action: Action) -> &'static str {
    match action {
        Action::Change => "",
        Action::Add => "+",
        Action::ForceAdd => "++",
        Action::Delete => "~",
    }
}

fn values(tree: &Tree, change: &Override) -> Result<Vec<String>, ConfigError> {
    let too_many = || ConfigError::too_much("the values of a sweep", limits::SWEEP_RUNS);
    Ok(match &change.value {
        None => vec!["null".to_owned()],
        Some(Given::Element(element)) => vec![written(element)],
        Some(Given::Sweep(Sweep::Choice { values, .. })) => values.iter().map(written).collect(),
        Some(Given::Sweep(Sweep::Range { start, stop, step })) => {
            range(start, stop, step).ok_or_else(too_many)?.iter().map(written).collect()
        }
        Some(Given::Sweep(Sweep::Glob { include, exclude })) => {
            let matches = |option: &str, globs: &[String]| {
                globs.iter().any(|glob| glob_matches(glob.as_bytes(), option.as_bytes()))
            };
            let options = tree.options(&change.key).into_iter();
            options.filter(|option| matches(option, include) && !matches(option, exclude)).collect()
        }
    })
}

/// `None` if there are too many.
fn range(start: &Element, stop: &Element, step: &Element) -> Option<Vec<Element>> {
    if let (Element::Int(start), Element::Int(stop), Element::Int(step)) = (start, stop, step) {
        let mut values = Vec::new();
        let mut next = i128::from(*start);
        while if *step > 0 { next < i128::from(*stop) } else { next > i128::from(*stop) } {
            values.push(Element::Int(i64::try_from(next).ok()?));
            next += i128::from(*step);
            if values.len() > limits::SWEEP_RUNS {
                return None;
            }
        }
        return Some(values);
    }
    let number = |element: &Element| match element {
        Element::Int(value) => *value as f64,
        Element::Float(value) => *value,
        _ => f64::NAN,
    };
    let (start, stop, step) = (number(start), number(stop), number(step));
    let mut values = Vec::new();
    // Multiples of the step, rounded to what its digits can mean, so that tenths come out as tenths.
    let rounded = |value: f64| format!("{value:.12e}").parse::<f64>().unwrap_or(value);
    for index in 0..=limits::SWEEP_RUNS {
        let value = rounded(step.mul_add(index as f64, start));
        let is_inside = if step > 0.0 { value < stop } else { value > stop };
        if !is_inside {
            return Some(values);
        }
        values.push(Element::Float(value));
    }
    None
}

/// Matches `*`, `?` and `[…]`, as a shell does.
fn glob_matches(glob: &[u8], text: &[u8]) -> bool {
    let (mut g, mut t) = (0, 0);
    // Where to go on after the last star, if the rest does not match here.
    let mut retry: Option<(usize, usize)> = None;
    while t < text.len() {
        let step = match glob.get(g) {
            Some(b'*') => {
                retry = Some((g + 1, t));
                g += 1;
                continue;
            }
            Some(b'?') => Some(1),
            Some(b'[') => match class(&glob[g..]) {
                Some((members, is_negated, length)) => {
                    (is_member(members, text[t]) != is_negated).then_some(length)
                }
                None => (text[t] == b'[').then_some(1),
            },

            Some(c) => (*c == text[t]).then_some(1),
            None => None,
        };
        match (step, retry) {
            (Some(length), _) => {
                g += length;
                t += 1;
            }
            (None, Some((after_star, at))) => {
                g = after_star;
                t = at + 1;
                retry = Some((after_star, at + 1));
            }
            (None, None) => return false,
        }
    }
    glob[g..].iter().all(|c| *c == b'*')
}

/// A class such as `[a-c]` or `[!x]` at the start of a pattern: its members, whether they are excluded, its length.
fn class(glob: &[u8]) -> Option<(&[u8], bool, usize)> {
    let is_negated = glob.get(1) == Some(&b'!');
    let first = if is_negated { 2 } else { 1 };
    // A closing bracket right at the start is a member.
    let close = glob.iter().skip(first + 1).position(|c| *c == b']')? + first + 1;
    Some((&glob[first..close], is_negated, close + 1))
}

fn is_member(mut members: &[u8], byte: u8) -> bool {
    loop {
        let (is_found, rest) = match members {
            [from, b'-', to, rest @ ..] => ((*from..=*to).contains(&byte), rest),
            [own, rest @ ..] => (*own == byte, rest),
            [] => return false,
        };
        if is_found {
            return true;
        }
        members = rest;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(overrides: &[&str]) -> Vec<String> {
        let overrides = OverrideArg::list(overrides.iter().copied());
        let text = |run: Vec<OverrideArg>| {
            run.into_iter().map(|arg| arg.text).collect::<Vec<_>>().join(" ")
        };
        match sweep(&Tree::embedded(), &overrides) {
            Ok(runs) => runs.into_iter().map(text).collect(),
            Err(error) => vec![error.to_string()],
        }
    }

    #[test]
    fn the_last_override_varies_fastest() {
        assert_eq!(runs(&["a=1,2", "b=x,y"]), ["a=1 b=x", "a=1 b=y", "a=2 b=x", "a=2 b=y"]);
        assert_eq!(runs(&["a=1"]), ["a=1"]);
        assert_eq!(runs(&[]), [""]);
        assert_eq!(runs(&["a=1,2", "a=3,4"]), ["a=3", "a=4"]);
    }

    #[test]
    fn ranges_choices_and_globs() {
        assert_eq!(runs(&["a=range(5,0,-2)"]), ["a=5", "a=3", "a=1"]);
        assert_eq!(runs(&["a=range(0,0.35,0.1)"]), ["a=0.0", "a=0.1", "a=0.2", "a=0.3"]);
        assert_eq!(runs(&["a=choice('x,y',[1],{b:null})"]), ["a=x\\,y", "a=[1]", "a={b:null}"]);
        assert_eq!(runs(&["a='x y',é"]).len(), 1);
        let presets = runs(&["profiling/ncu@pipeline.ncu=glob(ncu.rtx*,exclude='*.[m-z]*y')"]);
        assert_eq!(
            presets,
            [
                "profiling/ncu@pipeline.ncu=ncu.rtx3090",
                "profiling/ncu@pipeline.ncu=ncu.rtx3090.compute"
            ]
        );
    }

    #[test]
    fn sweeps_are_bounded() {
        assert_eq!(
            runs(&["a=range(1000000)"]),
            ["override `a=range(1000000)`: `a`: the values of a sweep may not exceed 10000"]
        );
        assert_eq!(
            runs(&["a=range(500)", "b=range(500)"]),
            ["the runs of a sweep may not exceed 10000"]
        );
    }

    #[test]
    fn globs_match_as_in_a_shell() {
        let matches = |glob: &str, text: &str| glob_matches(glob.as_bytes(), text.as_bytes());
        assert!(
            matches("a*c?[x-z]", "abcdy")
                && matches("*", "")
                && matches("[!a]b", "xb")
                && matches("[]]", "]")
        );
        assert!(
            !matches("a*c", "abd")
                && !matches("[!a]b", "ab")
                && !matches("?", "")
                && !matches("a[b", "ab")
        );
        assert!(matches("a[b", "a[b"));
    }
}
