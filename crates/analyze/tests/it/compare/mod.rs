//! Documents in, a comparison out.

mod gates;
mod matching;
mod notes;
