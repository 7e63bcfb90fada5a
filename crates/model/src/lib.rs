//! The nouns that every other crate speaks of: launches and regions, the selectors that users write, the documents that are written, and text for people.
//!
//! Plain data and the few functions that belong to a noun. Pure: no files, no clock, no environment, no terminal.

pub mod comparison;
pub mod document;
pub mod glob;
pub mod imbalance;
mod kernel_name_base;
pub mod launch;
pub mod nearest;
pub mod number;
pub mod observed;
pub mod partial;
pub mod rank;
pub mod recorded;
pub mod region;
mod replay_mode;
mod result_ids;
pub mod select;
pub mod session;
pub mod source;
mod stored;
pub mod text;
pub mod timeline;
pub mod words;

pub use kernel_name_base::KernelNameBase;
pub use replay_mode::ReplayMode;
pub use result_ids::{ResultIds, ResultIdsError};
