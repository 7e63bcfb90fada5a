//! The crate as its users see it: results in, documents and conclusions out.

#![expect(
    clippy::expect_used,
    clippy::float_cmp,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking, and exact outcomes are what is tested"
)]

mod aggregate;
mod compare;
mod insight;
