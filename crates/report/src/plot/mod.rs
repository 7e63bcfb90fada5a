//! Drawings of region reports: roofline, icicle, heaviest kernels, histogram, and the charts of one kernel or region as SVG and PNG, and the region tree as bars for a terminal.
//!
//! Everything is made from the JSON contract ([`RegionDocument`](rangescope_model::document::RegionDocument)) alone, and the same document always gives the same bytes.
//! Pure: no files, no clock, no fonts of the machine. Names are made visible and escaped before they reach a drawing, and no drawing refers to anything outside of itself.

mod axis;
mod bars;
mod chosen;
mod draw;
mod error;
mod font;
mod frame;
mod histogram;
mod icicle;
mod kernels;
mod labels;
mod memory;
mod memory_layout;
mod parts;
mod png;
mod request;
mod roofline;
mod sampling;
mod scene;
mod svg;

pub use bars::bars;
pub use draw::{draw, draw_with_samples};
pub use error::PlotError;
pub(crate) use memory_layout::Layout as MemoryLayout;
pub use png::png;
pub use request::{ColourMetric, Kind, PlotRequest};
pub(crate) use sampling::{columns_of, length_ns};
