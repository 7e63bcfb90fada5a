//! YAML in and out.
//!
//! [`load`] reads a file into a tree with the line of every value; [`write`] writes a tree so that [`load`] reads the same back.

mod load;
mod scalar;
mod write;

pub(crate) use load::load;
pub use write::json_as_yaml;
pub(crate) use write::{float_text, write};

#[cfg(test)]
mod tests;
