//! A document in, conclusions out.

mod findings;
mod presets;
mod properties;
mod roofline;
