//! What has times: the ranges of recordings, and ranges and kernels of Nsight Systems. Beside the timeline itself they are results whose only number is how long they took, so that reports can be made of them.

mod nsys;
mod recording;
mod results;
mod tracks;

use std::path::Path;

use rangescope_model::timeline::Timeline;

use crate::nsys::{Database, NsysError, Trace};
use crate::recording::Recording;

pub use results::TimedResults;

/// What kind of input a timeline is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timed {
    Nsys,
    Recording,
}

/// Reads an export of Nsight Systems or a recording; nothing if it is neither.
pub fn read(path: &Path) -> Result<Option<(Timed, Timeline)>, NsysError> {
    if path.is_file()
        && let Ok(database) = Database::open(path)
    {
        return Ok(Some((Timed::Nsys, nsys::timeline(&Trace::read(&database)?)?)));
    }
    let recording = Recording::open(path).ok();
    Ok(recording.map(|recording| (Timed::Recording, recording::timeline(&recording))))
}
