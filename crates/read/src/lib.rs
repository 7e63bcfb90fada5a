//! From files to a region report: opens inputs, feeds their results to the analysis in parallel, and puts the document together.
//!
//! This is the edge between formats and the pure analysis. Results are decoded in chunks and forgotten; nothing here grows with the file but the summaries.

mod analyse;
mod devices;
mod feed;
mod input;
mod ncu_selector;
mod vocabulary;

pub use analyse::{Progress, Request, analyse};
pub use feed::open_ranges;
pub use input::{Content, Input, InputError};

/// The version entry in a report's session by which a simulated device names itself.
pub const SIMULATOR_PROVIDER: &str = "rangescope simulator";

/// The version entry that lists the ranks of processes, as `pid:rank` with blanks between them.
pub const RANKS: &str = "rangescope ranks";
