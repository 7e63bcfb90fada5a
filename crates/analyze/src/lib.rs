//! From results to documents, and from documents to conclusions.
//!
//! [`aggregate`] attributes results to regions and rolls them up; [`insight`] says what the numbers mean; [`compare`] says how runs differ.
//! Pure: no files, no clock, no environment, no terminal.

pub mod aggregate;
pub mod compare;
mod folded;
pub mod insight;

pub use folded::folded;
