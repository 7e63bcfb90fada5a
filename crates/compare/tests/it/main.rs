//! The crate as its users see it: documents in, a comparison out.

#![allow(
    clippy::expect_used,
    clippy::float_cmp,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test fails by panicking, and exact outcomes are what is tested"
)]

mod corpus;
mod exports;
mod gates;
mod hostile;
mod matching;
mod notes;
mod properties;
mod support;
