//! Boost regular expressions on the `regex` crate.
//!
//! ncu hands expressions to Boost in its Perl syntax, on bytes, with `.` matching line ends and `^` and `$` matching at every line. The translation keeps those meanings, spells out what the `regex` crate writes in another way (brackets inside classes, `\Q…\E`, `\l`, `{` as a character …)
//! and refuses what cannot be had without backtracking: look-around, back-references, atomic groups and possessive repetition. Memory is bounded per expression.

mod class;
mod compile;
mod translate;

pub(super) use compile::{Compare, compile};
