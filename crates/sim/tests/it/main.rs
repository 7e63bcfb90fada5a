//! The simulator from outside.

#![expect(clippy::unwrap_used, reason = "tests may fail")]

mod run;
