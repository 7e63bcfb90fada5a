//! Plans, captures and diagnoses as their users see them. Tests that send signals to their own process or count its descriptors are programs of their own.

#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests fail by panicking, say what they skip, and start programs"
)]

mod child;
mod config;
mod diagnose;
mod doctor;
mod execute;
mod machine;
mod real;
mod real_ncu;
mod real_runs;
#[cfg(target_os = "linux")]
mod recorder;
mod table;
