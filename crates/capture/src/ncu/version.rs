//! ncu's version number, as `ncu --version` prints it.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A version such as 2024.1.1; versions compare by age.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Version {
    /// The year.
    pub year: u32,
    /// The release within the year.
    pub minor: u32,
    /// The update of that release.
    pub patch: u32,
}

impl Version {
    /// A version from its parts.
    pub const fn new(year: u32, minor: u32, patch: u32) -> Self {
        Self { year, minor, patch }
    }

    /// Finds the version in what `ncu --version` prints: the line `Version 2024.1.1.0 (build …)`.
    pub fn find(text: &str) -> Option<Self> {
        text.lines()
            .filter_map(|line| line.trim_start().strip_prefix("Version"))
            .find_map(|rest| rest.split_whitespace().next()?.parse().ok())
    }
}

impl FromStr for Version {
    type Err = String;

    /// Takes two to four numbers; the fourth is a number that NVIDIA keeps at 0.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is not a version of the form YEAR.MINOR.PATCH");
        let parts: Vec<u32> =
            text.split('.').map(str::parse).collect::<Result<_, _>>().map_err(|_| wrong())?;
        match parts.as_slice() {
            [year, minor] => Ok(Self::new(*year, *minor, 0)),
            [year, minor, patch] | [year, minor, patch, _] => Ok(Self::new(*year, *minor, *patch)),
            _ => Err(wrong()),
        }
    }
}

impl TryFrom<String> for Version {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Version> for String {
    fn from(version: Version) -> Self {
        version.to_string()
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.year, self.minor, self.patch)
    }
}

#[cfg(test)]
mod tests {
    use super::Version;

    const PRINTED: &str = "NVIDIA (R) Nsight Compute Command Line Profiler\n\
        Copyright (c) 2018-2024 NVIDIA Corporation\n\
        Version 2024.1.1.0 (build 33998838) (public-release)\n";

    #[test]
    fn it_is_found_in_what_ncu_prints() {
        assert_eq!(Version::find(PRINTED), Some(Version::new(2024, 1, 1)));
        assert_eq!(
            Version::find("Version unknown\nVersion 2026.3.0.0"),
            Some(Version::new(2026, 3, 0))
        );
        assert_eq!(Version::find("GNU coreutils 9.1"), None);
    }

    #[test]
    fn versions_compare_by_age() {
        assert!(Version::new(2024, 3, 0) < Version::new(2025, 1, 0));
        assert_eq!("2025.2".parse(), Ok(Version::new(2025, 2, 0)));
        assert!("2025".parse::<Version>().is_err());
        assert!("a.b.c".parse::<Version>().is_err());
    }
}
