//! Numbers for people.
//!
//! Machine formats write numbers in full; what is here rounds for reading, never to zero when the value is not zero, and never hides that a value is not exact.

mod count;
mod difference;
mod digits;
mod metric;
mod percent;
mod time;
mod unit;

#[cfg(test)]
mod tests;

pub use count::{count, dimensions, thousands};
pub use difference::{signed_percent, signed_with_unit};
pub use digits::{plain, three_digits};
pub use metric::{
    INEXACT, is_below_all, method, metric_in_base, metric_scaled, metric_value, own_values,
    percent_metric,
};
pub use percent::{percent, percent_figure, percentage, rounded_percent, rounded_percentage};
pub use time::{Milliseconds, time, times_apart, weight};
pub use unit::{FRACTION, rate, scaled, with_unit};

pub const ABSENT: &str = "–";
