//! Metric names taken apart, and the units that follow from them.
//!
//! Report files hold no units: NVIDIA's readers look them up in a table of their own. [`unit_of`] infers the unit from the name by rules, in the spelling of the 2026 tools (`ns`, `byte/s`, `hz`); [`legacy_unit`] gives the spelling of 2022 to 2024,
//! and [`parse_unit`] reads both, scaled or not, as they stand in CSV files. Where NVIDIA's table contradicts itself between versions the rules follow the newer one, unless only the older one makes sense.
//! Nothing here knows a single metric's value or how values are aggregated.

mod convert;
mod infer;
mod name;

pub use convert::{legacy_unit, parse_unit};
pub use infer::{is_fraction, unit_of};
pub use name::{MetricName, Rollup};
