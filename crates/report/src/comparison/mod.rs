//! What each format shows of a comparison; [`FORMATS`](crate::formats::FORMATS) lists them.

mod escape;
pub(crate) mod github;
pub(crate) mod junit;
pub(crate) mod markdown;
pub(crate) mod rows;
pub(crate) mod terminal;
