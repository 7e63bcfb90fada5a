//! What can go wrong with files of nsys, as data; [`NsysError::hint`] says what the user can do about it.
//!
//! Causes are part of the message and not a `source()`, so that a printer which walks the chain does not say them twice.

use std::io;
use std::path::PathBuf;

/// Something is wrong with an export or a list of kernels.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NsysError {
    /// A file cannot be read.
    #[error("cannot read `{}`: {cause}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
    /// The file is a report of nsys and not an export of it.
    #[error("`{}` is a report of nsys, not its SQLite export", path.display())]
    IsReport {
        /// The file.
        path: PathBuf,
    },
    /// The file is something else.
    #[error("`{}` is not an SQLite file: {found}", path.display())]
    NotSqlite {
        /// The file.
        path: PathBuf,
        /// What it is instead.
        found: &'static str,
    },
    /// The file is an SQLite file that nsys did not write.
    #[error("`{}` is an SQLite file, but no export of nsys", path.display())]
    NotNsys {
        /// The file.
        path: PathBuf,
    },
    /// Somebody is still writing the file, or was killed while doing it.
    #[error("`{}` is not complete: `{}` is beside it", path.display(), beside.display())]
    Unfinished {
        /// The file.
        path: PathBuf,
        /// The file with what has not been written yet.
        beside: PathBuf,
    },
    /// The file cannot be read to its end.
    #[error("`{}` is damaged: {cause}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What does not fit.
        cause: String,
    },
    /// A table lacks a column that is needed.
    #[error("`{}`: table {table} has no column {column}", path.display())]
    NoColumn {
        /// The file.
        path: PathBuf,
        /// The table.
        table: &'static str,
        /// The column.
        column: &'static str,
    },
    /// A selector that names no regions.
    #[error("`{text}` selects results of ncu and no regions")]
    Selector {
        /// The selector.
        text: String,
    },
    /// A file is no list of kernels.
    #[error("`{}` is no list of kernels: {cause}", path.display())]
    NotAList {
        /// The file.
        path: PathBuf,
        /// What does not fit.
        cause: String,
    },
    /// A list of kernels in a format that is not known here.
    #[error("`{}` is a list of kernels of format {found}, known is {known}", path.display())]
    ListVersion {
        /// The file.
        path: PathBuf,
        /// The format of the file.
        found: u64,
        /// The format that is known.
        known: u64,
    },
}

impl NsysError {
    /// What the user can do about it, if that is known.
    pub fn hint(&self) -> Option<String> {
        let fixed = |text: &str| Some(text.to_owned());
        match self {
            Self::Read { cause, .. } => match cause.kind() {
                io::ErrorKind::NotFound => fixed("check the path"),
                io::ErrorKind::PermissionDenied => fixed("you may not read it"),
                _ => None,
            },
            Self::IsReport { path } => {
                let export = path.with_extension("sqlite");
                Some(format!(
                    "export it first: nsys export --type=sqlite --output='{}' '{}'",
                    export.display(),
                    path.display()
                ))
            }
            Self::NotSqlite { .. } | Self::NotNsys { .. } => {
                fixed("give the file that `nsys export --type=sqlite REPORT.nsys-rep` writes")
            }
            Self::Unfinished { .. } => {
                fixed("wait until the export has ended, or export the report again")
            }
            Self::Damaged { .. } => {
                fixed("export the report again: nsys export --type=sqlite --force-overwrite=true")
            }
            Self::NoColumn { .. } => {
                fixed("the export is of a version of nsys that is not known here")
            }
            Self::Selector { .. } => fixed("name regions, such as decode* or LLM@*"),
            Self::NotAList { .. } => fixed("make one with `rangescope top-kernels FILE.sqlite`"),
            Self::ListVersion { .. } => {
                fixed("make the list again with `rangescope top-kernels FILE.sqlite`")
            }
        }
    }
}
