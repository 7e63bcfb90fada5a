//! The list that `rangescope regions --format json` writes.

use std::path::Path;

use rangescope_model::observed::{ObservedRange, ObservedRegions};
use rangescope_model::recorded::RecordedRegions;

use super::RangesError;

pub(super) fn read(path: &Path) -> Result<Option<ObservedRegions>, RangesError> {
    if path.extension().is_none_or(|extension| extension != "json") {
        return Ok(None);
    }
    let text = ncu_rep::file::read_text(path, ncu_rep::limits::TEXT)
        .map_err(|cause| RangesError::Read { path: path.to_owned(), cause })?;
    match serde_json::from_str(&text) {
        Ok(list) => Ok(Some(observed(&list))),
        Err(cause) => Err(RangesError::NotAList { path: path.to_owned(), cause }),
    }
}

pub(super) fn observed(recorded: &RecordedRegions) -> ObservedRegions {
    // The last tree is over all processes.
    let Some(tree) = recorded.reports.last() else { return ObservedRegions::default() };
    let ranges = recorded.processes.iter().zip(&recorded.reports).flat_map(|(process, tree)| {
        tree.regions.iter().map(|region| ObservedRange {
            count: Some(region.instances),
            process: Some(process.process_id),
            ..ObservedRange::of(region.key().to_key())
        })
    });
    ObservedRegions {
        regions: tree.regions.iter().map(|region| region.key().to_key()).collect(),
        ranges: ranges.collect(),
        open_together: tree.open_together_complete.then(|| tree.open_together.clone()),
        // Processes come in order of their beginning, and a program begins before what it starts.
        main_process: recorded.processes.first().map(|process| process.process_id),
    }
}
