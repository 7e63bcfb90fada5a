//! Opening what a user names: a report, a CSV or a run folder, recognised by content.

use std::ffi::OsStr;
use std::io::Read;
use std::path::{Path, PathBuf};

use ncu_rep::Report;
use ncu_rep::csv::{self, CsvReport};

/// Largest CSV that is read; ncu's own are a few megabytes, and a CSV must be held in memory.
const LARGEST_CSV: u64 = 4 << 30;
/// How many bytes are looked at to tell a CSV from other text.
const HEAD: u64 = 256 << 10;

/// One opened file.
#[derive(Debug)]
pub struct Input {
    /// Where it is.
    pub path: PathBuf,
    /// What is in it.
    pub content: Content,
}

/// What is in a file.
#[derive(Debug)]
pub enum Content {
    /// A report, read piece by piece.
    Report(Report),
    /// A CSV of ncu's, held in memory.
    Csv(CsvReport),
}

/// Why an input cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// The report is unreadable.
    #[error("`{}`: {source}", path.display())]
    Report {
        /// The file.
        path: PathBuf,
        /// Why.
        source: ncu_rep::ReadError,
    },
    /// The CSV is unreadable.
    #[error("`{}`: {source}", path.display())]
    Csv {
        /// The file.
        path: PathBuf,
        /// Why.
        source: csv::CsvError,
    },
    /// The CSV is too large to be held.
    #[error("`{}` is a CSV of {size} bytes; at most {LARGEST_CSV} are read", path.display())]
    CsvTooLarge {
        /// The file.
        path: PathBuf,
        /// Its size.
        size: u64,
    },
    /// A folder holds nothing to read.
    #[error("`{}` holds no report: neither ncu/*.ncu-rep nor *.ncu-rep nor raw.csv", path.display())]
    EmptyFolder {
        /// The folder.
        path: PathBuf,
    },
    /// The system refused.
    #[error("{0}")]
    Io(#[from] std::io::Error),
}

impl InputError {
    /// What the user can do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::Report { source, .. } => source.hint().to_owned(),
            Self::Csv { .. } => {
                "give the output of `ncu --csv --page raw` or `--page details`".to_owned()
            }
            Self::CsvTooLarge { .. } => {
                "give the .ncu-rep instead; it is read without being held in memory".to_owned()
            }
            Self::EmptyFolder { .. } => {
                "give a run folder of rangescope, or the path of a .ncu-rep file".to_owned()
            }
            Self::Io(_) => "check that the path exists and that you may read it".to_owned(),
        }
    }
}

impl Input {
    /// Opens one file.
    pub fn open(path: &Path) -> Result<Self, InputError> {
        let content = match Report::open(path) {
            Ok(report) => Content::Report(report),
            Err(ncu_rep::ReadError::NotAReport { found }) => match read_csv(path)? {
                Some(csv) => Content::Csv(csv),
                None => {
                    let source = ncu_rep::ReadError::NotAReport { found };
                    return Err(InputError::Report { path: path.to_owned(), source });
                }
            },
            Err(source) => return Err(InputError::Report { path: path.to_owned(), source }),
        };
        Ok(Self { path: path.to_owned(), content })
    }

    /// Opens all files that the paths name; a folder stands for the reports in it, in order of their names.
    pub fn open_all(paths: &[PathBuf]) -> Result<Vec<Self>, InputError> {
        let mut inputs = Vec::new();
        for path in paths {
            if path.is_dir() {
                for file in reports_in(path)? {
                    inputs.push(Self::open(&file)?);
                }
            } else {
                inputs.push(Self::open(path)?);
            }
        }
        Ok(inputs)
    }

    /// The file's name without its folder.
    pub fn file_name(&self) -> String {
        self.path.file_name().unwrap_or(self.path.as_os_str()).to_string_lossy().into_owned()
    }

    /// How many results it holds.
    pub fn len(&self) -> usize {
        match &self.content {
            Content::Report(report) => report.len(),
            Content::Csv(csv) => csv.results.len(),
        }
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Reads a CSV of ncu's; nothing if the file is not one.
fn read_csv(path: &Path) -> Result<Option<CsvReport>, InputError> {
    let mut file = fs_err::File::open(path)?;
    let size = file.metadata()?.len();
    let mut text = Vec::new();
    file.by_ref().take(HEAD).read_to_end(&mut text)?;
    if !csv::looks_like_csv(&text) {
        return Ok(None);
    }
    if size > LARGEST_CSV {
        return Err(InputError::CsvTooLarge { path: path.to_owned(), size });
    }
    file.take(LARGEST_CSV).read_to_end(&mut text)?;
    csv::read(&text).map(Some).map_err(|source| InputError::Csv { path: path.to_owned(), source })
}

/// The reports of a folder: those under `ncu/` of a run folder, else those in the folder itself, else a CSV that ncu or rangescope left there.
fn reports_in(folder: &Path) -> Result<Vec<PathBuf>, InputError> {
    for place in [folder.join("ncu"), folder.to_owned()] {
        if !place.is_dir() {
            continue;
        }
        let mut reports: Vec<PathBuf> = Vec::new();
        for entry in fs_err::read_dir(&place)? {
            let path = entry?.path();
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
        let csv = place.join("raw.csv");
        if csv.is_file() {
            return Ok(vec![csv]);
        }
    }
    Err(InputError::EmptyFolder { path: folder.to_owned() })
}
