//! What the formats look like, that hostile names stay harmless in them, and that large documents stay fast.
//!
//! [`support`] builds the documents; each other file looks at one format or one danger.

mod csv;
mod folder;
mod hostile;
mod json;
mod kernel;
mod markdown;
mod scale;
mod sections;
mod support;
mod terminal;
