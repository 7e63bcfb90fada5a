//! Which ncu there is and what it can do: found on the path or where NVIDIA installs it, then asked.
//!
//! ncu answers all of this without a GPU and without a driver, in a fraction of a second.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rangescope_config::Version;
use rangescope_config::settings::NcuOptions;

use super::help::{HelpOption, parse_help, parse_listing};
use crate::child::{ChildError, QuickOutput, beginning, quick};
use crate::shell::command_line;

const NAME: &str = "ncu";
/// Where NVIDIA's installers put ncu, or a folder for each version.
pub(crate) const USUAL_FOLDERS: [&str; 3] =
    ["/usr/local/cuda/bin", "/opt/nvidia/nsight-compute", "/usr/local"];
/// For each question.
const LIMIT: Duration = Duration::from_secs(30);

/// All that is known of one ncu.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NcuInfo {
    /// The words that start it: usually one, its path.
    pub launcher: Vec<OsString>,
    pub version: Version,
    /// The options of its help, by long name without dashes.
    pub options: BTreeMap<String, HelpOption>,
    /// Empty if it was not asked.
    pub sets: BTreeSet<String>,
    /// Empty if it was not asked.
    pub sections: BTreeSet<String>,
}

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProbeError {
    #[error("`{name}` was not found on the path{}", if name == NAME { ", nor where NVIDIA installs it" } else { "" })]
    NotFound { name: String },
    #[error(transparent)]
    Run(#[from] ChildError),
    #[error("`{launcher} {question}` does not finish")]
    Silent { launcher: String, question: String },
    #[error("`{launcher}` does not say which version of ncu it is; it said: {said}")]
    NoVersion {
        launcher: String,
        /// The beginning of its answer.
        said: String,
    },
}

impl ProbeError {
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NotFound { .. } => {
                "install NVIDIA Nsight Compute, or set `pipeline.ncu.executable` to the path of `ncu`"
            }
            Self::Silent { .. } => {
                "run it by hand; a file system that does not answer may be the cause"
            }
            Self::Run(error) => error.hint().unwrap_or("run it by hand"),
            Self::NoVersion { .. } => "give the path of `ncu` itself",
        }
    }
}

impl NcuInfo {
    pub fn probe(launcher: &[OsString]) -> Result<Self, ProbeError> {
        Self::probe_within(launcher, LIMIT)
    }

    /// With so much time for each question.
    pub(crate) fn probe_within(launcher: &[OsString], limit: Duration) -> Result<Self, ProbeError> {
        let ask = |question| ask(launcher, question, limit);
        let printed = ask("--version")?;
        let version = Version::find(&printed.stdout).ok_or_else(|| ProbeError::NoVersion {
            launcher: command_line(launcher),
            said: beginning(&(printed.stdout + &printed.stderr)),
        })?;
        Ok(Self {
            launcher: launcher.to_vec(),
            version,
            options: parse_help(&ask("--help")?.stdout),
            sets: parse_listing(&ask("--list-sets")?.stdout),
            sections: parse_listing(&ask("--list-sections")?.stdout),
        })
    }

    /// For an ncu of which only the version is known.
    pub fn of_version(launcher: Vec<OsString>, version: Version) -> Self {
        Self {
            launcher,
            version,
            options: BTreeMap::new(),
            sets: BTreeSet::new(),
            sections: BTreeSet::new(),
        }
    }

    /// The option is given without dashes.
    pub fn has_option(&self, option: &str) -> bool {
        if !self.options.is_empty() {
            return self.options.contains_key(option);
        }
        // Without its help, only the version tells.
        NcuOptions::since(option, None).is_none_or(|since| self.version >= since.version)
    }

    pub fn has_value(&self, option: &str, value: &str) -> bool {
        let Some(since) = NcuOptions::since(option, Some(value)) else { return true };
        self.version >= since.version
            || self.options.get(option).is_some_and(|described| described.names(value))
    }
}

