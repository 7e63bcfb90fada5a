//! From results to documents, and from documents to conclusions.
//!
//! [`aggregate`] attributes results to regions and rolls them up; [`insight`] says what the numbers mean; [`compare`] says how runs differ; [`recorded`] is
//! what people see of a recording.
//! Pure: no files, no clock, no environment, no terminal.

pub mod aggregate;
pub mod compare;
mod direct;
pub mod insight;
pub mod outcome;
pub mod recorded;
pub mod source;
mod view;

pub use direct::{DirectKernel, direct_in_members, direct_kernels};
pub use view::{SortKey, View, folded};
