//! Sources of ranges: what tells which regions a program has, each format in a file of its own.

mod document;
mod nsys;
mod recording;
mod results;

use std::io;
use std::path::{Path, PathBuf};

use rangescope_model::observed::ObservedRegions;

use crate::InputError;
use crate::nsys::NsysError;
use crate::recording::RecordingError;
pub use nsys::observed_in_trace;

/// Reads a path that is of the format at hand; `None` if it is of another.
type Read = fn(&Path) -> Result<Option<ObservedRegions>, RangesError>;

/// In the order in which they are tried. The last explains what is wrong with a path that no other takes.
const FORMATS: &[Read] = &[document::read, recording::read, nsys::read, results::read];

/// The regions in a recording, a list of `rangescope regions`, an export of nsys, or an earlier run's folder or report.
pub fn observed_regions(path: &Path) -> Result<ObservedRegions, RangesError> {
    for read in FORMATS {
        if let Some(regions) = read(path)? {
            return Ok(regions);
        }
    }
    Err(InputError::Unrecognised { path: path.to_owned() }.into())
}

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RangesError {
    #[error("cannot read `{}`: {cause}", path.display())]
    Read { path: PathBuf, cause: io::Error },
    #[error("`{}` is not what `rangescope regions --format json` writes: {cause}", path.display())]
    NotAList { path: PathBuf, cause: serde_json::Error },
    #[error(transparent)]
    Input(#[from] InputError),
    #[error(transparent)]
    Nsys(#[from] NsysError),
    #[error(transparent)]
    Recording(#[from] RecordingError),
}

impl RangesError {
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Read { .. } => {
                Some("check that the path exists and that you may read it".to_owned())
            }
            Self::NotAList { .. } => Some(
                "make it with `rangescope regions --format json --out FILE -- PROGRAM`".to_owned(),
            ),
            Self::Input(error) => Some(error.hint()),
            Self::Nsys(error) => error.hint(),
            Self::Recording(error) => error.hint().map(str::to_owned),
        }
    }
}
