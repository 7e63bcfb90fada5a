//! From protobuf fields to the nouns of [`crate::model`], one file a noun.

pub(crate) mod metric;
pub(crate) mod nvtx;
pub(crate) mod rule;
pub(crate) mod section;
