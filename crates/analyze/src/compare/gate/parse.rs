//! Reading gates. A gate is read from its end: region names may hold anything, also colons, `<` and `>`; quantities and limits may not.

use super::{Gate, Limit, Operator, Quantity, Unit, short_names};
use crate::compare::decimal::Decimal;
use crate::compare::error::{GateError, GateProblem};
use crate::compare::quantity::alias;
use rangescope_model::select::RegionSelector;
use std::sync::Arc;

const TIME_UNITS: [Unit; 5] = [
    Unit { name: "ns", factor: Decimal::power(-6) },
    Unit { name: "us", factor: Decimal::power(-3) },
    Unit { name: "µs", factor: Decimal::power(-3) },
    Unit { name: "ms", factor: Decimal::power(0) },
    Unit { name: "s", factor: Decimal::power(3) },
];

const BYTE_UNITS: [Unit; 8] = [
    Unit { name: "B", factor: Decimal::power(0) },
    Unit { name: "kB", factor: Decimal::power(3) },
    Unit { name: "KB", factor: Decimal::power(3) },
    Unit { name: "MB", factor: Decimal::power(6) },
    Unit { name: "GB", factor: Decimal::power(9) },
    Unit { name: "KiB", factor: Decimal::whole(1 << 10) },
    Unit { name: "MiB", factor: Decimal::whole(1 << 20) },
    Unit { name: "GiB", factor: Decimal::whole(1 << 30) },
];

/// Reads a file of gates: one a line, `#` begins a comment, blank lines are skipped.
pub fn parse_gates(text: &str) -> Result<Vec<Gate>, GateError> {
    let lines = (1..).zip(text.lines());
    lines
        .filter_map(|(number, line)| {
            let line = without_comment(line.trim_start_matches('\u{feff}')).trim();
            (!line.is_empty()).then(|| gate(line, Some(number)))
        })
        .collect()
}

/// A comment begins the line or follows a blank; `#` inside of a name is part of it.
fn without_comment(line: &str) -> &str {
    let mut before = None;
    for (at, character) in line.char_indices() {
        if character == '#' && before.is_none_or(char::is_whitespace) {
            return line.get(..at).unwrap_or(line);
        }
        before = Some(character);
    }
    line
}

pub(super) fn gate(text: &str, line: Option<usize>) -> Result<Gate, GateError> {
    // Positions are counted in characters of the text as it was written.
    let fail = |at: usize, problem: GateProblem| GateError {
        gate: text.to_owned(),
        line,
        position: text.get(..at).map_or(0, |before| before.chars().count()),
        problem: Box::new(problem),
    };
    if text.trim().is_empty() {
        return Err(fail(0, GateProblem::Empty));
    }
    let Some((left, operator, right)) = split(text) else {
        return Err(fail(text.len(), GateProblem::NoComparison));
    };
    let (region, name) = subject(left);
    let at_name = left.trim_end().len() - name.len();
    if name.is_empty() {
        return Err(fail(left.len(), GateProblem::NoQuantity { operator: operator.symbol() }));
    }
    let quantity = quantity(name).ok_or_else(|| {
        let meant = nearest(name);
        fail(at_name, GateProblem::Quantity { name: name.to_owned(), meant })
    })?;
    let region = match region.trim() {
        "" => None,
        region => match region.strip_suffix(':').map(str::trim) {
            Some("") => return Err(fail(0, GateProblem::Region(empty_selector()))),
            Some(region) => {
                Some(selector(region).map_err(|error| fail(0, GateProblem::Region(error)))?)
            }
            None => {
                let problem =
                    GateProblem::NoColon { region: region.to_owned(), quantity: name.to_owned() };
                return Err(fail(at_name, problem));
            }
        },
    };
    let at_limit = text.len() - right.trim_start().len();
    let limit = limit(right.trim(), &quantity).map_err(|problem| fail(at_limit, problem))?;
    Ok(Gate { text: text.trim().to_owned(), region, quantity, operator, limit })
}

fn split(text: &str) -> Option<(&str, Operator, &str)> {
    let at = text.rfind(['>', '<'])?;
    let (left, rest) = text.split_at_checked(at)?;
    let operator = match (rest.starts_with('>'), rest.get(1..2) == Some("=")) {
        (true, true) => Operator::AtLeast,
        (true, false) => Operator::Above,
        (false, true) => Operator::AtMost,
        (false, false) => Operator::Below,
    };
    Some((left, operator, rest.get(operator.symbol().len()..)?))
}

