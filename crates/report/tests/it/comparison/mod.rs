//! Comparisons in all their formats.

mod exports;
mod hostile;
mod properties;
