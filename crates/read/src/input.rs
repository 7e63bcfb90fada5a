//! Opening what a user names: a report, a CSV or a run folder, recognised by content.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ncu_rep::csv;
use rayon::prelude::*;

use crate::results::{FORMATS, Refusal, ResultSource, Shelf};

/// Files that stay open for as long as they are needed.
const ALWAYS_OPEN: usize = 64;

#[derive(Debug)]
pub struct Input {
    pub path: PathBuf,
    pub source: Box<dyn ResultSource>,
}

/// Why an input cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    #[error("`{}`: {source}", path.display())]
    Report { path: PathBuf, source: ncu_rep::ReadError },
    #[error("`{}` is of no format that rangescope reads", path.display())]
    Unrecognised { path: PathBuf },
    #[error("`{}`: {source}", path.display())]
    Csv { path: PathBuf, source: csv::CsvError },
    #[error("`{}`: none of its results is readable; {lost} are lost", path.display())]
    NothingReadable { path: PathBuf, lost: u64 },
    #[error("`{}` holds no report: neither ncu/*.ncu-rep nor *.ncu-rep nor raw.csv", path.display())]
    EmptyFolder { path: PathBuf },
    #[error("cannot read `{}`: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
}

impl InputError {
    pub fn hint(&self) -> String {
        match self {
            Self::Report { source, .. } => source.hint().to_owned(),
            Self::Unrecognised { .. } | Self::Csv { .. } => {
                "give the output of `ncu --csv --page raw` or `--page details`".to_owned()
            }
            Self::NothingReadable { .. } => {
                "wait until ncu has ended, or copy the file again from where it was made; else capture again"
                    .to_owned()
            }
            Self::EmptyFolder { .. } => {
                "give a run folder of rangescope, or the path of a .ncu-rep file".to_owned()
            }
            Self::Io { source, .. } if source.kind() == std::io::ErrorKind::FileTooLarge => {
                "give the .ncu-rep instead of a CSV; it is read without being held in memory"
                    .to_owned()
            }
            Self::Io { .. } => "check that the path exists and that you may read it".to_owned(),
        }
    }
}

impl Input {
    pub fn open(path: &Path) -> Result<Self, InputError> {
        let mut said = None;
        for open in FORMATS {
            match open(path) {
                Ok(source) => return Ok(Self { path: path.to_owned(), source }),
                Err(Refusal::Unreadable(error)) => return Err(error),
                Err(Refusal::OtherFormat(error)) => said = said.or(error),
            }
        }
        Err(said.unwrap_or_else(|| InputError::Unrecognised { path: path.to_owned() }))
    }

    /// Opens all files that the paths name; a folder stands for the reports in it, in order of their names.
    /// Any number of files can be given: those beyond the first few are open only while they are read.
    pub fn open_all(paths: &[PathBuf]) -> Result<Vec<Self>, InputError> {
        let mut files: Vec<PathBuf> = Vec::new();
        for path in paths {
            if path.is_dir() {
                files.extend(reports_in(path)?);
            } else {
                files.push(path.clone());
            }
        }
        let shelf = Arc::new(Shelf::default());
        let open = |(position, file): (usize, &PathBuf)| {
            if position < ALWAYS_OPEN { Self::open(file) } else { shelf.park(file) }
        };
        let opened: Vec<Result<Self, InputError>> =
            files.par_iter().enumerate().map(open).collect();
        opened.into_iter().collect()
    }

    pub fn file_name(&self) -> String {
        self.path.file_name().unwrap_or(self.path.as_os_str()).to_string_lossy().into_owned()
    }
}

/// The reports of a folder: those under `ncu/` of a run folder, else those in the folder itself, else a CSV that ncu or rangescope left there.
fn reports_in(folder: &Path) -> Result<Vec<PathBuf>, InputError> {
    let io = |source| InputError::Io { path: folder.to_owned(), source };
    for folder in [folder.join("ncu"), folder.to_owned()] {
        if !folder.is_dir() {
            continue;
        }
        let mut reports: Vec<PathBuf> = Vec::new();
        for entry in fs_err::read_dir(&folder).map_err(io)? {
            let path = entry.map_err(io)?.path();
            let extension = path.extension().and_then(OsStr::to_str).unwrap_or_default();
            // A capture that is under way or was cut off has this in its name; it is no report yet.
            let is_partial = path.file_stem().is_some_and(|stem| {
                Path::new(stem).extension().is_some_and(|last| last == "partial")
            });
            let is_report = matches!(extension, "ncu-rep" | "ncu-repz" | "nsight-cuprof-report");
            if is_report && !is_partial {
                reports.push(path);
            }
        }
        if !reports.is_empty() {
            reports.sort();
            return Ok(reports);
        }
        let csv = folder.join("raw.csv");
        if csv.is_file() {
            return Ok(vec![csv]);
        }
    }
    Err(InputError::EmptyFolder { path: folder.to_owned() })
}