/// The region with its colon, and the quantity: the last word, which holds neither blanks nor colons.
fn subject(left: &str) -> (&str, &str) {
    let left = left.trim_end();
    let at = left
        .char_indices()
        .rfind(|(_, character)| character.is_whitespace() || *character == ':')
        .map_or(0, |(at, character)| at + character.len_utf8());
    left.split_at_checked(at).unwrap_or(("", left))
}

fn quantity(name: &str) -> Option<Quantity> {
    match name {
        "time" => Some(Quantity::Time),
        "exclusive_time" => Some(Quantity::ExclusiveTime),
        "calls" => Some(Quantity::Calls),
        "exclusive_calls" => Some(Quantity::ExclusiveCalls),
        "time_per_call" => Some(Quantity::TimePerCall),
        // ncu's names have a unit before two underscores, so that a wrong short name is not taken for one.
        name if alias(name).is_some() || name.contains("__") => {
            Some(Quantity::Metric(name.to_owned()))
        }
        _ => None,
    }
}

fn selector(region: &str) -> Result<Arc<RegionSelector>, rangescope_model::select::SelectError> {
    let mut selectors = RegionSelector::parse(&[region.replace(';', "\\;")])?;
    selectors.pop().map(Arc::new).ok_or_else(empty_selector)
}

fn empty_selector() -> rangescope_model::select::SelectError {
    rangescope_model::select::SelectError::Selector {
        selector: String::new(),
        position: 0,
        problem: rangescope_model::select::SelectorProblem::Empty,
    }
}

fn limit(text: &str, quantity: &Quantity) -> Result<Limit, GateProblem> {
    let end = text
        .char_indices()
        .find(|(at, character)| {
            let exponent = matches!(character, 'e' | 'E')
                && text.get(at + 1..).is_some_and(|rest| {
                    rest.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '+')
                });
            !(character.is_ascii_digit() || matches!(character, '.' | '-' | '+') || exponent)
        })
        .map_or(text.len(), |(at, _)| at);
    let (number, unit) = text.split_at_checked(end).unwrap_or((text, ""));
    let wrong = || GateProblem::Limit { text: text.to_owned() };
    let value = Decimal::parse(number).filter(|value| value.number().is_finite());
    let value = value.ok_or_else(wrong)?;
    let unit = unit.trim();
    if unit == "%" {
        return Ok(Limit::Relative(value));
    }
    let (units, own, possible): (&[Unit], &'static str, &'static str) = match quantity {
        Quantity::Time | Quantity::ExclusiveTime | Quantity::TimePerCall => {
            (&TIME_UNITS, "ms", "`%`, `ns`, `us`, `ms` or `s`")
        }
        Quantity::Metric(name) if is_bytes(name) => {
            (&BYTE_UNITS, "", "`%`, `B`, `kB`, `MB`, `GB`, `KiB`, `MiB` or `GiB`")
        }
        _ => (&[], "", "`%`, or a number alone for a difference in the metric's own unit"),
    };
    if unit.is_empty() {
        return Ok(Limit::Absolute { value, unit: Unit { name: own, factor: Decimal::power(0) } });
    }
    match units.iter().find(|known| known.name == unit) {
        Some(known) => {
            let value = value.times(known.factor).ok_or_else(wrong)?;
            Ok(Limit::Absolute { value, unit: *known })
        }
        None => Err(GateProblem::Unit {
            unit: unit.to_owned(),
            quantity: quantity.name().to_owned(),
            possible,
        }),
    }
}

fn is_bytes(name: &str) -> bool {
    match alias(name) {
        Some(alias) => alias.unit == "byte",
        None => name.contains("bytes") && name.strip_suffix(".sum").is_some(),
    }
}

/// The short name that is nearly the same.
fn nearest(wrong: &str) -> Option<String> {
    let mut best: Option<(f64, &str)> = None;
    for name in short_names() {
        let score = strsim::jaro_winkler(wrong, name);
        if score >= 0.8 && best.is_none_or(|(known, _)| score > known) {
            best = Some((score, name));
        }
    }
    best.map(|(_, name)| name.to_owned())
}
