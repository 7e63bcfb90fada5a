//! The words that overrides and interpolations are made of.
//!
//! Hydra's override grammar and OmegaConf's interpolation grammar share their alphabet: numbers, identifiers, a few bare characters, escapes and white space. [`word`] finds the longest of them at the start of a text, as their lexers do; the two parsers add their own brackets and quotes.

mod word;

pub(crate) use word::{Word, WordKind, blanks, unescaped, whole, word};
