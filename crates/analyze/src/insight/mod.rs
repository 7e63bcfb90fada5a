//! What a region report means: rooflines, what bounds each kernel and region, advice, and the facts for a first screen.
//!
//! Everything is made from the JSON contract ([`RegionDocument`](rangescope_model::document::RegionDocument)) alone, so that a `report.json` suffices.
//! Pure: no files, no clock, no terminal. Nothing is guessed: a ceiling comes from the report's own peak metrics, a finding has the numbers that support it,
//! and what is missing is named together with the preset that collects it.

pub mod advice;
mod bound;
pub mod details;
mod facts;
mod findings;
mod histogram;
pub mod kernel;
mod measured;
pub mod model;
mod presets;
mod report;
pub mod roofline;
mod sampled;
mod words;

pub use bound::{compute_word, limit_noun, limited_by, of_which_sms};
pub use model::Insight;
