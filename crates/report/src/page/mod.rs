//! A region report as one HTML page: one file, no network, opened from disk.
//!
//! [`write()`] turns a document into a compact model, embeds it as data, and puts it together with the page's own style and script.
//! What the report concludes (bounds, roofline points, advice) is those of `rangescope_analyze::insight`; nothing is computed here but what saves space.
//! Nothing from the document becomes markup or code: it is JSON in a data block, and the page's policy allows no script or style but its own.

mod assets;
mod escape;
mod model;
mod write;

pub use model::KernelCharts;
pub use write::{write, write_comparison};
