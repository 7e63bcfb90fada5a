//! What can go wrong with files of nsys, as data; [`NsysError::hint`] says what the user can do about it.
//!
//! Causes are part of the message and not a `source()`, so that a printer which walks the chain does not say them twice.

use std::io;
use std::path::PathBuf;

/// Something is wrong with an export or a list of kernels.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NsysError {
    #[error("cannot read `{}`: {cause}", path.display())]
    Read { path: PathBuf, cause: io::Error },
    #[error("`{}` is a report of nsys, not its SQLite export", path.display())]
    IsReport { path: PathBuf },
    #[error("`{}` is not an SQLite file: {found}", path.display())]
    NotSqlite { path: PathBuf, found: &'static str },
    #[error("`{}` is an SQLite file, but no export of nsys", path.display())]
    NotNsys { path: PathBuf },
    #[error("`{}` is not complete: `{}` is beside it", path.display(), beside.display())]
    Unfinished { path: PathBuf, beside: PathBuf },
    #[error("`{}` is damaged: {cause}", path.display())]
    Damaged { path: PathBuf, cause: String },
    #[error("`{}`: table {table} has no column {column}", path.display())]
    NoColumn { path: PathBuf, table: &'static str, column: &'static str },
    #[error("`{text}` selects results of ncu and no regions")]
    Selector { text: String },
    #[error("`{}` is no list of kernels: {cause}", path.display())]
    NotAList { path: PathBuf, cause: String },
    #[error("`{}` is a list of kernels of format {found}, known is {known}", path.display())]
    ListVersion { path: PathBuf, found: u64, known: u64 },
}

impl NsysError {
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
