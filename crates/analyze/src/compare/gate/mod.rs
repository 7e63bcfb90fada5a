//! Gates: limits on differences that turn a comparison into a verdict.
//!
//! A gate is `[REGION:] QUANTITY OPERATOR LIMIT`: `decode: time > 5%` is violated when `decode` takes more than 5 % longer, `time > 0.5ms` when the whole run
//! takes more than half a millisecond longer, `occupancy < -3` when occupancy falls by more than three points.

mod evaluate;
mod missing;
mod parse;
mod settle;

pub(crate) use evaluate::evaluate;
pub use parse::parse_gates;
pub(crate) use settle::Evidence;

use crate::compare::decimal::Decimal;
use crate::compare::error::GateError;
use crate::compare::quantity::{ALIASES, BUILT_IN};
use rangescope_model::select::RegionSelector;
use std::cmp::Ordering;
use std::sync::Arc;

/// One limit on a difference.
#[derive(Clone, Debug)]
pub struct Gate {
    text: String,
    region: Option<Arc<RegionSelector>>,
    quantity: Quantity,
    operator: Operator,
    limit: Limit,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Quantity {
    Time,
    ExclusiveTime,
    Calls,
    ExclusiveCalls,
    TimePerCall,
    /// A metric or the short name of one.
    Metric(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Above,
    AtLeast,
    Below,
    AtMost,
}

/// A limit on a difference.
#[derive(Clone, Copy, Debug)]
enum Limit {
    /// In per cent of the base.
    Relative(Decimal),
    /// In the quantity's own unit, with the unit in which it was written.
    Absolute { value: Decimal, unit: Unit },
}

/// A unit of a limit: its name and what one of it is in the quantity's own unit.
#[derive(Clone, Copy, Debug)]
struct Unit {
    name: &'static str,
    factor: Decimal,
}

impl Gate {
    /// Reads one gate.
    pub fn parse(text: &str) -> Result<Self, GateError> {
        parse::gate(text, None)
    }

    /// The gate as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The metric or short name that it is about, unless every document has it.
    pub(crate) fn metric(&self) -> Option<String> {
        match &self.quantity {
            Quantity::Metric(name) => Some(name.clone()),
            _ => None,
        }
    }
}

impl Quantity {
    fn name(&self) -> &str {
        match self {
            Self::Time => "time",
            Self::ExclusiveTime => "exclusive_time",
            Self::Calls => "calls",
            Self::ExclusiveCalls => "exclusive_calls",
            Self::TimePerCall => "time_per_call",
            Self::Metric(name) => name,
        }
    }
}

impl Operator {
    fn symbol(self) -> &'static str {
        match self {
            Self::Above => ">",
            Self::AtLeast => ">=",
            Self::Below => "<",
            Self::AtMost => "<=",
        }
    }

    fn holds(self, against: Ordering) -> bool {
        match self {
            Self::Above => against.is_gt(),
            Self::AtLeast => against.is_ge(),
            Self::Below => against.is_lt(),
            Self::AtMost => against.is_le(),
        }
    }
}

/// The short names that a gate can use.
pub fn short_names() -> Vec<&'static str> {
    let built_in = BUILT_IN.iter().map(|(name, _)| *name);
    built_in.chain(ALIASES.iter().map(|alias| alias.name)).collect()
}
