//! Where a recording was made: its host, and the rank of its program.

use rangescope_recorder::format::number_of;
use rustc_hash::FxHashMap;

use crate::nsys::database::Database;
use crate::nsys::error::NsysError;

/// What an export says about where its program ran.
#[derive(Debug, Default)]
pub(crate) struct Origin {
    /// May be empty.
    pub(crate) host: String,
    /// The rank that a launcher gave the program that nsys started. Inside of a launcher that is the rank itself, around one it says nothing about the ranks.
    pub(crate) rank: Option<u32>,
}

impl Origin {
    pub(crate) fn read(database: &Database) -> Result<Self, NsysError> {
        let mut host = String::new();
        database.rows("TARGET_INFO_SYSTEM_ENV", &["name", "value"], 2, |cells| {
            if let (Some(name), Some(value)) = (cells.text(0), cells.text(1))
                && name == "Hostname"
            {
                host = value.into_owned();
            }
        })?;
        // The whole environment is there; only numbers are of use, and nothing else is kept.
        let mut numbers: FxHashMap<String, u32> = FxHashMap::default();
        database.rows("META_DATA_CAPTURE", &["name", "value"], 2, |cells| {
            if let (Some(name), Some(value)) = (cells.text(0), cells.text(1))
                && name == "PROCESS_0:ENVIRONMENT_VARIABLE"
                && let Some((variable, value)) = value.split_once('=')
                && let Ok(number) = value.trim_matches('"').parse()
            {
                numbers.insert(variable.to_owned(), number);
            }
        })?;
        let rank = number_of(|launcher| Some(launcher.rank), |name| numbers.get(name).copied());
        Ok(Self { host, rank })
    }
}
