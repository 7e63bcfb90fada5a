//! The program as its users see it.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test fails by panicking and starts programs"
)]

mod program;
