//! Which nsys this is, and what it can trace.

use std::ffi::OsString;
use std::fmt;
use std::process::{Command, Stdio};

use crate::nsys::error::NsysError;

/// An nsys that can be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NsysInfo {
    /// What to run: nsys, perhaps with something before it.
    pub launcher: Vec<OsString>,
    /// Its version.
    pub version: NsysVersion,
    /// What it can trace; empty if that is not known.
    pub traces: Vec<String>,
}

/// A version of nsys.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NsysVersion {
    /// The year and the release within it, such as `(2023, 4)`.
    pub release: (u32, u32),
    /// The whole version as nsys says it, such as `2023.4.4.54-234433681190v0`.
    pub text: String,
}

impl fmt::Display for NsysVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl NsysInfo {
    /// Asks an nsys for its version and for what it can trace.
    pub fn probe(launcher: &[OsString]) -> Result<Self, NsysError> {
        let failed = |cause: String| NsysError::Probe {
            launcher: launcher.join(" ".as_ref()).display().to_string(),
            cause,
        };
        let said = run(launcher, &["--version"]).map_err(failed)?;
        let version = NsysVersion::parse(&said)
            .ok_or_else(|| failed(format!("it is not nsys, it says {:?}", shortened(&said))))?;
        // An nsys whose help looks different is not refused: it is asked less.
        let traces =
            run(launcher, &["profile", "--help"]).map_or_else(|_| Vec::new(), |help| traces(&help));
        Ok(Self { launcher: launcher.to_vec(), version, traces })
    }
}

impl NsysVersion {
    /// The version in what `nsys --version` prints.
    pub fn parse(said: &str) -> Option<Self> {
        if !said.contains("Nsight Systems") {
            return None;
        }
        let text = said.split_whitespace().skip_while(|&word| word != "version").nth(1)?;
        let mut numbers = text.split(|c: char| !c.is_ascii_digit()).map(str::parse);
        let release = (numbers.next()?.ok()?, numbers.next()?.ok()?);
        Some(Self { release, text: text.to_owned() })
    }
}

fn run(launcher: &[OsString], arguments: &[&str]) -> Result<String, String> {
    let (program, before) = launcher.split_first().ok_or("there is nothing to run")?;
    let output = Command::new(program)
        .args(before)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| error.to_string())?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{}: {}", output.status, shortened(&said)));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The words in quotes in the first sentence about `--trace`.
pub(super) fn traces(help: &str) -> Vec<String> {
    let mut lines = help.lines().skip_while(|line| !line.trim_end().ends_with("--trace=")).skip(1);
    let mut words = Vec::new();
    for line in lines.by_ref().skip_while(|line| line.trim().is_empty()) {
        words.extend(line.split('\'').skip(1).step_by(2).map(str::to_owned));
        if line.trim().is_empty() || line.trim_end().ends_with('.') {
            break;
        }
    }
    words
}

fn shortened(text: &str) -> String {
    text.trim().chars().take(200).collect()
}
