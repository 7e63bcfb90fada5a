//! Whose report a file is, as whoever started the profiler wrote it down beside it.

use std::path::Path;

use rangescope_model::rank::{MOST_BYTES, RankRecord};

/// What stands in `X.json` beside `X.ncu-rep` or `X.sqlite`; any other file of that name is none of ours.
pub(crate) fn rank_beside(path: &Path) -> Option<RankRecord> {
    let text = ncu_rep::file::read_text(&path.with_extension("json"), MOST_BYTES).ok()?;
    serde_json::from_str(&text).ok().filter(RankRecord::is_ours)
}
