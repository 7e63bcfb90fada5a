//! A program run with the NVTX recorder, and the regions that it opened.

use std::ffi::OsString;
use std::path::Path;

use rangescope_capture::child::{self, ChildEvent, ChildSpec, End};
use rangescope_capture::recorder::{self, environment};
use rangescope_model::recorded::RecordedRegions;
use rangescope_read::recording::{Recording, RecordingError, regions};

use crate::RunError;

/// Runs a program with the recorder, which writes into a folder that exists.
pub fn record(
    program: &[OsString],
    folder: &Path,
    tell: &mut dyn FnMut(ChildEvent<'_>),
) -> Result<End, RunError> {
    let library = recorder::unpack()?;
    let variables = environment(folder, &library).into_iter();
    let spec = ChildSpec {
        environment: variables.map(|(name, value)| (name, Some(value))).collect(),
        argv: program.to_vec(),
        ..ChildSpec::default()
    };
    Ok(child::run(&spec, tell)?.end)
}

/// The regions that a program left in a folder; `None` if it never called NVTX.
pub fn recorded(folder: &Path) -> Result<Option<RecordedRegions>, RunError> {
    match Recording::open(folder) {
        Err(RecordingError::Empty { .. }) => Ok(None),
        recording => Ok(Some(regions(&recording?))),
    }
}
