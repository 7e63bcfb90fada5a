//! What ncu says while it works, read as it comes: from pieces of output that may end anywhere, in between the program's own output.
//!
//! ncu writes its lines to the same place as the program. It begins a line when a kernel begins and ends it when its last pass is done, so a line has to be
//! understood before it is whole. Whatever is not ncu's is handed on untouched.

mod line;
mod reader;

pub use line::{NcuLine, Workload, parse_line};
pub use reader::{ProgressEvent, ProgressReader, ProgressState};