/// A path is taken as it is, a name is looked for on the path, and NVIDIA's own also where NVIDIA installs them.
pub fn locate(executable: &OsStr) -> Result<PathBuf, ProbeError> {
    let folders: Vec<PathBuf> = USUAL_FOLDERS.iter().map(PathBuf::from).collect();
    locate_in(executable, std::env::var_os("PATH").as_deref(), &folders)
}

/// Like [`locate`], on a path of the caller's and in the given installation folders.
pub(crate) fn locate_in(
    executable: &OsStr,
    path: Option<&OsStr>,
    usual: &[PathBuf],
) -> Result<PathBuf, ProbeError> {
    let not_found = || ProbeError::NotFound { name: executable.to_string_lossy().into_owned() };
    let here = std::env::current_dir().unwrap_or_default();
    if let Ok(found) = which::which_in(executable, path, here) {
        return Ok(found);
    }
    if executable.as_encoded_bytes().contains(&b'/') {
        // It may be there without being executable, which is a different error.
        return std::path::absolute(executable).map_err(|_| not_found());
    }
    usual
        .iter()
        .filter(|_| executable == NAME || executable == "nvdisasm")
        .find_map(|folder| find_below(folder, executable))
        .ok_or_else(not_found)
}

/// A program in the folder, or in the newest of the versioned folders in it.
fn find_below(folder: &Path, name: &OsStr) -> Option<PathBuf> {
    let direct = folder.join(name);
    if direct.is_file() {
        return Some(direct);
    }
    fs_err::read_dir(folder)
        .ok()?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .flat_map(|entry| [entry.join(name), entry.join("bin").join(name)])
        .filter(|path| path.is_file())
        .max_by_key(|path| (numbers(path), path.clone()))
}

/// The numbers in a path, so that `cuda-12.4` is newer than `cuda-9.2`.
fn numbers(path: &Path) -> Vec<u64> {
    let text = path.to_string_lossy();
    text.split(|character: char| !character.is_ascii_digit())
        .filter_map(|digits| digits.parse().ok())
        .collect()
}

fn ask(launcher: &[OsString], question: &str, limit: Duration) -> Result<QuickOutput, ProbeError> {
    let argv = launcher.iter().cloned().chain([OsString::from(question)]).collect();
    // Otherwise ncu copies its section files into the home folder, and this is only a question.
    let environment =
        vec![("NV_COMPUTE_PROFILER_DISABLE_STOCK_FILE_DEPLOYMENT".into(), Some("1".into()))];
    let answer = quick(argv, environment, limit)?;
    if answer.outcome.timed_out.is_some() {
        let launcher = command_line(launcher);
        return Err(ProbeError::Silent { launcher, question: question.to_owned() });
    }
    Ok(answer)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    use super::locate_in;

    fn make(path: &Path) {
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, "#!/bin/sh\n").unwrap();
        fs_err::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    #[test]
    fn the_path_comes_first_and_then_the_newest_version() {
        let root = tempfile::tempdir().unwrap();
        let at = |path: &str| root.path().join(path);
        let usual = [at("cuda/bin"), at("local")];
        let path = at("bin").into_os_string();
        let found = |name: &str| locate_in(name.as_ref(), Some(&path), &usual);
        assert_eq!(
            found("ncu").unwrap_err().to_string(),
            "`ncu` was not found on the path, nor where NVIDIA installs it"
        );
        for version in ["9.2", "12.4", "11.8"] {
            make(&at(&format!("local/cuda-{version}/bin/ncu")));
        }
        assert_eq!(found("ncu").unwrap(), at("local/cuda-12.4/bin/ncu"));
        make(&at("bin/ncu"));
        assert_eq!(found("ncu").unwrap(), at("bin/ncu"));
        assert_eq!(
            found("ncu-2024").unwrap_err().to_string(),
            "`ncu-2024` was not found on the path"
        );
        assert_eq!(found("/opt/none/ncu").unwrap(), Path::new("/opt/none/ncu"));
    }
}
