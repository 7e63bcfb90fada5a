//! A program run with the NVTX recorder, and the regions that it opened.

use std::ffi::OsString;
use std::path::Path;
use std::time::{Duration, SystemTime};

use rangescope_capture::child::{self, ChildEvent, ChildSpec, End};
use rangescope_capture::recorder::{self, environment};
use rangescope_model::recorded::RecordedRegions;
use rangescope_read::Rename;
use rangescope_read::recording::{Recording, RecordingError, regions};

use crate::RunError;

/// Runs a program with the recorder, which writes into a folder that exists, at most `limit` bytes for every process. Gives how the program ended and the regions
/// that it left, with other names for ranges where `rename` has any; none if it never called NVTX.
pub fn record(
    program: &[OsString],
    folder: &Path,
    limit: u64,
    rename: Rename<'_>,
    tell: &mut dyn FnMut(ChildEvent<'_>),
) -> Result<(End, Option<RecordedRegions>), RunError> {
    let library = recorder::unpack()?;
    let variables = environment(folder, &library).into_iter().chain([recorder::limit(limit)]);
    let spec = ChildSpec {
        environment: variables.map(|(name, value)| (name, Some(value))).collect(),
        argv: program.to_vec(),
        ..ChildSpec::default()
    };
    let before = changed_before_now(folder);
    let end = child::run(&spec, tell)?.end;
    let found = match Recording::open(folder) {
        // An empty folder that has changed held something.
        Err(RecordingError::Empty { .. }) if changed(folder) == before => None,
        Err(RecordingError::Empty { .. }) => {
            return Err(RecordingError::Removed { folder: folder.to_owned() }.into());
        }
        Err(RecordingError::Io { .. }) if !folder.exists() => {
            return Err(RecordingError::Removed { folder: folder.to_owned() }.into());
        }
        recording => {
            let mut recording = recording?;
            recording.processes.iter_mut().for_each(|process| process.rename(rename));
            Some(regions(&recording))
        }
    };
    Ok((end, found))
}

fn changed(folder: &Path) -> Option<SystemTime> {
    folder.metadata().and_then(|found| found.modified()).ok()
}

/// When a folder was changed last; that time is moved back a little, because clocks of file systems tick slowly and the program may be fast.
fn changed_before_now(folder: &Path) -> Option<SystemTime> {
    const TICK: Duration = Duration::from_secs(1);
    let earlier = SystemTime::now().checked_sub(TICK)?;
    if changed(folder)? > earlier {
        // Where that is not allowed, the folder is somebody else's and older.
        let _ = fs_err::File::open(folder).and_then(|folder| folder.file().set_modified(earlier));
    }
    changed(folder)
}
