//! Whole files, real ones and some that are made here.

#![expect(
    clippy::disallowed_methods,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "tests fail by panicking, say what they skip, and start programs"
)]

mod compressed;
mod csv_read;
mod csv_write;
mod damage;
mod filter_cases;
mod large;
mod positions;
mod round_trip;
mod support;
mod units;
mod zeros;
