//! The crate as its users see it: results in, reports out.

#![expect(
    clippy::expect_used,
    clippy::float_cmp,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking, and exact outcomes are what is tested"
)]

mod aggregation;
mod attribution;
mod common;
mod hostile;
mod properties;
mod range_results;
mod scopes;
mod selection;
mod summaries;
