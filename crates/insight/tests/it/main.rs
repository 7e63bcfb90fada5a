//! The crate as its users see it: a document in, conclusions out.

#![allow(
    clippy::expect_used,
    clippy::float_cmp,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test fails by panicking, and exact outcomes are what is tested"
)]

mod corpus;
mod findings;
mod presets;
mod properties;
mod roofline;
mod support;
