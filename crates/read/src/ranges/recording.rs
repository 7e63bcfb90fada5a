//! What the recorder wrote: a file, or a folder of them.

use std::path::Path;

use rangescope_model::observed::ObservedRegions;

use super::{RangesError, document};
use crate::recording::{Recording, regions};

pub(super) fn read(path: &Path) -> Result<Option<ObservedRegions>, RangesError> {
    let is_record = |path: &Path| path.extension().is_some_and(|extension| extension == "nvtx");
    let mut entries = fs_err::read_dir(path).into_iter().flatten().flatten();
    if is_record(path) || entries.any(|entry| is_record(&entry.path())) {
        return Ok(Some(document::observed(&regions(&Recording::open(path)?))));
    }
    Ok(None)
}
