//! Files in, results and ranges out.

#![expect(
    clippy::float_cmp,
    clippy::unwrap_used,
    reason = "a test fails by panicking, and exact outcomes are what is tested"
)]

mod input;
mod nsys;
mod ranges;
mod recording;
