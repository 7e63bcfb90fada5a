//! Documents in, bytes out.

#![expect(
    clippy::unwrap_used,
    reason = "a test fails by panicking, and exact outcomes are what is tested"
)]

mod comparison;
mod page;
mod plot;
