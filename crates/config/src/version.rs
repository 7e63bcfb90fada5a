//! Versions of ncu and nsys, and since which of them something is there.

use std::fmt;
use std::str::FromStr;

/// A version such as 2024.1.1; versions compare by age.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    pub year: u32,
    pub minor: u32,
    pub patch: u32,
}

impl Version {
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

    /// Takes two to four numbers; NVIDIA keeps the fourth at 0.
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

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.year, self.minor, self.patch)
    }
}

/// A version that has something, and what is known of those before it.
///
/// Many versions are known only as "at the latest", because not every ncu could be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Since {
    pub version: Version,
    /// It is known that the version before does not have it.
    is_first: bool,
}

/// An earlier one may have it.
pub(crate) const fn seen_in(year: u32, minor: u32) -> Since {
    Since { version: Version::new(year, minor, 0), is_first: false }
}

/// The version that brought something.
pub(crate) const fn new_in(year: u32, minor: u32) -> Since {
    Since { version: Version::new(year, minor, 0), is_first: true }
}

impl fmt::Display for Since {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Version { year, minor, .. } = self.version;
        if self.is_first {
            write!(f, "it came with ncu {year}.{minor}")
        } else {
            write!(f, "ncu {year}.{minor} and later have it")
        }
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
